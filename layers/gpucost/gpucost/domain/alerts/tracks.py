"""What is remembered of one subject: its hours, what was told of it, and what people said to that."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

from gpucost.domain.alerts.alert_rules import AlertRules, Watch
from gpucost.domain.alerts.episodes import Episode, Observation, Verdict, episodes, running_since
from gpucost.domain.alerts.finding import WITHOUT_COST, Kind, Step, stable_id
from gpucost.domain.hours import Hour

SETTLED_HOURS = 72
"""Hours that are not looked at again as a rule: what is over for longer is forgotten."""
KEEP_HOURS = 24 * 35
"""How much of a story that goes on is remembered."""
NEWS = timedelta(hours=6)
"""How long after its end an hour is news. What a backfill or a healed gap shows is history: it alerts nobody."""


@dataclass(frozen=True, slots=True)
class Told:
    """One episode as people know it."""

    id: str
    first: Hour
    last: Hour
    level: int
    hours: int
    usd: Decimal
    closed: Hour | None = None


@dataclass(frozen=True, slots=True)
class Track:
    """One subject of one kind in one cluster; `bu` is "" for what is the cluster's own.

    `acknowledged` names who said they know, of the episode that goes on. `snoozed_until` keeps it quiet till then.
    """

    kind: Kind
    cluster: str
    subject: str
    bu: str
    seen: Mapping[Hour, Observation] = field(default_factory=dict)
    told: tuple[Told, ...] = ()
    acknowledged: str = ""
    snoozed_until: datetime | None = None
    version: int = 0

    @property
    def key(self) -> tuple[Kind, str]:
        return (self.kind, self.subject)

    @property
    def current(self) -> Told | None:
        """The told episode that goes on."""
        return next((one for one in reversed(self.told) if one.closed is None), None)

    @property
    def cost_usd(self) -> Decimal | None:
        """What the told episode that goes on has cost; None where that cannot be said."""
        return self.current.usd if self.current and self.kind not in WITHOUT_COST else None

    def observe(self, hour: Hour, seen: Observation) -> "Track":
        """With what an hour says, in the place of what it said before."""
        return replace(self, seen={**self.seen, hour: seen})

    def without_settled(self, watch: Watch) -> "Track":
        """Without the hours that matter no more: those of a story that goes on are kept, and the last three days."""
        last = max(self.seen)
        since = running_since(self.seen, watch) or last
        first = max(min(since, last.plus(-SETTLED_HOURS)), last.plus(-KEEP_HOURS))
        return replace(self, seen={one: self.seen[one] for one in sorted(self.seen) if one >= first})

    @property
    def is_over(self) -> bool:
        """Whether nothing bad is left to remember."""
        return not self.told and not any(one.verdict is Verdict.BAD for one in self.seen.values())


@dataclass(frozen=True, slots=True)
class Event:
    """A step of an episode to be told. `revised`: the figures changed so that it is no episode any more."""

    step: Step
    told: Told
    revised: bool = False


def steps(track: Track, rules: AlertRules, now: datetime, news: timedelta = NEWS) -> tuple[Track, list[Event]]:
    """What is new since it was last told, and the track once that is told.

    Quiet hours, a snooze and a cool-down put off what begins or escalates; an end is always told. What has been over
    for longer than `news`, and was never told, is history.
    """
    found = episodes(track.seen, rules.watch(track.kind))
    told: list[Told] = []
    events: list[Event] = []
    left = list(track.told)
    for episode in found:
        known = _known(episode, left)
        if known is not None and not _goes_on_after(known, episode):
            left.remove(known)
            changed, event = _go_on(track, known, episode, _may_speak(track, rules, now))
            told.append(changed)
            events += event
        elif _may_open(track, rules, episode, now, news):
            new = _told(_id(track, episode.first, known), episode)
            told.append(new)
            events.append(Event(Step.OPEN, new))
    for gone in left:
        ended = gone if gone.closed else replace(gone, closed=gone.last)
        told.append(ended)
        if gone.closed is None:
            events.append(Event(Step.CLOSE, ended, revised=True))
    told.sort(key=lambda one: one.first)
    recent = [one for one in told if one.closed is None or now - one.closed.end < timedelta(hours=KEEP_HOURS)]
    after = replace(track.without_settled(rules.watch(track.kind)), told=tuple(recent))
    return (after if after.current else replace(after, acknowledged="", snoozed_until=None)), events


def _go_on(track: Track, known: Told, episode: Episode, may_speak: bool) -> tuple[Told, list[Event]]:
    now = _told(known.id, episode)
    if known.closed is not None:
        return replace(now, closed=episode.closed or known.closed, level=known.level), []
    if episode.closed is not None:
        return now, [Event(Step.CLOSE, now)]
    if episode.level > known.level:
        if not may_speak or track.acknowledged:
            now = replace(now, level=known.level)
        else:
            return now, [Event(Step.ESCALATE, now)]
    now = replace(now, level=max(now.level, known.level))
    return now, [Event(Step.UPDATE, now)] if now != known else []


def _may_speak(track: Track, rules: AlertRules, now: datetime) -> bool:
    voice = rules.voice
    snoozed = track.snoozed_until is not None and now < track.snoozed_until
    return voice.episodes and not snoozed and not (voice.quiet and voice.quiet.holds(now))


def _may_open(track: Track, rules: AlertRules, episode: Episode, now: datetime, news: timedelta) -> bool:
    if episode.closed is not None or now - episode.last.end > news or not _may_speak(track, rules, now):
        return False
    ends = [one.closed.end for one in track.told if one.closed]
    return not ends or now - max(ends) >= timedelta(hours=rules.voice.cool_down_hours)


def _same(told: Told, episode: Episode) -> bool:
    """Whether the told episode is this one: they share hours, so a revision that moves its beginning keeps its name."""
    return told.first <= episode.last and episode.first <= told.last


def _known(episode: Episode, told: list[Told]) -> Told | None:
    """What people know of the episode; what goes on before what is over."""
    same = [one for one in told if _same(one, episode)]
    return min(same, key=lambda one: (one.closed is not None, -one.last.epoch), default=None)


def _goes_on_after(known: Told, episode: Episode) -> bool:
    """Whether it was told as over, and is not: hours that came late have shown that."""
    return known.closed is not None and episode.closed is None and episode.last > known.closed


def _told(name: str, episode: Episode) -> Told:
    return Told(name, episode.first, episode.last, episode.level, episode.hours, episode.usd, episode.closed)


def _id(track: Track, first: Hour, before: Told | None) -> str:
    """Names the episode; one that goes on after it was told as over is another one."""
    again = before.closed.key if before and before.closed else ""
    return stable_id("episode", track.kind, track.cluster, track.bu, track.subject, first.key, again)
