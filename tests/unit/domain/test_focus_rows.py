"""FOCUS rows column by column: one of a pod, one of what nobody held, one of somebody who may not see nodes."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from gpucost.domain.answers.focus import Account, own_rows, split_rows
from tests.support.hours import HOUR, node, pod

ACCOUNT = Account("111122223333", "us-west-2")
POD = pod("ml", "24", bu="비전")
NODE = replace(node(Decimal(2)), unallocated_gpu_hours=Decimal(6))
ORIGIN = {
    "BillingAccountId": "111122223333",
    "BillingAccountName": "111122223333",
    "BillingAccountType": "Account",
    "BillingCurrency": "USD",
    "BillingPeriodStart": "2026-11-01T00:00:00Z",
    "BillingPeriodEnd": "2026-12-01T00:00:00Z",
    "ChargeCategory": "Usage",
    "ChargeClass": None,
    "ChargeDescription": "GPUs of node-a in prod",
    "ChargeFrequency": "Usage-Based",
    "ChargePeriodStart": "2026-11-30T10:00:00Z",
    "ChargePeriodEnd": "2026-11-30T11:00:00Z",
    "InvoiceId": None,
    "InvoiceIssuerName": "Amazon Web Services",
    "ProviderName": "Amazon Web Services",
    "PublisherName": "Amazon Web Services",
    "ServiceProviderName": "Amazon Web Services",
    "HostProviderName": "Amazon Web Services",
    "ServiceCategory": "Compute",
    "ServiceSubcategory": "Virtual Machines",
    "ServiceName": "Amazon Elastic Compute Cloud",
    "RegionId": "us-west-2",
    "RegionName": "us-west-2",
    "ResourceId": "node-a",
    "ResourceName": "node-a",
    "ResourceType": "Node",
    "SkuMeter": "p4d.24xlarge",
    "SubAccountId": "111122223333",
    "SubAccountName": "111122223333",
    "SubAccountType": "Account",
    "Tags": '{"cluster": "prod"}',
    "x_Cluster": "prod",
    "x_InstanceType": "p4d.24xlarge",
    "x_GpuModel": "NVIDIA-A100-SXM4-40GB",
}
OF_POD = {
    "AllocatedMethodId": "gpucost-1",
    "AllocatedMethodDetails": (
        '{"Elements": [{"AllocatedRatio": 0.25, "UsageUnit": "GPU-Hours", "UsageQuantity": 1.5}]}'
    ),
    "AllocatedResourceId": "uid-ml-train-0/nvidia.com/mig-1g.5gb",
    "AllocatedResourceName": "ml/train-0",
    "AllocatedTags": (
        '{"bu": "비전", "namespace": "ml", "resource": "nvidia.com/mig-1g.5gb", "workload": "StatefulSet/train"}'
    ),
    "x_BusinessUnit": "비전",
    "x_Namespace": "ml",
    "x_GpuPriceUsdPerHour": 12,
    "x_GpuPriceSource": "settings",
    "x_GpuUtilization": Decimal("0.25"),
    "x_GpuUtilizationBasis": "pod",
    "x_GpuUtilizedCost": 6,
    "x_GpuWasteCost": 18,
}
OF_NOBODY = {
    **dict.fromkeys(OF_POD),
    "AllocatedMethodId": "gpucost-1",
    "AllocatedMethodDetails": '{"Elements": [{"AllocatedRatio": 0.75, "UsageUnit": "GPU-Hours", "UsageQuantity": 6}]}',
    "x_GpuPriceUsdPerHour": 12,
    "x_GpuPriceSource": "settings",
}


def amounts(usd: int, gpu_hours: str) -> dict[str, Any]:
    return {
        **dict.fromkeys(("BilledCost", "ContractedCost", "EffectiveCost", "ListCost"), usd),
        **dict.fromkeys(("ConsumedQuantity", "PricingQuantity"), Decimal(gpu_hours)),
        **dict.fromkeys(("ConsumedUnit", "PricingUnit"), "GPU-Hours"),
        "PricingCategory": "Standard",
        "CommitmentDiscountStatus": None,
    }


def test_a_pods_part_and_the_rest() -> None:
    held, rest = split_rows(ACCOUNT, "prod", HOUR, [NODE], [POD])
    assert held == {**ORIGIN, **amounts(24, "1.5"), **OF_POD}
    assert rest == {**ORIGIN, **amounts(72, "6"), **OF_NOBODY}


def test_of_a_node_that_may_not_be_seen_no_more_is_said_than_its_name() -> None:
    (row,) = own_rows(ACCOUNT, "prod", HOUR, [POD])
    hidden = {"SkuMeter": None, "x_InstanceType": None, "x_GpuModel": None}
    details = '{"Elements": [{"UsageUnit": "GPU-Hours", "UsageQuantity": 1.5}]}'
    assert row == {**ORIGIN, **amounts(24, "1.5"), **OF_POD, **hidden, "AllocatedMethodDetails": details}


def test_a_node_for_nothing_is_nobodys_whole_and_a_pod_without_a_workload_has_no_such_tag() -> None:
    free = replace(NODE, unallocated_usd=Decimal(0))
    bare = replace(POD, workload=None, uid="", figures=replace(POD.figures, allocated_usd=Decimal(0)))
    held, rest = split_rows(ACCOUNT, "prod", HOUR, [free], [bare])
    assert '"AllocatedRatio": 0,' in held["AllocatedMethodDetails"]
    assert '"AllocatedRatio": 1,' in rest["AllocatedMethodDetails"]
    assert "workload" not in held["AllocatedTags"]
    assert held["AllocatedResourceId"] == "train-0/nvidia.com/mig-1g.5gb"


def test_pods_of_another_node_are_no_part_of_this_one() -> None:
    found = list(split_rows(ACCOUNT, "prod", HOUR, [NODE], [POD, replace(POD, node="node-b")]))
    assert len(found) == 2
