"""Take one sign of a subject into what is remembered of it, and tell what is new."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from gpucost.books import Books
from gpucost.domain.alerts.alert_rules import AlertRules
from gpucost.domain.alerts.episodes import Verdict
from gpucost.domain.alerts.finding import Finding, Severity, Step, stable_id
from gpucost.domain.alerts.signs import Sign
from gpucost.domain.alerts.tracks import NEWS, Event, Track, steps
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO
from gpucost.ports import AlertLog, GpucostError, LedgerUnavailable, Publisher
from gpucost.tracking import TrackBook
from gpucost.usecases.alerting.tell import tell

TRIES = 5
_WEIGHT = (Step.OPEN, Step.UPDATE, Step.ESCALATE, Step.CLOSE)


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


def take(track: Track, hour: Hour, sign: Sign, its: Alerting, now: datetime) -> list[Finding]:
    """Add one sign to a track, tell what is new, keep it. Whoever saved the track meanwhile goes first."""
    for _ in range(TRIES):
        told = try_to_take(track, hour, sign, its, now)
        if told is not None:
            return told
        track = its.tracks.track(track.cluster, track.kind, track.subject, track.bu)
    raise busy(track)


def try_to_take(track: Track, hour: Hour, sign: Sign, its: Alerting, now: datetime) -> list[Finding] | None:
    """Add a sign to a track, once. None when somebody else has saved the track meanwhile.

    A step is published before the track says that it was told, so a crash in between tells it again, under the same id.
    """
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
    return list(told) if its.tracks.save(after) else None


def all_of(parts: Sequence[Callable[[], Sequence[Finding]]]) -> list[Finding]:
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


def busy(track: Track) -> LedgerUnavailable:
    """What to raise when others save a track again and again."""
    return LedgerUnavailable(f"the track of {track.kind} {track.subject!r} is busy: try again")


def finding_of(track: Track, event: Event, sign: Sign, hour: Hour, rules: AlertRules) -> Finding:
    """A step as it is told. Its id names the step, so that whatever happens to it, it is known again."""
    told = event.told
    mark = {
        Step.ESCALATE: str(told.level),
        Step.UPDATE: f"{hour.key} {told.usd}",
        # Two who watch at once may not agree on whether it is over: what ends it at last is another step.
        Step.CLOSE: told.closed.key if told.closed else "",
    }.get(event.step, "")
    facts = (*sign.facts, *_answers(track, hour))
    if event.revised:
        facts = ("Figures or settings were revised: it is no trouble any more.",)
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
        hours=0 if event.revised else told.hours,
        so_far_usd=ZERO if event.revised else told.usd,
        facts=facts,
        channel=rules.voice.channel,
        mention=rules.voice.mention if event.step in (Step.OPEN, Step.ESCALATE) else "",
        number=_number(track, event.step),
        last=told.last,
    )


def _answers(track: Track, hour: Hour) -> list[str]:
    """What people have said to it."""
    answers = [f"Acknowledged by {track.acknowledged}: it escalates no more."] if track.acknowledged else []
    if track.snoozed_until and track.snoozed_until > hour.end:
        answers.append(f"Snoozed until {track.snoozed_until:%Y-%m-%d %H:%M} UTC.")
    return answers


def _number(track: Track, step: Step) -> int:
    """Of two who told from the same state, the one with the weightier step is believed."""
    return (track.version + 1) * len(_WEIGHT) + _WEIGHT.index(step)


def _severity(event: Event, level: int) -> Severity:
    if event.step is Step.CLOSE:
        return Severity.INFO
    return Severity.CRITICAL if level > 1 else Severity.WARNING
