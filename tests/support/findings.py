"""Reports and findings to test with, exact in money: allocated = effective + waste + unknown."""

from collections import defaultdict
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from gpucost.domain.alerts.finding import Finding, Kind, PodWaste, Severity, finding_id
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO, plain, round_fraction
from gpucost.domain.report import (
    Basis,
    Coverage,
    Evidence,
    Figures,
    HourReport,
    NamespaceRow,
    PodRow,
    Price,
    Status,
    Totals,
)

HOUR = Hour.parse("2026-11-30T10:00:00Z")


@dataclass(frozen=True, slots=True)
class Held:
    """One pod's hour in a test: what it was allocated, and how much of it was wasted (None: unknown)."""

    bu: str
    allocated: str
    waste: str | None
    pod: str = "pod-0"
    namespace: str = "ns"
    vram: str | None = "39000"


def figures(rows: list[Held]) -> Figures:
    allocated = sum((Decimal(row.allocated) for row in rows), ZERO)
    known = [row for row in rows if row.waste is not None]
    waste = sum((Decimal(row.waste or 0) for row in known), ZERO)
    judged = sum((Decimal(row.allocated) for row in known), ZERO)
    return Figures(
        slice_hours=Decimal(len(rows)),
        gpu_hours=plain(allocated / 12),
        allocated_usd=allocated,
        utilization=round_fraction(1 - Fraction(waste) / Fraction(judged)) if judged else None,
        effective_usd=plain(judged - waste) if known else None,
        waste_usd=waste if known else None,
        unknown_usd=plain(allocated - judged),
    )


def pod_row(held: Held) -> PodRow:
    return PodRow(
        bu=held.bu,
        namespace=held.namespace,
        pod=held.pod,
        uid=f"uid-{held.pod}",
        node="node-a",
        resource="nvidia.com/mig-3g.40gb",
        workload="Job/train",
        share="3/7",
        figures=figures([held]),
        utilization_basis=Basis.NONE if held.waste is None else Basis.POD,
        price=Price(Decimal(12), "settings"),
        vram_used_mib=None if held.vram is None else Decimal(held.vram),
        evidence=Evidence(held_minutes=60, running_minutes=60, samples_seen=60, samples_expected=60),
    )


def report(held: list[Held], status: Status = Status.COMPLETE, hour: Hour = HOUR, cluster: str = "prod") -> HourReport:
    by_namespace: defaultdict[tuple[str, str], list[Held]] = defaultdict(list)
    for row in held:
        by_namespace[row.bu, row.namespace].append(row)
    namespaces = tuple(
        NamespaceRow(bu, namespace, figures(rows), Basis.POD, "settings")
        for (bu, namespace), rows in sorted(by_namespace.items())
    )
    whole = figures(held)
    totals = Totals(
        capacity_gpu_hours=whole.gpu_hours,
        allocated_gpu_hours=whole.gpu_hours,
        unallocated_gpu_hours=ZERO,
        stranded_gpu_hours=ZERO,
        capacity_usd=whole.allocated_usd,
        allocated_usd=whole.allocated_usd,
        effective_usd=whole.effective_usd,
        waste_usd=whole.waste_usd,
        unknown_usd=whole.unknown_usd,
        unallocated_usd=ZERO,
        stranded_usd=ZERO,
    )
    return HourReport(
        cluster=cluster,
        hour=hour,
        status=status,
        coverage=Coverage(60, 60, Decimal(1), Decimal(1)),
        totals=totals,
        namespaces=namespaces,
        pods=tuple(pod_row(row) for row in held),
        nodes=(),
    )


def finding(bu: str = "bu-a", waste: str = "5.140532", hour: Hour = HOUR, cluster: str = "prod") -> Finding:
    return Finding(
        id=finding_id(Kind.BU_WASTE, cluster, hour, bu),
        kind=Kind.BU_WASTE,
        severity=Severity.WARNING,
        cluster=cluster,
        hour=hour,
        bu=bu,
        allocated_usd=Decimal(waste) * 2,
        waste_usd=Decimal(waste),
        utilization=Decimal("0.5"),
    )


def with_pods(told: Finding, number: int, name: str = "pod") -> Finding:
    """The finding with its waste spread over so many pods."""
    pods = tuple(
        PodWaste(
            namespace="ns",
            pod=f"{name}-{index}",
            node="node-a",
            resource="nvidia.com/gpu",
            workload=None,
            held_minutes=60,
            waste_usd=Decimal(number - index),
            utilization=Decimal("0.045"),
            basis=Basis.POD,
            vram_used_mib=Decimal("39321.6"),
        )
        for index in range(number)
    )
    return replace(told, pods=pods, waste_usd=sum((pod.waste_usd for pod in pods), ZERO))
