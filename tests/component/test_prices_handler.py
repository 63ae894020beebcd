"""The prices function: events in, entries of the price book out."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from functions.prices.app import lambda_handler
from gpucost.adapters.memory import MemoryPriceBook
from gpucost.adapters.price_list import AwsPriceList
from gpucost.ports import MessageError, ServiceUnavailable
from gpucost.runtime.environment import PricesEnvironment
from gpucost.usecases.pricing.refresh_prices import pairs_from
from tests.support.handlers import NOW, Context, install, sample
from tests.support.price_api import PriceApi, captured, changed, price_api

P4D = ("us-west-2", "p4d.24xlarge")
G5 = ("us-west-2", "g5.xlarge")


@pytest.fixture
def api() -> Iterator[PriceApi]:
    with price_api() as double:
        double.products = [captured("p4d-us-west-2")]
        yield double


class Pricing:
    """prices with a price list on loopback and a book in memory."""

    def __init__(self, patch: pytest.MonkeyPatch, api: PriceApi) -> None:
        self.book = MemoryPriceBook()
        price_list = AwsPriceList(lambda region: api.client("pricing", region))
        install(patch, PricesEnvironment, price_book=self.book, price_list=price_list)

    def run(self, event: dict[str, Any]) -> dict[str, int]:
        changed: dict[str, int] = lambda_handler(event, Context())
        return changed

    def prices(self, pair: tuple[str, str]) -> list[tuple[Decimal | None, str | None, str]]:
        entries = sorted(self.book.entries()[pair], key=lambda one: (one.learned_at, one.usd_per_hour is not None))
        return [(one.usd_per_hour, one.flag, one.note) for one in entries]


def test_pairs_that_an_event_names_are_learned_and_the_day_after_asked_about_again(
    monkeypatch: pytest.MonkeyPatch, api: PriceApi
) -> None:
    pricing = Pricing(monkeypatch, api)
    assert pricing.run(sample("prices-pairs")) == {"changed": 2}
    missing = "the price list has no On-Demand price for g5.xlarge in us-west-2"
    assert pricing.prices(P4D) == [(Decimal("21.95764"), None, "")]
    assert pricing.prices(G5) == [(None, None, missing)]
    assert pricing.run(sample("prices-daily")) == {"changed": 0}
    api.products = [changed(captured("p4d-us-west-2"), {"USD": "14.5"})]
    api.products.append(changed(captured("p4d-us-west-2"), {"USD": "1.006"}, instanceType="g5.xlarge"))
    assert pricing.run(sample("prices-daily")) == {"changed": 2}
    assert pricing.prices(P4D)[-1] == (Decimal("14.5"), None, "")
    assert pricing.prices(G5)[-1] == (Decimal("1.006"), None, "")
    assert pricing.book.entries()[P4D][-1].learned_at == NOW


@pytest.mark.parametrize(
    ("products", "note"),
    [
        ([], "no On-Demand price"),
        ([changed(captured("p4d-us-west-2"), {"USD": "0.0219"})], "0.0219 USD an hour, more than 5 times off"),
        ([changed(captured("p4d-us-west-2"), {"USD": "0.0000000000"})], "at 0 USD only"),
        ([changed(captured("p4d-us-west-2"), {"CNY": "150"})], "in CNY, not in USD"),
        ([captured("p4d-us-west-2"), changed(captured("p4d-us-west-2"), {"USD": "32.77"})], "2 prices"),
    ],
)
def test_a_suspect_answer_leaves_the_last_good_price(
    monkeypatch: pytest.MonkeyPatch, api: PriceApi, products: list[dict[str, Any]], note: str
) -> None:
    pricing = Pricing(monkeypatch, api)
    pricing.run(sample("prices-pairs"))
    api.products = products
    pricing.run(sample("prices-daily"))
    (_, (usd, flag, said)) = pricing.prices(P4D)
    assert (usd, flag) == (Decimal("21.95764"), "suspect")
    assert note in said


def test_what_cannot_be_asked_now_is_raised_when_the_rest_is_kept(
    monkeypatch: pytest.MonkeyPatch, api: PriceApi
) -> None:
    pricing = Pricing(monkeypatch, api)
    api.failures = [(400, "ThrottlingException")] * 3
    with pytest.raises(ServiceUnavailable, match=r"g5\.xlarge in us-west-2 failed"):
        pricing.run(sample("prices-pairs"))
    assert set(pricing.book.entries()) == {P4D}


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (sample("prices-poison"), r"\['p4d.24xlarge'\] is not a pair of region and instance type"),
        ({"kind": "prices", "pairs": "p4d.24xlarge"}, "'p4d.24xlarge' is not a pair"),
        ({"kind": "prices", "pairs": [["", "p4d.24xlarge"]]}, "is not a pair"),
        ({"kind": "prices", "pair": []}, 'not an event such as {"kind": "prices"'),
        ({"kind": "plan"}, "not an event such as"),
        ({}, "not an event such as"),
    ],
)
def test_an_event_that_is_not_ours_says_what_one_looks_like(event: dict[str, Any], said: str) -> None:
    with pytest.raises(MessageError, match=said):
        pairs_from(event)
