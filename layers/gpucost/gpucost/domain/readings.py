"""What the metrics engine said about one cluster-hour, as typed facts: the only input of the allocation.

Nothing here is interpreted yet: resources keep kube-state-metrics' sanitised names, duplicates are still there, and
device series still carry whatever pod labels they came with. The order of the tuples has no meaning.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

from gpucost.domain.report import QueryTrace
from gpucost.domain.timeline import Mask, Timeline

type Samples = tuple[Decimal | None, ...]
"""One value per minute of the hour; None where the engine had none."""

type Labels = tuple[tuple[str, str], ...]
"""Sorted label pairs, hashable, so that a timeline can hold them."""


class PodId(NamedTuple):
    """A pod by what stays true of it: a name can be used again within the hour, a uid cannot."""

    namespace: str
    pod: str
    uid: str


@dataclass(frozen=True, slots=True)
class ContainerRequest:
    """A container's request of one extended resource while its pod was bound to a node ("" while it was not)."""

    pod: PodId
    container: str
    node: str
    resource: str
    quantity: Timeline[Decimal]
    init: bool = False


@dataclass(frozen=True, slots=True)
class PodPhase:
    """The minutes in which a pod was in one phase."""

    pod: PodId
    phase: str
    minutes: Mask


@dataclass(frozen=True, slots=True)
class NodeResource:
    """How much of an extended resource a node advertised as allocatable."""

    node: str
    resource: str
    allocatable: Timeline[Decimal]


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """A node's labels (kube-state-metrics' sanitised keys, without the `label_` prefix) and provider id, by minute."""

    node: str
    minutes: Mask
    labels: Timeline[Labels] = field(default_factory=dict)
    provider_id: str = ""


@dataclass(frozen=True, slots=True)
class DeviceSeries:
    """One exporter series of a GPU or MIG instance. `uuid` is the physical GPU's; `instance` is empty for a whole GPU.

    namespace, pod and container are the workload's labels ("" when the exporter named none). samples are in the
    metric's own unit.
    """

    metric: str
    node: str
    uuid: str
    index: str
    instance: str
    profile: str
    model: str
    namespace: str
    pod: str
    container: str
    samples: Samples
    claim: str = ""


@dataclass(frozen=True, slots=True)
class Readings:
    """All facts of one cluster-hour.

    `seen` are the minutes in which the cluster reported anything at all. `memory` series hold one sample: the hour's
    peak of the memory in use, MiB.
    """

    seen: Mask
    requests: tuple[ContainerRequest, ...] = ()
    phases: tuple[PodPhase, ...] = ()
    node_resources: tuple[NodeResource, ...] = ()
    nodes: tuple[NodeFacts, ...] = ()
    devices: tuple[DeviceSeries, ...] = ()
    memory: tuple[DeviceSeries, ...] = ()
    sidecars: frozenset[tuple[PodId, str]] = frozenset()
    owners: Mapping[PodId, str] = field(default_factory=dict)
    pod_labels: Mapping[PodId, Timeline[Labels]] = field(default_factory=dict)
    namespace_labels: Mapping[str, Timeline[Labels]] = field(default_factory=dict)
    namespace_annotations: Mapping[str, Timeline[Labels]] = field(default_factory=dict)
    claims: Mapping[PodId, tuple[str, ...]] = field(default_factory=dict)
    engine_warnings: tuple[str, ...] = ()
    queries: tuple[QueryTrace, ...] = ()
