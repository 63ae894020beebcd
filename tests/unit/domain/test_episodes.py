"""Hours make episodes, whatever their order; with hysteresis, gaps, and a memory that is long enough."""

from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.alerts.alert_rules import QuietHours, Watch
from gpucost.domain.alerts.episodes import FORGET_HOURS, Observation, Verdict, episodes, running_since
from gpucost.domain.hours import Hour

FIRST = Hour.parse("2026-11-01T00:00:00Z")
LETTERS = {"x": Verdict.BAD, ".": Verdict.GOOD, "-": Verdict.BETWEEN, "?": Verdict.UNKNOWN}


def seen(hours: str) -> dict[Hour, Observation]:
    """x bad ($1), . good, - between, ? unknown, and a blank for an hour that nobody knows."""
    return {
        FIRST.plus(index): Observation(LETTERS[letter], Decimal(letter == "x"))
        for index, letter in enumerate(hours)
        if letter != " "
    }


def told(hours: str, watch: Watch) -> list[tuple[int, int, int, int | None]]:
    """(opened in, bad hours, last bad hour, closed in) of every episode, hours counted from the first."""

    def number(hour: Hour) -> int:
        return (hour.epoch - FIRST.epoch) // 3600

    return [
        (number(one.opened), one.hours, number(one.last), number(one.closed) if one.closed else None)
        for one in episodes(seen(hours), watch)
    ]


def test_it_opens_after_so_many_bad_hours_and_closes_after_so_many_good_ones() -> None:
    watch = Watch(hours=3, close_hours=2)
    assert told("xx..xxx.x...", watch) == [(6, 4, 8, 10)]
    assert told("xxx.", watch) == [(2, 3, 2, None)]
    assert told("xx..x", watch) == []


def test_what_is_unknown_or_between_opens_nothing_and_closes_nothing() -> None:
    watch = Watch(hours=2)
    assert told("x?-x", watch) == [(3, 2, 3, None)]
    assert told("xx?-?-", watch) == [(1, 2, 1, None)]
    assert told("??--", watch) == []


def test_it_has_to_have_cost_enough() -> None:
    assert told("xxx", Watch(floor_usd=Decimal(4))) == []
    assert told("xxxx", Watch(floor_usd=Decimal(4))) == [(3, 4, 3, None)]


def test_after_a_day_without_a_word_the_story_is_over() -> None:
    gap = " " * FORGET_HOURS
    assert told(f"x{gap}x", Watch()) == [(0, 1, 0, 0), (FORGET_HOURS + 1, 1, FORGET_HOURS + 1, None)]
    assert told(f"x{gap[1:]}x", Watch()) == [(0, 2, FORGET_HOURS, None)]


def test_money_makes_levels() -> None:
    watch = Watch(escalate_usd=(Decimal(2), Decimal(4)))
    assert [episodes(seen("x" * hours), watch)[0].level for hours in range(1, 6)] == [0, 1, 1, 2, 2]


def test_what_runs_is_known_before_it_is_told() -> None:
    assert running_since(seen(".xx"), Watch(hours=5)) == FIRST.plus(1)
    assert running_since(seen("xx."), Watch(hours=5)) is None


@given(st.text("x.-? ", max_size=60), st.integers(1, 4), st.integers(1, 3))
def test_episodes_follow_each_other_and_their_hours_are_the_bad_ones(hours: str, needed: int, good: int) -> None:
    found = episodes(seen(hours), Watch(hours=needed, close_hours=good))
    assert all(one.closed is not None for one in found[:-1])
    assert all(before.last < after.first for before, after in pairwise(found))
    assert all(one.hours >= needed and one.usd == one.hours for one in found)
    assert sum(one.hours for one in found) <= hours.count("x")
    backwards = dict(reversed(seen(hours).items()))
    assert episodes(backwards, Watch(hours=needed, close_hours=good)) == found


def test_quiet_hours_go_over_midnight_in_their_own_zone() -> None:
    quiet = QuietHours(time(22), time(7), "Europe/Berlin")
    at = {hour: quiet.holds(datetime(2026, 11, 30, hour, 30, tzinfo=UTC)) for hour in range(24)}
    assert [hour for hour, held in at.items() if held] == [0, 1, 2, 3, 4, 5, 21, 22, 23]
    lunch = QuietHours(time(12), time(13))
    assert lunch.holds(datetime(2026, 11, 30, 12, 59, tzinfo=UTC))
    assert not lunch.holds(datetime(2026, 11, 30, 13, tzinfo=UTC))


@pytest.mark.parametrize(
    ("begin", "end", "quiet"),
    [
        # Berlin, 2027-03-28: at 01:00 UTC it is 03:00 at once.
        ("2027-03-28T00:00Z", "2027-03-28T03:00Z", [True, True, True, True]),
        # Berlin, 2026-10-25: 02:00 to 03:00 comes twice, at 00:00 and 01:00 UTC.
        ("2026-10-25T02:00Z", "2026-10-25T07:00Z", [True, True, True, True, False, False]),
    ],
)
def test_quiet_hours_go_by_the_clock_on_the_wall_when_it_is_changed(begin: str, end: str, quiet: list[bool]) -> None:
    hours = QuietHours(time(22), time(7), "Europe/Berlin")
    moment, last, found = datetime.fromisoformat(begin), datetime.fromisoformat(end), []
    while moment <= last:
        found.append(hours.holds(moment))
        moment += timedelta(hours=1)
    assert found == quiet


def test_a_quiet_hour_that_the_clock_skips_is_never_and_one_that_it_repeats_is_twice() -> None:
    hours = QuietHours(time(2), time(3), "Europe/Berlin")
    spring, autumn = datetime(2027, 3, 28, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)
    assert not any(hours.holds(spring + timedelta(minutes=10 * step)) for step in range(18))
    assert sum(hours.holds(autumn + timedelta(minutes=10 * step)) for step in range(18)) == 12
