"""What answers look like, for the OpenAPI document. Amounts are exact JSON numbers; null is unknown, never zero."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, WithJsonSchema

Number = Annotated[Decimal, WithJsonSchema({"type": "number"})]
Unknown = Annotated[Decimal | None, WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "null"}]})]
Instant = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Currency = Literal["USD"]


class Open(BaseModel):
    """Fields may be added in later versions."""

    model_config = ConfigDict(extra="allow", title="")


class Figures(Open):
    slice_hours: Number
    gpu_hours: Number
    allocated_usd: Number
    utilization: Unknown
    effective_usd: Unknown
    waste_usd: Unknown
    unknown_usd: Number


class CostRow(Figures):
    bu: str | None = None
    namespace: str | None = None
    cluster: str | None = None
    node: str | None = None
    workload: str | None = None
    pod: str | None = None
    resource: str | None = None
    adjustment_usd: Unknown = None


class CostTotals(Open):
    allocated_usd: Number
    utilization: Unknown
    effective_usd: Unknown
    waste_usd: Unknown
    unknown_usd: Number


class AdjustedTotals(CostTotals):
    adjustment_usd: Unknown = None


class CapacityTotals(CostTotals):
    capacity_gpu_hours: Number
    allocated_gpu_hours: Number
    unallocated_gpu_hours: Number
    stranded_gpu_hours: Number
    capacity_usd: Number
    unallocated_usd: Number
    stranded_usd: Number


class HourCounts(Open):
    expected: int
    missing: int


class _Listed(Open):
    to: Instant
    clusters: list[str]
    currency: Currency
    hours: HourCounts
    next_cursor: str | None


class Costs(_Listed):
    bu: str | None
    group_by: str
    step: Literal["hour", "day", "month"] | None
    rows: list[CostRow]
    totals: AdjustedTotals


class WasteRow(Figures):
    cluster: str
    bu: str
    namespace: str
    pod: str
    uid: str
    node: str
    resource: str
    workload: str | None
    utilization_basis: str
    vram_used_mib: Unknown
    hours: int
    idle_hours: int
    first_hour: Instant
    last_hour: Instant


class Waste(_Listed):
    rows: list[WasteRow]
    totals: Figures


class CapacityRow(CapacityTotals):
    cluster: str


class Capacity(_Listed):
    step: Literal["hour", "day", "month"] | None
    rows: list[CapacityRow]
    totals: CapacityTotals


class PriceRow(Open):
    cluster: str
    instance_type: str | None
    gpu_model: str | None
    usd_per_gpu_hour: Number
    source: str
    as_of: str | None
    flag: str | None
    gpu_hours: Number
    first_hour: Instant
    last_hour: Instant


class Prices(_Listed):
    rows: list[PriceRow]


class HourRow(Open):
    cluster: str
    hour: Instant
    status: Literal["complete", "no_utilization", "partial", "failed", "missing"]
    revision: int | None
    published_at: Instant | None
    coverage: dict[str, Any] | None
    totals: dict[str, Any] | None


class Hours(_Listed):
    rows: list[HourRow]


class Report(Open):
    cluster: str
    hour: Instant
    revision: int
    status: str
    currency: Currency
    totals: dict[str, Any]
    namespaces: list[dict[str, Any]]
    pods: list[dict[str, Any]]


class Explained(Open):
    cluster: str
    hour: Instant
    revision: int
    status: str
    namespace: str
    currency: Currency
    lines: list[str]


class Allocation(Open):
    name: str
    properties: dict[str, str | dict[str, str]]
    window: dict[str, Instant]
    start: Instant
    end: Instant
    minutes: int
    gpuHours: Number  # noqa: N815 -- OpenCost's name
    gpuCost: Number  # noqa: N815 -- OpenCost's name
    gpuEfficiency: Unknown  # noqa: N815 -- OpenCost's name
    totalCost: Number  # noqa: N815 -- OpenCost's name
    currency: Currency


class Allocations(Open):
    code: Literal[200]
    status: Literal["success"]
    data: list[dict[str, Allocation]]
