"""Gather what is known of the prices of a cluster-hour's nodes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from gpucost.domain.allocation.machines import Lifecycle, Machine, machines
from gpucost.domain.hours import Hour
from gpucost.domain.money import round_fraction
from gpucost.domain.policy import CapacityBlock, PriceSource, RateCard
from gpucost.domain.prices.bill import BilledHour
from gpucost.domain.prices.pricebook import PriceEntry, in_force, list_offer
from gpucost.domain.prices.pricing import FALLBACK, Offer, PriceSheet
from gpucost.domain.prices.spot import SpotPrice, spot_offer
from gpucost.domain.readings import Readings
from gpucost.ports import ServiceError
from gpucost.prices import Pair, PriceSources
from gpucost.usecases.pricing.refresh_prices import Refreshed, learn

UNKNOWN_PURCHASE = "nothing says how the instance is bought: On-Demand is assumed"


def price_sheet(readings: Readings, hour: Hour, rates: RateCard, sources: PriceSources, now: datetime) -> PriceSheet:
    """The offers for every node with GPUs. What AWS does not answer leaves a note, never an error: an hour with a
    flagged price can be looked at again, one that was not worked out is a gap."""
    return _Gathering(hour, rates, sources, now).sheet(machines(readings))


class _Gathering:
    """The questions of one hour: each is asked once, however many nodes need the answer."""

    def __init__(self, hour: Hour, rates: RateCard, sources: PriceSources, now: datetime) -> None:
        self._hour, self._rates, self._sources, self._now = hour, rates, sources, now
        self._entries: dict[Pair, Sequence[PriceEntry]] = {}
        self._spot: dict[tuple[str, str, str], Offer | None] = {}
        self._notes: dict[str, str] = {}
        self._silent: set[PriceSource] = set()
        self._bills: Mapping[str, BilledHour] = {}
        self._bill_date = ""

    def sheet(self, found: Sequence[Machine]) -> PriceSheet:
        if not found:
            return PriceSheet()
        self._entries = dict(self._sources.book.entries())
        self._read_bill()
        offers = {one.node: self._offers(one) for one in self._with_lifecycles(found)}
        return PriceSheet(offers, frozenset(one.node for one in found), self._notes)

    def _read_bill(self) -> None:
        if PriceSource.CUR in self._rates.sources:
            self._bills, came = self._sources.bills.billed(self._hour)
            self._bill_date = came.date().isoformat() if came else ""

    def _with_lifecycles(self, found: Sequence[Machine]) -> list[Machine]:
        """The machines with EC2's word on how they are bought, where their labels do not say."""
        silent = [one for one in found if one.lifecycle is None and one.instance_id]
        known = dict(self._sources.book.lifecycles([one.instance_id or "" for one in silent])) if silent else {}
        missing: dict[str, list[str]] = defaultdict(list)
        for one in silent:
            if one.instance_id not in known and one.region:
                missing[one.region].append(one.instance_id or "")
        for region, ids in missing.items():
            known |= self._asked_fleet(region, ids)
        return [replace(one, lifecycle=one.lifecycle or known.get(one.instance_id or "")) for one in found]

    def _asked_fleet(self, region: str, ids: list[str]) -> Mapping[str, Lifecycle]:
        try:
            answer = self._sources.fleet.lifecycles(region, ids)
        except ServiceError:
            return {}
        self._sources.book.keep_lifecycles(answer, self._now)
        return answer

    def _offers(self, one: Machine) -> list[Offer]:
        offers: list[Offer | None] = [self._billed(one)]
        if one.instance_type and one.region:
            match one.lifecycle:
                case Lifecycle.CAPACITY_BLOCK:
                    offers.append(self._capacity_block(one))
                case Lifecycle.SPOT:
                    offers.append(self._spot_price(one))
                case _:
                    offers.append(self._list_price(one))
        else:
            self._notes[one.node] = "neither its labels nor its provider id name the instance type and the region"
        return [offer for offer in offers if offer and offer.source in self._rates.sources]

    def _billed(self, one: Machine) -> Offer | None:
        billed = self._bills.get(one.instance_id or "")
        usd = billed.usd_per_hour(self._rates.net) if billed else None
        return Offer(PriceSource.CUR, usd, self._bill_date) if usd else None

    def _capacity_block(self, one: Machine) -> Offer | None:
        """The fee of the type's block in this hour; of several, the mean: nothing says which one a node is of."""
        found = [
            block
            for block in self._rates.capacity_blocks
            if block.instance_type == one.instance_type and block.first <= self._hour < block.end
        ]
        if not found:
            self._notes[one.node] = "a capacity block, but the settings name no fee for it (capacity_blocks)"
            return None
        instances = sum(block.instances for block in found)
        usd = round_fraction(sum(Fraction(hourly(block)) * block.instances for block in found) / Fraction(instances))
        flag, note = (FALLBACK, f"the mean of {len(found)} capacity blocks") if len(found) > 1 else (None, "")
        return Offer(PriceSource.CAPACITY_BLOCK, usd, max(block.first.key for block in found), flag, note)

    def _spot_price(self, one: Machine) -> Offer | None:
        key = (one.region or "", one.instance_type or "", one.zone or "")
        if key not in self._spot:
            self._spot[key] = self._asked_spot(*key)
        if self._spot[key] is None:
            self._notes[one.node] = f"the spot price in {one.zone} is not known"
        return self._spot[key]

    def _asked_spot(self, region: str, instance_type: str, zone: str) -> Offer | None:
        start, end = self._hour.start, self._hour.end
        rows: Sequence[SpotPrice] = ()
        if PriceSource.SPOT not in self._silent:
            try:
                rows = self._sources.spot.history(region, instance_type, zone, start, end)
            except ServiceError:
                self._silent.add(PriceSource.SPOT)
        if rows:
            self._sources.book.keep_spot_prices(region, instance_type, zone, rows)
        return spot_offer(rows or self._sources.book.spot_prices(region, instance_type, zone, start, end), self._hour)

    def _list_price(self, one: Machine) -> Offer | None:
        pair = (one.region or "", one.instance_type or "")
        if pair not in self._entries:
            self._entries[pair] = self._learned(pair)
        entries = self._entries[pair]
        offer = list_offer(entries, self._hour, self._rates.list_discount)
        if offer is None:
            entry = in_force(entries, self._hour) or (entries[-1] if entries else None)
            self._notes[one.node] = entry.note if entry else "the price list could not be asked"
        if offer and offer.flag is None and one.lifecycle is None:
            return replace(offer, flag=FALLBACK, note=UNKNOWN_PURCHASE)
        return offer

    def _learned(self, pair: Pair) -> Sequence[PriceEntry]:
        """A pair that nobody has asked about yet is asked about at once, so that its first hour is priced right.

        A list that does not answer is not asked about the hour's other pairs: waiting for each takes its time.
        """
        done = Refreshed()
        if PriceSource.PRICE_LIST in self._silent:
            return ()
        learn(pair, (), self._sources.book, self._sources.price_list, self._now, done)
        if done.unasked:
            self._silent.add(PriceSource.PRICE_LIST)
            return ()
        return done.added or self._sources.book.entries().get(pair, ())


def hourly(block: CapacityBlock) -> Decimal:
    """A capacity block's fee per instance and hour, USD."""
    hours = int((block.end.start - block.first.start).total_seconds()) // 3600
    return round_fraction(Fraction(block.upfront_fee_usd) / (hours * block.instances))
