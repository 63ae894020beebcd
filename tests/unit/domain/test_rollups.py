"""Sums over hours and days."""

from datetime import date
from decimal import Decimal
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.ledger.rollups import Contribution, add_totals, roll_up_days, roll_up_hours
from gpucost.domain.periods import Day, Month
from gpucost.domain.report import Basis, HourReport, Status
from tests.support.hours import failed, pod, report

ZERO = Decimal(0)
DAY = Day(date(2026, 11, 30))
MONTH = Month(2026, 11)


def of(told: HourReport, revision: int = 1) -> Contribution:
    return Contribution(told.status, revision, told.totals, told.namespaces)


def test_a_day_is_the_sum_of_its_hours_and_says_how_many_there_were() -> None:
    hours = [of(report(pod("a", "1"), pod("b", "2"))), of(report(pod("a", "4"), status=Status.PARTIAL), 3)]
    day = roll_up_hours("prod", DAY, [*hours, of(failed(), 2)])
    assert {row.namespace: row.figures.allocated_usd for row in day.namespaces} == {"a": 5, "b": 2}
    assert day.totals.capacity_usd == 192
    assert day.hours == {Status.COMPLETE: 1, Status.FAILED: 1, Status.PARTIAL: 1}
    assert (day.hours_counted, day.hours_expected, day.version) == (2, 24, 6)


def test_a_day_without_hours_is_nothing_of_which_nothing_is_known() -> None:
    day = roll_up_hours("prod", DAY, [])
    assert (day.totals.capacity_usd, day.totals.effective_usd, day.totals.unknown_usd) == (ZERO, None, ZERO)
    assert (day.namespaces, day.hours_counted, day.version) == ((), 0, 0)


def test_unknown_stays_unknown_and_is_not_zero() -> None:
    hours = [of(report(pod("a", "4", used=None))), of(report(pod("a", "4", used="0.5")))]
    (row,) = roll_up_hours("prod", DAY, hours).namespaces
    assert (row.figures.effective_usd, row.figures.waste_usd, row.figures.unknown_usd) == (
        Decimal(2),
        Decimal(2),
        Decimal(4),
    )
    assert row.figures.utilization == Decimal("0.5")
    assert row.utilization_basis is Basis.MIXED
    (row,) = roll_up_hours("prod", DAY, hours[:1]).namespaces
    assert (row.figures.effective_usd, row.figures.utilization) == (None, None)


def test_utilisation_of_a_sum_is_weighted_by_dollars() -> None:
    hours = [of(report(pod("a", "9", used="1"))), of(report(pod("a", "1", used="0")))]
    (row,) = roll_up_hours("prod", DAY, hours).namespaces
    assert row.figures.utilization == Decimal("0.9")


def test_namespaces_of_several_bus_stay_apart() -> None:
    day = roll_up_hours("prod", DAY, [of(report(pod("a", "1", bu="x"), pod("a", "2", bu="y", name="other")))])
    assert [(row.key, row.figures.allocated_usd) for row in day.namespaces] == [
        (("x", "a"), Decimal(1)),
        (("y", "a"), Decimal(2)),
    ]


def test_the_order_of_hours_does_not_matter() -> None:
    hours = [of(report(pod("a", "1"))), of(report(pod("b", "2", used=None))), of(failed())]
    assert len({repr(roll_up_hours("prod", DAY, order)) for order in permutations(hours)}) == 1


amounts = st.lists(st.decimals(0, 1000, places=9), min_size=1, max_size=12)


@given(amounts, st.integers(0, 12))
def test_a_month_of_days_is_the_month_of_their_hours(values: list[Decimal], cut: int) -> None:
    hours = [of(report(pod("a", str(value), used=None))) for value in values]
    days = [roll_up_hours("prod", DAY, hours[:cut]), roll_up_hours("prod", DAY.next(), hours[cut:])]
    assert roll_up_days("prod", MONTH, days) == roll_up_hours("prod", MONTH, hours)


@given(amounts)
def test_totals_add_up_to_the_last_digit(values: list[Decimal]) -> None:
    whole = add_totals([report(pod("a", str(value), used=None)).totals for value in values])
    assert whole.unknown_usd == sum(values)
    assert whole.capacity_usd == 96 * len(values)
