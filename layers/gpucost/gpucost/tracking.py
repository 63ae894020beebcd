"""The ports of alerting: what is remembered of subjects, and of the messages about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gpucost.domain.alerts import Kind
from gpucost.domain.tracks import Track


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


class MessageBook(Protocol):
    """Which message belongs to which episode."""

    def posted(self, episode: str) -> Posted | None: ...

    def keep_posted(self, episode: str, posted: Posted) -> None: ...
