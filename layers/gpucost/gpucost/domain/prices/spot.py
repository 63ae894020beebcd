"""Spot prices: rows that hold from their time until the next one's."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from gpucost.domain.hours import Hour
from gpucost.domain.money import round_fraction
from gpucost.domain.policy import PriceSource
from gpucost.domain.prices.pricing import FALLBACK, Offer


@dataclass(frozen=True, slots=True, order=True)
class SpotPrice:
    """USD per hour of one instance type in one zone, from a moment on."""

    since: datetime
    usd_per_hour: Decimal


def spot_offer(rows: Iterable[SpotPrice], hour: Hour) -> Offer | None:
    """The mean of the prices over the hour, each weighted by the time that it held. None when none is known.

    The row before the hour counts until the first one in it. Where that row is missing, the first price stands for the
    time before it, flagged as a fallback.
    """
    # Of two prices from the same moment the higher one holds, whoever reports them first.
    changes = {row.since: row for row in sorted(rows) if row.since < hour.end and row.usd_per_hour > 0}
    known = list(changes.values())
    if not known:
        return None
    start = max((row.since for row in known if row.since <= hour.start), default=None)
    held = [row for row in known if start is None or row.since >= start]
    begins = [hour.start, *(row.since for row in held[1:])]
    ends = [*begins[1:], hour.end]
    seconds = [_seconds(begin, end) for begin, end in zip(begins, ends, strict=True)]
    total = sum((Fraction(row.usd_per_hour) * part for row, part in zip(held, seconds, strict=True)), Fraction(0))
    flag, note = (None, "") if start else (FALLBACK, "the spot price before its first change in the hour is not known")
    as_of = held[-1].since.isoformat().replace("+00:00", "Z")
    return Offer(PriceSource.SPOT, round_fraction(total / 3600), as_of, flag, note)


def _seconds(begin: datetime, end: datetime) -> Fraction:
    return Fraction((end - begin) // timedelta(microseconds=1), 10**6)
