from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.money import PLACES, SCALE, from_units, half_even, plain, round_fraction, split_units, to_units


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("12.500", "12.5"),
        ("1E+3", "1000"),
        ("-0.0", "0"),
        ("0.0000000000005", "0"),
        ("0.0000000000015", "0.000000000002"),
        ("0.0000000000025", "0.000000000002"),
        ("-1.1234567890126", "-1.123456789013"),
        ("1E-7", "0.0000001"),
    ],
)
def test_a_figure_at_rest_has_twelve_places_half_even_and_no_exponent(value: str, written: str) -> None:
    figure = plain(Decimal(value))
    assert format(figure, "f") == written
    assert str(figure) == str(Decimal(written))


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_what_is_not_finite_is_no_figure(value: str) -> None:
    with pytest.raises(ValueError, match=f"^{value} is not a figure$"):
        plain(Decimal(value))


@pytest.mark.parametrize(
    ("units", "written"),
    [
        (0, "0"),
        (SCALE, "1"),
        (10 * SCALE, "10"),
        (1, "1E-12"),
        (-1_500_000_000_000, "-1.5"),
        (SCALE + 10, "1.00000000001"),
    ],
)
def test_units_are_written_without_trailing_zeros(units: int, written: str) -> None:
    assert PLACES == 12
    assert str(from_units(units)) == written


@pytest.mark.parametrize(
    ("value", "units"),
    [
        (Decimal("0.25"), 250_000_000_000),
        (3, 3 * SCALE),
        (Fraction(1, 3), 333_333_333_333),
        (Fraction(2, 3), 666_666_666_667),
        (Fraction(1, 2 * SCALE), 0),
        (Fraction(3, 2 * SCALE), 2),
        (Fraction(5, 2 * SCALE), 2),
        (Fraction(-1, 2 * SCALE), 0),
        (Fraction(-3, 2 * SCALE), -2),
    ],
)
def test_the_nearest_unit_is_half_to_even(value: Decimal | Fraction | int, units: int) -> None:
    assert to_units(value) == units


@pytest.mark.parametrize(
    ("top", "bottom", "nearest"), [(7, 2, 4), (5, 2, 2), (9, 4, 2), (11, 4, 3), (-5, 2, -2), (-7, 2, -4), (6, 3, 2)]
)
def test_a_quotient_is_rounded_half_to_even(top: int, bottom: int, nearest: int) -> None:
    assert half_even(top, bottom) == nearest


def test_a_rational_is_rounded_to_twelve_places() -> None:
    assert round_fraction(Fraction(1, 7)) == Decimal("0.142857142857")


def test_figures_do_not_depend_on_the_decimal_context_of_the_caller() -> None:
    units = 12_345_678_901_234_567_890_123_456_789_012
    exact = from_units(units)
    with localcontext(prec=4):
        assert from_units(units) == exact
        assert plain(Decimal("1234567.8901234567890")) == Decimal("1234567.890123456789")
    assert str(exact) == "12345678901234567890.123456789012"


@pytest.mark.parametrize(
    ("total", "weights", "parts"),
    [
        (10, [1, 1, 1], [4, 3, 3]),
        (11, [1, 1, 1], [4, 4, 3]),
        (10, [1, 2], [3, 7]),
        (7, [Fraction(1, 2), Fraction(1, 3)], [4, 3]),
        (5, [0, 1, 0], [0, 5, 0]),
        (1, [1, 1], [1, 0]),
        (0, [0, 0], [0, 0]),
        (0, [1, 2], [0, 0]),
        (3, [1, 1, 2], [1, 1, 1]),
    ],
)
def test_a_split_is_by_largest_remainder_and_ties_go_to_the_earlier(
    total: int, weights: list[int | Fraction], parts: list[int]
) -> None:
    assert split_units(total, [Fraction(weight) for weight in weights]) == parts


@given(st.integers(0, 10**18), st.lists(st.fractions(0, 100, max_denominator=1000), min_size=1, max_size=20))
def test_the_parts_of_a_split_add_up_and_are_within_one_unit_of_their_due(total: int, weights: list[Fraction]) -> None:
    whole = sum(weights)
    if whole:
        parts = split_units(total, weights)
        assert sum(parts) == total
        assert all(abs(part - total * weight / whole) < 1 for part, weight in zip(parts, weights, strict=True))


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^a part cannot have a negative weight$"):
        split_units(1, [Fraction(2), Fraction(-1)])


def test_a_total_without_any_weight_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^nothing to split the total by$"):
        split_units(1, [Fraction(0)])
