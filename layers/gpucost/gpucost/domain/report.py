"""The report of one cluster-hour: the record that the ledger keeps and everything else reads.

Units: `*_usd` are US dollars (Decimal, at most 12 fractional digits), `*_gpu_hours` are hours of one physical GPU,
`slice_hours` are compute-slice hours under MIG and device or replica hours otherwise; `utilization` is a ratio 0..1 of
what was allocated. None means unknown, never zero. allocated = effective + waste + unknown holds exactly everywhere.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from gpucost.domain.hours import Hour

RULE_VERSION = "1"
CURRENCY = "USD"


class Status(StrEnum):
    """The verdict on an hour, from best to worst."""

    COMPLETE = "complete"
    NO_UTILIZATION = "no_utilization"
    PARTIAL = "partial"
    FAILED = "failed"

    @property
    def rank(self) -> int:
        """0 is best. A reading never replaces one of a lower rank."""
        return list(Status).index(self)


class Basis(StrEnum):
    """Where a utilisation figure comes from."""

    POD = "pod"
    SHARED_DEVICE = "shared_device"
    NODE = "node"
    CLUSTER = "cluster"
    RECIPE = "recipe"
    NONE = "none"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class HourWarning:
    """Something a reader of the hour should know. `code` is stable and documented in docs/warnings.md."""

    code: str
    message: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one holder held, used and wasted in the hour."""

    slice_hours: Decimal
    gpu_hours: Decimal
    allocated_usd: Decimal
    utilization: Decimal | None
    effective_usd: Decimal | None
    waste_usd: Decimal | None
    unknown_usd: Decimal


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the figures of a row stand on.

    held_minutes and running_minutes count the minutes of the hour; samples count device-minutes of utilisation.
    """

    held_minutes: int
    running_minutes: int
    samples_seen: int
    samples_expected: int


@dataclass(frozen=True, slots=True)
class Price:
    """USD per GPU-hour that a node's hour was priced with, and its papers."""

    usd_per_gpu_hour: Decimal
    source: str
    as_of: str | None = None
    flag: str | None = None


@dataclass(frozen=True, slots=True)
class PodRow:
    """One pod holding one resource on one node, for one BU. The key is (bu, namespace, pod, uid, node, resource)."""

    bu: str
    namespace: str
    pod: str
    uid: str
    node: str
    resource: str
    workload: str | None
    share: str
    figures: Figures
    utilization_basis: Basis
    price: Price
    vram_used_mib: Decimal | None
    evidence: Evidence
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> tuple[str, str, str, str, str, str]:
        return (self.bu, self.namespace, self.pod, self.uid, self.node, self.resource)


@dataclass(frozen=True, slots=True)
class NamespaceRow:
    """One namespace's hour, for one BU. The key is (bu, namespace). `price_source` is "mixed" over several sources."""

    bu: str
    namespace: str
    figures: Figures
    utilization_basis: Basis
    price_source: str

    @property
    def key(self) -> tuple[str, str]:
        return (self.bu, self.namespace)


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node's hour: capacity = allocated + unallocated; stranded is the unallocated that nobody could ever hold."""

    node: str
    instance_type: str | None
    gpu_model: str | None
    physical_gpus: Decimal
    capacity_source: str
    capacity_gpu_hours: Decimal
    allocated_gpu_hours: Decimal
    unallocated_gpu_hours: Decimal
    stranded_gpu_hours: Decimal
    capacity_usd: Decimal
    allocated_usd: Decimal
    unallocated_usd: Decimal
    stranded_usd: Decimal
    price: Price


@dataclass(frozen=True, slots=True)
class Totals:
    """The cluster's hour. effective and waste are None when nothing is known of them."""

    capacity_gpu_hours: Decimal
    allocated_gpu_hours: Decimal
    unallocated_gpu_hours: Decimal
    stranded_gpu_hours: Decimal
    capacity_usd: Decimal
    allocated_usd: Decimal
    effective_usd: Decimal | None
    waste_usd: Decimal | None
    unknown_usd: Decimal
    unallocated_usd: Decimal
    stranded_usd: Decimal


@dataclass(frozen=True, slots=True)
class Unpriced:
    """An accelerator that is held but has no price here. quantity_hours counts its own units (cores, devices)."""

    namespace: str
    pod: str
    uid: str
    node: str
    resource: str
    quantity_hours: Decimal
    reason: str


@dataclass(frozen=True, slots=True)
class Pending:
    """Pods of one namespace that wait for a resource at the end of the hour: how many, and for how many units."""

    bu: str
    namespace: str
    resource: str
    pods: int
    units: Decimal


@dataclass(frozen=True, slots=True)
class Coverage:
    """Minutes of the hour with cluster series, and device-minutes of utilisation: seen over expected, ratios 0..1."""

    minutes_seen: int
    minutes_expected: int
    cluster: Decimal
    utilization: Decimal | None


@dataclass(frozen=True, slots=True)
class QueryTrace:
    """One question that was put to the metrics engine, and how much it answered."""

    name: str
    query: str
    series: int
    samples: int


@dataclass(frozen=True, slots=True)
class HourReport:
    """All that is known of one cluster-hour. `revision` is None until the ledger has published it."""

    cluster: str
    hour: Hour
    status: Status
    coverage: Coverage
    totals: Totals
    namespaces: tuple[NamespaceRow, ...]
    pods: tuple[PodRow, ...]
    nodes: tuple[NodeRow, ...]
    unpriced: tuple[Unpriced, ...] = ()
    pending: tuple[Pending, ...] = ()
    warnings: tuple[HourWarning, ...] = ()
    queries: tuple[QueryTrace, ...] = ()
    settings_digest: str = ""
    rule_version: str = RULE_VERSION
    currency: str = CURRENCY
    revision: int | None = None
