"""Watch what published hours say of every subject, and tell the steps of its episodes: each once."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial

from gpucost.domain.alerts.episodes import FORGET_HOURS, Observation, Verdict
from gpucost.domain.alerts.finding import Finding, Kind
from gpucost.domain.alerts.signs import Sign, missing_hour, signs_of
from gpucost.domain.alerts.tracks import Track
from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.money import ZERO
from gpucost.domain.report import HourReport, Status
from gpucost.ports import LedgerError
from gpucost.usecases.alerting.digest import digests, is_due
from gpucost.usecases.alerting.take import Alerting, all_of, take
from gpucost.usecases.alerting.tell import tell
from gpucost.usecases.alerting.watch_budgets import home, watch_budgets

WEEKS_COMPARED = 4
LATE = 2
"""An hour that is not published while one two hours later is missing."""
REACH = 6
"""How many hours before a published one are looked at for missing ones."""
_JUDGED_WHEN_COMPLETE = {Kind.BU_WASTE, Kind.IDLE_SLICE, Kind.UNALLOCATED, Kind.STRANDED, Kind.ANOMALY}
_COSTS_ARE_WHOLE = {Status.COMPLETE, Status.NO_UTILIZATION}


def watch(cluster: str, hour: Hour, its: Alerting, now: datetime) -> list[Finding]:
    """Take in a published hour and tell what it makes worth telling. Safe to repeat, in any order of hours.

    LedgerError when there is no report of the hour, because somebody said there is.
    """
    report = its.ledger.report(cluster, hour)
    if report is None:
        raise LedgerError(
            f"{cluster} {hour} was announced as published, but the ledger has no report of it: "
            "send the record again once the ledger can be read, or publish the hour again"
        )
    signs = {(one.kind, one.subject, one.bu): one for one in signs_of(report, its.rules, _past(report, its))}
    known = {(one.kind, one.subject, one.bu): one for one in its.tracks.tracks(cluster)}
    for key in known.keys() - signs.keys():
        gone = _gone(known[key], report, its)
        if gone:
            signs[key] = gone
    taken = [
        partial(take, known.get(key) or Track(sign.kind, cluster, sign.subject, sign.bu), hour, sign, its, now)
        for key, sign in sorted(signs.items(), key=lambda pair: (-pair[1].seen.usd, pair[0]))
    ]
    rest = (watch_budgets, _later, _missing, _digests)
    return all_of([*taken, *(partial(part, cluster, hour, its, now) for part in rest)])


def _later(cluster: str, hour: Hour, its: Alerting, now: datetime) -> list[Finding]:
    """What later hours, which were published before this one, say of the subjects that it brought up.

    Good hours of a subject that nothing is remembered of are not kept, so they are looked up here.
    """
    out: list[Finding] = []
    for head in its.ledger.heads(cluster, hour.plus(1), hour.plus(1 + FORGET_HOURS)):
        lacking = [one for one in its.tracks.tracks(cluster) if hour in one.seen and head.hour not in one.seen]
        report = its.ledger.report(cluster, head.hour) if lacking else None
        if report is None:
            continue
        signs = {(one.kind, one.subject, one.bu): one for one in signs_of(report, its.rules, _past(report, its))}
        for track in lacking:
            sign = signs.get((track.kind, track.subject, track.bu)) or _gone(track, report, its)
            if sign:
                out += take(track, head.hour, sign, its, now)
    return out


def _digests(cluster: str, hour: Hour, its: Alerting, now: datetime) -> Sequence[Finding]:
    """The digests of this hour, and of hours shortly before it that were never published."""
    voices = [own.voice for own in (its.rules, *its.rules.by_bu.values())]
    told: list[Finding] = []
    for one in (*hours_between(hour.plus(-REACH), hour.plus(1 - LATE)), hour):
        if now - one.end > its.news or not any(is_due(voice, one) for voice in voices):
            continue
        if one == hour or its.ledger.head(cluster, one) is None:
            due = digests(cluster, one, its.ledger, its.tracks.tracks(cluster), its.rules)
            told += tell(due, its.log, its.publisher, now)
    return told


def _gone(track: Track, report: HourReport, its: Alerting) -> Sign | None:
    """A subject that the hour does not know holds nothing any more, if the hour was read whole.

    What the settings leave unwatched by now is over at once.
    """
    facts: tuple[str, ...] = ("It holds nothing any more.",)
    if not _is_watched(track, its):
        facts = ("By the settings, it is not watched here any more.",)
        over = track.current is not None
    else:
        whole = report.status is Status.COMPLETE
        over = track.kind in _JUDGED_WHEN_COMPLETE and whole and not track.is_over
    return Sign(track.kind, track.subject, track.bu, Observation(Verdict.GOOD), facts=facts) if over else None


def _is_watched(track: Track, its: Alerting) -> bool:
    own = its.rules.of(track.bu)
    here = track.kind is not Kind.BUDGET or (bool(own.budget_usd) and track.cluster == home(track.cluster, its))
    return here and own.watch(track.kind).enabled


def _past(report: HourReport, its: Alerting) -> Mapping[str, list[Decimal]]:
    """What every BU cost in the same hour of past weeks; one whose costs were not read whole counts for nothing."""
    if not any(own.watch(Kind.ANOMALY).enabled for own in (its.rules, *its.rules.by_bu.values())):
        return {}
    weeks: list[dict[str, Decimal]] = []
    for week in range(1, WEEKS_COMPARED + 1):
        hour = report.hour.plus(-24 * 7 * week)
        costs: dict[str, Decimal] = {}
        head = its.ledger.head(report.cluster, hour)
        if head and head.status in _COSTS_ARE_WHOLE:
            for _, row in its.ledger.namespaces(report.cluster, hour, hour.plus(1)):
                costs[row.bu] = costs.get(row.bu, ZERO) + row.figures.allocated_usd
            weeks.append(costs)
    names = {bu for costs in weeks for bu in costs}
    return {bu: [costs.get(bu, ZERO) for costs in weeks] for bu in names}


def _missing(cluster: str, hour: Hour, its: Alerting, now: datetime) -> list[Finding]:
    """Hours shortly before this one that were never published, and not because the cluster is new."""
    if not its.rules.watch(Kind.DATA_LOSS).enabled:
        return []
    first = hour.plus(-REACH)
    heads = {head.hour for head in its.ledger.heads(cluster, first, hour)}
    out: list[Finding] = []
    for one in hours_between(min(heads, default=hour), hour.plus(1 - LATE)):
        if one not in heads and now - one.end <= its.news:
            track = its.tracks.track(cluster, Kind.DATA_LOSS, "", "")
            out += take(track, one, missing_hour(), its, now)
    return out
