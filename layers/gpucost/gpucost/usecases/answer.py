"""Answer questions about costs from the published hours, and from nothing else."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

from gpucost.domain.documents import flat
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO, plain
from gpucost.domain.report import CURRENCY, Figures, NamespaceRow, Status, Totals
from gpucost.ports import Head, Ledger, RequestError
from gpucost.usecases.cost_query import CostQuery, GroupBy

type Answer = dict[str, Any]

_KNOWN_PART = ("effective_usd", "waste_usd")


@dataclass(frozen=True, slots=True)
class _Window:
    heads: Sequence[Head]
    rows: Sequence[NamespaceRow]


def costs(query: CostQuery, clusters: Sequence[str], ledger: Ledger) -> Answer:
    """What was held, used and wasted in the window, by BU or namespace, dearest first.

    Amounts are Decimal. Sums are over published hours; `hours` says how many there are of each status and how many are
    missing. effective and waste are sums over the known part and null where nothing is known; unknown_usd is the
    allocated part that they do not speak of, and utilization is effective over the known part. Capacity and unallocated
    belong to clusters, so `totals` has them only when no BU was asked for. RequestError for a cluster that is not ours.
    """
    if query.cluster is not None and query.cluster not in clusters:
        raise RequestError(f"there is no cluster {query.cluster!r}; there is {', '.join(clusters)}")
    chosen = clusters if query.cluster is None else [query.cluster]
    window = _read(query, chosen, ledger)
    return {
        "from": query.first.key,
        "to": query.end.key,
        "clusters": list(chosen),
        "bu": query.bu,
        "group_by": query.group_by.value,
        "currency": CURRENCY,
        "hours": _hours(query.hours * len(chosen), window.heads),
        "rows": _rows(query.group_by, window.rows),
        "totals": _totals(query, window),
    }


def _read(query: CostQuery, clusters: Sequence[str], ledger: Ledger) -> _Window:
    heads: list[Head] = []
    rows: list[tuple[Hour, NamespaceRow]] = []
    for cluster in clusters:
        heads += ledger.heads(cluster, query.first, query.end)
        rows += ledger.namespaces(cluster, query.first, query.end, query.bu)
    return _Window(heads, [row for _, row in rows])


def _hours(expected: int, heads: Sequence[Head]) -> Answer:
    seen = Counter(head.status for head in heads)
    by_status = {status.value: seen[status] for status in Status}
    return {"expected": expected, **by_status, "missing": expected - len(heads)}


def _rows(group_by: GroupBy, rows: Iterable[NamespaceRow]) -> list[Answer]:
    groups: dict[tuple[str, ...], list[Figures]] = {}
    for row in rows:
        key = (row.bu,) if group_by is GroupBy.BU else (row.bu, row.namespace)
        groups.setdefault(key, []).append(row.figures)
    names = ("bu", "namespace")
    documents = [
        {**dict(zip(names, key, strict=False)), **_sum_of_figures(figures)} for key, figures in sorted(groups.items())
    ]
    return sorted(documents, key=lambda document: -document["allocated_usd"])


def _totals(query: CostQuery, window: _Window) -> Answer:
    if query.bu is not None:
        return _sum_of_figures([row.figures for row in window.rows])
    return _sum([flat(head.totals) for head in window.heads], [field.name for field in fields(Totals)])


def _sum_of_figures(figures: Sequence[Figures]) -> Answer:
    return _sum([flat(part) for part in figures], [field.name for field in fields(Figures)])


def _sum(parts: Sequence[Answer], names: Sequence[str]) -> Answer:
    total: Answer = {name: _add(name, [part[name] for part in parts]) for name in names if name != "utilization"}
    effective, known = total["effective_usd"], total["allocated_usd"] - total["unknown_usd"]
    total["utilization"] = plain(effective / known) if effective is not None and known else None
    return total


def _add(name: str, values: Sequence[Decimal | None]) -> Decimal | None:
    known = [value for value in values if value is not None]
    if not known and name in _KNOWN_PART:
        return None
    return plain(sum(known, ZERO))
