"""The ports of alerting: what is remembered of subjects, and of the messages about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gpucost.domain.alerts.finding import Kind
from gpucost.domain.alerts.tracks import Track


class TrackBook(Protocol):
    """What is remembered of every subject that is watched."""

    def tracks(self, cluster: str) -> Sequence[Track]:
        """All subjects of a cluster that anything is remembered of, in a fixed order."""
        ...

    def track(self, cluster: str, kind: Kind, subject: str, bu: str) -> Track:
        """One subject; an empty track when nothing is remembered of it."""
        ...

    def save(self, track: Track) -> bool:
        """Keep a track; one that `is_over` is kept as empty. False when somebody else has saved it meanwhile."""
        ...


@dataclass(frozen=True, slots=True)
class Posted:
    """Where a message about an episode stands: Slack's channel id and the message's timestamp."""

    channel: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class Held:
    """The message about one story, in the hands of one caller: where it stands, and the number of what it shows.

    `posted` is None while there is no message. `version` tells the caller's hold from later ones.
    """

    name: str
    version: int
    posted: Posted | None = None
    number: int = 0


class MessageBook(Protocol):
    """Which messages there are."""

    def posted(self, finding: str) -> Posted | None:
        """The message about one finding that cannot be changed."""
        ...

    def keep_posted(self, finding: str, posted: Posted) -> None: ...

    def take(self, name: str, now: datetime) -> Held | None:
        """Take the message about a story in hand, for two minutes at most. None while somebody else has it."""
        ...

    def put_back(self, held: Held, now: datetime) -> None:
        """Keep what it shows now and let go of it. Nothing happens when somebody else has taken it meanwhile."""
        ...
