"""What answers about findings, budgets and what would have been look like, for the OpenAPI document."""

from typing import Literal

from functions.api.schemas import Currency, HourCounts, Instant, Number, Open, Unknown


class Finding(Open):
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


class Findings(Open):
    currency: Currency
    rows: list[Finding]


class BudgetRow(Open):
    bu: str
    budget_usd: Number
    spent_usd: Number
    expected_usd: Number
    low_usd: Unknown
    high_usd: Unknown
    runs_out_on: str | None
    at_risk: bool


class Budgets(Open):
    month: str
    as_of: Instant
    currency: Currency
    rows: list[BudgetRow]


class WhatIfRow(Open):
    bu: str
    allocated_usd: Number
    shared_usd: Number
    total_usd: Number


class Lacking(Open):
    bu: str
    gpu_hours: Number


class WhatFits(Open):
    gpus: int
    geometry: str
    demand_gpu_hours: Number
    fitting_gpu_hours: Number
    lacking_gpu_hours: Number
    lacking: list[Lacking]
    cost_usd: Unknown
    recorded_cost_usd: Number


class WhatIf(Open):
    to: Instant
    clusters: list[str]
    currency: Currency
    hours: HourCounts
    sharing: Literal["none", "even", "proportional"]
    unallocated_usd: Number
    unshared_usd: Number
    rows: list[WhatIfRow]
    fit: WhatFits | None
