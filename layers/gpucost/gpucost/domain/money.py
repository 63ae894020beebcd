"""Exact money: Decimal at rest, rationals in between, and splits whose parts add up to the whole."""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import lcm

PLACES = 12
UNIT = Decimal(1).scaleb(-PLACES)
SCALE = 10**PLACES
ZERO = Decimal(0)
EXACT = Context(prec=60, rounding=ROUND_HALF_EVEN)
"""Room for every figure, so that none depends on the decimal context of the thread that asks."""


def plain(value: Decimal) -> Decimal:
    """The number at rest: at most 12 fractional digits, no trailing zeros, no exponent. ValueError unless finite."""
    if not value.is_finite():
        raise ValueError(f"{value} is not a figure")
    rounded = EXACT.normalize(EXACT.quantize(value, UNIT))
    return ZERO if rounded == 0 else Decimal(format(rounded, "f"))


def from_units(units: int) -> Decimal:
    """Units (10^-12) as a Decimal at rest."""
    whole, rest = divmod(units, SCALE)
    return EXACT.normalize(EXACT.scaleb(Decimal(units), -PLACES)) if rest else Decimal(whole)


def to_units(value: Decimal | Fraction | int) -> int:
    """The nearest count of units (10^-12), half to even."""
    top, bottom = value.as_integer_ratio()
    return half_even(top * SCALE, bottom)


def half_even(top: int, bottom: int) -> int:
    """top / bottom as the nearest whole number, half to even. bottom is positive."""
    units, rest = divmod(top, bottom)
    return units + 1 if 2 * rest > bottom or (2 * rest == bottom and units % 2) else units


def round_fraction(value: Fraction) -> Decimal:
    """A rational as a Decimal at rest."""
    return from_units(to_units(value))


def split_units(total: int, weights: Sequence[Fraction]) -> list[int]:
    """Split a whole number of units by weight so that the parts add up exactly (largest remainder).

    Ties go to the earlier weight, so a caller that sorts its parts gets the same split in whatever order they came.
    A weight of zero gets nothing. ValueError for a negative weight, or when all are zero and there is a total to split.
    """
    if any(weight < 0 for weight in weights):
        raise ValueError("a part cannot have a negative weight")
    common = lcm(*(weight.denominator for weight in weights))
    counts = [weight.numerator * (common // weight.denominator) for weight in weights]
    whole = sum(counts)
    if not whole:
        if total:
            raise ValueError("nothing to split the total by")
        return [0] * len(counts)
    parts, rests = zip(*(divmod(count * total, whole) for count in counts), strict=True)
    left = total - sum(parts)
    favoured = set(sorted(range(len(rests)), key=lambda index: -rests[index])[:left])
    return [part + (index in favoured) for index, part in enumerate(parts)]
