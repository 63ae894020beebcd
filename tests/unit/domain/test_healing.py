"""Which hours are queued again, and when."""

from datetime import timedelta

import pytest

from gpucost.domain.hours import Hour
from gpucost.domain.ledger.healing import Requeue, hours_to_heal, wait_after
from gpucost.domain.report import Status
from tests.support.hours import HOUR, NOW, later

END = HOUR.plus(10)


def known(*missing: int, failed: tuple[int, ...] = ()) -> dict[Hour, Status]:
    hours = {HOUR.plus(offset): Status.COMPLETE for offset in range(10) if offset not in missing}
    return hours | {HOUR.plus(offset): Status.FAILED for offset in failed}


def heal(
    published: dict[Hour, Status], requeues: dict[Hour, Requeue] | None = None, limit: int = 24, first: int = -1000
) -> list[int]:
    chosen = hours_to_heal(published, requeues or {}, HOUR.plus(first), END, NOW, limit)
    return [(hour.epoch - HOUR.epoch) // 3600 for hour in chosen]


def test_missing_and_failed_hours_are_healed_oldest_first() -> None:
    assert heal(known(7, 2, failed=(5,))) == [2, 5, 7]


@pytest.mark.parametrize("status", [Status.COMPLETE, Status.PARTIAL, Status.NO_UTILIZATION])
def test_hours_that_have_figures_are_left_alone(status: Status) -> None:
    assert heal(known() | {HOUR.plus(3): status}) == []


def test_nothing_is_sought_before_the_first_known_hour() -> None:
    assert heal({}) == []
    assert heal({HOUR.plus(7): Status.COMPLETE}) == [8, 9]


def test_nothing_is_sought_before_the_reach_and_its_first_hour_may_be_missing() -> None:
    assert heal(known(2, 5), first=3) == [5]
    assert heal(known(2, 5), first=2) == [2, 5]


def test_nothing_is_sought_at_or_after_the_end() -> None:
    assert heal({**known(9), HOUR.plus(12): Status.COMPLETE}) == [9]


def test_the_rate_is_bounded() -> None:
    assert heal(known(1, 2, 3, 4, 5), limit=2) == [1, 2]
    assert heal(known(1, 2, 3, 4, 5), limit=0) == []


@pytest.mark.parametrize(("tries", "hours"), [(0, 0), (1, 1), (2, 2), (3, 4), (5, 16), (6, 24), (60, 24)])
def test_an_hour_rests_longer_after_every_try_but_at_most_a_day(tries: int, hours: int) -> None:
    assert wait_after(tries) == timedelta(hours=hours)


@pytest.mark.parametrize(("since", "due"), [(3.9, False), (4, True)])
def test_an_hour_is_due_again_when_it_has_rested(since: float, due: bool) -> None:
    assert heal(known(1), {HOUR.plus(1): Requeue(3, later(-since))}) == ([1] if due else [])


def test_each_try_is_counted() -> None:
    chosen = hours_to_heal(known(1, 2), {HOUR.plus(1): Requeue(3, later(-30))}, HOUR, END, NOW, 24)
    assert chosen == {HOUR.plus(2): Requeue(1, NOW), HOUR.plus(1): Requeue(4, NOW)}


def test_hours_that_never_succeed_do_not_starve_the_others() -> None:
    hopeless = {HOUR.plus(offset): Requeue(9, later(-48)) for offset in (1, 2, 3)}
    assert heal(known(1, 2, 3, 8), hopeless, limit=2) == [8, 1]


def test_every_hour_gets_its_turn_within_a_bounded_number_of_runs() -> None:
    """400 hours that always fail, and one that would succeed, at 24 hours a run."""
    first = HOUR.plus(-400)
    hours = {first.plus(-1): Status.COMPLETE}
    requeues: dict[Hour, Requeue] = {}
    for run in range(17):
        requeues |= hours_to_heal(hours, requeues, first, HOUR, later(run), 24)
    assert len(requeues) == 400
