"""Who wastes most: a ranking of the pods that hold slices which they do not use."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from gpucost.domain.allocation.rows import one_basis, sum_figures
from gpucost.domain.documents import flat
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO
from gpucost.domain.report import CURRENCY, Figures, PodRow
from gpucost.usecases.answers.answer import count_hours
from gpucost.usecases.answers.cost_query import Filters
from gpucost.usecases.answers.reading import read
from gpucost.usecases.answers.visible import VisibleLedger
from gpucost.usecases.answers.window import Window

type Answer = dict[str, Any]
type Holder = tuple[str, str, str, str, str, str, str]

HOLDER = ("cluster", "bu", "namespace", "pod", "uid", "node", "resource")


@dataclass(slots=True)
class _Held:
    """One pod's hold on one resource: its hours in order of time."""

    rows: list[PodRow] = field(default_factory=list)
    hours: list[Hour] = field(default_factory=list)


def waste(window: Window, filters: Filters, min_waste_usd: Decimal, ledger: VisibleLedger) -> Answer:
    """Pods by the money that they wasted in the window, most first.

    A pod of which nothing is known is not in the ranking: its cost is in `totals.unknown_usd`. RequestError for a
    window of more hours than can be read in detail.
    """
    if filters.bu is not None:
        ledger.check_bu(filters.bu)
    clusters = ledger.named(filters.cluster)
    slices = list(read(clusters, window, None, True, ledger))
    held: dict[Holder, _Held] = {}
    for one in slices:
        for row in one.rows:
            if isinstance(row, PodRow) and filters.pass_row(row):
                key = (one.cluster, row.bu, row.namespace, row.pod, row.uid, row.node, row.resource)
                holder = held.setdefault(key, _Held())
                holder.rows.append(row)
                holder.hours.append(one.first)
    rows = [_row(key, holder) for key, holder in held.items()]
    ranked = [row for row in rows if row["waste_usd"] is not None and row["waste_usd"] >= min_waste_usd]
    ranked.sort(key=lambda row: (-row["waste_usd"], *(row[name] for name in HOLDER)))
    return {
        "from": window.first.key,
        "to": window.end.key,
        "clusters": list(clusters),
        "currency": CURRENCY,
        "hours": count_hours(window.hours * len(clusters), slices),
        "rows": ranked,
        "totals": flat(_sum(held)),
    }


def _sum(held: dict[Holder, _Held]) -> Figures:
    return sum_figures([row.figures for holder in held.values() for row in holder.rows])


def _row(key: Holder, holder: _Held) -> Answer:
    last = holder.rows[-1]
    used = [row.vram_used_mib for row in holder.rows if row.vram_used_mib is not None]
    return {
        **dict(zip(HOLDER, key, strict=True)),
        "workload": last.workload,
        **flat(sum_figures([row.figures for row in holder.rows])),
        "utilization_basis": one_basis(row.utilization_basis for row in holder.rows).value,
        "vram_used_mib": max(used, default=None),
        "hours": len(holder.hours),
        "idle_hours": sum(row.figures.effective_usd == ZERO for row in holder.rows),
        "first_hour": holder.hours[0].key,
        "last_hour": holder.hours[-1].key,
    }
