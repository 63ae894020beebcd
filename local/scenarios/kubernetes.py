"""Pods and nodes as kube-state-metrics reports them.

https://github.com/kubernetes/kube-state-metrics/tree/main/docs/metrics
"""

import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from local.scenarios.history import Series, Span

PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
TARGET = {"job": "kube-state-metrics", "instance": "kube-state-metrics.kube-system.svc:8080"}
NAMES = uuid.UUID("6e1f2b9c-5d0a-4b58-9d37-2f0c4f6f2a10")


def sanitised(name: str) -> str:
    """A resource or label name as kube-state-metrics writes it: nvidia.com/mig-1g.5gb -> nvidia_com_mig_1g_5gb."""
    return re.sub(r"[^a-zA-Z0-9_]", "_", name)


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod of one container that asks for one GPU resource."""

    namespace: str
    name: str
    node: str
    resource: str
    owner: tuple[str, str]
    container: str = "main"
    quantity: int = 1

    @property
    def uid(self) -> str:
        return str(uuid.uuid5(NAMES, f"{self.namespace}/{self.name}"))

    def series(self, span: Span, phase: str = "Running") -> Iterator[Series]:
        """What is reported of the pod while it is in one phase."""
        identity = {**TARGET, "namespace": self.namespace, "pod": self.name, "uid": self.uid}
        request = {"container": self.container, "node": self.node, "resource": sanitised(self.resource)}
        yield span.steady(
            "kube_pod_container_resource_requests", {**identity, **request, "unit": "integer"}, self.quantity
        )
        kind, owner = self.owner
        yield span.steady("kube_pod_info", {**identity, "node": self.node}, 1)
        owned = {"owner_kind": kind, "owner_name": owner, "owner_is_controller": "true"}
        yield span.steady("kube_pod_owner", {**identity, **owned}, 1)
        for one in PHASES:
            yield span.steady("kube_pod_status_phase", {**identity, "phase": one}, int(one == phase))


@dataclass(frozen=True, slots=True)
class Node:
    """A node with what it offers. Label and resource names are as in Kubernetes."""

    name: str
    provider_id: str
    labels: Mapping[str, str]
    allocatable: Mapping[str, int] = field(default_factory=dict)

    def series(self, span: Span) -> Iterator[Series]:
        identity = {**TARGET, "node": self.name}
        yield span.steady("kube_node_info", {**identity, "provider_id": self.provider_id}, 1)
        labels = {f"label_{sanitised(key)}": value for key, value in self.labels.items()}
        yield span.steady("kube_node_labels", {**identity, **labels}, 1)
        for resource, quantity in self.allocatable.items():
            offer = {**identity, "resource": sanitised(resource), "unit": "integer"}
            yield span.steady("kube_node_status_allocatable", offer, quantity)
            yield span.steady("kube_node_status_capacity", offer, quantity)
