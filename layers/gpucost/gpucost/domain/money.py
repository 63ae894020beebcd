"""Exact money: Decimal at rest, rationals in between, and splits whose parts add up to the whole."""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

PLACES = 9
UNIT = Decimal(1).scaleb(-PLACES)
SCALE = 10**PLACES
ZERO = Decimal(0)


def plain(value: Decimal) -> Decimal:
    """The number at rest: at most 9 fractional digits, no trailing zeros, no exponent. ValueError unless finite."""
    if not value.is_finite():
        raise ValueError(f"{value} is not a figure")
    with localcontext(prec=60):
        rounded = value.quantize(UNIT, ROUND_HALF_EVEN).normalize()
    return ZERO if rounded == 0 else Decimal(format(rounded, "f"))


def from_units(units: int) -> Decimal:
    """Billionths as a Decimal at rest."""
    return plain(Decimal(units).scaleb(-PLACES))


def to_units(value: Decimal | Fraction | int) -> int:
    """The nearest count of billionths, half to even."""
    units: int = round(Fraction(value) * SCALE)
    return units


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
    whole = sum(weights, Fraction(0))
    if whole == 0:
        if total:
            raise ValueError("nothing to split the total by")
        return [0] * len(weights)
    exact = [weight * total / whole for weight in weights]
    parts = [part.numerator // part.denominator for part in exact]
    left = total - sum(parts)
    by_remainder = sorted(range(len(exact)), key=lambda index: parts[index] - exact[index])
    for index in by_remainder[:left]:
        parts[index] += 1
    return parts
