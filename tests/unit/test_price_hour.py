"""What is asked of whom for the prices of an hour, and what is made of no answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from gpucost.adapters.memory import MemoryBillBook, MemoryPriceBook
from gpucost.domain.allocation.machines import Lifecycle
from gpucost.domain.hours import Hour
from gpucost.domain.policy import CapacityBlock, PriceSource, RateCard
from gpucost.domain.prices.bill import BilledHour
from gpucost.domain.prices.pricebook import Quote
from gpucost.domain.prices.pricing import Offer
from gpucost.domain.prices.spot import SpotPrice
from gpucost.domain.readings import NodeFacts, Readings
from gpucost.ports import ServiceError, ServiceUnavailable
from gpucost.prices import Delivery, PriceError, PriceSources
from gpucost.usecases.pricing.price_hour import hourly, price_sheet
from tests.support.readings import HOUR, allocatable, mask, node, readings

NOW = HOUR.plus(1).start + timedelta(minutes=10)
SEPTEMBER = Hour.parse("2026-09-01T00:00:00Z").start
LIST = Offer(PriceSource.PRICE_LIST, Decimal("21.957642"), "2026-09-01")


@dataclass
class Aws:
    """AWS as a test wants it; an exception is raised instead of an answer."""

    quote: Quote | Exception = field(default_factory=lambda: Quote(Decimal("21.957642"), SEPTEMBER))
    rows: Sequence[SpotPrice] | Exception = ()
    bought: Mapping[str, Lifecycle] | Exception = field(default_factory=dict)
    asked: list[tuple[object, ...]] = field(default_factory=list)

    def on_demand(self, region: str, instance_type: str) -> Quote:
        self.asked.append(("list", region, instance_type))
        return _answer(self.quote)

    def history(
        self, region: str, instance_type: str, zone: str, start: datetime, end: datetime
    ) -> Sequence[SpotPrice]:
        self.asked.append(("spot", region, instance_type, zone, start, end))
        return _answer(self.rows)

    def lifecycles(self, region: str, instance_ids: Sequence[str]) -> Mapping[str, Lifecycle]:
        self.asked.append(("fleet", region, *instance_ids))
        return _answer(self.bought)


def _answer[T](answer: T | Exception) -> T:
    if isinstance(answer, Exception):
        raise answer
    return answer


@dataclass
class Asking:
    """One cluster's prices, hour after hour, with one book."""

    aws: Aws
    book: MemoryPriceBook = field(default_factory=MemoryPriceBook)
    rates: RateCard = field(default_factory=RateCard)
    bills: MemoryBillBook = field(default_factory=MemoryBillBook)

    @property
    def sources(self) -> PriceSources:
        return PriceSources(self.book, self.aws, self.aws, self.aws, self.bills)

    def offers(self, facts: Readings, hour: Hour = HOUR, now: datetime = NOW) -> tuple[list[Offer], str]:
        """The offers for node-a, and the note on it."""
        found = price_sheet(facts, hour, self.rates, self.sources, now)
        assert "node-a" in found.asked
        return list(found.offers["node-a"]), found.notes.get("node-a", "")


def cluster(word: str = "", names: Sequence[str] = ("node-a",)) -> Readings:
    """p4d nodes; the word is Karpenter's for how they are bought."""
    labels = {"node_kubernetes_io_instance_type": "p4d.24xlarge", "karpenter_sh_capacity_type": word}
    facts: list[object] = []
    for index, name in enumerate(names):
        instance = NodeFacts(name, mask(0, 60), provider_id=f"aws:///us-west-2b/i-000000000000000{index}a")
        facts += [node(name, labels=labels), instance, allocatable(8, node=name)]
    return readings(*facts)


def test_a_type_that_was_never_priced_is_asked_about_at_once_and_never_again_in_an_hour() -> None:
    asking = Asking(Aws())
    assert asking.offers(cluster("on-demand", names=("node-a", "node-b"))) == ([LIST], "")
    assert asking.offers(cluster("on-demand")) == ([LIST], "")
    assert asking.aws.asked == [("list", "us-west-2", "p4d.24xlarge")]


def test_an_hour_is_priced_by_what_held_then_whatever_was_learned_since() -> None:
    asking = Asking(Aws())
    before = asking.offers(cluster("on-demand"))
    known = asking.book.entries()["us-west-2", "p4d.24xlarge"]
    dearer = replace(known[0], valid_from=HOUR.plus(30), learned_at=NOW + timedelta(hours=30), usd_per_hour=Decimal(30))
    asking.book.add(dearer, after=1)
    assert asking.offers(cluster("on-demand"), now=NOW + timedelta(hours=40)) == before
    assert asking.offers(cluster("on-demand"), HOUR.plus(30))[0][0].usd_per_hour == 30


def test_a_list_that_refuses_is_remembered_and_noted() -> None:
    asking = Asking(Aws(quote=PriceError("no On-Demand price for it")))
    assert asking.offers(cluster("on-demand")) == ([], "no On-Demand price for it")
    assert asking.offers(cluster("on-demand")) == ([], "no On-Demand price for it")
    assert len(asking.aws.asked) == 1


def test_a_list_that_cannot_be_asked_now_is_asked_again_with_the_next_hour() -> None:
    asking = Asking(Aws(quote=ServiceUnavailable("throttled")))
    assert asking.offers(cluster("on-demand")) == ([], "the price list could not be asked")
    asking.aws.quote = Quote(Decimal("21.957642"), SEPTEMBER)
    assert asking.offers(cluster("on-demand")) == ([LIST], "")


def test_a_silent_aws_is_asked_once_an_hour_and_not_for_every_node() -> None:
    down = ServiceUnavailable("no route")
    asking = Asking(Aws(quote=down, rows=down, bought=down))
    kinds = ["g5.xlarge", "g5.2xlarge", "g6.xlarge"]
    words = ["on-demand"] * 3 + ["spot"] * 3
    facts: list[object] = []
    for index, (kind, word) in enumerate(zip(kinds * 2, words, strict=True)):
        name = "node-a" if not index else f"node-{index}"
        labels = {"node_kubernetes_io_instance_type": kind, "karpenter_sh_capacity_type": word}
        facts += [node(name, labels={**labels, "topology_kubernetes_io_zone": "us-west-2b"}), allocatable(1, node=name)]
    assert asking.offers(readings(*facts)) == ([], "the price list could not be asked")
    assert [one[0] for one in asking.aws.asked] == ["list", "spot"]


def test_labels_say_how_an_instance_is_bought_before_ec2_is_asked() -> None:
    asking = Asking(Aws(bought={"i-0000000000000000a": Lifecycle.SPOT}, rows=[SpotPrice(HOUR.start, Decimal(7))]))
    spot = Offer(PriceSource.SPOT, Decimal(7), HOUR.key)
    assert asking.offers(cluster("on-demand")) == ([LIST], "")
    assert not [one for one in asking.aws.asked if one[0] == "fleet"]
    assert asking.offers(cluster()) == ([spot], "")
    assert asking.offers(cluster()) == ([spot], "")
    assert [one for one in asking.aws.asked if one[0] == "fleet"] == [("fleet", "us-west-2", "i-0000000000000000a")]


def test_when_nothing_says_how_it_is_bought_on_demand_is_assumed_and_flagged() -> None:
    answers: list[Mapping[str, Lifecycle] | Exception] = [{}, ServiceError("denied")]
    for answer in answers:
        offers, _ = Asking(Aws(bought=answer)).offers(cluster())
        assert [(one.source, one.flag) for one in offers] == [(PriceSource.PRICE_LIST, "fallback")]
        assert offers[0].note == "nothing says how the instance is bought: On-Demand is assumed"


def test_spot_prices_are_kept_for_when_aws_has_forgotten_them() -> None:
    rows = [SpotPrice(HOUR.start - timedelta(hours=3), Decimal(6)), SpotPrice(HOUR.start, Decimal(7))]
    asking = Asking(Aws(rows=rows))
    offers = asking.offers(cluster("spot"))
    assert offers == ([Offer(PriceSource.SPOT, Decimal(7), HOUR.key)], "")
    for gone in ((), ServiceUnavailable("throttled")):
        asking.aws.rows = gone
        assert asking.offers(cluster("spot")) == offers
    assert ("spot", "us-west-2", "p4d.24xlarge", "us-west-2b", HOUR.start, HOUR.end) in asking.aws.asked


def test_a_zone_is_asked_about_once() -> None:
    asking = Asking(Aws(rows=[SpotPrice(HOUR.start, Decimal(7))]))
    asking.offers(cluster("spot", names=("node-a", "node-b", "node-c")))
    assert len(asking.aws.asked) == 1


def test_a_spot_price_that_nobody_knows_is_noted_and_never_the_list_price() -> None:
    assert Asking(Aws()).offers(cluster("spot")) == ([], "the spot price in us-west-2b is not known")


BLOCK = CapacityBlock("p4d.24xlarge", 2, HOUR.plus(-24), HOUR.plus(24), Decimal("1130.88"))


def test_a_capacity_block_costs_its_fee() -> None:
    bought = {"i-0000000000000000a": Lifecycle.CAPACITY_BLOCK}
    asking = Asking(Aws(bought=bought), rates=RateCard(capacity_blocks=(BLOCK,)))
    assert hourly(BLOCK) == Decimal("11.78")
    offer = Offer(PriceSource.CAPACITY_BLOCK, Decimal("11.78"), HOUR.plus(-24).key)
    assert asking.offers(cluster()) == ([offer], "")
    assert asking.offers(cluster(), HOUR.plus(23))[0] == [offer]


@pytest.mark.parametrize("turn", [1, -1])
def test_of_two_capacity_blocks_at_once_no_fee_is_lost(turn: int) -> None:
    """Two instances at $11.78 and six at $5.00: nothing says which a node is one of, so each costs $53.56 / 8."""
    other = CapacityBlock("p4d.24xlarge", 6, HOUR.plus(-2), HOUR.plus(46), Decimal(1440))
    bought = {"i-0000000000000000a": Lifecycle.CAPACITY_BLOCK}
    asking = Asking(Aws(bought=bought), rates=RateCard(capacity_blocks=(BLOCK, other)[::turn]))
    offer = Offer(
        PriceSource.CAPACITY_BLOCK, Decimal("6.695"), HOUR.plus(-2).key, "fallback", "the mean of 2 capacity blocks"
    )
    assert asking.offers(cluster())[0] == [offer]


@pytest.mark.parametrize(
    "block",
    [
        None,
        replace(BLOCK, end=HOUR),
        replace(BLOCK, first=HOUR.plus(1)),
        replace(BLOCK, instance_type="p5.48xlarge"),
    ],
)
def test_a_capacity_block_without_its_fee_is_noted_and_never_the_list_price(block: CapacityBlock | None) -> None:
    bought = {"i-0000000000000000a": Lifecycle.CAPACITY_BLOCK}
    asking = Asking(Aws(bought=bought), rates=RateCard(capacity_blocks=(block,) if block else ()))
    note = "a capacity block, but the settings name no fee for it (capacity_blocks)"
    assert asking.offers(cluster()) == ([], note)
    assert [one[0] for one in asking.aws.asked] == ["fleet"]


def test_sources_that_the_settings_leave_out_offer_nothing() -> None:
    asking = Asking(Aws(), rates=RateCard(sources=(PriceSource.CUR, PriceSource.SETTINGS)))
    assert asking.offers(cluster("on-demand"))[0] == []


def test_a_node_that_names_neither_type_nor_place_is_noted() -> None:
    facts = readings(node(), allocatable(8))
    note = "neither its labels nor its provider id name the instance type and the region"
    asking = Asking(Aws())
    assert asking.offers(facts) == ([], note)
    assert asking.aws.asked == []


def test_a_cluster_without_gpus_asks_nobody() -> None:
    asking = Asking(Aws())
    found = price_sheet(
        readings(node(labels={"node_kubernetes_io_instance_type": "m5.large"})),
        HOUR,
        asking.rates,
        asking.sources,
        NOW,
    )
    assert (found.offers, found.asked, asking.aws.asked) == ({}, frozenset(), [])


def test_the_bill_is_offered_beside_the_estimate_for_the_instance_that_it_names() -> None:
    asking = Asking(Aws())
    mine = BilledHour("i-0000000000000000a", HOUR, Decimal("0.5"), Decimal("7.5"), Decimal(6))
    other = BilledHour("i-000000000000000ff", HOUR, Decimal(1), Decimal(99), None)
    asking.bills.keep(Delivery("d1", NOW + timedelta(days=1)), [mine, other])
    assert asking.offers(cluster("on-demand"))[0] == [Offer(PriceSource.CUR, Decimal(15), "2026-12-01"), LIST]
    asking.rates = RateCard(net=True)
    assert asking.offers(cluster("on-demand"))[0][0].usd_per_hour == 12
    asking.rates = RateCard(sources=(PriceSource.PRICE_LIST,))
    assert asking.offers(cluster("on-demand"))[0] == [LIST]
    asking.rates = RateCard(sources=(PriceSource.CUR,))
    assert asking.offers(cluster("on-demand"), HOUR.plus(1))[0] == []
