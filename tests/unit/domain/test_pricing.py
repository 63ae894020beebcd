"""The ladder of prices, its flags, and what of a node's price its GPUs carry."""

from decimal import Decimal
from fractions import Fraction

import pytest

from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.policy import Policy, PriceSource, RateCard
from gpucost.domain.prices.pricing import NodeFactsForPrice, Offer, PriceSheet, gpu_share, price_of
from gpucost.domain.report import Price
from tests.support.allocation import instance
from tests.support.readings import HOUR, allocatable, readings

P4D = NodeFactsForPrice("n", "p4d.24xlarge", "NVIDIA-A100-SXM4-40GB", Fraction(8))
ODD = NodeFactsForPrice("n", "g9z.huge", None, Fraction(2))
ALL = {
    PriceSource.CUR: Offer(PriceSource.CUR, Decimal(8), "2026-11-30"),
    PriceSource.CAPACITY_BLOCK: Offer(PriceSource.CAPACITY_BLOCK, Decimal(16), "2026-11-01T00:00:00Z"),
    PriceSource.SPOT: Offer(PriceSource.SPOT, Decimal(24), "2026-11-30T10:30:00Z"),
    PriceSource.PRICE_LIST: Offer(PriceSource.PRICE_LIST, Decimal(32), "2026-09-01"),
}


def sheet(*sources: PriceSource, notes: str = "") -> PriceSheet:
    offers = {"n": [ALL[source] for source in sources]}
    return PriceSheet(offers, frozenset({"n"}), {"n": notes} if notes else {})


@pytest.mark.parametrize(
    ("offered", "usd", "source"),
    [
        (tuple(ALL), 1, "cur"),
        (tuple(reversed(tuple(ALL)[1:])), 2, "capacity_block"),
        (tuple(ALL)[2:], 3, "spot"),
        (tuple(ALL)[3:], 4, "price_list"),
    ],
)
def test_the_best_source_wins_whatever_the_order_of_the_offers(
    offered: tuple[PriceSource, ...], usd: int, source: str
) -> None:
    rates = RateCard(Decimal(99), {"p4d.24xlarge": Decimal(5)}, {"NVIDIA-A100-SXM4-40GB": Decimal(6)})
    price = price_of(P4D, rates, sheet(*offered)).price
    assert (price.usd_per_gpu_hour, price.source, price.flag) == (Decimal(usd), source, None)
    assert price.as_of == ALL[PriceSource(source)].as_of


def test_below_the_list_come_the_settings_by_type_by_model_and_for_all() -> None:
    by_type, by_model = {"p4d.24xlarge": Decimal(5)}, {"NVIDIA-A100-SXM4-40GB": Decimal(6)}
    assert price_of(P4D, RateCard(Decimal(7), by_type, by_model), sheet()).price.source == "settings:instance_type"
    assert price_of(P4D, RateCard(Decimal(7), {}, by_model), sheet()).price.source == "settings:gpu_model"
    last = price_of(P4D, RateCard(Decimal(7)), sheet(notes="no price"))
    assert last.price == Price(Decimal(7), "fallback", flag="fallback")
    assert last.note == "no price: the global one is used"


def test_own_rates_can_be_put_first() -> None:
    first = (PriceSource.SETTINGS, *tuple(PriceSource)[:-1])
    given = sheet(*ALL)
    assert price_of(P4D, RateCard(Decimal(7), sources=first), given).price == Price(Decimal(7), "settings:global")
    by_type = RateCard(Decimal(7), {"p4d.24xlarge": Decimal(5)}, sources=first)
    assert price_of(P4D, by_type, given).price.source == "settings:instance_type"
    other = RateCard(Decimal(7), {"g5.xlarge": Decimal(5)}, sources=first)
    assert price_of(P4D, other, given).price.source == "cur"
    assert price_of(P4D, RateCard(sources=first), given).price.source == "cur"


def test_a_source_that_is_not_on_the_ladder_is_not_taken() -> None:
    rates = RateCard(sources=(PriceSource.PRICE_LIST,))
    assert price_of(P4D, rates, sheet(*ALL)).price.source == "price_list"


def test_a_price_nobody_pays_is_no_price() -> None:
    free = PriceSheet({"n": [Offer(PriceSource.PRICE_LIST, Decimal(0), "2026-09-01")]}, frozenset({"n"}))
    assert price_of(P4D, RateCard(Decimal(7)), free).price.source == "fallback"
    zero = RateCard(Decimal(7), {"p4d.24xlarge": Decimal(0)}, {"NVIDIA-A100-SXM4-40GB": Decimal(0)})
    assert price_of(P4D, zero, PriceSheet()).price.source == "fallback"


def test_where_aws_was_asked_in_vain_the_dated_table_stands_in() -> None:
    priced = price_of(P4D, RateCard(), sheet())
    assert priced.price == Price(Decimal("2.74470525"), "table:us-east-1", "2026-07-20", "fallback")
    assert priced.note == "AWS named no price: the dated table's of us-east-1 is used"
    unknown = price_of(ODD, RateCard(), sheet(notes="denied"))
    assert unknown.price == Price(Decimal(12), "fallback", flag="fallback")
    unlisted = NodeFactsForPrice("n", "p5e.48xlarge", None, Fraction(8))
    assert price_of(unlisted, RateCard(), sheet()).price == Price(Decimal(12), "fallback", flag="fallback")


def test_where_aws_was_not_asked_the_recipes_rate_is_plain() -> None:
    assert price_of(P4D, RateCard(), PriceSheet()).price == Price(Decimal(12), "settings:global")
    assert price_of(P4D, RateCard(Decimal(7)), PriceSheet()).price == Price(Decimal(7), "settings:global")


def test_a_node_without_gpus_divides_nothing() -> None:
    bare = NodeFactsForPrice("n", "p4d.24xlarge", None, Fraction(0))
    assert price_of(bare, RateCard(), sheet(*ALL)).price.source == "fallback"


def test_flags_and_notes_of_an_offer_stay_with_it() -> None:
    flagged = Offer(PriceSource.PRICE_LIST, Decimal(8), "2026-09-01", "suspect", "why")
    priced = price_of(P4D, RateCard(), PriceSheet({"n": [flagged]}, frozenset({"n"})))
    assert (priced.price.flag, priced.note) == ("suspect", "why")


@pytest.mark.parametrize(
    ("instance_type", "share"),
    [
        ("p4d.24xlarge", Fraction(72) / (72 + Fraction("86.4") + Fraction("115.2"))),
        ("g5.xlarge", Fraction(9) / (9 + Fraction("3.6") + Fraction("1.6"))),
        ("g6f.large", Fraction(1)),
        ("g9z.huge", Fraction(1)),
        (None, Fraction(1)),
    ],
)
def test_split_leaves_vcpus_and_memory_their_part(instance_type: str | None, share: Fraction) -> None:
    assert gpu_share(instance_type, split=True) == share
    assert gpu_share(instance_type, split=False) == 1


def test_split_prices_a_p4d_at_26_percent() -> None:
    price = price_of(P4D, RateCard(split_node_price=True), sheet(PriceSource.PRICE_LIST)).price
    assert price.usd_per_gpu_hour == Decimal("1.052631578947")
    own = RateCard(None, {"p4d.24xlarge": Decimal(5)}, sources=(PriceSource.SETTINGS,), split_node_price=True)
    assert price_of(P4D, own, sheet()).price.usd_per_gpu_hour == 5


@pytest.mark.parametrize(("flag", "code"), [("suspect", "price_suspect"), ("fallback", "price_fallback")])
def test_a_flagged_price_is_a_warning_with_its_reason(flag: str, code: str) -> None:
    offer = Offer(PriceSource.PRICE_LIST, Decimal(8), "2026-09-01", flag, "the list says 0 USD")
    prices = PriceSheet({"node-a": [offer]}, frozenset({"node-a"}))
    report = allocate(readings(allocatable(1), instance("g5.xlarge")), Policy(), "prod", HOUR, prices=prices)
    assert [(one.code, one.message, one.subject) for one in report.warnings if one.code == code] == [
        (code, "g5.xlarge (node-a): the list says 0 USD", "node-a")
    ]
    assert report.nodes[0].price == Price(Decimal(8), "price_list", "2026-09-01", flag)


def test_the_dated_tables_price_leaves_vcpus_and_memory_their_part_where_that_is_wanted() -> None:
    part = price_of(P4D, RateCard(split_node_price=True), sheet()).price.usd_per_gpu_hour
    exact = Fraction("21.957642") * gpu_share("p4d.24xlarge", split=True) / 8
    assert abs(Fraction(part) - exact) < Fraction(1, 10**12)


def test_a_part_of_a_gpu_has_its_whole_instances_price() -> None:
    half = NodeFactsForPrice("n", "g6f.4xlarge", "NVIDIA-L4", Fraction(1, 2))
    assert price_of(half, RateCard(), sheet()).price.usd_per_gpu_hour == 2 * Decimal("0.95")
