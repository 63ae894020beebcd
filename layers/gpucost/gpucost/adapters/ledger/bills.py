"""What the bill says, in the ledger's table: one item for each hour, so that an hour is replaced whole."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import groupby
from typing import Any

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.packing import pack, unpack
from gpucost.adapters.ledger.store import Absent, Conflict, Equals, Item, Put, Store
from gpucost.domain.canonical import digest_of
from gpucost.domain.hours import Hour, parse_instant
from gpucost.domain.periods import Day
from gpucost.domain.prices.bill import BilledHour
from gpucost.ports import LedgerError, LedgerUnavailable
from gpucost.prices import Delivery

TRIES = 5


class StoreBillBook:
    """`prices.BillBook` over a table."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def billed(self, hour: Hour) -> tuple[Mapping[str, BilledHour], datetime | None]:
        item = self._item(hour)
        if item is None:
            return {}, None
        rows = (BilledHour(row[0], hour, *row[1:]) for row in unpack([item["body"]]))
        return {row.instance_id: row for row in rows}, parse_instant(item["changed_at"])

    def keep(self, delivery: Delivery, billed: Sequence[BilledHour]) -> list[Hour]:
        by_hour = {hour: list(rows) for hour, rows in groupby(billed, key=lambda one: one.hour)}
        for hour in self._known_between(by_hour):
            # What an earlier delivery had, and this one has not, is billed no more.
            by_hour.setdefault(hour, [])
        return [hour for hour, rows in sorted(by_hour.items()) if self._keep_hour(delivery, hour, rows)]

    def _known_between(self, hours: Collection[Hour]) -> Iterator[Hour]:
        """The hours that are known from the first to the last of these."""
        if not hours:
            return
        first, last = min(hours), max(hours)
        day = Day.of(first)
        while day <= Day.of(last):
            for item in self._store.query(keys.bill_key(day.first)[0], *keys.all_of("H")):
                hour = Hour.parse(item["hour"])
                if first <= hour <= last:
                    yield hour
            day = day.next()

    def restated(self, hours: Sequence[Hour]) -> None:
        for hour in hours:
            item = self._item(hour)
            if item and not item["restated"]:
                self._replace({**item, "restated": True, "stamp": f"{item['stamp']} restated"}, item)

    def _item(self, hour: Hour) -> Item | None:
        return self._store.get(*keys.bill_key(hour))

    def _keep_hour(self, delivery: Delivery, hour: Hour, rows: Sequence[BilledHour]) -> bool:
        """Whether the hour has to be worked out again. Whoever has written it meanwhile is looked at first."""
        for _ in range(TRIES):
            known = self._item(hour)
            at = delivery.at.astimezone(UTC)
            if known and parse_instant(known["delivered_at"]) > at:
                return not known["restated"]
            digest = digest_of([[row.instance_id, *_figures(row)] for row in rows])
            same = known is not None and known["digest"] == digest
            if known is not None and same and known["delivery"] == delivery.id:
                return not known["restated"]
            pk, sk = keys.bill_key(hour)
            (body,) = _body(hour, rows)
            item: Item = {
                "pk": pk,
                "sk": sk,
                "type": "bill",
                "hour": hour.key,
                "delivery": delivery.id,
                "delivered_at": at.isoformat(),
                "changed_at": known["changed_at"] if known and same else at.isoformat(),
                "digest": digest,
                "stamp": f"{delivery.id} {at.isoformat()}",
                "restated": bool(known["restated"]) if known and same else False,
                "body": body,
            }
            if self._replace(item, known):
                return not item["restated"]
        raise LedgerUnavailable(f"the bill of the hour {hour} is busy: try again")

    def _replace(self, item: Item, known: Item | None) -> bool:
        """Write, unless somebody else has written since it was read."""
        try:
            self._store.write([Put(item, Equals("stamp", known["stamp"]) if known else Absent())])
        except Conflict:
            return False
        return True


def _figures(row: BilledHour) -> tuple[Decimal, Decimal, Decimal | None]:
    return row.usage_hours, row.amortized_usd, row.net_usd


def _body(hour: Hour, rows: Sequence[BilledHour]) -> list[Any]:
    parts = pack([[row.instance_id, *_figures(row)] for row in rows])
    if len(parts) > 1:
        raise LedgerError(f"the bill has {len(rows)} accelerated instances in the hour {hour}: more than an item holds")
    return list(parts)
