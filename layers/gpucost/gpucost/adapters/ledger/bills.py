"""What the bill says, in the ledger's table: one item for each hour, so that an hour is replaced whole."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import groupby
from typing import Any

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.packing import pack, unpack
from gpucost.adapters.ledger.store import AbsentOrBelow, Conflict, Equals, Item, Put, Store
from gpucost.domain.bill import BilledHour
from gpucost.domain.canonical import digest_of
from gpucost.domain.hours import Hour, parse_instant
from gpucost.ports import LedgerError
from gpucost.prices import Delivery


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
        return [hour for hour, rows in sorted(by_hour.items()) if self._keep_hour(delivery, hour, rows)]

    def restated(self, hours: Sequence[Hour]) -> None:
        for hour in hours:
            item = self._item(hour)
            if item and not item["restated"]:
                self._replace({**item, "restated": True}, item)

    def _item(self, hour: Hour) -> Item | None:
        return self._store.get(*keys.bill_key(hour))

    def _keep_hour(self, delivery: Delivery, hour: Hour, rows: Sequence[BilledHour]) -> bool:
        """Whether the hour has to be worked out again."""
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
            "delivered": int(at.timestamp()),
            "changed_at": known["changed_at"] if known and same else at.isoformat(),
            "digest": digest,
            "restated": bool(known["restated"]) if known and same else False,
            "body": body,
        }
        return self._replace(item, known) and not item["restated"]

    def _replace(self, item: Item, known: Item | None) -> bool:
        """Write, unless somebody with a later delivery was faster; then the hour is theirs."""
        condition = Equals("digest", known["digest"]) if known else AbsentOrBelow("delivered", item["delivered"])
        try:
            self._store.write([Put(item, condition)])
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
