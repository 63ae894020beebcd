"""A function's variables: all that are missing are named at once, at first use and not at import."""

import pytest

from gpucost.runtime import container, environment
from gpucost.runtime.environment import CollectEnvironment, ConfigurationError, Environment, PlanEnvironment

FUNCTIONS = [
    environment.PlanEnvironment,
    environment.CollectEnvironment,
    environment.DetectEnvironment,
    environment.NotifyEnvironment,
    environment.PricesEnvironment,
    environment.BillsEnvironment,
    environment.ExportEnvironment,
    environment.InteractEnvironment,
    environment.ApiEnvironment,
]


PLAN = {
    "GPUCOST_TABLE": "ledger",
    "GPUCOST_KEEP_DAYS": "0",
    "GPUCOST_REACH_DAYS": "150",
    "GPUCOST_CLUSTERS": "prod",
    "GPUCOST_JOBS_QUEUE_URL": "https://queue",
}


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_every_missing_variable_is_named_in_one_line(kind: type[Environment]) -> None:
    with pytest.raises(ConfigurationError) as refused:
        kind.read({})
    assert all(name in str(refused.value) for name in kind.variables())
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_an_empty_variable_is_as_good_as_missing(kind: type[Environment]) -> None:
    for name in kind.variables():
        with pytest.raises(ConfigurationError, match=name):
            kind.read({**dict.fromkeys(kind.variables(), "1"), name: ""})


def test_clusters_are_separated_by_commas() -> None:
    read = PlanEnvironment.read({**PLAN, "GPUCOST_CLUSTERS": "prod, dev,,"})
    assert read.clusters == ("prod", "dev")


@pytest.mark.parametrize(("days", "kept"), [("0", None), ("400", 400)])
def test_zero_days_are_for_ever(days: str, kept: int | None) -> None:
    assert PlanEnvironment.read({**PLAN, "GPUCOST_KEEP_DAYS": days}).keep_days == kept


@pytest.mark.parametrize("days", ["-1", "1.5", "always"])
def test_days_are_a_whole_number(days: str) -> None:
    with pytest.raises(ConfigurationError, match="GPUCOST_KEEP_DAYS"):
        PlanEnvironment.read({**PLAN, "GPUCOST_KEEP_DAYS": days})


@pytest.mark.parametrize("receives", ["0", "-1", "many", "1.5"])
def test_the_number_of_receives_is_a_positive_number(receives: str) -> None:
    variables = dict.fromkeys(CollectEnvironment.variables(), "1") | {"GPUCOST_MAX_RECEIVES": receives}
    with pytest.raises(ConfigurationError, match="GPUCOST_MAX_RECEIVES"):
        CollectEnvironment.read(variables)


def test_a_part_that_the_function_has_no_variables_for_is_refused() -> None:
    parts = container.Container(PlanEnvironment.read(PLAN))
    with pytest.raises(ConfigurationError, match="HasDeadLetters"):
        _ = parts.dead_letters


def test_parts_are_built_once_and_anew_after_a_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "_containers", {})
    for name, value in PLAN.items():
        monkeypatch.setenv(name, value)
    first = container.parts(PlanEnvironment)
    monkeypatch.setenv("GPUCOST_CLUSTERS", "dev")
    assert container.parts(PlanEnvironment) is first
    container.reset()
    assert container.parts(PlanEnvironment).clusters == ("dev",)
