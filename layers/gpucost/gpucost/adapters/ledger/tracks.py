"""What is remembered of watched subjects, in the ledger's table."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.store import Absent, Conflict, Equals, Item, Put, Store
from gpucost.domain.alerts.episodes import Observation, Verdict
from gpucost.domain.alerts.finding import Kind, stable_id
from gpucost.domain.alerts.tracks import Told, Track
from gpucost.domain.hours import Hour, parse_instant
from gpucost.tracking import Held, Posted

KEEP_DAYS = 60
"""After its last hour a track is of no use any more, and neither is a message after its last change."""
HOLD = timedelta(minutes=2)
"""Longer than Slack is waited for. Whoever was killed with a message in hand lets go of it by then."""


class StoreTrackBook:
    """`tracking.TrackBook` and `tracking.MessageBook` over a table."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def tracks(self, cluster: str) -> Sequence[Track]:
        return [_track(item) for item in self._store.query(keys.tracks_pk(cluster), *keys.all_of("K"))]

    def track(self, cluster: str, kind: Kind, subject: str, bu: str) -> Track:
        item = self._store.get(keys.tracks_pk(cluster), _sk(kind, subject, bu))
        return _track(item) if item else Track(kind, cluster, subject, bu)

    def save(self, track: Track) -> bool:
        condition = Equals("version", track.version) if track.version else Absent()
        try:
            self._store.write([Put(_item(track), condition)])
        except Conflict:
            return False
        return True

    def posted(self, finding: str) -> Posted | None:
        item = self._store.get(*keys.posted_key(finding))
        return Posted(item["channel"], item["timestamp"]) if item else None

    def keep_posted(self, finding: str, posted: Posted) -> None:
        pk, sk = keys.posted_key(finding)
        item = {"pk": pk, "sk": sk, "type": "posted", "channel": posted.channel, "timestamp": posted.timestamp}
        # Slack's timestamps count seconds since 1970.
        expires_at = int(float(posted.timestamp)) + KEEP_DAYS * 86400
        self._store.put_all([{**item, "expires_at": expires_at}])

    def take(self, name: str, now: datetime) -> Held | None:
        item = self._store.get(*keys.held_key(name))
        if item and item["held_until"] > now.timestamp():
            return None
        before = int(item["version"]) if item else 0
        posted = Posted(item["channel"], item["timestamp"]) if item and item["channel"] else None
        held = Held(name, before + 1, posted, int(item["number"]) if item else 0)
        return held if self._keep_held(held, now, now + HOLD, before) else None

    def put_back(self, held: Held, now: datetime) -> None:
        self._keep_held(held, now, now, held.version)

    def _keep_held(self, held: Held, now: datetime, until: datetime, before: int) -> bool:
        pk, sk = keys.held_key(held.name)
        item: Item = {
            "pk": pk,
            "sk": sk,
            "type": "message",
            "channel": held.posted.channel if held.posted else "",
            "timestamp": held.posted.timestamp if held.posted else "",
            "number": held.number,
            "version": held.version,
            "held_until": int(until.timestamp()),
            "expires_at": int(now.timestamp()) + KEEP_DAYS * 86400,
        }
        try:
            self._store.write([Put(item, Equals("version", before) if before else Absent())])
        except Conflict:
            return False
        return True


def _sk(kind: Kind, subject: str, bu: str) -> str:
    """A name of fixed length: subjects may be longer than a key."""
    return f"K#{kind.value}#{stable_id(subject, bu)}"


def _item(track: Track) -> Item:
    seen = [] if track.is_over else [[hour.key, one.verdict.value, one.usd] for hour, one in track.seen.items()]
    last = max(track.seen, default=None)
    return {
        "pk": keys.tracks_pk(track.cluster),
        "sk": _sk(track.kind, track.subject, track.bu),
        "type": "track",
        "kind": track.kind.value,
        "cluster": track.cluster,
        "subject": track.subject,
        "bu": track.bu,
        "version": track.version + 1,
        "seen": seen,
        "told": [_told(one) for one in track.told],
        "acknowledged": track.acknowledged,
        "snoozed_until": track.snoozed_until.isoformat() if track.snoozed_until else None,
        **({"expires_at": last.plus(24 * KEEP_DAYS).epoch} if last else {}),
    }


def _told(one: Told) -> list[Any]:
    closed = one.closed.key if one.closed else None
    return [one.id, one.first.key, one.last.key, one.level, one.hours, one.usd, closed]


def _track(item: Item) -> Track:
    return Track(
        kind=Kind(item["kind"]),
        cluster=item["cluster"],
        subject=item["subject"],
        bu=item["bu"],
        seen={Hour.parse(hour): Observation(Verdict(verdict), usd) for hour, verdict, usd in item["seen"]},
        told=tuple(_told_of(row) for row in item["told"]),
        acknowledged=item["acknowledged"],
        snoozed_until=parse_instant(item["snoozed_until"]) if item["snoozed_until"] else None,
        version=int(item["version"]),
    )


def _told_of(row: Sequence[Any]) -> Told:
    name, first, last, level, hours, usd, closed = row
    ended = Hour.parse(closed) if closed else None
    return Told(name, Hour.parse(first), Hour.parse(last), int(level), int(hours), usd, ended)
