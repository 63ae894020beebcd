"""What the ledger needs besides new hours: gaps healed, sums brought up to date, months closed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from gpucost.books import Books
from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.ledger.healing import hours_to_heal
from gpucost.domain.ledger.journal import is_closed
from gpucost.domain.periods import Month
from gpucost.domain.report import Status
from gpucost.ports import HourJob, Jobs
from gpucost.usecases.recording.roll_up import behind, roll_up

LOOK_AGAIN_HOURS = (1, 25)
"""An hour is worked out about 10 minutes after its end, and again about 70 minutes and 25 hours after it."""

LAST_LOOK = timedelta(hours=max(LOOK_AGAIN_HOURS))

SUMS_PER_RUN = 31
"""How many late sums one run brings up to date."""


@dataclass(frozen=True, slots=True)
class Upkeep:
    """How far the upkeep of one run goes.

    reach_days: how old an hour may be to be healed, which is how long the metrics workspace keeps its samples.
    heal_limit: how many hours of a cluster one run queues again.
    close_after: how long after its end a month is closed, if none of its hours is missing; with_gaps_after: how long
    if some are; quiet_for: how long nothing was published in it by then.
    """

    reach_days: int = 150
    heal_limit: int = 24
    close_after: timedelta = timedelta(days=10)
    with_gaps_after: timedelta = timedelta(days=20)
    quiet_for: timedelta = timedelta(days=2)


def hourly_run(
    clusters: Sequence[str], last: Hour, jobs: Jobs, ledger: Books, upkeep: Upkeep, now: datetime
) -> list[HourJob]:
    """Queue what is due after the hour `last`, heal gaps, and close months. Gives back what was queued.

    The hour itself is queued before the ledger is asked for anything: it does not have to wait for its past.
    """
    queued = looks(clusters, last)
    jobs.send(queued)
    for cluster in clusters:
        gaps = heal(cluster, last, ledger, upkeep, now)
        if gaps:
            jobs.send(gaps)
        close_months(cluster, ledger, upkeep, now)
        queued += gaps
    return queued


def looks(clusters: Sequence[str], last: Hour) -> list[HourJob]:
    """The jobs of an hourly run: its own hour, and those that are due for another look, oldest first."""
    hours = [(last.plus(-back), "recheck") for back in reversed(LOOK_AGAIN_HOURS)] + [(last, "schedule")]
    return [HourJob(cluster, hour, reason) for hour, reason in hours for cluster in clusters]


def heal(cluster: str, last: Hour, ledger: Books, upkeep: Upkeep, now: datetime) -> list[HourJob]:
    """Jobs for the missing and failed hours that are due, oldest first, and sums brought up to date on the way.

    Hours that the hourly run looks at anyway are left to it. It costs two queries for every month that the reach
    touches, two for every year, and the sums themselves. What is queued is noted before it is sent: a run that dies in
    between makes an hour wait, and queues nothing twice.
    """
    first, end = last.plus(-24 * upkeep.reach_days), last.plus(-min(LOOK_AGAIN_HOURS))
    # A sum is judged by all of its hours: from the start of a month on, and up to now, however late this run comes.
    since = Month.of(first).first
    heads, adjusted = ledger.both_heads(cluster, since, max(end, Hour.containing(now)))
    known = {head.hour: head.status for head in [*heads, *adjusted]}
    chosen = hours_to_heal(known, ledger.requeues(cluster, first, end), first, end, now, upkeep.heal_limit)
    ledger.note_requeued(cluster, chosen)
    for hour in behind(cluster, heads, since, ledger)[:SUMS_PER_RUN]:
        roll_up(cluster, hour, ledger)
    return [HourJob(cluster, hour, "gap") for hour in sorted(chosen)]


def close_months(cluster: str, ledger: Books, upkeep: Upkeep, now: datetime) -> list[Month]:
    """Close the months that ended long enough ago, have hours, and in which nothing was published lately.

    One query for every month that the reach touches, and one more for a month that is about to be closed.
    """
    closed: list[Month] = []
    month = Month.of(Hour.containing(now - timedelta(days=upkeep.reach_days)))
    while month.end.start + upkeep.close_after <= now:
        last = ledger.last_entry(cluster, month)
        if last is not None and not is_closed(last) and last.entry.at + upkeep.quiet_for <= now:
            overdue = month.end.start + upkeep.with_gaps_after <= now
            if overdue or not _has_gaps(cluster, month, ledger):
                ledger.close_month(cluster, month, now)
                closed.append(month)
        month = month.next()
    return closed


def _has_gaps(cluster: str, month: Month, ledger: Books) -> bool:
    """Whether an hour is missing or failed from the month's first known hour on."""
    heads = ledger.heads(cluster, month.first, month.end)
    sound = {head.hour for head in heads if head.status is not Status.FAILED}
    return any(hour not in sound for hour in hours_between(heads[0].hour, month.end)) if heads else False
