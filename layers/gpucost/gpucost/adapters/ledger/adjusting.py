"""Adjustments as items of the month they are booked in, and back."""

from collections.abc import Sequence
from typing import Any

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.packing import pack, unpack
from gpucost.adapters.ledger.store import Item
from gpucost.domain.documents import flat
from gpucost.domain.hours import Hour, parse_instant
from gpucost.domain.ledger.adjustments import Adjustment
from gpucost.domain.ledger.revisions import Amounts, CapacityChange, RowChange
from gpucost.domain.periods import Month

ADJUSTMENT = "adjustment"
MORE_ROWS = "rows"


def adjustment_items(adjustment: Adjustment) -> tuple[Item, list[Item]]:
    """The item that makes the adjustment visible, and those with the rest of its rows, to be written before it."""
    rows = [{"bu": row.bu, "namespace": row.namespace, **flat(row.change)} for row in adjustment.rows]
    parts = pack(rows)
    booked_at, hour = adjustment.booked_at, adjustment.hour
    pk = keys.month_pk(adjustment.cluster, Month.of(Hour.containing(booked_at)))
    items: list[Item] = [
        {
            "pk": pk,
            "sk": keys.adjustment_sk(booked_at, hour, adjustment.revision, part),
            "type": MORE_ROWS,
            "body": body,
        }
        for part, body in enumerate(parts)
    ]
    first = {
        **items[0],
        "type": ADJUSTMENT,
        "cluster": adjustment.cluster,
        "hour": hour.key,
        "booked_at": booked_at.isoformat(),
        "revision": adjustment.revision,
        "capacity": flat(adjustment.capacity),
        "parts": len(items),
    }
    return first, items[1:]


def adjustments_of(items: Sequence[Item]) -> list[Adjustment]:
    """The adjustments in a month's items. Parts that no first item leads are those of one never booked."""
    found: list[Adjustment] = []
    for index, item in enumerate(items):
        if item["type"] == ADJUSTMENT:
            parts = items[index : index + int(item["parts"])]
            found.append(_adjustment(item, unpack([part["body"] for part in parts])))
    return found


def _adjustment(item: Item, rows: Sequence[dict[str, Any]]) -> Adjustment:
    return Adjustment(
        cluster=item["cluster"],
        hour=Hour.parse(item["hour"]),
        booked_at=parse_instant(item["booked_at"]),
        revision=int(item["revision"]),
        capacity=CapacityChange(**item["capacity"]),
        rows=tuple(RowChange(row.pop("bu"), row.pop("namespace"), Amounts(**row)) for row in rows),
    )
