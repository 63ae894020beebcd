"""One allocation as OpenCost writes it: the same names of fields, null where we know nothing, our own beside them.

Own fields: gpuCostEffective, gpuCostWaste, gpuCostUnknown, bu and currency.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO, plain, round_fraction
from gpucost.domain.report import CURRENCY, Figures
from gpucost.usecases.opencost.fields import LABEL

type Span = tuple[Hour, Hour]

IDLE = "__idle__"
UNALLOCATED = "__unallocated__"
_COSTS = (
    *("cpuCost", "cpuCostAdjustment", "cpuCostIdle", "ramCost", "ramCostAdjustment", "ramCostIdle"),
    *("pvCost", "pvCostAdjustment", "networkCost", "networkCostAdjustment", "networkCrossZoneCost"),
    *("networkCrossRegionCost", "networkInternetCost", "loadBalancerCost", "loadBalancerCostAdjustment"),
    *("sharedCost", "externalCost", "gpuCostAdjustment"),
)
_QUANTITIES = (
    *("cpuCores", "cpuCoreRequestAverage", "cpuCoreUsageAverage", "cpuCoreHours", "cpuEfficiency"),
    *("ramBytes", "ramByteRequestAverage", "ramByteUsageAverage", "ramByteHours", "ramEfficiency"),
    *("pvBytes", "pvByteHours", "networkTransferBytes", "networkReceiveBytes"),
)


@dataclass(frozen=True, slots=True)
class Idle:
    """What nobody held."""

    gpu_hours: Decimal
    usd: Decimal

    def __add__(self, other: "Idle") -> "Idle":
        return Idle(plain(self.gpu_hours + other.gpu_hours), plain(self.usd + other.usd))


def allocation(
    name: str, properties: Mapping[str, str], figures: Figures, idle_usd: Decimal, span: Span
) -> dict[str, Any]:
    """Somebody's allocation, with its share of idle cost where that is shared."""
    used = figures.utilization
    average = _per_hour(figures.gpu_hours, span)
    return {
        **_frame(name, properties, span),
        "gpuCount": average,
        "gpuHours": figures.gpu_hours,
        "gpuCost": figures.allocated_usd,
        "gpuCostIdle": idle_usd,
        "gpuEfficiency": used,
        "gpuAllocation": {
            "gpuRequestAverage": average,
            "gpuUsageAverage": None if used is None else plain(average * used),
            "isGpuShared": None,
        },
        "gpuRequestAverage": average,
        "gpuUsageAverage": None if used is None else plain(average * used),
        "gpuCostEffective": figures.effective_usd,
        "gpuCostWaste": figures.waste_usd,
        "gpuCostUnknown": figures.unknown_usd,
        "totalCost": plain(figures.allocated_usd + idle_usd),
        "totalEfficiency": used,
    }


def idle_allocation(name: str, properties: Mapping[str, str], idle: Idle, span: Span) -> dict[str, Any]:
    """The cost of what nobody held."""
    average = _per_hour(idle.gpu_hours, span)
    return {
        **_frame(name, properties, span),
        "gpuCount": average,
        "gpuHours": idle.gpu_hours,
        "gpuCost": idle.usd,
        "gpuCostIdle": ZERO,
        "gpuEfficiency": ZERO,
        "gpuAllocation": {"gpuRequestAverage": ZERO, "gpuUsageAverage": ZERO, "isGpuShared": None},
        "gpuRequestAverage": ZERO,
        "gpuUsageAverage": ZERO,
        "gpuCostEffective": ZERO,
        "gpuCostWaste": ZERO,
        "gpuCostUnknown": ZERO,
        "totalCost": idle.usd,
        "totalEfficiency": ZERO,
    }


def _frame(name: str, properties: Mapping[str, str], span: Span) -> dict[str, Any]:
    start, end = span[0].key, span[1].key
    known: dict[str, Any] = {key: value for key, value in properties.items() if value and not key.startswith(LABEL)}
    labels = {key.removeprefix(LABEL): value for key, value in properties.items() if value and key.startswith(LABEL)}
    return {
        "name": name,
        "properties": {**known, "labels": labels} if labels else known,
        "window": {"start": start, "end": end},
        "start": start,
        "end": end,
        "minutes": (span[1].epoch - span[0].epoch) // 60,
        "currency": CURRENCY,
        **dict.fromkeys(_COSTS, ZERO),
        **dict.fromkeys(_QUANTITIES),
        "pvs": None,
        "rawAllocationOnly": None,
        "proportionalAssetResourceCosts": None,
        "sharedCostBreakdown": None,
        "lbAllocations": None,
    }


def _per_hour(gpu_hours: Decimal, span: Span) -> Decimal:
    return round_fraction(Fraction(gpu_hours) * 3600 / (span[1].epoch - span[0].epoch))
