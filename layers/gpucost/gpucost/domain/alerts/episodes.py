"""Episodes: hours of the same trouble as one story with a beginning and an end.

Pure and without memory: what is known of the hours makes the episodes, in whatever order, however often, and however
late the hours were learned. So an hour that is revised changes its episode and nothing else.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from gpucost.domain.alerts.alert_rules import Watch
from gpucost.domain.hours import Hour

FORGET_HOURS = 24
"""Hours without any word after which a story is over: it cannot be said to go on."""


class Verdict(StrEnum):
    """What one hour says. `between` is neither good nor bad; it and `unknown` open and close nothing."""

    BAD = "bad"
    GOOD = "good"
    BETWEEN = "between"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Observation:
    """One hour of one subject, and what the trouble cost in it, USD."""

    verdict: Verdict
    usd: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Episode:
    """`first` and `last` are its first and last bad hour, `hours` counts the bad ones, `usd` is what they cost.

    `opened` is the hour in which it became worth telling, `closed` the one in which it was over (None while it goes
    on). `level` counts the sums of money that it has passed.
    """

    first: Hour
    opened: Hour
    last: Hour
    hours: int
    usd: Decimal
    level: int
    closed: Hour | None = None


def episodes(seen: Mapping[Hour, Observation], watch: Watch) -> list[Episode]:
    """All episodes that the hours make, in order; at most the last one goes on."""
    out: list[Episode] = []
    story = _Story(watch)
    for hour in sorted(seen):
        out += story.hear(hour, seen[hour])
    return out + story.so_far()


def running_since(seen: Mapping[Hour, Observation], watch: Watch) -> Hour | None:
    """The first bad hour of what is not over yet, told or not; None when the last story is over."""
    story = _Story(watch)
    for hour in sorted(seen):
        story.hear(hour, seen[hour])
    return story.since


class _Story:
    """Reads the hours in order."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._heard: Hour | None = None
        self._begin()

    def _begin(self) -> None:
        self._bad: list[tuple[Hour, Decimal]] = []
        self._good = 0
        self._opened: Hour | None = None

    def hear(self, hour: Hour, seen: Observation) -> list[Episode]:
        """Take the next hour; gives the episode that it ends."""
        ended: list[Episode] = []
        if self._heard and hour > self._heard.plus(FORGET_HOURS):
            ended = self._end(self._heard)
        self._heard = hour if seen.verdict is not Verdict.UNKNOWN else self._heard
        if seen.verdict is Verdict.BAD:
            self._good = 0
            self._bad.append((hour, seen.usd))
            if self._opened is None and self._is_worth_telling():
                self._opened = hour
        elif seen.verdict is Verdict.GOOD and self._bad:
            self._good += 1
            if self._good >= self._watch.close_hours:
                ended += self._end(hour)
        return ended

    def so_far(self) -> list[Episode]:
        """The episode that goes on, if there is one."""
        return [self._episode(self._opened)] if self._opened else []

    @property
    def since(self) -> Hour | None:
        return self._bad[0][0] if self._bad else None

    def _is_worth_telling(self) -> bool:
        return len(self._bad) >= self._watch.hours and self._usd >= self._watch.floor_usd

    @property
    def _usd(self) -> Decimal:
        return sum((usd for _, usd in self._bad), Decimal(0))

    def _episode(self, opened: Hour) -> Episode:
        usd = self._usd
        level = sum(usd >= limit for limit in self._watch.escalate_usd)
        return Episode(self._bad[0][0], opened, self._bad[-1][0], len(self._bad), usd, level)

    def _end(self, hour: Hour) -> list[Episode]:
        told = [replace(self._episode(self._opened), closed=hour)] if self._opened else []
        self._begin()
        return told
