"""What people say to a finding: that they know, or that they want to hear of it later."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from gpucost.domain.alerts.tracks import Track
from gpucost.ports import LedgerUnavailable, RequestError
from gpucost.tracking import TrackBook

HOURS = {"1h": 1, "8h": 8, "24h": 24}
MONDAY = "monday"
SNOOZES = (*HOURS, MONDAY)
MORNING = time(8)
TRIES = 5


class UnknownEpisodeError(RequestError):
    """There is no episode of this id that goes on."""


def acknowledge(cluster: str, episode: str, who: str, book: TrackBook) -> Track:
    """Note who knows of it: it escalates no more, and its end is told. UnknownEpisodeError when it is over."""
    return _changed(cluster, episode, book, lambda track: replace(track, acknowledged=who))


def snooze(cluster: str, episode: str, until: datetime, book: TrackBook) -> Track:
    """Keep it quiet till then, except for its end. UnknownEpisodeError when it is over."""
    return _changed(cluster, episode, book, lambda track: replace(track, snoozed_until=until))


def snoozed_until(span: str, now: datetime, zone: str) -> datetime:
    """The moment that a button or a parameter names: 1h, 8h, 24h from now, or Monday at eight in the zone.

    RequestError for anything else.
    """
    if span in HOURS:
        return now + timedelta(hours=HOURS[span])
    if span != MONDAY:
        raise RequestError(f"a finding can be snoozed for {', '.join(SNOOZES)}")
    local = now.astimezone(ZoneInfo(zone))
    monday = (local + timedelta(days=7 - local.weekday())).date()
    return datetime.combine(monday, MORNING, ZoneInfo(zone)).astimezone(now.tzinfo)


def open_tracks(clusters: Sequence[str], book: TrackBook) -> list[Track]:
    """The subjects with an episode that goes on, the most expensive first."""
    found = [track for cluster in clusters for track in book.tracks(cluster) if track.current]
    return sorted(found, key=lambda one: (-(one.cost_usd or 0), one.cluster, one.key, one.bu))


def _changed(cluster: str, episode: str, book: TrackBook, change: Callable[[Track], Track]) -> Track:
    for _ in range(TRIES):
        track = next((one for one in book.tracks(cluster) if one.current and one.current.id == episode), None)
        if track is None:
            raise UnknownEpisodeError("there is no finding of this id that goes on")
        after = change(track)
        if after == track or book.save(after):
            return after
    raise LedgerUnavailable("the finding is busy: try again")
