"""What a GPU-hour of a node costs: the best of the prices that are known of it, with its papers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from gpucost.domain.gpus.instances import INSTANCE_TYPES, PRICES_AS_OF, PRICES_REGION
from gpucost.domain.money import round_fraction
from gpucost.domain.policy import RECIPE_RATE, PriceSource, RateCard
from gpucost.domain.report import Price

FALLBACK = "fallback"
SUSPECT = "suspect"
TABLE = f"table:{PRICES_REGION}"


@dataclass(frozen=True, slots=True)
class Offer:
    """A price that a source names for a node's hour: USD per hour of the whole instance.

    `as_of` dates the price, not the question. `flag` is None, "fallback" or "suspect", and `note` says why.
    """

    source: PriceSource
    usd_per_hour: Decimal
    as_of: str
    flag: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PriceSheet:
    """The offers by node. `asked` are the nodes whose prices AWS was asked for, `notes` say what went wrong there."""

    offers: Mapping[str, Sequence[Offer]] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()
    notes: Mapping[str, str] = field(default_factory=dict)


SETTINGS_ONLY = PriceSheet()


@dataclass(frozen=True, slots=True)
class Priced:
    """A price, and why it is flagged ("" if it is not)."""

    price: Price
    note: str = ""


@dataclass(frozen=True, slots=True)
class NodeFactsForPrice:
    """What of a node decides its price: GPUs is the mean count that its hour's capacity is made of."""

    node: str
    instance_type: str | None
    gpu_model: str | None
    gpus: Fraction


def price_of(node: NodeFactsForPrice, rates: RateCard, sheet: PriceSheet) -> Priced:
    """The first price on the ladder `rates.sources`; what nothing prices has a dated or global rate, flagged.

    An offer of zero is a price nobody pays: it counts as missing.
    """
    offers = {offer.source: offer for offer in sheet.offers.get(node.node, ()) if offer.usd_per_hour > 0}
    for source in rates.sources:
        offer = offers.get(source)
        if offer is not None and node.gpus > 0:
            return _priced(node, rates, offer)
        if source is PriceSource.SETTINGS and (price := _own_rate(node, rates)):
            return Priced(price)
    return _last_resort(node, rates, node.node in sheet.asked, sheet.notes.get(node.node, ""))


def _priced(node: NodeFactsForPrice, rates: RateCard, offer: Offer) -> Priced:
    usd = Fraction(offer.usd_per_hour) * gpu_share(node.instance_type, rates.split_node_price) / node.gpus
    return Priced(Price(round_fraction(usd), offer.source.value, offer.as_of, offer.flag), offer.note)


def _own_rate(node: NodeFactsForPrice, rates: RateCard) -> Price | None:
    """A rate from the settings for this type or model; the global one only where it is not the last resort anyway."""
    for source, table, key in (
        ("settings:instance_type", rates.by_instance_type, node.instance_type),
        ("settings:gpu_model", rates.by_gpu_model, node.gpu_model),
    ):
        rate = table.get(key or "")
        if rate is not None and rate > 0:
            return Price(rate, source)
    others = bool(rates.by_instance_type or rates.by_gpu_model)
    if rates.usd_per_gpu_hour is not None and rates.sources[-1] is not PriceSource.SETTINGS and not others:
        return Price(rates.usd_per_gpu_hour, "settings:global")
    return None


def _last_resort(node: NodeFactsForPrice, rates: RateCard, asked: bool, note: str) -> Priced:
    """The global rate: plain where nothing better was to be had, flagged where something should have been there.

    Where AWS was asked in vain and the settings name no global rate, the dated table comes first.
    """
    known = INSTANCE_TYPES.get(node.instance_type or "")
    if asked and rates.usd_per_gpu_hour is None and known and known.usd_per_hour and node.gpus > 0:
        share = gpu_share(node.instance_type, rates.split_node_price)
        usd = round_fraction(Fraction(known.usd_per_hour) * share / node.gpus)
        why = note or "AWS named no price"
        return Priced(Price(usd, TABLE, PRICES_AS_OF, FALLBACK), f"{why}: the dated table's of {PRICES_REGION} is used")
    rate = RECIPE_RATE if rates.usd_per_gpu_hour is None else rates.usd_per_gpu_hour
    if asked or rates.by_instance_type or rates.by_gpu_model:
        return Priced(
            Price(rate, FALLBACK, flag=FALLBACK), f"{note or 'no rate for this type'}: the global one is used"
        )
    return Priced(Price(rate, "settings:global"))


def gpu_share(instance_type: str | None, split: bool) -> Fraction:
    """The part of an instance's price that its GPUs carry: all of it, or by the weights of AWS split cost allocation.

    There a GPU weighs nine times as much as a vCPU and a GiB together, and a vCPU nine times as much as a GiB:
    9 per GPU, 0.9 per vCPU, 0.1 per GiB. (AWS Data Exports guide, split cost allocation of accelerated instances.)
    A type that is not known, or has a part of a GPU only, carries all on its GPUs.
    """
    known = INSTANCE_TYPES.get(instance_type or "")
    if not split or known is None or not known.gpus:
        return Fraction(1)
    gpus = Fraction(9 * known.gpus)
    return gpus / (gpus + Fraction(9, 10) * known.vcpus + Fraction(1, 10) * known.memory_gib)
