"""A fault in the settings says where it is, what is there, and what to write instead."""

from typing import Any

import pytest

from gpucost.runtime.settings import SettingsError, parse_settings


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"usd_per_gpuhour": 3}, "usd_per_gpuhour: there is no such setting; did you mean usd_per_gpu_hour"),
        ({"foo": 3}, "foo: there is no such setting; docs/settings.md lists them"),
        ({"alerts": {"min_waste": 3}}, "alerts.min_waste: there is no such setting; did you mean min_waste_usd"),
        ({"bu": {"patterns": [{"match": "a"}]}}, "bu.patterns.0.bu: it is missing here, and has no default"),
        ({"bu": "ml"}, "bu: input should be a valid dictionary or instance of BuSettings, not 'ml'"),
        ({"bu": {"patterns": [{"match": "(", "bu": "x"}]}}, "bu.patterns.0.match: "),
    ],
)
def test_a_fault_is_named_with_its_place(document: dict[str, Any], says: str) -> None:
    with pytest.raises(SettingsError) as error:
        parse_settings(document)
    assert str(error.value).startswith(says)
    assert "Value error" not in str(error.value)


def test_all_faults_are_named_and_long_values_are_cut() -> None:
    with pytest.raises(SettingsError) as error:
        parse_settings({"foo": 1, "slices_per_gpu": "x" * 1000})
    assert len(str(error.value).split("; ")) == 3
    assert len(str(error.value)) < 300
