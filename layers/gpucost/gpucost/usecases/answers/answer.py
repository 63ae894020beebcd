"""Answer questions about costs from the published hours, and from nothing else."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gpucost.domain.allocation.rows import sum_figures
from gpucost.domain.documents import flat, names, values_of
from gpucost.domain.hours import Hour
from gpucost.domain.ledger.rollups import add_totals
from gpucost.domain.money import ZERO, plain, round_fraction
from gpucost.domain.report import CURRENCY, Figures, Status, Totals
from gpucost.usecases.answers.cost_query import CostQuery, key_of
from gpucost.usecases.answers.reading import bucket, read
from gpucost.usecases.answers.visible import Slice, VisibleLedger
from gpucost.usecases.answers.window import Window

type Answer = dict[str, Any]
type Span = tuple[Hour, Hour]
type Key = tuple[str, ...]

ADJUSTMENT = "adjustment_usd"


type Groups[Value] = dict[Span, dict[Key, Value]]


@dataclass(frozen=True, slots=True)
class Sums:
    """The figures of a window: by stretch and group, and the slices that they come from.

    `adjusted` is what was learned late, in USD, by the stretch in which it was booked; None where it is not asked for.
    """

    groups: Groups[Figures]
    slices: Sequence[Slice]
    adjusted: Groups[Decimal] | None = None

    @property
    def all(self) -> list[Figures]:
        return [figures for groups in self.groups.values() for figures in groups.values()]


def costs(query: CostQuery, ledger: VisibleLedger) -> Answer:
    """What was held, used and wasted in the window, by group and stretch of time, dearest first.

    Amounts are Decimal. Sums are over published hours; `hours` says how many there are of each status and how many are
    missing. effective and waste are sums over the known part and null where nothing is known; unknown_usd is the
    allocated part that they do not speak of, and utilization is effective over the known part. Capacity and unallocated
    belong to clusters, so `totals` has them only where whole clusters were asked for by somebody who may see them. By
    day and month, adjustment_usd is what was booked in the stretch for hours of months that were closed before: it is
    not in allocated_usd, as the figures of those hours stay.
    RequestError for a cluster that is not ours, ForbiddenError for a BU that is not the caller's.
    """
    if query.filters.bu is not None:
        ledger.check_bu(query.filters.bu)
    clusters = ledger.named(query.filters.cluster)
    sums = sums_of(query, query.window, clusters, ledger)
    answer: Answer = {
        "from": query.window.first.key,
        "to": query.window.end.key,
        "clusters": list(clusters),
        "bu": query.filters.bu,
        "group_by": ",".join(query.group_by),
        "step": query.step.value if query.step else None,
        "currency": CURRENCY,
        "hours": count_hours(query.window.hours * len(clusters), sums.slices),
    }
    if not query.compare:
        return {**answer, "rows": _rows(query, sums), "totals": _totals(query, sums, ledger)}
    before = sums_of(query, query.window.before(), clusters, ledger)
    totals = _totals(query, sums, ledger)
    return {
        **answer,
        "previous": {"from": query.window.before().first.key, "to": query.window.first.key},
        "rows": _compared_rows(query, sums, before),
        "totals": {**totals, **_delta(totals, _totals(query, before, ledger))},
    }


def sums_of(query: CostQuery, window: Window, clusters: Sequence[str], ledger: VisibleLedger) -> Sums:
    """Read the window and add up its rows by stretch and group."""
    parts: Groups[list[Figures]] = {}
    slices = list(read(clusters, window, query.step, query.in_detail, ledger))
    key, passes = key_of(query.columns), query.filters.row_check()
    for one in slices:
        groups = parts.setdefault(bucket(one.first, query.step, window), {})
        for row in filter(passes, one.rows):
            groups.setdefault(key(row, one.cluster), []).append(row.figures)
    sums = {span: {key: _sum(figures) for key, figures in groups.items()} for span, groups in parts.items()}
    return Sums(sums, slices, _adjusted(query, window, clusters, ledger) if query.with_adjustments else None)


def _sum(figures: list[Figures]) -> Figures:
    """A sum of one is itself: most groups of a step are, and exact sums are dear."""
    return figures[0] if len(figures) == 1 else sum_figures(figures)


def _adjusted(query: CostQuery, window: Window, clusters: Sequence[str], ledger: VisibleLedger) -> Groups[Decimal]:
    key, passes = key_of(query.columns), query.filters.row_check()
    found: Groups[Decimal] = {}
    for cluster in clusters:
        for booked, row in ledger.adjustments(cluster, window.first, window.end):
            if passes(row):
                groups, group = found.setdefault(bucket(booked, query.step, window), {}), key(row, cluster)
                groups[group] = plain(groups.get(group, ZERO) + row.change.allocated_usd)
    return found


def count_hours(expected: int, slices: Iterable[Slice]) -> Answer:
    """How many hours of each status there are, and how many are missing."""
    seen: Counter[Status] = Counter()
    for one in slices:
        seen.update(one.hours)
    by_status = {status.value: seen[status] for status in Status}
    return {"expected": expected, **by_status, "missing": expected - seen.total()}


def whole(totals: Sequence[Totals]) -> Answer:
    """The sum of clusters' totals, with the utilisation of what is known."""
    total = flat(add_totals(totals))
    return {**total, "utilization": _ratio(total["effective_usd"], total["allocated_usd"] - total["unknown_usd"])}


def _rows(query: CostQuery, sums: Sums) -> list[Answer]:
    rows: list[Answer] = []
    for span in sorted(sums.groups.keys() | (sums.adjusted or {}).keys()):
        late = None if sums.adjusted is None else sums.adjusted.get(span, {})
        rows += _rows_of(query, span, sums.groups.get(span, {}), late)
    return rows


def _rows_of(
    query: CostQuery, span: Span, groups: Mapping[Key, Figures], late: Mapping[Key, Decimal] | None
) -> list[Answer]:
    stretch = {} if query.step is None else {"from": span[0].key, "to": span[1].key}
    groups = {**dict.fromkeys(late or {}, sum_figures([])), **groups}
    ordered = sorted(groups.items(), key=lambda one: (-one[1].allocated_usd, one[0]))
    columns, ends, values = (*stretch, *query.columns, *names(Figures)), stretch.values(), values_of(Figures)
    rows = [dict(zip(columns, (*ends, *key, *values(figures)), strict=True)) for key, figures in ordered]
    if late is not None:
        for row, (key, _) in zip(rows, ordered, strict=True):
            row[ADJUSTMENT] = late.get(key, ZERO)
    return rows


def _compared_rows(query: CostQuery, sums: Sums, before: Sums) -> list[Answer]:
    now, then = (
        {key: figures for groups in one.groups.values() for key, figures in groups.items()} for one in (sums, before)
    )
    nothing, columns = sum_figures([]), query.columns
    pairs = [(key, now.get(key, nothing), then.get(key, nothing)) for key in now.keys() | then.keys()]
    pairs.sort(key=lambda pair: (-pair[1].allocated_usd, -pair[2].allocated_usd, pair[0]))
    return [
        {**dict(zip(columns, key, strict=True)), **flat(new), **_delta(flat(new), flat(old))} for key, new, old in pairs
    ]


def _delta(new: Answer, old: Answer) -> Answer:
    change = {name: _minus(new[name], old[name]) for name in ("allocated_usd", "effective_usd", "waste_usd")}
    return {
        "previous_allocated_usd": old["allocated_usd"],
        **{f"delta_{name}": value for name, value in change.items()},
        "delta_ratio": _ratio(change["allocated_usd"], old["allocated_usd"]),
    }


def _minus(new: Decimal | None, old: Decimal | None) -> Decimal | None:
    return None if new is None or old is None else plain(new - old)


def _ratio(part: Decimal | None, of: Decimal) -> Decimal | None:
    return round_fraction(Fraction(part) / Fraction(of)) if part is not None and of else None


def _totals(query: CostQuery, sums: Sums, ledger: VisibleLedger) -> Answer:
    if query.filters.of_rows or not ledger.scope.sees_everything:
        totals = flat(sum_figures(sums.all))
    else:
        totals = whole([one.totals for one in sums.slices if one.totals is not None])
    if sums.adjusted is None:
        return totals
    late = (usd for groups in sums.adjusted.values() for usd in groups.values())
    return {**totals, ADJUSTMENT: plain(sum(late, ZERO))}
