"""The journal of a cluster's month: a hash chain over everything that was ever published for its hours.

Each entry holds the hash of the one before it, so an entry that is altered, removed or slipped in breaks the chain.
A month's journal begins with its own name and ends, for good, with the entry that closes it; what comes after that are
adjustments, which leave the published hours alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from gpucost.domain.canonical import digest_of
from gpucost.domain.hours import Hour
from gpucost.domain.periods import Month
from gpucost.domain.report import Status


class EntryKind(StrEnum):
    """What an entry records: an hour's revision, the closing of the month, or a change after it."""

    PUBLISH = "publish"
    CLOSE = "close"
    ADJUST = "adjust"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the journal. `number` counts from 1 within a cluster's month; `previous` is the hash before it.

    For CLOSE, `digest` is over all heads of the month, `revision` is how many there are, and `hour`, `status` and
    `attempt` are empty.
    """

    cluster: str
    month: Month
    number: int
    kind: EntryKind
    at: datetime
    revision: int
    digest: str
    previous: str
    hour: Hour | None = None
    status: Status | None = None
    attempt: str = ""

    @property
    def hash(self) -> str:
        """SHA-256 over every field, as 64 hexadecimal digits."""
        return digest_of(
            [
                self.cluster,
                self.month.key,
                self.number,
                self.kind.value,
                self.at.isoformat(),
                self.revision,
                self.digest,
                self.previous,
                self.hour.key if self.hour else "",
                self.status.value if self.status else "",
                self.attempt,
            ]
        )


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry as it was read back, with the hash that was written beside it."""

    entry: Entry
    hash: str


def genesis(cluster: str, month: Month) -> str:
    """The hash that a month's first entry follows."""
    return digest_of(["gpucost journal", cluster, month.key])


def tip(cluster: str, month: Month, last: StoredEntry | None) -> tuple[int, str]:
    """The number of the last entry and the hash that the next one follows."""
    return (last.entry.number, last.hash) if last else (0, genesis(cluster, month))


def is_closed(last: StoredEntry | None) -> bool:
    """Whether the month whose last entry this is takes adjustments only."""
    return last is not None and last.entry.kind is not EntryKind.PUBLISH


def heads_digest(heads: Iterable[tuple[Hour, int, str]]) -> str:
    """The digest that a closing entry holds over (hour, revision, digest) of every head of its month."""
    return digest_of([[hour.key, revision, digest] for hour, revision, digest in sorted(heads)])


def chain_faults(cluster: str, month: Month, entries: Iterable[StoredEntry]) -> Iterator[str]:
    """What is wrong with a month's chain, one line each; nothing when it holds. Entries come in order of number."""
    number, follows, closed = 0, genesis(cluster, month), False
    for stored in entries:
        entry, place = stored.entry, f"entry {stored.entry.number} of {cluster} {month.key}"
        if entry.number != number + 1:
            yield f"{place} follows entry {number}: entries are missing or were added"
        if entry.previous != follows:
            yield f"{place} does not follow from the entry before it: one of them was changed"
        if entry.hash != stored.hash:
            yield f"{place} was changed: its content does not have the hash it was written with"
        if closed and entry.kind is not EntryKind.ADJUST:
            yield f"{place} is a {entry.kind.value} after the month was closed"
        closed = closed or entry.kind is EntryKind.CLOSE
        number, follows = entry.number, stored.hash
