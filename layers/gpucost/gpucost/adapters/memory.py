"""The in-memory twin of the table, with the ledger and the alert log over it."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from gpucost.adapters.ledger.alert_log import StoreAlertLog
from gpucost.adapters.ledger.bills import StoreBillBook
from gpucost.adapters.ledger.ledger import StoreLedger
from gpucost.adapters.ledger.price_book import StorePriceBook
from gpucost.adapters.ledger.store import (
    Absent,
    AbsentOrBelow,
    Condition,
    Conflict,
    Equals,
    Item,
    Put,
    checked,
    distinct,
)
from gpucost.adapters.ledger.tracks import StoreTrackBook

_HOLDERS = {dict, list}


def _at_rest(value: Any) -> Any:
    """The value as a table gives it back: every number is a Decimal."""
    match value:
        case bool():
            return value
        case int():
            return Decimal(value)
        case dict():
            return {name: _at_rest(part) for name, part in value.items()}
        case list():
            return [_at_rest(part) for part in value]
    return value


def _copied(value: Any) -> Any:
    """A copy whose maps and lists are its own; whatever else an item holds cannot be changed."""
    if type(value) is dict:
        return {name: _copied(part) if type(part) in _HOLDERS else part for name, part in value.items()}
    if type(value) is list:
        return [_copied(part) for part in value]
    return value


def _holds(condition: Condition | None, item: Item | None) -> bool:
    match condition:
        case None:
            return True
        case Absent():
            return item is None
        case Equals(attribute, value):
            return item is not None and bool(item.get(attribute) == value)
        case AbsentOrBelow(attribute, value):
            return item is None or bool(item[attribute] < value)


class MemoryStore:
    """A table in a dictionary, as strict about items as DynamoDB is."""

    def __init__(self) -> None:
        self.partitions: dict[str, dict[str, Item]] = {}

    def get(self, pk: str, sk: str) -> Item | None:
        item: Item | None = _copied(self.partitions.get(pk, {}).get(sk))
        return item

    def query(self, pk: str, first: str, last: str) -> list[Item]:
        partition = self.partitions.get(pk, {})
        return [_copied(partition[sk]) for sk in sorted(partition) if first <= sk <= last]

    def newest(self, pk: str, first: str, last: str) -> Item | None:
        partition = self.partitions.get(pk, {})
        found = max((sk for sk in partition if first <= sk <= last), default=None)
        return None if found is None else self.get(pk, found)

    def put_all(self, items: Sequence[Item]) -> None:
        distinct([checked(item) for item in items])
        for item in items:
            self.write([Put(item)])

    def write(self, puts: Sequence[Put]) -> None:
        distinct([checked(put.item) for put in puts])
        for put in puts:
            item = put.item
            if not _holds(put.condition, self.partitions.get(item["pk"], {}).get(item["sk"])):
                raise Conflict(f"{item['pk']} {item['sk']} is not as expected")
        for put in puts:
            self.partitions.setdefault(put.item["pk"], {})[put.item["sk"]] = _at_rest(put.item)

    def delete(self, pk: str, sk: str, condition: Equals) -> None:
        partition = self.partitions.get(pk, {})
        if not _holds(condition, partition.get(sk)):
            raise Conflict(f"{pk} {sk} is not as expected")
        del partition[sk]


class MemoryLedger(StoreLedger):
    """`ports.Ledger` in memory. Give two of them one store to have two workers at one table."""

    def __init__(self, store: MemoryStore | None = None, keep_days: int | None = None) -> None:
        super().__init__(store or MemoryStore(), keep_days)


class MemoryAlertLog(StoreAlertLog):
    """`ports.AlertLog` in memory."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        super().__init__(store or MemoryStore())


class MemoryPriceBook(StorePriceBook):
    """`prices.PriceBook` in memory."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        super().__init__(store or MemoryStore())


class MemoryBillBook(StoreBillBook):
    """`prices.BillBook` in memory."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        super().__init__(store or MemoryStore())


class MemoryTrackBook(StoreTrackBook):
    """`tracking.TrackBook` and `tracking.MessageBook` in memory."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        super().__init__(store or MemoryStore())
