"""An hour on the record: published, summed up, cleaned up after."""

from datetime import datetime, timedelta

import pytest

from gpucost.adapters.memory import MemoryLedger, MemoryStore
from gpucost.domain.periods import Day, Month
from gpucost.domain.report import Status
from gpucost.ports import LedgerUnavailable, Outcome
from gpucost.usecases.recording.record_hour import record_hour
from tests.support.faults import FaultyStore
from tests.support.hours import HOUR, pod, report

SOON = HOUR.end + timedelta(minutes=10)
LAST_LOOK = HOUR.end + timedelta(hours=25, minutes=10)
NOVEMBER = Month(2026, 11)


@pytest.fixture
def store() -> FaultyStore:
    return FaultyStore(MemoryStore())


def test_what_is_published_is_in_the_sums(store: FaultyStore) -> None:
    ledger = store.ledger()
    for amount in ("8", "9"):
        assert record_hour(report(pod("a", amount)), ledger, SOON).outcome is Outcome.PUBLISHED
    (day,) = ledger.day_rollups("prod", Day.of(HOUR), Day.of(HOUR).next())
    (month,) = ledger.month_rollups("prod", NOVEMBER, NOVEMBER.next())
    assert [row.figures.allocated_usd for one in (day, month) for row in one.namespaces] == [9, 9]


@pytest.mark.parametrize("status", [Status.COMPLETE, Status.PARTIAL])
def test_what_changes_nothing_is_not_summed_up_again(store: FaultyStore, status: Status) -> None:
    record_hour(report(), store.ledger(), SOON)
    start = len(store.calls)
    assert record_hour(report(status=status), store.ledger(), SOON).outcome is not Outcome.PUBLISHED
    assert store.calls[start:] == ["newest", "query"]


def test_a_closed_hour_is_adjusted_and_its_sums_stay(store: FaultyStore) -> None:
    ledger = store.ledger()
    record_hour(report(pod("a", "8")), ledger, SOON)
    ledger.close_month("prod", NOVEMBER, SOON + timedelta(days=12))
    before = ledger.month_rollups("prod", NOVEMBER, NOVEMBER.next())
    assert record_hour(report(pod("a", "9")), ledger, SOON + timedelta(days=13)).outcome is Outcome.ADJUSTED
    assert ledger.month_rollups("prod", NOVEMBER, NOVEMBER.next()) == before


@pytest.mark.parametrize(("now", "left"), [(SOON, 4), (LAST_LOOK, 2)])
def test_the_last_look_cleans_up_after_dead_publishers(now: datetime, left: int) -> None:
    inner = MemoryStore()
    dying = FaultyStore(inner)
    dying.fail_before("write", LedgerUnavailable("killed"))
    with pytest.raises(LedgerUnavailable):
        record_hour(report(pod("a", "7")), dying.ledger(), SOON)
    record_hour(report(pod("a", "8")), MemoryLedger(inner), now)
    rows = inner.query(f"C#prod#H#{HOUR.key}", "A#", "A#~") + inner.query("C#prod#M#2026-11", "N#", "N#~")
    assert len(rows) == left
