"""Keep the sums of days and months: always anew from what is published, never by adding to a sum."""

from collections import Counter
from collections.abc import Sequence

from gpucost.books import Rollups
from gpucost.domain.hours import Hour
from gpucost.domain.ledger.rollups import Contribution, Rollup, roll_up_days, roll_up_hours
from gpucost.domain.periods import Day, Month, Period
from gpucost.ports import Head


def roll_up(cluster: str, hour: Hour, ledger: Rollups) -> None:
    """Sum up the day and the month of the hour again. Safe to repeat, and to do from several workers at once.

    It costs five queries and two writes. Whoever publishes last also sums last: a sum that knows less than the one
    that is there does not replace it.
    """
    day, month = Day.of(hour), Month.of(hour)
    ledger.put_rollup(day_of_hours(cluster, day, ledger))
    days = ledger.day_rollups(cluster, Day.of(month.first), Day.of(month.end))
    ledger.put_rollup(roll_up_days(cluster, month, days))


def day_of_hours(cluster: str, day: Day, ledger: Rollups) -> Rollup:
    """The day as its published hours add up now."""
    hours = ledger.published(cluster, day.first, day.end)
    return roll_up_hours(
        cluster,
        day,
        [Contribution(one.head.status, one.head.revision, one.head.totals, one.namespaces) for one in hours],
    )


def behind(cluster: str, heads: Sequence[Head], since: Hour, ledger: Rollups) -> list[Hour]:
    """An hour of each day or month whose sum does not stand on all of its heads: a publisher died before it got there.

    `heads` are all that there are from `since` on; what began before that is not judged. Two queries for every year.
    """
    days: Counter[Day] = Counter()
    months: Counter[Month] = Counter()
    for head in heads:
        days[Day.of(head.hour)] += head.revision
        months[Month.of(head.hour)] += head.revision
    if not days:
        return []
    day_sums = ledger.day_rollups(cluster, min(days), max(days).next())
    month_sums = ledger.month_rollups(cluster, min(months), max(months).next())
    known: dict[Period, int] = {one.period: one.version for one in [*day_sums, *month_sums]}
    late_days = [day for day in sorted(days) if day.first >= since and known.get(day, 0) < days[day]]
    seen = {Month.of(day.first) for day in late_days}
    late_months = [month for month in sorted(months) if month.first >= since and known.get(month, 0) < months[month]]
    return [day.first for day in late_days] + [month.first for month in late_months if month not in seen]
