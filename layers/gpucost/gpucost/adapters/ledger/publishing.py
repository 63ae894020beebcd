"""Publishing: rows first, under a name of their own, and then one write that makes them the hour's.

            rows of the attempt            head + journal entry (one transaction)
   ───────────┬──────────┬───────────────────────┬───────────────────►
   nobody     │ partly   │ wholly there,         │ visible to every reader at once,
   sees it    │ there    │ still invisible       │ and part of the hash chain

Who dies before the last step has left rows that nothing points to. The next try writes the same rows under the same
name, because an attempt is named by its content. Two writers of one hour want the same number in the journal, so one
of them fails, reads again and finds the other's head.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.adjusting import adjustment_items
from gpucost.adapters.ledger.items import entry_item, entry_of, head_item
from gpucost.adapters.ledger.packing import pack
from gpucost.adapters.ledger.reading import EXTRA_DAYS_FOR_ROWS, StoreReading
from gpucost.adapters.ledger.store import Absent, Busy, Conflict, Equals, Item, Put, Store
from gpucost.domain.canonical import content_digest, content_of, digest_of
from gpucost.domain.ledger.adjustments import Adjustment
from gpucost.domain.ledger.journal import Entry, EntryKind, StoredEntry, is_closed, tip
from gpucost.domain.ledger.revisions import capacity_change, is_worse, row_changes
from gpucost.domain.periods import Month
from gpucost.domain.report import HourReport
from gpucost.ports import Head, LedgerError, LedgerUnavailable, Outcome, Publication

TRIES = 12
LONGEST_PAUSE = 1.0
ATTEMPT_DIGITS = 32


@dataclass(frozen=True, slots=True)
class _Content:
    """A report that is about to be written, under the names that follow from its content."""

    report: HourReport
    document: dict[str, object]
    digest: str
    attempt: str


def _content(report: HourReport) -> _Content:
    document = content_of(report)
    try:
        digest = content_digest(document)
        # Query traces are kept with the rows, so two attempts that differ only in them must not share their names.
        attempt = digest_of([digest, document["queries"]])[:ATTEMPT_DIGITS]
        return _Content(report, document, digest, attempt)
    except ValueError as error:
        raise LedgerError(f"the report of {report.cluster} {report.hour} cannot be kept: {error}") from None


class StorePublishing(StoreReading):
    """`ports.Ledger.publish`. `pause` waits a number of seconds before another try at a busy journal."""

    def __init__(self, store: Store, keep_days: int | None = None, pause: Callable[[float], None] = time.sleep) -> None:
        super().__init__(store, keep_days)
        self._pause = pause

    def publish(self, report: HourReport, now: datetime) -> Publication:
        content = _content(report)
        written: list[Head] = []
        for attempt in range(TRIES):
            # The journal first: whoever publishes from here on takes the number that this entry needs.
            last = self.last_entry(report.cluster, Month.of(report.hour))
            head, adjusted = self._in_force(report.cluster, report.hour)
            in_force = adjusted or head
            settled = _settled(content, in_force, written)
            if settled:
                return settled
            if not written:
                self._write_rows(content, now)
            entry = _entry(content, in_force, last, now)
            written.append(_head(content, entry))
            puts = self._puts(content, entry, written[-1], in_force, adjusted)
            try:
                self._store.write(puts)
            except (Conflict, Busy):
                self._pause(min(LONGEST_PAUSE, 0.02 * 2**attempt) * random.uniform(0.5, 1))  # noqa: S311
            except LedgerUnavailable:
                # It may have been written all the same, and nobody can say but the table itself.
                if self._in_force(report.cluster, report.hour)[is_closed(last)] != written[-1]:
                    raise
                return Publication(_done(entry), written[-1])
            else:
                return Publication(_done(entry), written[-1])
        raise LedgerUnavailable(f"the journal of {report.cluster} {Month.of(report.hour).key} is too busy: try again")

    def last_entry(self, cluster: str, month: Month) -> StoredEntry | None:
        item = self._store.newest(keys.month_pk(cluster, month), *keys.all_of("L"))
        return None if item is None else entry_of(item)

    def _write_rows(self, content: _Content, now: datetime) -> None:
        report = content.report
        expiry = {"written_at": now.isoformat(), **self._expiry(report.hour, EXTRA_DAYS_FOR_ROWS)}
        named = {"type": "rows", "hour": report.hour.key, "attempt": content.attempt, **expiry}
        hour_pk = keys.hour_pk(report.cluster, report.hour)
        month_pk = keys.month_pk(report.cluster, Month.of(report.hour))
        whole, rows = pack(content.document), pack(content.document["namespaces"])
        items: list[Item] = [
            {"pk": hour_pk, "sk": keys.rows_sk(content.attempt, part), "body": body, "parts": len(whole)}
            for part, body in enumerate(whole)
        ] + [
            {"pk": month_pk, "sk": keys.namespaces_sk(report.hour, content.attempt, part), "body": body}
            for part, body in enumerate(rows)
        ]
        self._store.put_all([{**item, **named} for item in items])

    def _puts(
        self, content: _Content, entry: Entry, head: Head, in_force: Head | None, adjusted: Head | None
    ) -> list[Put]:
        journal = Put(entry_item(entry), Absent())
        if entry.kind is EntryKind.PUBLISH:
            seen = Equals("revision", in_force.revision) if in_force else Absent()
            return [Put({**head_item(head), **self._expiry(head.hour)}, seen), journal]
        seen = Equals("revision", adjusted.revision) if adjusted else Absent()
        booked, rest = adjustment_items(self._adjustment(content, entry, in_force))
        self._store.put_all(rest)
        return [
            Put({**head_item(head, adjusted=True), **self._expiry(head.hour)}, seen),
            journal,
            Put(booked, Absent()),
        ]

    def _adjustment(self, content: _Content, entry: Entry, in_force: Head | None) -> Adjustment:
        report = content.report
        before = None if in_force is None else self._report_of(report.cluster, report.hour, in_force.attempt, 0)
        return Adjustment(
            cluster=report.cluster,
            hour=report.hour,
            booked_at=entry.at,
            revision=entry.revision,
            capacity=capacity_change(before.totals if before else None, report.totals),
            rows=row_changes(before.namespaces if before else (), report.namespaces),
        )


def _settled(content: _Content, in_force: Head | None, written: list[Head]) -> Publication | None:
    """What is to be said when nothing has to be written, or was written already by this very call."""
    if in_force is None:
        return None
    if in_force in written:
        return Publication(Outcome.PUBLISHED, in_force)
    if in_force.digest == content.digest:
        return Publication(Outcome.UNCHANGED, in_force)
    report = content.report
    if is_worse(report.status, report.coverage, in_force.status, in_force.coverage):
        return Publication(Outcome.KEPT_BETTER, in_force)
    return None


def _done(entry: Entry) -> Outcome:
    return Outcome.PUBLISHED if entry.kind is EntryKind.PUBLISH else Outcome.ADJUSTED


def _entry(content: _Content, in_force: Head | None, last: StoredEntry | None, now: datetime) -> Entry:
    report = content.report
    number, follows = tip(report.cluster, Month.of(report.hour), last)
    return Entry(
        cluster=report.cluster,
        month=Month.of(report.hour),
        number=number + 1,
        kind=EntryKind.ADJUST if is_closed(last) else EntryKind.PUBLISH,
        at=now,
        revision=in_force.revision + 1 if in_force else 1,
        digest=content.digest,
        previous=follows,
        hour=report.hour,
        status=report.status,
        attempt=content.attempt,
    )


def _head(content: _Content, entry: Entry) -> Head:
    report = content.report
    return Head(
        cluster=report.cluster,
        hour=report.hour,
        revision=entry.revision,
        attempt=content.attempt,
        status=report.status,
        digest=content.digest,
        published_at=entry.at,
        totals=report.totals,
        coverage=report.coverage,
        entry=entry.number,
        link=entry.hash,
    )
