"""What the bill says, on both tables."""

import random
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from gpucost.adapters.ledger.bills import StoreBillBook
from gpucost.adapters.ledger.store import Item
from gpucost.domain.hours import Hour
from gpucost.domain.prices.bill import BilledHour
from gpucost.ports import LedgerError
from gpucost.prices import BillBook, Delivery
from tests.contract.conftest import Table

NOW = datetime.fromisoformat("2026-12-01T03:12:44.123456Z")
_days = iter(random.Random(7).sample(range(10_000), 10_000))


@pytest.fixture
def book(table: Table) -> BillBook:
    return StoreBillBook(table.store)


@pytest.fixture
def hour() -> Hour:
    """Tests share a table: each has hours of its own."""
    return Hour.parse("2001-01-01T00:00:00Z").plus(24 * next(_days))


def row(hour: Hour, usd: str, instance: str = "i-0000000000000000a") -> BilledHour:
    return BilledHour(instance, hour, Decimal("0.75"), Decimal(usd), None)


FIRST, SECOND = Delivery("first", NOW), Delivery("second", NOW + timedelta(hours=9))


def test_an_hour_that_nobody_was_billed_for_is_empty(book: BillBook, hour: Hour) -> None:
    assert book.billed(hour) == ({}, None)


def test_what_was_kept_comes_back_exactly(book: BillBook, hour: Hour) -> None:
    rows = [row(hour, "14.500000000001"), BilledHour("i-b", hour, Decimal(1), Decimal(3), Decimal("2.5"))]
    assert book.keep(FIRST, rows) == [hour]
    assert book.billed(hour) == ({one.instance_id: one for one in rows}, NOW)


def test_the_same_delivery_twice_changes_nothing(book: BillBook, hour: Hour) -> None:
    book.keep(FIRST, [row(hour, "1"), row(hour.plus(1), "2")])
    book.restated([hour, hour.plus(1)])
    assert book.keep(FIRST, [row(hour, "1"), row(hour.plus(1), "2")]) == []


def test_what_was_never_queued_is_named_again(book: BillBook, hour: Hour) -> None:
    assert book.keep(FIRST, [row(hour, "1"), row(hour.plus(1), "2")]) == [hour, hour.plus(1)]
    book.restated([hour])
    assert book.keep(FIRST, [row(hour, "1"), row(hour.plus(1), "2")]) == [hour.plus(1)]
    assert book.keep(SECOND, [row(hour, "1"), row(hour.plus(1), "2")]) == [hour.plus(1)]
    book.restated([hour.plus(1), hour.plus(99)])
    assert book.keep(SECOND, [row(hour, "1"), row(hour.plus(1), "2")]) == []


def test_a_later_delivery_replaces_the_hours_that_it_changes_and_their_date(book: BillBook, hour: Hour) -> None:
    book.keep(FIRST, [row(hour, "1"), row(hour, "9", "i-gone"), row(hour.plus(1), "2")])
    book.restated([hour, hour.plus(1)])
    assert book.keep(SECOND, [row(hour, "1.5"), row(hour.plus(1), "2")]) == [hour]
    assert book.billed(hour) == ({"i-0000000000000000a": row(hour, "1.5")}, SECOND.at)
    assert book.billed(hour.plus(1))[1] == FIRST.at


def test_an_earlier_delivery_that_comes_late_changes_nothing(book: BillBook, hour: Hour) -> None:
    book.keep(SECOND, [row(hour, "2")])
    book.restated([hour])
    assert book.keep(FIRST, [row(hour, "1")]) == []
    assert book.billed(hour)[0]["i-0000000000000000a"].amortized_usd == 2


def test_what_a_later_delivery_does_not_have_any_more_is_billed_no_more(book: BillBook, hour: Hour) -> None:
    book.keep(FIRST, [row(hour.plus(number), "1") for number in range(4)])
    book.restated([hour.plus(number) for number in range(4)])
    later = [row(hour, "1"), row(hour.plus(2), "1")]
    assert book.keep(SECOND, later) == [hour.plus(1)]
    assert book.billed(hour.plus(1))[0] == {}
    assert len(book.billed(hour.plus(3))[0]) == 1
    book.restated([hour.plus(1)])
    assert book.keep(SECOND, later) == []


def test_an_earlier_delivery_that_is_slow_does_not_win_over_a_later_one(table: Table, hour: Hour) -> None:
    class Slow(StoreBillBook):
        raced = False

        def _item(self, hour: Hour) -> Item | None:
            read = super()._item(hour)
            if not Slow.raced:
                Slow.raced = True
                StoreBillBook(table.store).keep(SECOND, [row(hour, "2")])
            return read

    StoreBillBook(table.store).keep(Delivery("zero", NOW - timedelta(days=1)), [row(hour, "2")])
    Slow(table.store).keep(FIRST, [row(hour, "1")])
    figures, _ = StoreBillBook(table.store).billed(hour)
    assert figures["i-0000000000000000a"].amortized_usd == 2


def test_more_instances_than_an_item_holds_are_refused(book: BillBook, hour: Hour) -> None:
    chance = random.Random(7)
    many = [row(hour, f"{chance.random():.12f}", f"i-{chance.getrandbits(64):016x}") for _ in range(40_000)]
    with pytest.raises(LedgerError, match="40000 accelerated instances in the hour"):
        book.keep(FIRST, many)
    assert book.billed(hour) == ({}, None)
