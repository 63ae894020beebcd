"""The choices that turn readings into money. One frozen value; its defaults are the AWS recipe's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from gpucost.domain.alerts.alert_rules import AlertRules
from gpucost.domain.hours import Hour
from gpucost.domain.report import Basis

RECIPE_RATE = Decimal(12)
RECIPE_SLICES = 7

KUBEVIRT_PASSTHROUGH = (
    "nvidia.com/AD102GL_L40S",
    "nvidia.com/AD104GL_L4",
    "nvidia.com/GA100_A100_PCIE_40GB",
    "nvidia.com/GA100_A100_SXM4_40GB",
    "nvidia.com/GA100_A100_SXM4_80GB",
    "nvidia.com/GA102GL_A10",
    "nvidia.com/GA102GL_A10G",
    "nvidia.com/GH100_H100_SXM5_80GB",
    "nvidia.com/GH100_H200_SXM_141GB",
    "nvidia.com/GV100GL_Tesla_V100",
    "nvidia.com/TU104GL_Tesla_T4",
)
"""Names that KubeVirt's GPU device plugin gives to whole cards of the EC2 GPU types, from the PCI id database."""


class WeightBasis(StrEnum):
    """How a MIG slice's share of its GPU is measured."""

    COMPUTE = "compute"
    MEMORY = "memory"
    DOMINANT = "dominant"


class UtilizationMode(StrEnum):
    """`measured` uses each pod's own devices; `recipe` uses the guide's cluster-wide proxy (avg / 100) for everyone."""

    MEASURED = "measured"
    RECIPE = "recipe"


class PriceSource(StrEnum):
    """Where a node's price can come from, best first."""

    CUR = "cur"
    CAPACITY_BLOCK = "capacity_block"
    SPOT = "spot"
    PRICE_LIST = "price_list"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class CapacityBlock:
    """Capacity bought up front: the fee, in USD, is for `instances` instances from `first` to before `end`."""

    instance_type: str
    instances: int
    first: Hour
    end: Hour
    upfront_fee_usd: Decimal


@dataclass(frozen=True, slots=True)
class RateCard:
    """How a node's hour is priced.

    Rates are USD per GPU-hour: by instance type, then by GPU model, then for everything; without the last one, the
    recipe's. `sources` is the ladder, best first. `list_discount` is the part (0..1) that is taken off list prices.
    `split_node_price` leaves to vCPUs and memory their part of the instance's price; `net` takes the bill's cost after
    private discounts.
    """

    usd_per_gpu_hour: Decimal | None = None
    by_instance_type: Mapping[str, Decimal] = field(default_factory=dict)
    by_gpu_model: Mapping[str, Decimal] = field(default_factory=dict)
    sources: tuple[PriceSource, ...] = tuple(PriceSource)
    list_discount: Decimal = Decimal(0)
    split_node_price: bool = False
    capacity_blocks: tuple[CapacityBlock, ...] = ()
    net: bool = False


@dataclass(frozen=True, slots=True)
class BuRules:
    """Whose a pod is: the first that answers of pod label, namespace label, namespace annotation, map and patterns.

    Label and annotation keys are as in Kubernetes (`cost-center/bu`). `patterns` are (regular expression, BU) pairs,
    matched against the whole namespace; the BU may use the groups as \\1. What no rule names is its own namespace.
    """

    pod_label: str | None = None
    namespace_label: str | None = None
    namespace_annotation: str | None = None
    by_namespace: Mapping[str, str] = field(default_factory=dict)
    patterns: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything the allocation may be told. `pod_labels` are keys, as in Kubernetes, that rows keep for groupings."""

    rates: RateCard = field(default_factory=RateCard)
    slices_per_gpu: int = RECIPE_SLICES
    weight_basis: WeightBasis = WeightBasis.COMPUTE
    utilization: UtilizationMode = UtilizationMode.MEASURED
    estimates: tuple[Basis, ...] = ()
    physical_gpus: Mapping[str, int] = field(default_factory=dict)
    hami: bool = False
    aws_vgpu_per_gpu: int = 10
    passthrough: tuple[str, ...] = KUBEVIRT_PASSTHROUGH
    infer_use_without_request: bool = False
    pod_labels: tuple[str, ...] = ()
    bu: BuRules = field(default_factory=BuRules)
    alerts: AlertRules = field(default_factory=AlertRules)
