"""Gaps are healed, late sums made, months closed."""

from datetime import timedelta

import pytest

from gpucost.adapters.memory import MemoryLedger
from gpucost.domain.hours import Hour
from gpucost.domain.ledger.journal import EntryKind
from gpucost.domain.periods import Day, Month
from gpucost.usecases.recording.roll_up import roll_up
from gpucost.usecases.recording.upkeep import Upkeep, close_months, heal, looks
from tests.support.hours import failed, report

LAST = Hour.parse("2026-12-20T10:00:00Z")
NOW = LAST.end + timedelta(minutes=10)
NOVEMBER = Month(2026, 11)


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


def fill(ledger: MemoryLedger, first: int, end: int, *missing: int) -> None:
    for offset in range(first, end):
        if offset not in missing:
            ledger.publish(report(hour=LAST.plus(offset)), NOW - timedelta(days=3))


def offsets(ledger: MemoryLedger, upkeep: Upkeep | None = None, hours_later: int = 0) -> list[int]:
    now, last = NOW + timedelta(hours=hours_later), LAST.plus(hours_later)
    jobs = heal("prod", last, ledger, upkeep or Upkeep(), now)
    assert {(job.cluster, job.reason) for job in jobs} <= {("prod", "gap")}
    return [(job.hour.epoch - LAST.epoch) // 3600 for job in jobs]


def test_an_hour_is_looked_at_three_times() -> None:
    jobs = looks(["prod", "dev"], LAST)
    assert [(job.cluster, (job.hour.epoch - LAST.epoch) // 3600, job.reason) for job in jobs] == [
        ("prod", -25, "recheck"),
        ("dev", -25, "recheck"),
        ("prod", -1, "recheck"),
        ("dev", -1, "recheck"),
        ("prod", 0, "schedule"),
        ("dev", 0, "schedule"),
    ]


def test_missing_and_failed_hours_are_queued_oldest_first(ledger: MemoryLedger) -> None:
    fill(ledger, -900, 0, -800, -3, -2)
    ledger.publish(failed(hour=LAST.plus(-2)), NOW)
    assert offsets(ledger) == [-800, -3, -2]


def test_hours_that_the_run_looks_at_anyway_are_left_to_it(ledger: MemoryLedger) -> None:
    fill(ledger, -5, -2)
    assert offsets(ledger) == [-2]


def test_an_hour_that_stays_missing_is_queued_again_after_a_rest(ledger: MemoryLedger) -> None:
    fill(ledger, -9, 0, -5)
    fill(ledger, 0, 9)
    queued = [bool(offsets(ledger, hours_later=hours)) for hours in range(9)]
    assert queued == [True, True, False, True, False, False, False, True, False]


def test_a_repeated_run_queues_nothing_twice(ledger: MemoryLedger) -> None:
    fill(ledger, -9, 0, -5)
    assert offsets(ledger) == [-5]
    assert offsets(ledger) == []


def test_the_rate_is_bounded(ledger: MemoryLedger) -> None:
    fill(ledger, -100, 0, *range(-90, -10))
    assert offsets(ledger, Upkeep(heal_limit=3)) == [-90, -89, -88]


def test_the_first_hour_of_the_reach_may_be_missing(ledger: MemoryLedger) -> None:
    fill(ledger, -60, 0, -24)
    assert offsets(ledger, Upkeep(reach_days=1)) == [-24]


def test_the_sum_of_a_month_that_began_before_the_reach_is_made(ledger: MemoryLedger) -> None:
    fill(ledger, -60, 0)
    offsets(ledger, Upkeep(reach_days=1))
    (month,) = ledger.month_rollups("prod", Month(2026, 12), Month(2027, 1))
    assert month.hours_counted == 60


def test_hours_before_the_reach_are_given_up(ledger: MemoryLedger) -> None:
    fill(ledger, -60, 0, -50, -20)
    assert offsets(ledger, Upkeep(reach_days=1)) == [-20]


def test_a_long_outage_is_healed_oldest_first_at_the_bounded_rate(ledger: MemoryLedger) -> None:
    fill(ledger, -200, 0, *range(-100, -2))
    healed: list[int] = []
    for run in range(5):
        due = offsets(ledger, Upkeep(heal_limit=24), hours_later=run)
        fill(ledger, run, run + 1)
        for offset in due:
            fill(ledger, offset, offset + 1)
        healed += due
    assert healed == list(range(-100, -2))


def test_a_late_hour_of_a_closed_month_is_no_gap(ledger: MemoryLedger) -> None:
    fill(ledger, -600, 0, -500)
    ledger.close_month("prod", NOVEMBER, NOW)
    assert Month.of(LAST.plus(-500)) == NOVEMBER
    assert offsets(ledger) == [-500]
    ledger.publish(report(hour=LAST.plus(-500)), NOW)
    assert offsets(ledger, hours_later=48)[:1] != [-500]


def test_a_new_cluster_has_no_gaps(ledger: MemoryLedger) -> None:
    assert offsets(ledger) == []


def test_sums_that_a_dead_collector_left_out_are_made(ledger: MemoryLedger) -> None:
    fill(ledger, -60, 0)
    offsets(ledger)
    days = ledger.day_rollups("prod", Day.of(LAST.plus(-60)), Day.of(LAST).next())
    assert [day.hours_counted for day in days] == [2, 24, 24, 10]


@pytest.mark.parametrize(("days_later", "closed"), [(9.9, False), (10, True)])
def test_a_month_is_closed_ten_days_after_its_end(ledger: MemoryLedger, days_later: float, closed: bool) -> None:
    ledger.publish(report(hour=NOVEMBER.end.plus(-1)), NOVEMBER.end.start)
    now = NOVEMBER.end.start + timedelta(days=days_later)
    assert close_months("prod", ledger, Upkeep(), now) == ([NOVEMBER] if closed else [])
    kinds = [one.entry.kind for one in ledger.journal("prod", NOVEMBER)]
    assert (kinds[-1] is EntryKind.CLOSE) is closed


@pytest.mark.parametrize(("days_later", "closed"), [(19.9, False), (20, True)])
@pytest.mark.parametrize("failing", [True, False])
def test_a_month_with_gaps_is_closed_ten_days_later(
    ledger: MemoryLedger, days_later: float, closed: bool, failing: bool
) -> None:
    for back in (1, 3):
        ledger.publish(report(hour=NOVEMBER.end.plus(-back)), NOVEMBER.end.start)
    if failing:
        ledger.publish(failed(hour=NOVEMBER.end.plus(-2)), NOVEMBER.end.start)
    now = NOVEMBER.end.start + timedelta(days=days_later)
    assert close_months("prod", ledger, Upkeep(), now) == ([NOVEMBER] if closed else [])


def test_a_month_in_which_hours_are_still_published_is_left_open(ledger: MemoryLedger) -> None:
    busy = NOVEMBER.end.start + timedelta(days=30)
    ledger.publish(report(hour=NOVEMBER.end.plus(-1)), busy)
    assert close_months("prod", ledger, Upkeep(), busy + timedelta(days=1.9)) == []
    assert close_months("prod", ledger, Upkeep(), busy + timedelta(days=2)) == [NOVEMBER]


def test_months_without_hours_and_closed_ones_are_left_alone(ledger: MemoryLedger) -> None:
    ledger.publish(report(hour=NOVEMBER.end.plus(-1)), NOVEMBER.end.start)
    now = NOVEMBER.end.start + timedelta(days=40)
    assert close_months("prod", ledger, Upkeep(), now) == [NOVEMBER]
    assert close_months("prod", ledger, Upkeep(), now) == []


def test_sums_survive_the_closing(ledger: MemoryLedger) -> None:
    last = NOVEMBER.end.plus(-1)
    ledger.publish(report(hour=last), NOVEMBER.end.start)
    roll_up("prod", last, ledger)
    before = ledger.month_rollups("prod", NOVEMBER, NOVEMBER.next())
    assert close_months("prod", ledger, Upkeep(), NOW) == [NOVEMBER]
    ledger.publish(report(hour=last.plus(-1)), NOW)
    roll_up("prod", last.plus(-1), ledger)
    assert ledger.month_rollups("prod", NOVEMBER, NOVEMBER.next()) == before
