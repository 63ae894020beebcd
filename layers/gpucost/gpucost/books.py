"""What the ledger can do beyond `ports.Ledger`: its history, its months, its sums and its gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gpucost.domain.hours import Hour
from gpucost.domain.ledger.adjustments import Adjustment
from gpucost.domain.ledger.healing import Requeue
from gpucost.domain.ledger.journal import Entry, StoredEntry
from gpucost.domain.ledger.rollups import Rollup
from gpucost.domain.periods import Day, Month
from gpucost.domain.report import HourReport, NamespaceRow
from gpucost.ports import Head, Ledger


@dataclass(frozen=True, slots=True)
class PublishedHour:
    """A head with the namespace rows that it points to."""

    head: Head
    namespaces: tuple[NamespaceRow, ...]


class Journal(Protocol):
    """The history of what was published, and the closing of months."""

    def journal(self, cluster: str, month: Month) -> Sequence[StoredEntry]:
        """All entries of the month, in order of number."""
        ...

    def revision(self, cluster: str, hour: Hour, revision: int) -> HourReport | None:
        """The report that was published as this revision, an adjustment's too."""
        ...

    def report_of(self, entry: Entry) -> HourReport:
        """The report that an entry published or booked. LedgerError when its rows are not all there."""
        ...

    def close_month(self, cluster: str, month: Month, now: datetime) -> StoredEntry:
        """Close the month for good, or give the entry that closed it. Later changes become adjustments."""
        ...

    def last_entry(self, cluster: str, month: Month) -> StoredEntry | None: ...

    def both_heads(self, cluster: str, first: Hour, end: Hour) -> tuple[Sequence[Head], Sequence[Head]]:
        """The published heads of [first, end), and those that adjust hours after their month was closed."""
        ...

    def adjustments(self, cluster: str, month: Month) -> Sequence[Adjustment]:
        """What was booked in this month for hours of closed months, in order of booking."""
        ...


class Rollups(Protocol):
    """Sums over published hours."""

    def published(self, cluster: str, first: Hour, end: Hour) -> Sequence[PublishedHour]:
        """The published hours of [first, end) in order of time."""
        ...

    def day_rollups(self, cluster: str, first: Day, end: Day) -> Sequence[Rollup]:
        """The roll-ups of the days of [first, end), in order; a day without published hours has none."""
        ...

    def month_rollups(self, cluster: str, first: Month, end: Month) -> Sequence[Rollup]:
        """The roll-ups of the months of [first, end), in order."""
        ...

    def put_rollup(self, rollup: Rollup) -> bool:
        """Keep it, unless one with the same or a greater version is there. Whether it was kept."""
        ...


class Gaps(Protocol):
    """Which hours had to be queued again, and how often."""

    def requeues(self, cluster: str, first: Hour, end: Hour) -> dict[Hour, Requeue]: ...

    def note_requeued(self, cluster: str, requeues: dict[Hour, Requeue]) -> None: ...

    def sweep(self, cluster: str, hour: Hour, now: datetime) -> int:
        """Remove rows that no revision of the hour points to and that no publisher can still be writing. How many."""
        ...


class Books(Ledger, Journal, Rollups, Gaps, Protocol):
    """All of the ledger."""
