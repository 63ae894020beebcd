"""A Spot price is weighted by the time that it held."""

from datetime import timedelta
from decimal import Decimal
from itertools import permutations

import pytest

from gpucost.domain.policy import PriceSource
from gpucost.domain.prices.pricing import Offer
from gpucost.domain.prices.spot import SpotPrice, spot_offer
from tests.support.readings import HOUR


def price(minutes: float, usd: str) -> SpotPrice:
    return SpotPrice(HOUR.start + timedelta(minutes=minutes), Decimal(usd))


BEFORE, CHANGE, LATER = price(-107.883, "0.468"), price(20, "0.5"), price(50.5, "0.3")


def test_a_change_in_the_hour_counts_for_its_time() -> None:
    for rows in permutations([price(-500, "9"), BEFORE, CHANGE, LATER, price(60, "7")]):
        offer = spot_offer(rows, HOUR)
        exact = (Decimal("0.468") * 1200 + Decimal("0.5") * 1830 + Decimal("0.3") * 570) / 3600
        assert offer is not None
        assert abs(offer.usd_per_hour - exact) < Decimal("1e-12")
        assert (offer.source, offer.as_of, offer.flag) == (PriceSource.SPOT, "2026-11-30T10:50:30Z", None)


def test_without_a_change_the_price_before_holds_all_hour() -> None:
    offer = spot_offer([price(0, "0.4"), BEFORE], HOUR)
    assert offer == Offer(PriceSource.SPOT, Decimal("0.4"), "2026-11-30T10:00:00Z")
    assert spot_offer([BEFORE], HOUR) == Offer(PriceSource.SPOT, Decimal("0.468"), "2026-11-30T08:12:07.020000Z")


def test_what_held_before_the_first_change_is_unknown_and_said_so() -> None:
    offer = spot_offer([CHANGE], HOUR)
    assert offer is not None
    assert (offer.usd_per_hour, offer.flag) == (Decimal("0.5"), "fallback")
    assert offer.note == "the spot price before its first change in the hour is not known"


@pytest.mark.parametrize("rows", [[], [price(60, "1")], [price(10, "0")]])
def test_no_price_is_no_offer(rows: list[SpotPrice]) -> None:
    assert spot_offer(rows, HOUR) is None


def test_two_prices_of_one_moment_are_taken_in_a_fixed_order() -> None:
    twice = [BEFORE, price(30, "0.6"), price(30, "0.2")]
    assert spot_offer(twice, HOUR) == spot_offer(reversed(twice), HOUR)


def test_every_microsecond_counts() -> None:
    early, late = (SpotPrice(HOUR.start + timedelta(microseconds=at), Decimal(3600)) for at in (1, 2_500_000))
    for first, held in ((early, "3599.999999"), (late, "3597.5")):
        offer = spot_offer([SpotPrice(HOUR.start, Decimal("0.000001")), first], HOUR)
        assert offer is not None
        assert abs(offer.usd_per_hour - Decimal(held)) < Decimal("1e-8")


@pytest.mark.parametrize("minutes", [-30, 0, 20])
def test_of_two_prices_from_one_moment_the_higher_holds_and_none_for_less_than_no_time(minutes: int) -> None:
    twice = [price(minutes, "0.6"), price(minutes, "0.2")]
    offers = [spot_offer([price(-500, "0.6"), *rows], HOUR) for rows in (twice, twice[::-1])]
    assert [offer and offer.usd_per_hour for offer in offers] == [Decimal("0.6")] * 2
