"""What was told of a subject is remembered as it was told, until it is long over."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

from gpucost.domain.alerts.alert_rules import AlertRules, Voice, Watch
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


QUICK = AlertRules(watches={Kind.IDLE_SLICE: Watch(escalate_usd=(Decimal(10), Decimal(100)))})
RUNNING = Told("e1", FIRST, FIRST.plus(1), 0, 2, Decimal(8))


def bad(hours: int, *told: Told, **changes: Any) -> Track:
    """A track whose first so many hours were bad, $4 each."""
    seen = {FIRST.plus(hour): BAD for hour in range(hours)}
    return replace(Track(Kind.IDLE_SLICE, "prod", "ns/Job/train nvidia.com/gpu", "bu-a", seen, told), **changes)


def walk(track: Track, hours: int, rules: AlertRules = QUICK) -> tuple[Track, list[Step]]:
    after, events = steps(track, rules, FIRST.plus(hours).end)
    return after, [event.step for event in events]


def test_an_episode_is_named_by_all_that_makes_it_that_one() -> None:
    after, (step,) = walk(bad(1), 1)
    assert (step, after.told[0].id) == (Step.OPEN, "738ad7d92e84e788206c72cdf916f723")
    others = (
        bad(1, kind=Kind.BU_WASTE),
        bad(1, cluster="dev"),
        bad(1, bu="bu-b"),
        bad(1, subject="x"),
        bad(1, seen={FIRST.plus(1): BAD}),
    )
    names = {walk(one, 1)[0].told[0].id for one in others}
    assert len(names | {after.told[0].id}) == 6


def test_one_that_goes_on_after_its_end_was_told_is_another_one() -> None:
    over = replace(RUNNING, closed=FIRST.plus(2))
    after, told = walk(bad(5, over), 5)
    assert told == [Step.OPEN]
    (new,) = {one.id for one in after.told} - {"e1"}
    assert after.current is not None
    assert after.current.id == new != walk(bad(5), 5)[0].told[0].id


def test_of_two_that_share_hours_the_one_that_goes_on_is_changed() -> None:
    over = replace(RUNNING, id="e0", last=FIRST.plus(2), closed=FIRST.plus(3))
    for known in ((over, RUNNING), (RUNNING, over)):
        after, told = walk(bad(2, *known), 2)
        assert told == []
        assert after.current == RUNNING


def test_of_two_that_are_over_the_one_that_lasted_longer_is_what_people_know() -> None:
    first = replace(RUNNING, closed=FIRST.plus(1))
    second = replace(RUNNING, id="e2", last=FIRST.plus(3), closed=FIRST.plus(3))
    after, told = walk(bad(5, first, second), 5)
    assert told == [Step.OPEN]
    assert after.current == walk(bad(5, second), 5)[0].current != walk(bad(5, first), 5)[0].current


def test_money_escalates_once_for_each_sum_and_not_for_whoever_said_that_they_know() -> None:
    after, told = walk(bad(3, RUNNING), 3)
    assert (told, after.current and after.current.level) == ([Step.ESCALATE], 1)
    assert walk(after, 3)[1] == []
    quiet, told = walk(bad(3, RUNNING, acknowledged="U1"), 3)
    assert (told, quiet.current and quiet.current.level) == ([Step.UPDATE], 0)


def test_a_level_that_was_reached_is_not_left_when_an_hour_turns_out_cheaper() -> None:
    high = replace(RUNNING, level=1, usd=Decimal(12))
    after, told = walk(bad(2, high), 2)
    assert (told, after.current and after.current.level) == ([Step.UPDATE], 1)


def test_what_is_over_keeps_its_end_and_its_level_when_its_hours_are_revised() -> None:
    over = replace(RUNNING, level=2, closed=FIRST.plus(2))
    track = replace(bad(2, over), seen={FIRST: BAD, FIRST.plus(1): BAD, FIRST.plus(2): GOOD})
    after, told = walk(track, 3)
    assert (told, after.told) == ([], (over,))
    assert walk(bad(2, over), 2)[0].told == (over,)


def test_a_snooze_holds_till_its_moment() -> None:
    now = FIRST.plus(3).end
    before, at = now + timedelta(seconds=1), now
    assert walk(bad(3, RUNNING, snoozed_until=before), 3)[1] == [Step.UPDATE]
    assert walk(bad(3, RUNNING, snoozed_until=at), 3)[1] == [Step.ESCALATE]
    assert walk(bad(3, snoozed_until=before), 3)[1] == []
    assert walk(bad(3, snoozed_until=at), 3)[1] == [Step.OPEN]


def test_what_people_said_is_forgotten_with_the_episode() -> None:
    said = {"acknowledged": "U1", "snoozed_until": FIRST.plus(90).start}
    going = walk(bad(2, RUNNING, **said), 2)[0]
    assert (going.acknowledged, going.snoozed_until) == ("U1", FIRST.plus(90).start)
    ended = replace(bad(2, RUNNING, **said), seen={FIRST: BAD, FIRST.plus(1): BAD, FIRST.plus(2): GOOD})
    after, told = walk(ended, 2)
    assert (told, after.acknowledged, after.snoozed_until) == ([Step.CLOSE], "", None)


def test_a_cool_down_keeps_the_next_one_back_to_the_minute() -> None:
    rules = replace(QUICK, voice=Voice(cool_down_hours=3))
    over = Told("e0", FIRST.plus(-9), FIRST.plus(-8), 0, 2, Decimal(8), FIRST.plus(-1))
    track = bad(4, over)
    ended = FIRST.plus(-1).end
    for minutes, opened in ((179, []), (180, [Step.OPEN])):
        _, events = steps(track, rules, ended + timedelta(minutes=minutes))
        assert [event.step for event in events] == opened


def test_hours_that_are_long_settled_are_not_kept() -> None:
    last = FIRST.plus(SETTLED_HOURS)
    seen = {FIRST.plus(-1): GOOD, FIRST: GOOD, last: GOOD}
    after, _ = steps(replace(track(OVER, last), seen=seen), AlertRules(), last.end)
    assert set(after.seen) == {FIRST, last}
