"""The digest of a BU: what a day or a week cost, and what is going on, once, at the hour that its rules name."""

from collections import defaultdict
from collections.abc import Iterable
from zoneinfo import ZoneInfo

from gpucost.books import Books
from gpucost.domain.alerts.alert_rules import AlertRules, Voice
from gpucost.domain.alerts.finding import Finding, Kind, Severity, Step, stable_id
from gpucost.domain.alerts.finding_text import plain_name
from gpucost.domain.alerts.tracks import Track
from gpucost.domain.allocation.rows import sum_figures
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO
from gpucost.domain.report import Figures
from gpucost.domain.wording import cents, count, percent

LENGTH = {"daily": 24, "weekly": 168}
SHOWN = 5


def digests(cluster: str, hour: Hour, ledger: Books, tracks: Iterable[Track], rules: AlertRules) -> list[Finding]:
    """The digests that are due when this hour is over; for every BU that had anything in the time."""
    voices = {own.voice for own in (rules, *rules.by_bu.values()) if is_due(own.voice, hour)}
    out: list[Finding] = []
    open_ones = [track for track in tracks if track.current]
    for digest in sorted({voice.digest for voice in voices}):
        first = hour.plus(1 - LENGTH[digest])
        parts: defaultdict[str, list[Figures]] = defaultdict(list)
        for _, row in ledger.namespaces(cluster, first, hour.plus(1)):
            parts[row.bu].append(row.figures)
        for bu, figures in sorted(parts.items()):
            voice = rules.of(bu).voice
            if voice.digest == digest and is_due(voice, hour):
                mine = [track for track in open_ones if track.bu == bu]
                out.append(_digest(cluster, bu, (first, hour), sum_figures(figures), mine, voice))
    return out


def is_due(voice: Voice, hour: Hour) -> bool:
    """Whether the digest comes when this hour is over: the first time that the day's clock is at its hour, or past it.

    A day on which the clock is put forward may not have that hour, and one on which it is put back has it twice.
    """
    zone = ZoneInfo(voice.zone)
    local, before = hour.end.astimezone(zone), hour.start.astimezone(zone)
    reached = local.hour >= voice.digest_hour
    was_reached = before.date() == local.date() and before.hour >= voice.digest_hour
    return bool(voice.digest) and reached and not was_reached and (voice.digest == "daily" or local.weekday() == 0)


def _digest(
    cluster: str, bu: str, span: tuple[Hour, Hour], figures: Figures, going_on: list[Track], voice: Voice
) -> Finding:
    first, last = span
    used = f"{cents(figures.allocated_usd)} allocated, {percent(figures.utilization)} used"
    waste = "waste unknown" if figures.waste_usd is None else f"{cents(figures.waste_usd)} wasted"
    facts = [f"{used}, {waste}."]
    if figures.unknown_usd:
        facts.append(f"{cents(figures.unknown_usd)} has unknown utilization.")
    dearest = sorted(going_on, key=lambda one: (-(one.cost_usd or 0), one.key))
    facts += [_line(track) for track in dearest[:SHOWN]]
    if len(dearest) > SHOWN:
        facts.append(f"And {count(len(dearest) - SHOWN, 'more episode')} going on.")
    return Finding(
        id=stable_id("digest", cluster, bu, voice.digest, last.key),
        kind=Kind.BU_WASTE,
        severity=Severity.INFO,
        cluster=cluster,
        hour=last,
        bu=bu,
        allocated_usd=figures.allocated_usd,
        waste_usd=figures.waste_usd or ZERO,
        utilization=figures.utilization,
        unknown_usd=figures.unknown_usd,
        step=Step.DIGEST,
        subject="the last 24 hours" if voice.digest == "daily" else "the last 7 days",
        since=first,
        hours=LENGTH[voice.digest],
        so_far_usd=figures.waste_usd or ZERO,
        facts=tuple(facts),
        channel=voice.channel,
        number=1,
    )


def _line(track: Track) -> str:
    kind = track.kind.value.replace("_", " ")
    what = f"{kind} {plain_name(track.subject)}" if track.subject else kind
    lasted = f", {count(track.current.hours, 'hour')}" if track.current else ""
    cost = "" if track.cost_usd is None else f", {cents(track.cost_usd)}"
    return f"Going on: {what}{lasted}{cost}."
