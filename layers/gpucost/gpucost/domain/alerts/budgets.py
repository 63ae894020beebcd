"""Where a month is heading: what it will have cost, within which bounds, and when its budget runs out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from statistics import stdev

from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO, plain
from gpucost.domain.periods import Day, Month

SURE = 1.96
"""Standard errors on either side that hold 95 of 100 outcomes, if days are alike."""


@dataclass(frozen=True, slots=True)
class Projection:
    """USD. `low` and `high` bound what the month will cost in 95 of 100 cases; None after less than three whole days.

    `runs_out_on` is the first day on which the expected sum is over the budget, if that is in this month. `whole_days`
    are those that it stands on.
    """

    month: Month
    budget_usd: Decimal
    spent_usd: Decimal
    expected_usd: Decimal
    low_usd: Decimal | None
    high_usd: Decimal | None
    runs_out_on: Day | None
    whole_days: int

    @property
    def is_at_risk(self) -> bool:
        return self.expected_usd > self.budget_usd


def project(by_day: Mapping[Day, Decimal], month: Month, budget_usd: Decimal, end: Hour) -> Projection:
    """Project a month from what its days cost up to `end`. The last day may not be over; the days before it are.

    What is to come costs, a day, the mean of the days that are over (of what is known of today, on the first).
    """
    days = list(_days(month))
    over = [day for day in days if day.end <= end]
    today = [day for day in days if day.first < end < day.end]
    spent = sum((by_day.get(day, ZERO) for day in (*over, *today)), ZERO)
    costs = [by_day.get(day, ZERO) for day in over]
    if costs:
        daily = sum(costs, ZERO) / len(costs)
    else:
        hours = (end.epoch - month.first.epoch) // 3600
        daily = spent / hours * 24 if hours > 0 else ZERO
    left = Decimal(month.end.epoch - max(end, month.first).epoch) / 86400
    expected = spent + daily * max(left, Decimal(0))
    spread = _spread(costs, float(left))
    return Projection(
        month,
        budget_usd,
        plain(spent),
        plain(expected),
        None if spread is None else plain(max(spent, expected - spread)),
        None if spread is None else plain(expected + spread),
        _runs_out(by_day, days, end, daily, budget_usd),
        len(over),
    )


def _days(month: Month) -> "list[Day]":
    day, out = Day.of(month.first), []
    while day.first < month.end:
        out.append(day)
        day = day.next()
    return out


def _spread(costs: list[Decimal], left: float) -> Decimal | None:
    """Half of the interval: the days to come differ as the past ones did, and the mean itself is not sure either."""
    if len(costs) < 3:
        return None
    deviation = stdev(map(float, costs))
    return Decimal(repr(SURE * deviation * math.sqrt(max(left, 0) * (1 + max(left, 0) / len(costs)))))


def _runs_out(
    by_day: Mapping[Day, Decimal], days: list[Day], end: Hour, daily: Decimal, budget_usd: Decimal
) -> Day | None:
    total = ZERO
    for day in days:
        if day.end <= end:
            total += by_day.get(day, ZERO)
        else:
            to_come = Decimal(day.end.epoch - max(end, day.first).epoch) / 86400
            total += by_day.get(day, ZERO) + daily * to_come
        if total > budget_usd:
            return day
    return None


def usual(costs: list[Decimal]) -> Decimal | None:
    """What an hour usually costs: the mean without the cheapest and the dearest; None of fewer than three."""
    if len(costs) < 3:
        return None
    middle = sorted(costs)[1:-1]
    return plain(sum(middle, ZERO) / len(middle))
