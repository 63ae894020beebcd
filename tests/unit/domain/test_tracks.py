"""What was told of a subject is remembered as it was told, until it is long over."""

from datetime import timedelta
from decimal import Decimal

from gpucost.domain.alerts.alert_rules import AlertRules
from gpucost.domain.alerts.episodes import Observation, Verdict
from gpucost.domain.alerts.finding import Kind, Step
from gpucost.domain.alerts.tracks import KEEP_HOURS, SETTLED_HOURS, Told, Track, steps
from gpucost.domain.hours import Hour

FIRST = Hour.parse("2026-11-01T00:00:00Z")
GOOD, BAD = Observation(Verdict.GOOD), Observation(Verdict.BAD, Decimal(4))
OVER = Told("e1", FIRST, FIRST.plus(2), 0, 3, Decimal(12), FIRST.plus(3))


def track(told: Told, hour: Hour, seen: Observation = GOOD) -> Track:
    return Track(Kind.IDLE_SLICE, "prod", "ns/Job/train nvidia.com/gpu", "bu-a", {hour: seen}, (told,))


def test_an_episode_that_is_over_is_remembered_after_its_hours_are_not_and_is_not_told_again() -> None:
    last = FIRST.plus(SETTLED_HOURS + 10)
    after, events = steps(track(OVER, last), AlertRules(), last.end)
    assert (after.told, events) == ((OVER,), [])


def test_an_episode_that_is_long_over_is_forgotten() -> None:
    last = FIRST.plus(KEEP_HOURS + 10)
    after, events = steps(track(OVER, last), AlertRules(), last.end + timedelta(hours=1))
    assert (after.told, after.is_over, events) == ((), True, [])


def test_an_episode_whose_hours_are_bad_no_more_is_taken_back_where_it_ended() -> None:
    running = Told("e1", FIRST, FIRST.plus(2), 0, 3, Decimal(12))
    after, (event,) = steps(track(running, FIRST.plus(2)), AlertRules(), FIRST.plus(3).end)
    assert (event.step, event.revised, event.told.closed) == (Step.CLOSE, True, FIRST.plus(2))
    assert after.current is None
