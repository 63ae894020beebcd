"""The journal of a month: reading it, closing the month, and what was booked later."""

from collections.abc import Sequence
from datetime import datetime

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.adjusting import adjustments_of
from gpucost.adapters.ledger.items import entry_item, entry_of
from gpucost.adapters.ledger.publishing import TRIES, StorePublishing
from gpucost.adapters.ledger.store import Absent, Busy, Conflict, Put
from gpucost.domain.hours import Hour
from gpucost.domain.ledger.adjustments import Adjustment
from gpucost.domain.ledger.journal import Entry, EntryKind, StoredEntry, heads_digest, is_closed, tip
from gpucost.domain.periods import Month
from gpucost.domain.report import HourReport
from gpucost.ports import LedgerError, LedgerUnavailable


class StoreJournal(StorePublishing):
    """`books.Journal` over a table."""

    def journal(self, cluster: str, month: Month) -> Sequence[StoredEntry]:
        items = self._store.query(keys.month_pk(cluster, month), *keys.all_of("L"))
        return [entry_of(item) for item in items]

    def revision(self, cluster: str, hour: Hour, revision: int) -> HourReport | None:
        for stored in self.journal(cluster, Month.of(hour)):
            entry = stored.entry
            if (entry.hour, entry.revision) == (hour, revision):
                return self.report_of(entry)
        return None

    def report_of(self, entry: Entry) -> HourReport:
        if entry.hour is None:
            raise LedgerError(f"entry {entry.number} of {entry.cluster} {entry.month.key} closed it and has no report")
        return self._report_of(entry.cluster, entry.hour, entry.attempt, entry.revision)

    def close_month(self, cluster: str, month: Month, now: datetime) -> StoredEntry:
        for _ in range(TRIES):
            last = self.last_entry(cluster, month)
            if is_closed(last):
                return next(one for one in self.journal(cluster, month) if one.entry.kind is EntryKind.CLOSE)
            entry = self._closing(cluster, month, last, now)
            try:
                self._store.write([Put(entry_item(entry), Absent())])
            except (Conflict, Busy):
                continue
            return StoredEntry(entry, entry.hash)
        raise LedgerUnavailable(f"the journal of {cluster} {month.key} is too busy to be closed: try again")

    def adjustments(self, cluster: str, month: Month) -> Sequence[Adjustment]:
        return adjustments_of(self._store.query(keys.month_pk(cluster, month), *keys.all_of("J")))

    def _closing(self, cluster: str, month: Month, last: StoredEntry | None, now: datetime) -> Entry:
        heads = self.heads(cluster, month.first, month.end)
        number, follows = tip(cluster, month, last)
        return Entry(
            cluster=cluster,
            month=month,
            number=number + 1,
            kind=EntryKind.CLOSE,
            at=now,
            revision=len(heads),
            digest=heads_digest((head.hour, head.revision, head.digest) for head in heads),
            previous=follows,
        )
