"""What answers look like, for the OpenAPI document. Amounts are exact JSON numbers; null is unknown, never zero."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, WithJsonSchema

Number = Annotated[Decimal, WithJsonSchema({"type": "number"})]
Unknown = Annotated[Decimal | None, WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "null"}]})]
Instant = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time"})]
Currency = Literal["USD"]


class _Open(BaseModel):
    """Fields may be added in later versions."""

    model_config = ConfigDict(extra="allow", title="")


class Problem(BaseModel):
    """An RFC 9457 problem."""

    type: str
    title: str
    status: int
    detail: str


class Figures(_Open):
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


class CostTotals(_Open):
    allocated_usd: Number
    utilization: Unknown
    effective_usd: Unknown
    waste_usd: Unknown
    unknown_usd: Number


class CapacityTotals(CostTotals):
    capacity_gpu_hours: Number
    allocated_gpu_hours: Number
    unallocated_gpu_hours: Number
    stranded_gpu_hours: Number
    capacity_usd: Number
    unallocated_usd: Number
    stranded_usd: Number


class HourCounts(_Open):
    expected: int
    missing: int


class _Listed(_Open):
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
    totals: CostTotals


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


class PriceRow(_Open):
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


class HourRow(_Open):
    cluster: str
    hour: Instant
    status: Literal["complete", "no_utilization", "partial", "failed", "missing"]
    revision: int | None
    published_at: Instant | None
    coverage: dict[str, Any] | None
    totals: dict[str, Any] | None


class Hours(_Listed):
    rows: list[HourRow]


class Finding(_Open):
    id: str
    kind: str
    cluster: str
    bu: str | None
    subject: str | None
    since: Instant
    last_hour: Instant
    hours: int
    cost_usd: Unknown
    escalations: int
    acknowledged_by: str | None
    snoozed_until: str | None


class FoundOne(Finding):
    currency: Currency


class Findings(_Open):
    currency: Currency
    rows: list[Finding]


class BudgetRow(_Open):
    bu: str
    budget_usd: Number
    spent_usd: Number
    expected_usd: Number
    low_usd: Unknown
    high_usd: Unknown
    runs_out_on: str | None
    at_risk: bool


class Budgets(_Open):
    month: str
    as_of: Instant
    currency: Currency
    rows: list[BudgetRow]


class WhatIfRow(_Open):
    bu: str
    allocated_usd: Number
    shared_usd: Number
    total_usd: Number


class Lacking(_Open):
    bu: str
    gpu_hours: Number


class WhatFits(_Open):
    gpus: int
    geometry: str
    demand_gpu_hours: Number
    fitting_gpu_hours: Number
    lacking_gpu_hours: Number
    lacking: list[Lacking]
    cost_usd: Unknown
    recorded_cost_usd: Number


class WhatIf(_Open):
    to: Instant
    clusters: list[str]
    currency: Currency
    hours: HourCounts
    sharing: Literal["none", "even", "proportional"]
    unallocated_usd: Number
    unshared_usd: Number
    rows: list[WhatIfRow]
    fit: WhatFits | None


class Report(_Open):
    cluster: str
    hour: Instant
    revision: int
    status: str
    currency: Currency
    totals: dict[str, Any]
    namespaces: list[dict[str, Any]]
    pods: list[dict[str, Any]]


class Explained(_Open):
    cluster: str
    hour: Instant
    revision: int
    status: str
    namespace: str
    currency: Currency
    lines: list[str]


class Allocation(_Open):
    name: str
    properties: dict[str, str]
    window: dict[str, Instant]
    start: Instant
    end: Instant
    minutes: int
    gpuHours: Number  # noqa: N815 -- OpenCost's name
    gpuCost: Number  # noqa: N815 -- OpenCost's name
    gpuEfficiency: Unknown  # noqa: N815 -- OpenCost's name
    totalCost: Number  # noqa: N815 -- OpenCost's name
    currency: Currency


class Allocations(_Open):
    code: Literal[200]
    status: Literal["success"]
    data: list[dict[str, Allocation]]


_PROBLEMS = {
    400: "A parameter cannot be understood or answered",
    403: "The caller may not see this",
    404: "There is no such thing",
    409: "The figures changed since the first page",
    500: "A fault of ours; the log line has the reason",
    503: "The ledger cannot be read right now; try again after Retry-After seconds",
}


def answers(model: type[BaseModel], *, rows: bool = False) -> dict[int, Any]:
    """The responses of a route: its document, or its rows as files, or not modified, or a problem."""
    content: dict[str, Any] = {"application/json": {"model": model}}
    if rows:
        text = {"schema": {"type": "string"}}
        content |= {"text/csv": text, "application/x-ndjson": text}
    elif model is Allocations:
        content["text/csv"] = {"schema": {"type": "string"}}
    return {
        200: {"description": "The answer", "content": content},
        304: {"description": "What the caller has, by If-None-Match, is still right"},
        **_problems(),
    }


def files() -> dict[int, Any]:
    """The responses of a route that answers with files only."""
    text = {"schema": {"type": "string"}}
    return {
        200: {"description": "The rows", "content": {"text/csv": text, "application/x-ndjson": text}},
        304: {"description": "What the caller has, by If-None-Match, is still right"},
        **_problems(),
    }


def _problems() -> dict[int, Any]:
    return {
        status: {"description": description, "content": {"application/problem+json": {"model": Problem}}}
        for status, description in _PROBLEMS.items()
    }
