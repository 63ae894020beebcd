"""Drafts priced: money split so that every node's parts add up to its capacity × price, to the last digit."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from gpucost.domain.allocation.drafts import Draft, NodeDraft
from gpucost.domain.allocation.holding import HoldingKey
from gpucost.domain.money import ZERO, from_units, half_even, plain, round_fraction, split_units, to_units
from gpucost.domain.report import Basis, Evidence, Figures, NamespaceRow, NodeRow, PodRow, Price, Totals
from gpucost.domain.timeline import minutes

MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class PodFacts:
    """What a row says of a pod besides its figures."""

    workload: str | None
    vram_used_mib: Decimal | None
    labels: tuple[tuple[str, str], ...] = ()


type PodFactsByHolding = Mapping[HoldingKey, PodFacts]


@dataclass(frozen=True, slots=True)
class PricedNode:
    """One node's row and the rows of its pods."""

    row: NodeRow
    pods: tuple[PodRow, ...]


def price_node(node: NodeDraft, price: Price, facts: PodFactsByHolding) -> PricedNode:
    """Split the node's GPU-hours and dollars among its drafts and the unallocated rest."""
    hours = node.capacity / 60
    capacity_hours = to_units(hours)
    capacity_usd = to_units(hours * Fraction(price.usd_per_gpu_hour))
    weights = [*(draft.gpu_minutes for draft in node.drafts), node.capacity - node.allocated]
    hour_parts = split_units(capacity_hours, weights)
    usd_parts = split_units(capacity_usd, weights)
    stranded_hours = min(to_units(node.stranded / 60), hour_parts[-1])
    stranded_usd = min(to_units(node.stranded / 60 * Fraction(price.usd_per_gpu_hour)), usd_parts[-1])
    state = node.hour.last
    row = NodeRow(
        node=node.hour.node,
        instance_type=state.instance_type,
        gpu_model=state.gpu_model,
        physical_gpus=round_fraction(state.gpus),
        capacity_source=state.capacity_source,
        capacity_gpu_hours=from_units(capacity_hours),
        allocated_gpu_hours=from_units(capacity_hours - hour_parts[-1]),
        unallocated_gpu_hours=from_units(hour_parts[-1]),
        stranded_gpu_hours=from_units(stranded_hours),
        capacity_usd=from_units(capacity_usd),
        allocated_usd=from_units(capacity_usd - usd_parts[-1]),
        unallocated_usd=from_units(usd_parts[-1]),
        stranded_usd=from_units(stranded_usd),
        price=price,
    )
    pods = tuple(
        _pod_row(draft, gpu_hours, usd, price, facts)
        for draft, gpu_hours, usd in zip(node.drafts, hour_parts, usd_parts, strict=False)
    )
    return PricedNode(row, pods)


def _pod_row(draft: Draft, gpu_hours: int, usd: int, price: Price, facts: PodFactsByHolding) -> PodRow:
    key = draft.holding.key
    known = facts[key]
    return PodRow(
        bu=draft.bu,
        namespace=key.pod.namespace,
        pod=key.pod.pod,
        uid=key.pod.uid,
        node=key.node,
        resource=key.resource,
        workload=known.workload,
        share=str(draft.share.gpus),
        figures=_figures(draft, gpu_hours, usd),
        utilization_basis=draft.basis,
        price=price,
        vram_used_mib=known.vram_used_mib,
        evidence=Evidence(minutes(draft.held), minutes(draft.running), draft.usage.samples, draft.expected),
        labels=known.labels,
    )


def _figures(draft: Draft, gpu_hours: int, usd: int) -> Figures:
    """The figures of a draft that was given so many units of GPU-hours and dollars."""
    slice_hours = round_fraction(draft.slice_minutes / 60)
    hours, allocated = from_units(gpu_hours), from_units(usd)
    ratio = draft.utilization
    if ratio is None:
        return Figures(slice_hours, hours, allocated, None, None, None, allocated)
    used = min(half_even(usd * ratio.numerator, ratio.denominator), usd)
    return Figures(slice_hours, hours, allocated, round_fraction(ratio), from_units(used), from_units(usd - used), ZERO)


def namespace_rows(pods: Iterable[PodRow]) -> list[NamespaceRow]:
    """The pods' rows summed by (bu, namespace), sorted."""
    grouped: dict[tuple[str, str], list[PodRow]] = defaultdict(list)
    for row in pods:
        grouped[row.bu, row.namespace].append(row)
    return [
        NamespaceRow(
            bu=bu,
            namespace=namespace,
            figures=sum_figures([row.figures for row in rows]),
            utilization_basis=one_basis([row.utilization_basis for row in rows]),
            price_source=one_of([row.price.source for row in rows]),
        )
        for (bu, namespace), rows in sorted(grouped.items())
    ]


def sum_figures(parts: Sequence[Figures]) -> Figures:
    """Figures added up. utilization is of the known part; None, with effective and waste, when nothing is known."""
    allocated = _sum(part.allocated_usd for part in parts)
    unknown = _sum(part.unknown_usd for part in parts)
    effective = [part.effective_usd for part in parts if part.effective_usd is not None]
    waste = [part.waste_usd for part in parts if part.waste_usd is not None]
    known = allocated - unknown
    used = _sum(effective)
    return Figures(
        slice_hours=_sum(part.slice_hours for part in parts),
        gpu_hours=_sum(part.gpu_hours for part in parts),
        allocated_usd=allocated,
        utilization=round_fraction(Fraction(used) / Fraction(known)) if effective and known else None,
        effective_usd=used if effective else None,
        waste_usd=_sum(waste) if waste else None,
        unknown_usd=unknown,
    )


def totals(nodes: Sequence[NodeRow], pods: Figures) -> Totals:
    """The cluster's hour: nodes added up, and what is known of the pods' use."""
    return Totals(
        capacity_gpu_hours=_sum(row.capacity_gpu_hours for row in nodes),
        allocated_gpu_hours=_sum(row.allocated_gpu_hours for row in nodes),
        unallocated_gpu_hours=_sum(row.unallocated_gpu_hours for row in nodes),
        stranded_gpu_hours=_sum(row.stranded_gpu_hours for row in nodes),
        capacity_usd=_sum(row.capacity_usd for row in nodes),
        allocated_usd=_sum(row.allocated_usd for row in nodes),
        effective_usd=pods.effective_usd,
        waste_usd=pods.waste_usd,
        unknown_usd=pods.unknown_usd,
        unallocated_usd=_sum(row.unallocated_usd for row in nodes),
        stranded_usd=_sum(row.stranded_usd for row in nodes),
    )


def one_basis(bases: Iterable[Basis]) -> Basis:
    """The basis, if all have the same; mixed otherwise."""
    distinct = set(bases)
    return distinct.pop() if len(distinct) == 1 else Basis.MIXED


def one_of(texts: Iterable[str]) -> str:
    """The text, if all are the same; mixed otherwise."""
    distinct = set(texts)
    return distinct.pop() if len(distinct) == 1 else MIXED


def _sum(values: Iterable[Decimal]) -> Decimal:
    return plain(sum(values, ZERO))
