"""The EC2 instances behind a cluster's GPU nodes: what decides what an hour of them costs."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from gpucost.domain.gpus.instances import INSTANCE_TYPES, TYPE_LABELS
from gpucost.domain.readings import Labels, Readings
from gpucost.domain.timeline import Mask

_PROVIDER_ID = re.compile(r"aws:///(?P<zone>[a-z0-9-]+)/(?P<instance>i-[0-9a-f]{8,17})")
_REGION = re.compile(r"[a-z]{2,4}(?:-[a-z]+)+-\d")
_ZONE_LABELS = ("topology_kubernetes_io_zone", "failure_domain_beta_kubernetes_io_zone")
_CAPACITY_LABELS = ("karpenter_sh_capacity_type", "eks_amazonaws_com_capacityType", "eks_amazonaws_com_capacity_type")


class Lifecycle(StrEnum):
    """How an instance is bought: EC2's InstanceLifecycle, where nothing means On-Demand."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    CAPACITY_BLOCK = "capacity_block"


@dataclass(frozen=True, slots=True)
class Machine:
    """A node as EC2 knows it; None is not known. `lifecycle` is by the node's labels until EC2 was asked."""

    node: str
    instance_type: str | None = None
    instance_id: str | None = None
    zone: str | None = None
    lifecycle: Lifecycle | None = None

    @property
    def region(self) -> str | None:
        """The region of the zone; a local zone's (us-west-2-lax-1a) is its parent's."""
        found = _REGION.match(self.zone or "")
        return found[0] if found else None


def lifecycle_of(text: str) -> Lifecycle | None:
    """What Karpenter's, EKS' and EC2's words for it mean; None for a word that says nothing of the price.

    Karpenter's "reserved" may be a capacity reservation or a capacity block, so it says nothing.
    """
    return {
        "ondemand": Lifecycle.ON_DEMAND,
        "spot": Lifecycle.SPOT,
        "capacityblock": Lifecycle.CAPACITY_BLOCK,
    }.get(re.sub(r"[-_ ]", "", text.lower()))


def machines(readings: Readings) -> list[Machine]:
    """The instances of all nodes that have, or may have, GPUs; sorted by node.

    A node's name that was given to another instance within the hour is the later instance.
    """
    with_devices = {one.node for one in readings.node_resources} | {one.node for one in readings.requests}
    labels: dict[str, list[tuple[Mask, Labels]]] = defaultdict(list)
    ids: dict[str, dict[str, Mask]] = defaultdict(lambda: defaultdict(int))
    for facts in readings.nodes:
        labels[facts.node].extend((mask, pairs) for pairs, mask in facts.labels.items())
        if facts.provider_id:
            ids[facts.node][facts.provider_id] |= facts.minutes
    every = (_instance(node, seen, ids[node]) for node, seen in sorted(labels.items()) if node)
    return [one for one in every if one.node in with_devices or _has_gpus(one)]


def _instance(node: str, seen: list[tuple[Mask, Labels]], ids: Mapping[str, Mask]) -> Machine:
    """The later of the instances that had the name, by the labels of its own time where there are any."""
    last, provider_id = max(((mask, one) for one, mask in ids.items()), default=(0, ""))
    own = [(mask, pairs) for mask, pairs in seen if mask & last]
    return _machine(node, _latest(own or seen), provider_id)


def _has_gpus(machine: Machine) -> bool:
    return (machine.instance_type or "") in INSTANCE_TYPES


def _latest(seen: Iterable[tuple[Mask, Labels]]) -> dict[str, str]:
    """The labels that held last."""
    return {name: value for _, pairs in sorted(seen) for name, value in pairs}


def _machine(node: str, labels: dict[str, str], provider_id: str) -> Machine:
    place = _PROVIDER_ID.fullmatch(provider_id)
    words = (lifecycle_of(text) for text in _values(labels, _CAPACITY_LABELS))
    return Machine(
        node=node,
        instance_type=next(_values(labels, TYPE_LABELS), None),
        instance_id=place["instance"] if place else None,
        zone=next(_values(labels, _ZONE_LABELS), place["zone"] if place else None),
        lifecycle=next((word for word in words if word), None),
    )


def _values(labels: dict[str, str], names: Iterable[str]) -> Iterator[str]:
    return (labels[name] for name in names if labels.get(name))
