"""The price book on both tables."""

import uuid
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from gpucost.adapters.ledger.price_book import StorePriceBook
from gpucost.domain.allocation.machines import Lifecycle
from gpucost.domain.prices.pricebook import PriceEntry
from gpucost.domain.prices.spot import SpotPrice
from gpucost.prices import PriceBook
from tests.contract.conftest import Table
from tests.support.hours import HOUR, NOW


@pytest.fixture
def book(table: Table) -> PriceBook:
    return StorePriceBook(table.store)


@pytest.fixture
def region() -> str:
    """Tests share a table, and its one list of prices."""
    return f"xx-{uuid.uuid4().hex}-1"


def entry(region: str, **changes: object) -> PriceEntry:
    plain = PriceEntry(region, "p4d.24xlarge", HOUR, NOW, Decimal("21.957642"), NOW - timedelta(days=90))
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_entries_come_back_as_they_were_and_in_order(book: PriceBook, region: str) -> None:
    first = entry(region)
    second = entry(region, valid_from=HOUR.plus(5), usd_per_hour=Decimal("14.12"), flag="suspect", note="why")
    miss = entry(region, instance_type="g9z.huge", usd_per_hour=None, effective=None, note="no price")
    assert book.add(first, after=0)
    assert book.add(second, after=1)
    assert book.add(miss, after=0)
    mine = {pair: entries for pair, entries in book.entries().items() if pair[0] == region}
    assert mine == {(region, "p4d.24xlarge"): [first, second], (region, "g9z.huge"): [miss]}


def test_two_who_learn_at_the_same_time_write_one_entry(book: PriceBook, region: str) -> None:
    assert book.add(entry(region), after=0)
    assert not book.add(entry(region, usd_per_hour=Decimal(1)), after=0)
    assert book.entries()[region, "p4d.24xlarge"] == [entry(region)]


def spot(minutes: int, usd: str) -> SpotPrice:
    return SpotPrice(HOUR.start + timedelta(minutes=minutes), Decimal(usd))


def test_spot_prices_of_an_hour_come_with_the_one_before_it(book: PriceBook, region: str) -> None:
    kept = [spot(-300, "0.1"), spot(-60, "0.2"), spot(0, "0.3"), spot(59, "0.4"), spot(60, "0.5")]
    book.keep_spot_prices(region, "g5.xlarge", "a", kept)
    book.keep_spot_prices(region, "g5.xlarge", "a", kept[:2])
    book.keep_spot_prices(region, "g5.xlarge", "b", [spot(3, "9")])

    def between(start: datetime, end: datetime) -> list[SpotPrice]:
        return book.spot_prices(region, "g5.xlarge", "a", start, end)

    assert between(HOUR.start, HOUR.end) == kept[2:4]
    assert between(HOUR.start - timedelta(minutes=1), HOUR.end) == kept[1:4]
    assert between(HOUR.plus(-20).start, HOUR.plus(-19).start) == []


def test_lifecycles_are_kept_by_instance(book: PriceBook, region: str) -> None:
    one, other = f"i-{region}", f"i-{region}-b"
    book.keep_lifecycles({one: Lifecycle.SPOT, other: Lifecycle.CAPACITY_BLOCK}, NOW)
    assert book.lifecycles([one, "i-unknown", other]) == {one: Lifecycle.SPOT, other: Lifecycle.CAPACITY_BLOCK}
    assert book.lifecycles([]) == {}
