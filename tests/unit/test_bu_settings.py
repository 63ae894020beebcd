"""Patterns of the settings: one that could not be worked out is refused at once, not in the middle of an hour."""

import re

import pytest

from gpucost.runtime.settings import SettingsError, parse_settings


def patterns(match: str, bu: str) -> tuple[tuple[str, str], ...]:
    return parse_settings({"bu": {"patterns": [{"match": match, "bu": bu}]}}).policy().bu.patterns


@pytest.mark.parametrize(("match", "bu"), [("(.*)-prod", r"\1"), ("(?P<team>.*)-.*", r"bu-\g<team>"), ("x", "plain")])
def test_a_bu_may_use_the_groups_of_its_pattern(match: str, bu: str) -> None:
    assert patterns(match, bu) == ((match, bu),)


@pytest.mark.parametrize(("match", "bu"), [("(.*)-prod", r"\2"), ("a", r"\1"), ("(a)", r"\g<team>"), ("(a)", r"\q")])
def test_a_bu_that_names_another_group_is_refused_with_its_place(match: str, bu: str) -> None:
    with pytest.raises(SettingsError, match=re.escape("bu.patterns.0: " + repr(bu))):
        patterns(match, bu)


def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match="is not a regular expression"):
        patterns("(", "x")
