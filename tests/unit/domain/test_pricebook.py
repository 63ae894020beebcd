"""What a quote adds to the price book, and which entry an hour is priced by."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from gpucost.domain.hours import Hour
from gpucost.domain.policy import PriceSource
from gpucost.domain.prices.pricebook import PriceEntry, Quote, in_force, list_offer, next_entry
from gpucost.domain.prices.pricing import Offer

NOW = datetime(2026, 11, 30, 10, 5, tzinfo=UTC)
HOUR = Hour.containing(NOW)
SEPTEMBER = datetime(2026, 9, 1, tzinfo=UTC)
PAIR = ("us-west-2", "p4d.24xlarge")
FIRST = PriceEntry(*PAIR, Hour(SEPTEMBER), NOW, Decimal(20), SEPTEMBER)


def learn(known: list[PriceEntry], quote: Quote, after_days: int = 0) -> PriceEntry | None:
    return next_entry(*PAIR, known, quote, NOW + timedelta(days=after_days))


def test_the_first_price_holds_since_its_own_date() -> None:
    assert learn([], Quote(Decimal(20), SEPTEMBER)) == FIRST


def test_the_same_price_again_is_nothing_new() -> None:
    assert learn([FIRST], Quote(Decimal("20.000"), SEPTEMBER), 1) is None


def test_a_later_price_holds_from_when_it_was_learned_so_that_nothing_is_restated() -> None:
    backdated = Quote(Decimal(14), NOW - timedelta(days=20))
    entry = learn([FIRST], backdated, 1)
    assert entry == PriceEntry(*PAIR, HOUR.plus(24), NOW + timedelta(days=1), Decimal(14), backdated.effective)
    assert in_force([FIRST, entry], HOUR.plus(23)) == FIRST
    assert in_force([FIRST, entry], HOUR.plus(24)) == entry


def test_an_announced_price_holds_from_its_own_date() -> None:
    ahead = NOW + timedelta(days=9)
    entry = learn([FIRST], Quote(Decimal(14), ahead), 1)
    assert entry is not None
    assert entry.valid_from == Hour.containing(ahead)


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        (Quote(None, reason="no On-Demand price"), "no On-Demand price"),
        (Quote(None), "the price list has no price"),
        (Quote(Decimal(0), SEPTEMBER), "the price list says 0 USD an hour"),
        (Quote(Decimal("3.99"), SEPTEMBER), "the price list says 3.99 USD an hour, more than 5 times off"),
        (Quote(Decimal("100.01"), SEPTEMBER), "the price list says 100.01 USD an hour, more than 5 times off"),
    ],
)
def test_a_doubtful_price_leaves_the_last_good_one_in_use_and_flags_it(quote: Quote, why: str) -> None:
    entry = learn([FIRST], quote, 1)
    then = replace(FIRST, valid_from=HOUR.plus(24), learned_at=NOW + timedelta(days=1))
    assert entry == replace(then, flag="suspect", note=why)
    assert learn([FIRST, entry], quote, 2) is None
    back = learn([FIRST, entry], Quote(Decimal(20), SEPTEMBER), 3)
    assert back is not None
    assert (back.usd_per_hour, back.flag, back.valid_from) == (20, None, HOUR.plus(72))


@pytest.mark.parametrize("usd", [4, 100])
def test_five_times_off_is_still_believed(usd: int) -> None:
    entry = learn([FIRST], Quote(Decimal(usd), SEPTEMBER), 1)
    assert entry is not None
    assert (entry.usd_per_hour, entry.flag) == (usd, None)


def test_a_pair_that_was_asked_about_in_vain_is_known_as_such_until_it_has_a_price() -> None:
    miss = learn([], Quote(None, reason="denied"))
    assert miss == PriceEntry(*PAIR, HOUR, NOW, None, None, None, "denied")
    assert learn([miss], Quote(None, reason="denied"), 1) is None
    other = learn([miss], Quote(None, reason="throttled"), 1)
    assert other is not None
    assert other.note == "throttled"
    priced = learn([miss, other], Quote(Decimal(20), SEPTEMBER), 2)
    assert priced is not None
    assert priced.valid_from == Hour(SEPTEMBER)
    assert learn([priced, miss, other], Quote(Decimal(20), SEPTEMBER), 3) is None


def test_an_hour_has_the_list_price_less_the_discount() -> None:
    offer = list_offer([FIRST], HOUR, Decimal("0.28"))
    assert offer == Offer(PriceSource.PRICE_LIST, Decimal("14.4"), "2026-09-01")


def test_an_hour_before_the_first_price_has_that_one_flagged() -> None:
    offer = list_offer([FIRST], Hour(SEPTEMBER).plus(-1), Decimal(0))
    assert offer is not None
    assert (offer.usd_per_hour, offer.flag) == (20, "fallback")
    assert offer.note == "the price of that time is not known: the first one since then is used"


def test_a_miss_that_came_after_a_price_learned_later_does_not_hide_it() -> None:
    miss = PriceEntry(*PAIR, HOUR, NOW, None, note="denied")
    assert list_offer([miss], HOUR, Decimal(0)) is None
    assert list_offer([], HOUR, Decimal(0)) is None
    late = replace(FIRST, learned_at=NOW + timedelta(hours=5))
    offer = list_offer([miss, late], HOUR.plus(1), Decimal(0))
    assert offer is not None
    assert (offer.usd_per_hour, offer.flag) == (20, None)


def test_a_suspect_price_says_why_and_what_goes_on() -> None:
    entry = replace(FIRST, flag="suspect", note="the price list says 0 USD an hour")
    offer = list_offer([entry], HOUR, Decimal(0))
    assert offer is not None
    assert (offer.flag, offer.note) == ("suspect", "the price list says 0 USD an hour: the last good price goes on")


def test_a_price_without_a_date_of_its_own_is_dated_by_when_it_was_learned() -> None:
    offer = list_offer([replace(FIRST, effective=None)], HOUR, Decimal(0))
    assert offer is not None
    assert offer.as_of == "2026-11-30"


def test_before_the_first_of_several_prices_that_one_is_used() -> None:
    first, second = replace(FIRST, valid_from=HOUR), replace(FIRST, valid_from=HOUR.plus(5), usd_per_hour=Decimal(30))
    for entries in ([first, second], [second, first]):
        before, since = (list_offer(entries, hour, Decimal(0)) for hour in (HOUR.plus(-1), HOUR))
        assert before is not None
        assert since is not None
        assert (before.usd_per_hour, before.flag) == (20, "fallback")
        assert (since.usd_per_hour, since.flag) == (20, None)


def test_a_price_of_less_than_a_dollar_is_a_price() -> None:
    entry = learn([], Quote(Decimal("0.202"), SEPTEMBER))
    assert entry is not None
    assert (entry.usd_per_hour, entry.flag) == (Decimal("0.202"), None)
