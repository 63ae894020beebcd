"""Small reports for the ledger's tests: whole in every field, and exact in money."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from gpucost.domain.allocation.rows import namespace_rows, sum_figures, totals
from gpucost.domain.hours import Hour
from gpucost.domain.report import (
    Basis,
    Coverage,
    Evidence,
    Figures,
    HourReport,
    HourWarning,
    NamespaceRow,
    NodeRow,
    PodRow,
    Price,
    QueryTrace,
    Status,
    Unpriced,
)

HOUR = Hour.parse("2026-11-30T10:00:00Z")
NOW = datetime(2026, 11, 30, 11, 10, tzinfo=UTC)
CAPACITY_GPUS = Decimal(8)
RATE = Price(Decimal(12), "settings")


def pod(namespace: str, usd: str, name: str = "train-0", bu: str = "", used: str | None = "0.25") -> PodRow:
    """A pod that was allocated so many dollars at $12 per GPU-hour, and used a share of them (None: unknown)."""
    allocated = Decimal(usd)
    effective = None if used is None else allocated * Decimal(used)
    figures = Figures(
        slice_hours=allocated / 4,
        gpu_hours=allocated / 16,
        allocated_usd=allocated,
        utilization=None if used is None else Decimal(used),
        effective_usd=effective,
        waste_usd=None if effective is None else allocated - effective,
        unknown_usd=Decimal(0) if used is not None else allocated,
    )
    return PodRow(
        bu=bu or namespace,
        namespace=namespace,
        pod=name,
        uid=f"uid-{namespace}-{name}",
        node="node-a",
        resource="nvidia.com/mig-1g.5gb",
        workload="StatefulSet/train",
        share="1/7",
        figures=figures,
        utilization_basis=Basis.NONE if used is None else Basis.POD,
        price=RATE,
        vram_used_mib=Decimal("39321.6"),
        evidence=Evidence(held_minutes=60, running_minutes=58, samples_seen=57, samples_expected=58),
    )


def node(allocated_gpu_hours: Decimal) -> NodeRow:
    """A node of 8 GPUs of which so many GPU-hours were held."""
    free = CAPACITY_GPUS - allocated_gpu_hours
    return NodeRow(
        node="node-a",
        instance_type="p4d.24xlarge",
        gpu_model="NVIDIA-A100-SXM4-40GB",
        physical_gpus=CAPACITY_GPUS,
        capacity_source="instance_type",
        capacity_gpu_hours=CAPACITY_GPUS,
        allocated_gpu_hours=allocated_gpu_hours,
        unallocated_gpu_hours=free,
        stranded_gpu_hours=Decimal(0),
        capacity_usd=CAPACITY_GPUS * 12,
        allocated_usd=allocated_gpu_hours * 12,
        unallocated_usd=free * 12,
        stranded_usd=Decimal(0),
        price=RATE,
    )


def report(
    *pods: PodRow,
    cluster: str = "prod",
    hour: Hour = HOUR,
    status: Status = Status.COMPLETE,
    minutes_seen: int = 60,
    query: str = "up",
) -> HourReport:
    """The report of these pods, or of one that holds $8 when none is named."""
    rows = pods or (pod("ml-train", "8"),)
    nodes = (node(sum((row.figures.gpu_hours for row in rows), Decimal(0))),)
    return HourReport(
        cluster=cluster,
        hour=hour,
        status=status,
        coverage=Coverage(minutes_seen, 60, Decimal(minutes_seen) / 64, Decimal("0.98")),
        totals=totals(nodes, sum_figures([row.figures for row in rows])),
        namespaces=tuple(namespace_rows(rows)),
        pods=rows,
        nodes=nodes,
        unpriced=(Unpriced("ml-train", "inf-0", "uid-inf", "node-b", "aws.amazon.com/neuron", Decimal(2), "no price"),),
        warnings=(HourWarning("utilization_gap", "half of the samples", "ml-train"),),
        queries=(QueryTrace("requests", query, 12, 720),),
        settings_digest="0123456789abcdef",
    )


def failed(cluster: str = "prod", hour: Hour = HOUR) -> HourReport:
    """An hour that could not be worked out."""
    nothing = totals((), sum_figures([]))
    return HourReport(cluster, hour, Status.FAILED, Coverage(0, 60, Decimal(0), None), nothing, (), (), ())


def hourly(cluster: str, first: Hour, usd: Mapping[int, str]) -> list[HourReport]:
    """One report for each offset from the first hour, with so many dollars allocated."""
    return [report(pod("ml-train", amount), cluster=cluster, hour=first.plus(offset)) for offset, amount in usd.items()]


def scattered(index: int) -> str:
    """A namespace whose name does not compress."""
    return hashlib.sha256(str(index).encode()).hexdigest()[:63]


def later(hours: float) -> datetime:
    return NOW + timedelta(hours=hours)


def only_row(bu: str, namespace: str, usd: str) -> NamespaceRow:
    """The namespace row of one pod."""
    (row,) = namespace_rows([pod(namespace, usd, bu=bu)])
    return row
