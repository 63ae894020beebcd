"""What the ledger asks of a table: a few calls that DynamoDB and its in-memory twin both answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from gpucost.ports import LedgerError, LedgerUnavailable

type Item = dict[str, Any]
"""Attributes by name: text, int, Decimal, bool, bytes, None, and lists or maps of these. `pk`, `sk` are the key."""

MAX_ITEM_BYTES = 400_000
MAX_DIGITS = 38
LEAST_EXPONENT, GREATEST_EXPONENT = -130, 125
MAX_KEY_BYTES = {"pk": 2048, "sk": 1024}


class Conflict(Exception):
    """A condition did not hold. Nothing was written."""


class Busy(LedgerUnavailable):
    """Another writer was at these items at the same moment. The same write may succeed later."""


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no item under the key."""


@dataclass(frozen=True, slots=True)
class Equals:
    """The item under the key has this value."""

    attribute: str
    value: str | int


@dataclass(frozen=True, slots=True)
class AbsentOrBelow:
    """There is no item under the key, or its attribute is smaller."""

    attribute: str
    value: int


type Condition = Absent | Equals | AbsentOrBelow


@dataclass(frozen=True, slots=True)
class Put:
    """One item to write, if the condition holds."""

    item: Item
    condition: Condition | None = None


class Store(Protocol):
    """A table with a partition key `pk` and a sort key `sk`. Reads see every write that was acknowledged before them.

    LedgerUnavailable when a call may succeed later, LedgerError when it cannot.
    """

    def get(self, pk: str, sk: str) -> Item | None: ...

    def query(self, pk: str, first: str, last: str) -> list[Item]:
        """All items of the partition with first <= sk <= last, in order of sk, however many pages that takes."""
        ...

    def newest(self, pk: str, first: str, last: str) -> Item | None:
        """The item with the greatest sk in first..last."""
        ...

    def put_all(self, items: Sequence[Item]) -> None:
        """Write all items, in any order and not at once: after an error some may be there."""
        ...

    def write(self, puts: Sequence[Put]) -> None:
        """Write all or none. Conflict when a condition does not hold, Busy when another writer is at these items."""
        ...

    def delete(self, pk: str, sk: str, condition: Equals) -> None:
        """Remove an item. Conflict when the condition does not hold."""
        ...


def checked(item: Item) -> Item:
    """The item, if a table can hold it exactly. LedgerError names the attribute that it cannot hold."""
    for name, most in MAX_KEY_BYTES.items():
        key = item.get(name)
        if not isinstance(key, str) or not 0 < len(key.encode()) <= most:
            raise LedgerError(f"an item needs a {name} of 1 to {most} bytes, not {key!r}")
    size = sum(len(name.encode()) + _size(value, name) for name, value in item.items())
    if size > MAX_ITEM_BYTES:
        raise LedgerError(f"the item {item['pk']} {item['sk']} has {size} bytes; a table holds {MAX_ITEM_BYTES}")
    return item


def _size(value: Any, place: str) -> int:
    match value:
        case None | bool():
            return 1
        case str():
            return len(value.encode())
        case bytes():
            return len(value)
        case int() | Decimal():
            return _number_size(Decimal(value), place)
        case Mapping() if "" in value:
            raise LedgerError(f"{place} has a name that is empty; a table needs one for every value")
        case Mapping():
            return 3 + sum(len(key.encode()) + 1 + _size(part, f"{place}.{key}") for key, part in value.items())
        case list():
            return 3 + sum(1 + _size(part, f"{place}[{index}]") for index, part in enumerate(value))
    raise LedgerError(f"{place} is {value!r}, a {type(value).__name__}: the ledger keeps figures as Decimal or None")


def distinct(items: Sequence[Item]) -> None:
    """LedgerError when two items have one key: one of them would be lost, or the whole request refused."""
    if len({(item.get("pk"), item.get("sk")) for item in items}) != len(items):
        raise LedgerError("two of these items have the same key; give each a key of its own")


def _number_size(value: Decimal, place: str) -> int:
    if not value.is_finite():
        raise LedgerError(f"{place} is {value}: the ledger keeps an unknown figure as None")
    if value and not LEAST_EXPONENT <= value.adjusted() <= GREATEST_EXPONENT:
        raise LedgerError(f"{place} is {value}, which is out of the range that a table keeps (1E-130 to 9.9E+125)")
    digits = len(value.as_tuple().digits)
    if digits > MAX_DIGITS:
        raise LedgerError(f"{place} is {value}, which has {digits} digits; a table keeps {MAX_DIGITS}")
    return digits // 2 + 2
