"""Costs as FOCUS rows (FinOps Open Cost and Usage Specification): 1.2's columns and 1.3's columns for split charges.

The origin charge is one node's hour. It is split into one row for every pod and resource that held a part of it, and
one for what nobody held, so that every column that can be summed adds up to the origin charge. Costs are what was
allocated; how much of it was used is in columns of our own (`x_…`), null where it is unknown. FOCUS's EffectiveCost is
the cost after discounts, not what was used.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gpucost.domain.hours import Hour
from gpucost.domain.money import SCALE, ZERO, from_units, split_units
from gpucost.domain.periods import Month
from gpucost.domain.report import CURRENCY, RULE_VERSION, NodeRow, PodRow

type Row = dict[str, Any]

PROVIDER = "Amazon Web Services"
SERVICE = "Amazon Elastic Compute Cloud"
UNIT = "GPU-Hours"
METHOD = f"gpucost-{RULE_VERSION}"
COLUMNS = (
    *("BillingAccountId", "BillingAccountName", "BillingAccountType", "BillingCurrency"),
    *("BillingPeriodStart", "BillingPeriodEnd", "ChargeCategory", "ChargeClass", "ChargeDescription"),
    *("ChargeFrequency", "ChargePeriodStart", "ChargePeriodEnd", "InvoiceId", "InvoiceIssuerName"),
    *("ProviderName", "PublisherName", "ServiceProviderName", "HostProviderName"),
    *("ServiceCategory", "ServiceSubcategory"),
    *("ServiceName", "RegionId", "RegionName", "ResourceId", "ResourceName", "ResourceType", "SkuMeter"),
    *("SubAccountId", "SubAccountName", "SubAccountType", "Tags", "BilledCost", "ContractedCost", "EffectiveCost"),
    *("ListCost", "ConsumedQuantity", "ConsumedUnit", "PricingQuantity", "PricingUnit", "PricingCategory"),
    *("CommitmentDiscountStatus",),
    *("AllocatedMethodId", "AllocatedMethodDetails", "AllocatedResourceId", "AllocatedResourceName", "AllocatedTags"),
    *("x_Cluster", "x_InstanceType", "x_GpuModel", "x_BusinessUnit", "x_Namespace", "x_GpuPriceUsdPerHour"),
    *("x_GpuPriceSource", "x_GpuUtilization", "x_GpuUtilizationBasis", "x_GpuUtilizedCost", "x_GpuWasteCost"),
)
"""The columns of every row, in the order of a file."""


@dataclass(frozen=True, slots=True)
class Account:
    """Whose charges these are: the AWS account and the region of the stack."""

    id: str
    region: str


def split_rows(
    account: Account, cluster: str, hour: Hour, nodes: Sequence[NodeRow], pods: Sequence[PodRow]
) -> Iterator[Row]:
    """The rows of one cluster-hour: for every node its pods in their order, then what nobody held."""
    for node in nodes:
        held = [row for row in pods if row.node == node.node]
        costs = [row.figures.allocated_usd for row in held]
        ratios = _ratios([*costs, node.unallocated_usd])
        origin = _origin(account, cluster, hour, node)
        for row, ratio in zip(held, ratios, strict=False):
            yield {**origin, **_amounts(row.figures.allocated_usd, row.figures.gpu_hours), **_pod(row, ratio)}
        if node.unallocated_usd or node.unallocated_gpu_hours or not held:
            rest = _amounts(node.unallocated_usd, node.unallocated_gpu_hours)
            yield {**origin, **rest, **_unallocated(node, ratios[-1])}


def own_rows(account: Account, cluster: str, hour: Hour, pods: Sequence[PodRow]) -> Iterator[Row]:
    """The rows of somebody's own pods, for those who may not see nodes: without ratios, which would tell the rest."""
    for row in pods:
        origin = _origin(account, cluster, hour, None, row.node)
        yield {**origin, **_amounts(row.figures.allocated_usd, row.figures.gpu_hours), **_pod(row, None)}


def _ratios(costs: Sequence[Decimal]) -> list[Decimal]:
    """Each part's share of the whole; they add up to exactly 1."""
    if not any(costs):
        return [*[ZERO] * (len(costs) - 1), Decimal(1)]
    return [from_units(part) for part in split_units(SCALE, [Fraction(cost) for cost in costs])]


def _origin(account: Account, cluster: str, hour: Hour, node: NodeRow | None, name: str = "") -> Row:
    """What all rows of one node's hour have in common."""
    month = Month.of(hour)
    resource = node.node if node else name
    instance_type = node.instance_type if node else None
    return {
        "BillingAccountId": account.id,
        "BillingAccountName": account.id,
        "BillingAccountType": "Account",
        "BillingCurrency": CURRENCY,
        "BillingPeriodStart": month.first.key,
        "BillingPeriodEnd": month.end.key,
        "ChargeCategory": "Usage",
        "ChargeClass": None,
        "ChargeDescription": f"GPUs of {resource} in {cluster}",
        "ChargeFrequency": "Usage-Based",
        "ChargePeriodStart": hour.key,
        "ChargePeriodEnd": hour.plus(1).key,
        "InvoiceId": None,
        "InvoiceIssuerName": PROVIDER,
        "ProviderName": PROVIDER,
        "PublisherName": PROVIDER,
        "ServiceProviderName": PROVIDER,
        "HostProviderName": PROVIDER,
        "ServiceCategory": "Compute",
        "ServiceSubcategory": "Virtual Machines",
        "ServiceName": SERVICE,
        "RegionId": account.region,
        "RegionName": account.region,
        "ResourceId": resource,
        "ResourceName": resource,
        "ResourceType": "Node",
        "SkuMeter": instance_type,
        "SubAccountId": account.id,
        "SubAccountName": account.id,
        "SubAccountType": "Account",
        "Tags": _json({"cluster": cluster}),
        "x_Cluster": cluster,
        "x_InstanceType": instance_type,
        "x_GpuModel": node.gpu_model if node else None,
    }


def _amounts(usd: Decimal, gpu_hours: Decimal) -> Row:
    return {
        "BilledCost": usd,
        "ContractedCost": usd,
        "EffectiveCost": usd,
        "ListCost": usd,
        "ConsumedQuantity": gpu_hours,
        "ConsumedUnit": UNIT,
        "PricingQuantity": gpu_hours,
        "PricingUnit": UNIT,
        "PricingCategory": "Standard",
        "CommitmentDiscountStatus": None,
    }


def _pod(row: PodRow, ratio: Decimal | None) -> Row:
    tags = {"bu": row.bu, "namespace": row.namespace, "workload": row.workload, "resource": row.resource}
    figures = row.figures
    return {
        "AllocatedMethodId": METHOD,
        "AllocatedMethodDetails": _details(ratio, figures.gpu_hours),
        "AllocatedResourceId": f"{row.uid or row.pod}/{row.resource}",
        "AllocatedResourceName": f"{row.namespace}/{row.pod}",
        "AllocatedTags": _json({name: value for name, value in tags.items() if value}),
        "x_BusinessUnit": row.bu,
        "x_Namespace": row.namespace,
        "x_GpuPriceUsdPerHour": row.price.usd_per_gpu_hour,
        "x_GpuPriceSource": row.price.source,
        "x_GpuUtilization": figures.utilization,
        "x_GpuUtilizationBasis": row.utilization_basis.value,
        "x_GpuUtilizedCost": figures.effective_usd,
        "x_GpuWasteCost": figures.waste_usd,
    }


def _unallocated(node: NodeRow, ratio: Decimal) -> Row:
    return {
        "AllocatedMethodId": METHOD,
        "AllocatedMethodDetails": _details(ratio, node.unallocated_gpu_hours),
        "AllocatedResourceId": None,
        "AllocatedResourceName": None,
        "AllocatedTags": None,
        "x_BusinessUnit": None,
        "x_Namespace": None,
        "x_GpuPriceUsdPerHour": node.price.usd_per_gpu_hour,
        "x_GpuPriceSource": node.price.source,
        "x_GpuUtilization": None,
        "x_GpuUtilizationBasis": None,
        "x_GpuUtilizedCost": None,
        "x_GpuWasteCost": None,
    }


def _details(ratio: Decimal | None, gpu_hours: Decimal) -> str:
    """JSON with exact numbers, built as text since the standard library would write floats."""
    parts = [] if ratio is None else [f'"AllocatedRatio": {ratio:f}']
    parts += [f'"UsageUnit": "{UNIT}"', f'"UsageQuantity": {gpu_hours:f}']
    return f'{{"Elements": [{{{", ".join(parts)}}}]}}'


def _json(tags: dict[str, Any]) -> str:
    return json.dumps(tags, ensure_ascii=False, sort_keys=True)
