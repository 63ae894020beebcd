"""Watch what published hours say of every subject, and tell the steps of its episodes: each once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial

from gpucost.books import Books
from gpucost.domain.alert_rules import AlertRules
from gpucost.domain.alerts import Finding, Kind, Severity, Step, stable_id
from gpucost.domain.budgets import project
from gpucost.domain.episodes import FORGET_HOURS, Observation, Verdict
from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.money import ZERO
from gpucost.domain.periods import Day, Month
from gpucost.domain.report import HourReport, Status
from gpucost.domain.signs import Sign, budget_sign, missing_hour, signs_of
from gpucost.domain.tracks import NEWS, Event, Track, steps
from gpucost.ports import AlertLog, GpucostError, LedgerError, LedgerUnavailable, Publisher
from gpucost.tracking import TrackBook
from gpucost.usecases.digest import digests, is_due
from gpucost.usecases.tell import tell

WEEKS_COMPARED = 4
LATE = 2
"""An hour that is not published while two later ones are is missing."""
TRIES = 5
_JUDGED_WHEN_COMPLETE = {Kind.BU_WASTE, Kind.IDLE_SLICE, Kind.UNALLOCATED, Kind.STRANDED, Kind.ANOMALY}


@dataclass(frozen=True, slots=True)
class Alerting:
    """Everything that telling needs."""

    ledger: Books
    tracks: TrackBook
    log: AlertLog
    publisher: Publisher
    rules: AlertRules
    clusters: Sequence[str] = ()
    news: timedelta = NEWS


def watch(cluster: str, hour: Hour, its: Alerting, now: datetime) -> list[Finding]:
    """Take in a published hour and tell what it makes worth telling. Safe to repeat, in any order of hours.

    A step is published before the track says that it was told, so a crash in between tells it again, under the same id.
    LedgerError when there is no report of the hour, because somebody said there is.
    """
    report = its.ledger.report(cluster, hour)
    if report is None:
        raise LedgerError(
            f"{cluster} {hour} was announced as published, but the ledger has no report of it: "
            "send the record again once the ledger can be read, or publish the hour again"
        )
    found = [*signs_of(report, its.rules, _past(report, its)), *_budgets(report, its)]
    signs = {(one.kind, one.subject, one.bu): one for one in found}
    known = {(one.kind, one.subject, one.bu): one for one in its.tracks.tracks(cluster)}
    for key in known.keys() - signs.keys():
        gone = _gone(known[key], report)
        if gone:
            signs[key] = gone
    taken = [
        partial(_take, known.get(key) or Track(sign.kind, cluster, sign.subject, sign.bu), hour, sign, its, now)
        for key, sign in sorted(signs.items(), key=lambda pair: (-pair[1].seen.usd, pair[0]))
    ]
    rest = (_later, _missing, _digests)
    return _all_of([*taken, *(partial(part, cluster, hour, its, now) for part in rest)])


def _all_of(parts: Sequence[Callable[[], Sequence[Finding]]]) -> list[Finding]:
    """What all parts tell. One that fails does not keep back the others; its error is raised at the end."""
    told: list[Finding] = []
    failures: list[GpucostError] = []
    for part in parts:
        try:
            told += part()
        except GpucostError as error:
            failures.append(error)
    if failures:
        passing = next((error for error in failures if error.retryable), None)
        raise passing or failures[0]
    return told


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
            sign = signs.get((track.kind, track.subject, track.bu)) or _gone(track, report)
            if sign:
                out += _take(track, head.hour, sign, its, now)
    return out


def _digests(cluster: str, hour: Hour, its: Alerting, now: datetime) -> Sequence[Finding]:
    voices = [own.voice for own in (its.rules, *its.rules.by_bu.values())]
    if now - hour.end > its.news or not any(is_due(voice, hour) for voice in voices):
        return ()
    due = digests(cluster, hour, its.ledger, its.tracks.tracks(cluster), its.rules)
    return tell(due, its.log, its.publisher, now)


def _take(track: Track, hour: Hour, sign: Sign, its: Alerting, now: datetime) -> list[Finding]:
    """Add one sign to a track, tell what is new, keep it. Whoever saved the track meanwhile goes first."""
    for _ in range(TRIES):
        if not track.version and sign.seen.verdict is not Verdict.BAD:
            return []
        if track.seen.get(hour) == sign.seen and not track.current:
            return []
        rules = its.rules.of(track.bu)
        after, events = steps(track.observe(hour, sign.seen), rules, now, its.news)
        if after == track:
            return []
        findings = [finding_of(after, event, sign, hour, rules) for event in events]
        told = tell(findings, its.log, its.publisher, now)
        if its.tracks.save(after):
            return list(told)
        track = its.tracks.track(track.cluster, track.kind, track.subject, track.bu)
    raise LedgerUnavailable(f"the track of {track.kind} {track.subject!r} is busy: try again")


def _gone(track: Track, report: HourReport) -> Sign | None:
    """A subject that the hour does not know holds nothing any more, if the hour was read whole."""
    if track.kind in _JUDGED_WHEN_COMPLETE and report.status is Status.COMPLETE and not track.is_over:
        facts = ("It holds nothing any more.",)
        return Sign(track.kind, track.subject, track.bu, Observation(Verdict.GOOD), facts=facts)
    return None


def _past(report: HourReport, its: Alerting) -> Mapping[str, list[Decimal]]:
    """What every BU cost in the same hour of past weeks; a week that was not published counts for nothing."""
    if not its.rules.watch(Kind.ANOMALY).enabled:
        return {}
    weeks: list[dict[str, Decimal]] = []
    for week in range(1, WEEKS_COMPARED + 1):
        hour = report.hour.plus(-24 * 7 * week)
        costs: dict[str, Decimal] = {}
        if its.ledger.head(report.cluster, hour):
            for _, row in its.ledger.namespaces(report.cluster, hour, hour.plus(1)):
                costs[row.bu] = costs.get(row.bu, ZERO) + row.figures.allocated_usd
            weeks.append(costs)
    names = {bu for costs in weeks for bu in costs}
    return {bu: [costs.get(bu, ZERO) for costs in weeks] for bu in names}


def _budgets(report: HourReport, its: Alerting) -> list[Sign]:
    """The projection of every BU with a budget, over all clusters, as of the end of this hour."""
    budgets = {bu: own.budget_usd for bu, own in its.rules.by_bu.items() if own.budget_usd}
    if not budgets:
        return []
    month = Month.of(report.hour)
    spent: dict[str, dict[Day, Decimal]] = {bu: {} for bu in budgets}
    for cluster in its.clusters or [report.cluster]:
        for rollup in its.ledger.day_rollups(cluster, Day.of(month.first), Day.of(report.hour).next()):
            for row in rollup.namespaces:
                if row.bu in spent:
                    day = Day.of(rollup.period.first)
                    spent[row.bu][day] = spent[row.bu].get(day, ZERO) + row.figures.allocated_usd
    end = report.hour.plus(1)
    return [budget_sign(bu, project(spent[bu], month, usd, end)) for bu, usd in sorted(budgets.items())]


def _missing(cluster: str, hour: Hour, its: Alerting, now: datetime) -> list[Finding]:
    """Hours shortly before this one that were never published, and not because the cluster is new."""
    if not its.rules.watch(Kind.DATA_LOSS).enabled:
        return []
    first = hour.plus(-6)
    heads = {head.hour for head in its.ledger.heads(cluster, first, hour)}
    out: list[Finding] = []
    for one in hours_between(min(heads, default=hour), hour.plus(1 - LATE)):
        if one not in heads and now - one.end <= its.news:
            track = its.tracks.track(cluster, Kind.DATA_LOSS, "", "")
            out += _take(track, one, missing_hour(), its, now)
    return out


def finding_of(track: Track, event: Event, sign: Sign, hour: Hour, rules: AlertRules) -> Finding:
    """A step as it is told. Its id names the step, so that whatever happens to it, it is known again."""
    told = event.told
    mark = {Step.ESCALATE: str(told.level), Step.UPDATE: f"{hour.key} {told.usd}"}.get(event.step, "")
    facts = ("The figures were revised: it is no trouble any more.",) if event.revised else sign.facts
    return Finding(
        id=stable_id("step", told.id, event.step, mark),
        kind=track.kind,
        severity=_severity(event, told.level),
        cluster=track.cluster,
        hour=hour,
        bu=track.bu,
        allocated_usd=sign.allocated_usd,
        waste_usd=sign.seen.usd,
        utilization=sign.utilization,
        unknown_usd=sign.unknown_usd,
        pods=sign.pods,
        more_pods=sign.more_pods,
        more_pods_usd=sign.more_pods_usd,
        step=event.step,
        episode=told.id,
        subject=track.subject,
        since=told.first,
        hours=told.hours,
        so_far_usd=told.usd,
        facts=facts,
        channel=rules.voice.channel,
        mention=rules.voice.mention if event.step in (Step.OPEN, Step.ESCALATE) else "",
        number=track.version + 1,
    )


def _severity(event: Event, level: int) -> Severity:
    if event.step is Step.CLOSE:
        return Severity.INFO
    return Severity.CRITICAL if level > 1 else Severity.WARNING
