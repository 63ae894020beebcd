"""What was learned of closed months stands beside the days in which it was booked, and is in no other figure."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from gpucost.adapters.memory import MemoryLedger
from gpucost.domain.answers.access import EVERYTHING, Reach, Scope
from gpucost.domain.hours import Hour
from gpucost.domain.periods import Month
from gpucost.usecases.answers.answer import costs
from gpucost.usecases.answers.cost_query import CostQuery, Filters, Step, groupings
from gpucost.usecases.answers.visible import VisibleLedger
from gpucost.usecases.answers.window import Window
from gpucost.usecases.recording.roll_up import roll_up
from tests.support.hours import pod, report

LAST_OF_OCTOBER = Hour.parse("2026-10-31T23:00:00Z")
NOVEMBER = Window(Hour.parse("2026-11-01T00:00:00Z"), Hour.parse("2026-12-01T00:00:00Z"))
OCTOBER = Window(Hour.parse("2026-10-01T00:00:00Z"), NOVEMBER.first)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.fixture(scope="module")
def books() -> MemoryLedger:
    """October was closed on the 12th of November; on the 20th and 21st its last hour turned out to be cheaper."""
    ledger = MemoryLedger()
    hours = LAST_OF_OCTOBER, Hour.parse("2026-11-20T03:00:00Z")
    for hour in hours:
        ledger.publish(report(pod("a", "8"), pod("b", "4"), hour=hour), hour.end)
        roll_up("prod", hour, ledger)
    ledger.close_month("prod", Month(2026, 10), at("2026-11-12T00:00:00Z"))
    for day, amount in (("20", "6"), ("21", "5")):
        late = report(pod("a", amount), pod("b", "4"), pod("c", "1"), hour=LAST_OF_OCTOBER)
        ledger.publish(late, at(f"2026-11-{day}T05:30:00Z"))
    return ledger


def asked(books: MemoryLedger, window: Window, scope: Scope = EVERYTHING, **given: Any) -> Any:
    group_by, step = groupings(given.pop("group_by", "bu")), given.pop("step", Step.DAY)
    return costs(
        CostQuery.checked(window, group_by, step, Filters(**given), False), VisibleLedger(books, ["prod"], scope)
    )


def late(answer: Any) -> Mapping[tuple[str, str], Decimal]:
    return {(row["from"][:10], row["bu"]): row["adjustment_usd"] for row in answer["rows"] if row["adjustment_usd"]}


def test_each_day_has_what_was_booked_on_it(books: MemoryLedger) -> None:
    found = asked(books, NOVEMBER)
    assert late(found) == {("2026-11-20", "a"): -2, ("2026-11-20", "c"): 1, ("2026-11-21", "a"): -1}
    assert found["totals"]["adjustment_usd"] == -2
    held = {(row["from"][:10], row["bu"]): row["allocated_usd"] for row in found["rows"]}
    assert held["2026-11-20", "a"] == 8
    assert held["2026-11-21", "a"] == held["2026-11-20", "c"] == 0
    assert sum(row["allocated_usd"] for row in found["rows"]) == 12


def test_a_month_has_what_was_booked_in_it_and_the_closed_month_stays(books: MemoryLedger) -> None:
    assert late(asked(books, NOVEMBER, step=Step.MONTH)) == {("2026-11-01", "a"): -3, ("2026-11-01", "c"): 1}
    closed = asked(books, OCTOBER, step=Step.MONTH)
    assert (late(closed), closed["totals"]["adjustment_usd"]) == ({}, 0)
    assert {row["bu"]: row["allocated_usd"] for row in closed["rows"]} == {"a": 8, "b": 4}


def test_it_is_by_namespace_and_by_cluster_too_and_under_the_filters(books: MemoryLedger) -> None:
    by_namespace = asked(books, NOVEMBER, step=Step.MONTH, group_by="namespace")["rows"]
    assert {row["namespace"]: row["adjustment_usd"] for row in by_namespace} == {"a": -3, "b": 0, "c": 1}
    (cluster,) = asked(books, NOVEMBER, step=Step.MONTH, group_by="cluster")["rows"]
    assert cluster["adjustment_usd"] == -2
    assert asked(books, NOVEMBER, bu="b")["totals"]["adjustment_usd"] == 0


def test_the_window_decides_by_when_it_was_booked(books: MemoryLedger) -> None:
    twentieth = Window(Hour.parse("2026-11-20T05:00:00Z"), Hour.parse("2026-11-20T06:00:00Z"))
    assert asked(books, twentieth)["totals"]["adjustment_usd"] == -1
    before = Window(NOVEMBER.first, twentieth.first)
    assert asked(books, before)["totals"]["adjustment_usd"] == 0


def test_other_bus_adjustments_are_not_told(books: MemoryLedger) -> None:
    found = asked(books, NOVEMBER, Scope(Reach.SOME, frozenset({"b"})))
    assert {row["bu"] for row in found["rows"]} == {"b"}
    assert found["totals"]["adjustment_usd"] == 0
    own = asked(books, NOVEMBER, Scope(Reach.SOME, frozenset({"c"})))
    assert [(row["bu"], row["adjustment_usd"]) for row in own["rows"]] == [("c", 1)]


@pytest.mark.parametrize("given", [{"step": None}, {"step": Step.HOUR}, {"group_by": "pod", "step": Step.DAY}])
def test_where_it_cannot_be_told_there_is_no_word_of_it(books: MemoryLedger, given: dict[str, Any]) -> None:
    day = Window(Hour.parse("2026-11-20T00:00:00Z"), Hour.parse("2026-11-21T00:00:00Z"))
    found = asked(books, day, **given)
    assert "adjustment_usd" not in found["totals"]
    assert not any("adjustment_usd" in row for row in found["rows"])
