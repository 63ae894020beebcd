"""Reading what is published. Every reader starts at a head, so what no head points to is never seen."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.items import ADJUSTED_HEAD, HEAD, head_of
from gpucost.adapters.ledger.packing import unpack
from gpucost.adapters.ledger.store import Item, Store
from gpucost.books import PublishedHour
from gpucost.domain.documents import namespace_row, report_from_document
from gpucost.domain.hours import HOUR, Hour
from gpucost.domain.periods import Month, months_between
from gpucost.domain.report import HourReport, NamespaceRow
from gpucost.ports import Head, LedgerError

EXTRA_DAYS_FOR_ROWS = 30
"""Rows outlive their head: time to live removes items in no particular order."""


class StoreReading:
    """The reading half of `ports.Ledger`. `keep_days` is how long an hour is kept after it ended; None is for good."""

    def __init__(self, store: Store, keep_days: int | None = None) -> None:
        self._store = store
        self._keep_days = keep_days

    def head(self, cluster: str, hour: Hour) -> Head | None:
        item = self._store.get(keys.month_pk(cluster, Month.of(hour)), keys.head_sk(hour))
        return None if item is None else head_of(item)

    def heads(self, cluster: str, first: Hour, end: Hour) -> Sequence[Head]:
        return self.both_heads(cluster, first, end)[0]

    def both_heads(self, cluster: str, first: Hour, end: Hour) -> tuple[Sequence[Head], Sequence[Head]]:
        items = self._month_items("H", cluster, first, end)
        published = [head_of(item) for item in items if item["type"] == HEAD]
        return published, [head_of(item) for item in items if item["type"] == ADJUSTED_HEAD]

    def report(self, cluster: str, hour: Hour) -> HourReport | None:
        head = self.head(cluster, hour)
        return None if head is None else self._report_of(cluster, hour, head.attempt, head.revision)

    def published(self, cluster: str, first: Hour, end: Hour) -> Sequence[PublishedHour]:
        # Heads first: the rows of a head were there before it.
        heads = self.heads(cluster, first, end)
        parts = self._namespace_parts(cluster, first, end)
        return [PublishedHour(head, _rows(parts, head)) for head in heads]

    def namespaces(
        self, cluster: str, first: Hour, end: Hour, bu: str | None = None
    ) -> Sequence[tuple[Hour, NamespaceRow]]:
        hours = self.published(cluster, first, end)
        return [(hour.head.hour, row) for hour in hours for row in hour.namespaces if bu in (None, row.bu)]

    def _in_force(self, cluster: str, hour: Hour) -> tuple[Head | None, Head | None]:
        """The published head of an hour, and the one that adjusts it."""
        published, adjusted = self.both_heads(cluster, hour, hour.plus(1))
        return next(iter(published), None), next(iter(adjusted), None)

    def _month_items(self, letter: str, cluster: str, first: Hour, end: Hour) -> list[Item]:
        """The items of [first, end) that begin with a letter: one query for every month it touches."""
        found: list[Item] = []
        for month in months_between(first, end):
            bounds = keys.span(letter, max(first, month.first), min(end, month.end))
            found += self._store.query(keys.month_pk(cluster, month), *bounds)
        return found

    def _report_of(self, cluster: str, hour: Hour, attempt: str, revision: int) -> HourReport:
        bounds = keys.rows_sk(attempt, 0), f"A#{attempt}#{keys.LAST}"
        items = self._store.query(keys.hour_pk(cluster, hour), *bounds)
        if not items or len(items) != int(items[0]["parts"]):
            raise LedgerError(f"rows of {cluster} {hour}, revision {revision}, are missing: restore the table")
        return report_from_document({**unpack([item["body"] for item in items]), "revision": revision})

    def _namespace_parts(self, cluster: str, first: Hour, end: Hour) -> dict[tuple[str, str], list[bytes]]:
        parts: dict[tuple[str, str], list[bytes]] = defaultdict(list)
        for item in self._month_items("N", cluster, first, end):
            parts[item["hour"], item["attempt"]].append(item["body"])
        return parts

    def _expiry(self, hour: Hour, extra_days: int = 0) -> dict[str, Any]:
        if self._keep_days is None:
            return {}
        return {"expires_at": hour.epoch + int(HOUR.total_seconds()) * (1 + 24 * (self._keep_days + extra_days))}


def _rows(parts: dict[tuple[str, str], list[bytes]], head: Head) -> tuple[NamespaceRow, ...]:
    body = parts.get((head.hour.key, head.attempt))
    if body is None:
        raise LedgerError(f"the namespace rows of {head.cluster} {head.hour} are not there: restore the table")
    return tuple(namespace_row(row) for row in unpack(body))
