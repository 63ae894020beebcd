"""Sums of days and months over a real ledger in memory, and what reading them costs."""

from collections import Counter
from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest

from gpucost.adapters.memory import MemoryStore
from gpucost.domain.hours import Hour
from gpucost.domain.periods import Day, Month
from gpucost.domain.report import Status
from gpucost.ports import LedgerUnavailable
from gpucost.usecases.recording.roll_up import behind, roll_up
from tests.support.faults import FaultyStore
from tests.support.hours import NOW, failed, later, pod, report

FIRST = Hour.parse("2026-11-01T00:00:00Z")
YEAR_FIRST, YEAR_END = Month(2026, 1), Month(2027, 1)


@pytest.fixture
def store() -> FaultyStore:
    return FaultyStore(MemoryStore())


def publish(store: FaultyStore, hour: Hour, usd: str, *, sums: bool = True, status: Status = Status.COMPLETE) -> None:
    ledger = store.ledger()
    ledger.publish(report(pod("a", usd), pod("b", "1"), hour=hour, status=status), NOW)
    if sums:
        roll_up("prod", hour, ledger)


def test_a_day_and_a_month_stand_on_their_published_hours(store: FaultyStore) -> None:
    for offset, usd in ((0, "1"), (23, "2"), (24, "4"), (720, "8")):
        publish(store, FIRST.plus(offset), usd)
    days = store.ledger().day_rollups("prod", Day(date(2026, 11, 1)), Day(date(2026, 12, 2)))
    months = store.ledger().month_rollups("prod", YEAR_FIRST, YEAR_END)
    assert [(one.period.key, one.hours_counted, one.totals.allocated_usd) for one in days] == [
        ("2026-11-01", 2, Decimal("3.75")),
        ("2026-11-02", 1, Decimal("3.75")),
        ("2026-12-01", 1, Decimal("6.75")),
    ]
    assert [(one.period.key, one.hours_counted, one.hours_expected) for one in months] == [
        ("2026-11", 3, 720),
        ("2026-12", 1, 744),
    ]
    assert {row.bu: row.figures.allocated_usd for row in months[0].namespaces} == {"a": Decimal(7), "b": Decimal(3)}


def test_a_new_revision_replaces_its_hour_in_the_sums_and_is_not_added(store: FaultyStore) -> None:
    for usd in ("1", "2", "5"):
        publish(store, FIRST, usd)
        publish(store, FIRST.plus(1), "1")
    (month,) = store.ledger().month_rollups("prod", YEAR_FIRST, YEAR_END)
    assert {row.bu: row.figures.allocated_usd for row in month.namespaces} == {"a": Decimal(6), "b": Decimal(2)}
    assert (month.hours_counted, month.version) == (2, 4)


def test_a_failed_hour_is_counted_as_failed_and_adds_nothing(store: FaultyStore) -> None:
    publish(store, FIRST, "1")
    store.ledger().publish(failed(hour=FIRST.plus(1)), NOW)
    roll_up("prod", FIRST.plus(1), store.ledger())
    (day,) = store.ledger().day_rollups("prod", Day.of(FIRST), Day.of(FIRST).next())
    assert (day.hours, day.hours_counted) == ({Status.COMPLETE: 1, Status.FAILED: 1}, 1)
    assert day.totals.capacity_usd == 96


def test_summing_again_changes_nothing(store: FaultyStore) -> None:
    publish(store, FIRST, "1")
    before = store.ledger().day_rollups("prod", Day.of(FIRST), Day.of(FIRST).next())
    roll_up("prod", FIRST, store.ledger())
    assert store.ledger().day_rollups("prod", Day.of(FIRST), Day.of(FIRST).next()) == before


def test_a_sum_that_is_overtaken_does_not_replace_the_newer_one(store: FaultyStore) -> None:
    publish(store, FIRST, "1", sums=False)
    store.before("write", lambda: publish(store, FIRST.plus(1), "2"))
    roll_up("prod", FIRST, store.ledger())
    (month,) = store.ledger().month_rollups("prod", YEAR_FIRST, YEAR_END)
    assert month.hours_counted == 2


def test_sums_that_were_not_made_are_found(store: FaultyStore) -> None:
    for offset in (0, 30, 800):
        publish(store, FIRST.plus(offset), "1")
    heads = store.ledger().heads("prod", FIRST, FIRST.plus(900))
    assert behind("prod", heads, FIRST, store.ledger()) == []
    publish(store, FIRST.plus(31), "1", sums=False)
    heads = store.ledger().heads("prod", FIRST, FIRST.plus(900))
    assert behind("prod", heads, FIRST, store.ledger()) == [FIRST.plus(24)]


def test_a_month_whose_days_were_summed_and_itself_not_is_found(store: FaultyStore) -> None:
    publish(store, FIRST, "1", sums=False)

    def die_before_the_month() -> None:
        store.fail_before("write", LedgerUnavailable("killed"))

    store.after("write", die_before_the_month)
    with pytest.raises(LedgerUnavailable):
        roll_up("prod", FIRST, store.ledger())
    heads = store.ledger().heads("prod", FIRST, FIRST.plus(24))
    assert behind("prod", heads, FIRST, store.ledger()) == [FIRST]


def test_periods_that_began_before_the_heads_are_not_judged(store: FaultyStore) -> None:
    publish(store, FIRST, "1", sums=False)
    publish(store, FIRST.plus(24), "1", sums=False)
    heads = store.ledger().heads("prod", FIRST.plus(1), FIRST.plus(48))
    assert behind("prod", heads, FIRST.plus(1), store.ledger()) == [FIRST.plus(24)]
    assert behind("prod", [], FIRST, store.ledger()) == []


def calls(store: FaultyStore, start: int) -> Counter[str]:
    return Counter(store.calls[start:])


def test_what_reading_and_keeping_the_books_costs(store: FaultyStore) -> None:
    """These are the figures that docs/ledger.md states."""
    for offset in range(48):
        publish(store, FIRST.plus(offset), "1")
    ledger = store.ledger()
    cost: dict[str, Counter[str]] = {}
    reads: dict[str, Callable[[], object]] = {
        "a year by month": lambda: ledger.month_rollups("prod", YEAR_FIRST, YEAR_END),
        "a month by day": lambda: ledger.day_rollups("prod", Day.of(FIRST), Day(date(2026, 12, 1))),
        "a day by hour": lambda: ledger.published("prod", FIRST, FIRST.plus(24)),
        "a day by hour for one BU": lambda: ledger.namespaces("prod", FIRST, FIRST.plus(24), "a"),
        "a week of verdicts": lambda: ledger.heads("prod", FIRST, FIRST.plus(168)),
        "one report": lambda: ledger.report("prod", FIRST),
        "a window over two months by hour": lambda: ledger.published("prod", FIRST.plus(700), FIRST.plus(750)),
    }
    for name, read in reads.items():
        start = len(store.calls)
        read()
        cost[name] = calls(store, start)
    assert cost == {
        "a year by month": {"query": 1},
        "a month by day": {"query": 1},
        "a day by hour": {"query": 2},
        "a day by hour for one BU": {"query": 2},
        "a week of verdicts": {"query": 1},
        "one report": {"get": 1, "query": 1},
        "a window over two months by hour": {"query": 4},
    }
    start = len(store.calls)
    ledger.publish(report(hour=FIRST.plus(50)), later(1))
    assert calls(store, start) == {"newest": 1, "query": 1, "put_all": 2, "write": 1}
    start = len(store.calls)
    ledger.publish(report(hour=FIRST.plus(50)), later(1))
    assert calls(store, start) == {"newest": 1, "query": 1}
    start = len(store.calls)
    roll_up("prod", FIRST.plus(50), ledger)
    assert calls(store, start) == {"query": 5, "write": 2}
