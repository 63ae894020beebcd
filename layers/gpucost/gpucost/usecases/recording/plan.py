"""Decide which cluster-hours have to be worked out, and queue one job for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gpucost.books import Books
from gpucost.domain.hours import Hour, hours_between, parse_instant
from gpucost.ports import HourJob, Jobs, MessageError
from gpucost.usecases.recording.upkeep import Upkeep, hourly_run

SCHEDULED = "schedule"
MAX_BACKFILL_HOURS = 150 * 24
"""One backfill event covers at most what a workspace keeps by default (150 days)."""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The hours of [first, end) are due, in every cluster of the stack unless one is named."""

    first: Hour
    end: Hour
    reason: str
    cluster: str | None = None


def requested(event: object, now: datetime) -> PlanRequest:
    """What an event asks for.

    Three forms are understood: {"kind": "plan", "scheduled_time": T} from EventBridge Scheduler, a "Scheduled Event"
    of an EventBridge rule with its `time`, and {"kind": "backfill", "from": T, "to": T} with an optional "cluster".
    A scheduled hour follows from the event's own time alone, so a late or repeated event means the same hour. `now`
    only keeps a backfill from asking for hours that are not over. MessageError for anything else.
    """
    try:
        match event:
            case {"kind": "plan", "scheduled_time": str(time)}:
                return _scheduled(time)
            case {"detail-type": "Scheduled Event", "time": str(time)}:
                return _scheduled(time)
            case {"kind": "backfill", "from": str(first), "to": str(end), **rest}:
                return _backfill(Hour.parse(first), Hour.parse(end), rest.get("cluster"), now)
    except ValueError as error:
        raise MessageError(f"the event's time is wrong: {error}") from None
    raise MessageError(
        'the event is neither {"kind": "plan", "scheduled_time": …} nor {"kind": "backfill", "from": …, "to": …} '
        "nor a Scheduled Event with its time"
    )


def _scheduled(time: str) -> PlanRequest:
    hour = Hour.completed_before(parse_instant(time))
    return PlanRequest(hour, hour.plus(1), SCHEDULED)


def _backfill(first: Hour, end: Hour, cluster: object, now: datetime) -> PlanRequest:
    if cluster is not None and not (isinstance(cluster, str) and cluster):
        raise MessageError(f"cluster is {cluster!r}; name one, or leave it out for all")
    if not first < end:
        raise MessageError(f"the backfill ends at {end}, which is not after its start {first}")
    if end > Hour.containing(now):
        raise MessageError(f"the backfill ends at {end}, but hours are over only up to {Hour.containing(now)}")
    hours = (end.epoch - first.epoch) // 3600
    if hours > MAX_BACKFILL_HOURS:
        raise MessageError(f"a backfill of {hours} hours is too long; send parts of at most {MAX_BACKFILL_HOURS} hours")
    return PlanRequest(first, end, "backfill", cluster)


def plan(
    request: PlanRequest, clusters: Sequence[str], jobs: Jobs, ledger: Books, upkeep: Upkeep, now: datetime
) -> list[HourJob]:
    """Queue what is due: for a scheduled hour its looks and the gaps to heal, for a backfill all of its hours.

    MessageError when the named cluster is not ours. Gives back what was queued.
    """
    if request.reason == SCHEDULED:
        return hourly_run(clusters, request.first, jobs, ledger, upkeep, now)
    if request.cluster is not None and request.cluster not in clusters:
        raise MessageError(f"cluster {request.cluster!r} is not one of this stack's: {', '.join(clusters)}")
    chosen = clusters if request.cluster is None else [request.cluster]
    due = [
        HourJob(cluster, hour, request.reason)
        for hour in hours_between(request.first, request.end)
        for cluster in chosen
    ]
    jobs.send(due)
    return due
