"""Where a month is heading."""

from decimal import Decimal

import pytest

from gpucost.domain.alerts.budgets import project, usual
from gpucost.domain.periods import Day, Month

NOVEMBER = Month(2026, 11)
DAYS = [Day.of(NOVEMBER.first.plus(24 * number)) for number in range(30)]


def spent(*usd: int) -> dict[Day, Decimal]:
    return {day: Decimal(amount) for day, amount in zip(DAYS, usd, strict=False)}


def test_what_is_to_come_costs_the_mean_of_the_days_that_are_over() -> None:
    found = project(spent(10, 20, 30), NOVEMBER, Decimal(500), DAYS[3].first)
    assert (found.spent_usd, found.expected_usd) == (60, 60 + 27 * 20)
    assert found.is_at_risk
    assert found.low_usd is not None
    assert found.high_usd is not None
    assert found.low_usd < found.expected_usd < found.high_usd
    assert found.low_usd >= 60
    assert found.high_usd - found.expected_usd == found.expected_usd - found.low_usd


def test_the_day_that_goes_on_counts_with_what_it_has() -> None:
    half = project(spent(24, 24, 24, 12), NOVEMBER, Decimal(10**6), DAYS[3].first.plus(12))
    assert (half.spent_usd, half.expected_usd) == (84, 720)
    assert (half.low_usd, half.high_usd) == (720, 720)
    assert half.runs_out_on is None


@pytest.mark.parametrize(("budget", "day"), [(60, 2), (59, 2), (100, 4), (719, 29)])
def test_the_day_on_which_it_runs_out(budget: int, day: int) -> None:
    found = project(spent(24, 24, 24), NOVEMBER, Decimal(budget), DAYS[3].first)
    assert found.runs_out_on == DAYS[day]


def test_a_budget_that_is_met_exactly_does_not_run_out() -> None:
    assert project(spent(24, 24, 24), NOVEMBER, Decimal(720), DAYS[3].first).runs_out_on is None


def test_on_the_first_day_what_is_known_of_it_stands_for_the_rest_and_bounds_are_unknown() -> None:
    found = project(spent(6), NOVEMBER, Decimal(100), DAYS[0].first.plus(6))
    assert (found.expected_usd, found.low_usd, found.high_usd) == (720, None, None)
    assert project({}, NOVEMBER, Decimal(100), NOVEMBER.first).expected_usd == 0


def test_a_month_that_is_over_is_known() -> None:
    found = project(spent(*[1, 3] * 15), NOVEMBER, Decimal(100), NOVEMBER.end)
    assert (found.spent_usd, found.expected_usd, found.low_usd, found.high_usd) == (60, 60, 60, 60)


def test_what_is_usual_leaves_out_the_extremes() -> None:
    assert usual([Decimal(1), Decimal(10), Decimal(12), Decimal(90)]) == 11
    assert usual([Decimal(1), Decimal(2)]) is None
