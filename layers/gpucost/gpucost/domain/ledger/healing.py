"""Which hours have to be queued again because they are missing or failed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.report import Status

LONGEST_WAIT_HOURS = 24


@dataclass(frozen=True, slots=True)
class Requeue:
    """How often an hour was queued again, and when last."""

    tries: int
    at: datetime


def wait_after(tries: int) -> timedelta:
    """How long an hour rests after so many tries: 1 h, 2 h, 4 h … at most a day."""
    return timedelta(hours=min(2 ** (tries - 1), LONGEST_WAIT_HOURS)) if tries else timedelta(0)


def hours_to_heal(
    published: Mapping[Hour, Status],
    requeues: Mapping[Hour, Requeue],
    first: Hour,
    end: Hour,
    now: datetime,
    limit: int,
) -> dict[Hour, Requeue]:
    """The missing and failed hours of [first, end) that are due at `now`, at most `limit`, each with its next count.

    `published` holds every known hour from `first` on, or from before it; a gap comes after a known hour, so nothing
    is sought before the first of them. Hours that were tried less come first, and then older ones: an hour that can
    never succeed does not keep the others waiting.
    """
    if not published:
        return {}
    known_since = max(first, min(published))
    gaps = [hour for hour in hours_between(known_since, end) if published.get(hour, Status.FAILED) is Status.FAILED]
    tries = {hour: requeues[hour].tries if hour in requeues else 0 for hour in gaps}
    due = [hour for hour in gaps if not tries[hour] or requeues[hour].at + wait_after(tries[hour]) <= now]
    chosen = sorted(due, key=lambda hour: (tries[hour], hour))[:limit]
    return {hour: Requeue(tries[hour] + 1, now) for hour in chosen}
