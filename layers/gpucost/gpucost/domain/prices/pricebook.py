"""The price book: what an hour of an instance type cost since when, as it was learned.

An entry is never changed. A new price holds from the hour in which it was learned (or from its own later date), so what
was published before stays priced as it was; only the first price of a type reaches back to its own date.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from gpucost.domain.hours import Hour
from gpucost.domain.policy import PriceSource
from gpucost.domain.prices.pricing import FALLBACK, SUSPECT, Offer

SUSPECT_FACTOR = 5
"""A list price that moved by more than this factor is not believed until somebody looks."""


@dataclass(frozen=True, slots=True)
class Quote:
    """What the price list says today: USD per hour, and since when; without a price, `reason` says why."""

    usd_per_hour: Decimal | None
    effective: datetime | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PriceEntry:
    """A list price of (region, instance type) from an hour on. Without `usd_per_hour`, AWS was asked in vain.

    `effective` is the list's own date of the price; `flag` is "suspect" when `note` says what the list said instead.
    """

    region: str
    instance_type: str
    valid_from: Hour
    learned_at: datetime
    usd_per_hour: Decimal | None
    effective: datetime | None = None
    flag: str | None = None
    note: str = ""

    @property
    def order(self) -> tuple[Hour, datetime]:
        return (self.valid_from, self.learned_at)


def next_entry(
    region: str, instance_type: str, known: Sequence[PriceEntry], quote: Quote, now: datetime
) -> PriceEntry | None:
    """The entry that a quote adds to what is known of the pair; None when it says nothing new.

    A price that is zero, missing, or more than five times off the last good one is not taken: the last good one goes
    on, flagged.
    """
    latest = max(known, key=lambda entry: entry.learned_at, default=None)
    good = latest.usd_per_hour if latest else None
    doubt = _doubt(quote, good)
    if doubt:
        entry = PriceEntry(
            region,
            instance_type,
            Hour.containing(now),
            now,
            good,
            latest.effective if latest else None,
            SUSPECT if good is not None else None,
            doubt,
        )
        same = latest is not None and (latest.usd_per_hour, latest.note) == (entry.usd_per_hour, entry.note)
        return None if same else entry
    if latest and (latest.usd_per_hour, latest.flag) == (quote.usd_per_hour, None):
        return None
    effective = Hour.containing(quote.effective or now)
    first = good is None
    valid_from = effective if first else max(effective, Hour.containing(now))
    return PriceEntry(region, instance_type, valid_from, now, quote.usd_per_hour, quote.effective)


def _doubt(quote: Quote, good: Decimal | None) -> str:
    """Why the quote is not to be believed; "" when it is."""
    usd = quote.usd_per_hour
    if usd is None:
        return quote.reason or "the price list has no price"
    if usd <= 0:
        return f"the price list says {usd} USD an hour"
    if good is not None and max(usd / good, good / usd) > SUSPECT_FACTOR:
        return f"the price list says {usd} USD an hour, more than {SUSPECT_FACTOR} times off"
    return ""


def in_force(entries: Sequence[PriceEntry], hour: Hour) -> PriceEntry | None:
    """The entry that an hour is priced by: the last that holds then; None when none does."""
    return max((one for one in entries if one.valid_from <= hour), key=lambda entry: entry.order, default=None)


def list_offer(entries: Sequence[PriceEntry], hour: Hour, discount: Decimal) -> Offer | None:
    """What the price list offers for an hour, less the discount (0..1), from the entries of one pair.

    An hour before the first price that is known has that one, flagged as a fallback. None without any price.
    """
    priced = [one for one in entries if one.usd_per_hour is not None]
    entry = in_force(priced, hour) or min(priced, key=lambda one: one.order, default=None)
    if entry is None or entry.usd_per_hour is None:
        return None
    flag, note = entry.flag, f"{entry.note}: the last good price goes on" if entry.flag == SUSPECT else ""
    if hour < entry.valid_from:
        flag, note = FALLBACK, "the price of that time is not known: the first one since then is used"
    usd = entry.usd_per_hour * (1 - discount)
    dated = entry.effective or entry.learned_at
    return Offer(PriceSource.PRICE_LIST, usd, dated.date().isoformat(), flag, note)
