"""Roll-ups: a day or a month as the sum of its published hours, and how many hours that sum stands on."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from gpucost.domain.allocation.rows import one_basis, one_of, sum_figures
from gpucost.domain.money import ZERO, plain
from gpucost.domain.periods import Month, Period, hours_in
from gpucost.domain.report import NamespaceRow, Status, Totals

_MAY_BE_UNKNOWN = {"effective_usd", "waste_usd"}


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one published hour adds to its day. A failed hour is counted, and adds nothing."""

    status: Status
    revision: int
    totals: Totals
    namespaces: Sequence[NamespaceRow]


@dataclass(frozen=True, slots=True)
class Rollup:
    """A day or a month of one cluster. `hours` counts its published hours by verdict.

    `version` is the sum of the revisions it stands on, so it grows with every publication in the period, and of two
    roll-ups of one period the one with the greater version knows more.
    """

    cluster: str
    period: Period
    version: int
    hours: Mapping[Status, int]
    totals: Totals
    namespaces: tuple[NamespaceRow, ...]

    @property
    def hours_counted(self) -> int:
        """The hours whose figures are in the sums."""
        return sum(count for status, count in self.hours.items() if status is not Status.FAILED)

    @property
    def hours_expected(self) -> int:
        return hours_in(self.period)


def roll_up_hours(cluster: str, period: Period, hours: Iterable[Contribution]) -> Rollup:
    """The sum of published hours."""
    known = list(hours)
    counts: dict[Status, int] = defaultdict(int)
    for hour in known:
        counts[hour.status] += 1
    adding = [hour for hour in known if hour.status is not Status.FAILED]
    return Rollup(
        cluster=cluster,
        period=period,
        version=sum(hour.revision for hour in known),
        hours=dict(sorted(counts.items())),
        totals=add_totals([hour.totals for hour in adding]),
        namespaces=add_rows(row for hour in adding for row in hour.namespaces),
    )


def roll_up_days(cluster: str, month: Month, days: Sequence[Rollup]) -> Rollup:
    """The sum of a month's days."""
    counts: dict[Status, int] = defaultdict(int)
    for day in days:
        for status, count in day.hours.items():
            counts[status] += count
    return Rollup(
        cluster=cluster,
        period=month,
        version=sum(day.version for day in days),
        hours=dict(sorted(counts.items())),
        totals=add_totals([day.totals for day in days]),
        namespaces=add_rows(row for day in days for row in day.namespaces),
    )


def add_rows(rows: Iterable[NamespaceRow]) -> tuple[NamespaceRow, ...]:
    """One row per (bu, namespace), in this order."""
    groups: dict[tuple[str, str], list[NamespaceRow]] = defaultdict(list)
    for row in rows:
        groups[row.key].append(row)
    return tuple(_added(group) for _, group in sorted(groups.items()))


def _added(rows: Sequence[NamespaceRow]) -> NamespaceRow:
    return NamespaceRow(
        bu=rows[0].bu,
        namespace=rows[0].namespace,
        figures=sum_figures([row.figures for row in rows]),
        utilization_basis=one_basis(row.utilization_basis for row in rows),
        price_source=one_of(row.price_source for row in rows),
    )


def add_totals(totals: Sequence[Totals]) -> Totals:
    """The sum of several totals: zero of everything, and nothing known of use, when there are none."""
    sums: dict[str, Any] = {}
    for field in fields(Totals):
        values = [getattr(one, field.name) for one in totals]
        known = [value for value in values if value is not None]
        sums[field.name] = plain(sum(known, ZERO)) if known or field.name not in _MAY_BE_UNKNOWN else None
    return Totals(**sums)
