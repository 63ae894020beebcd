"""Findings that go on, as answers of the API; and what callers say to them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from gpucost.domain.alerts.alert_rules import AlertRules
from gpucost.domain.alerts.tracks import Track
from gpucost.domain.answers.access import Scope
from gpucost.domain.money import plain
from gpucost.domain.report import CURRENCY
from gpucost.ports import RequestError
from gpucost.tracking import TrackBook
from gpucost.usecases.alerting.answer_findings import (
    UnknownEpisodeError,
    acknowledge,
    open_tracks,
    snooze,
    snoozed_until,
)

type Answer = dict[str, Any]


class VisibleTracks:
    """What goes on, as far as one caller may see it: a BU's own, and the clusters' own for those who see everything."""

    def __init__(self, book: TrackBook, clusters: Sequence[str], scope: Scope) -> None:
        self._book, self._clusters, self._scope = book, clusters, scope

    def open(self) -> list[Track]:
        """The most expensive first."""
        return [one for one in open_tracks(self._clusters, self._book) if self._may_see(one)]

    def one(self, episode: str) -> Track:
        """UnknownEpisodeError for one that is over, and for somebody else's alike."""
        for track in self.open():
            if track.current and track.current.id == episode:
                return track
        raise UnknownEpisodeError("there is no finding of this id that goes on")

    def acknowledge(self, episode: str, who: str) -> Track:
        return acknowledge(self.one(episode).cluster, episode, who, self._book)

    def snooze(self, episode: str, span: str, rules: AlertRules, now: datetime) -> Track:
        """RequestError for a span that is none of those that there are."""
        track = self.one(episode)
        until = snoozed_until(span, now, rules.of(track.bu).voice.zone)
        return snooze(track.cluster, episode, until, self._book)

    def _may_see(self, track: Track) -> bool:
        return self._scope.may_see(track.bu) if track.bu else self._scope.sees_everything


def findings(kind: str | None, bu: str | None, cluster: str | None, tracks: VisibleTracks) -> Answer:
    """What goes on, the most expensive first."""
    found = [
        track
        for track in tracks.open()
        if kind in (None, track.kind.value) and bu in (None, track.bu) and cluster in (None, track.cluster)
    ]
    return {"currency": CURRENCY, "rows": [finding(track) for track in found]}


def finding(track: Track) -> Answer:
    """One subject with its episode that goes on."""
    told = track.current
    if told is None:
        raise RequestError("the finding is over")
    return {
        "id": told.id,
        "kind": track.kind.value,
        "cluster": track.cluster,
        "bu": track.bu or None,
        "subject": track.subject or None,
        "since": told.first.key,
        "last_hour": told.last.key,
        "hours": told.hours,
        "cost_usd": None if track.cost_usd is None else plain(track.cost_usd),
        "escalations": told.level,
        "acknowledged_by": track.acknowledged or None,
        "snoozed_until": track.snoozed_until.isoformat() if track.snoozed_until else None,
    }


def settled(track: Track) -> Mapping[str, Any]:
    """The finding as it is after an answer."""
    return {"currency": CURRENCY, **finding(track)}
