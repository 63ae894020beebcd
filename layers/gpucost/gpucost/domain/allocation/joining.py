"""Which devices are whose: an exporter's series names a pod, and only a pod that holds a GPU by its request counts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucost.domain.allocation.holding import Holding, HoldingKey
from gpucost.domain.allocation.utilisation import Device, DeviceKey, Usage, larger, usage_within
from gpucost.domain.gpus.mig import parse_profile
from gpucost.domain.gpus.resources import Resource, ResourceKind
from gpucost.domain.readings import Samples
from gpucost.domain.timeline import Mask


@dataclass(frozen=True, slots=True)
class DeviceMap:
    """The hour's devices, by the workload that their series name and by node."""

    by_pod: Mapping[tuple[str, str], list[Device]]
    by_node: Mapping[str, list[Device]]
    several: frozenset[tuple[str, object]]

    def of(self, key: HoldingKey, resource: Resource) -> list[Device]:
        """The devices of a holding. With several resources, each device counts under the one whose profile it has."""
        mine = [
            device
            for device in self.by_pod.get((key.pod.namespace, key.pod.pod), ())
            if device.key.node == key.node or device.key.node not in self.by_node
        ]
        if (key.node, key.pod) not in self.several:
            return mine
        wanted = resource.profile.name if resource.profile else None
        return [device for device in mine if _profile_name(device) == wanted]

    def shared_card(self, node: str) -> list[Device]:
        """The node's devices, if they all are one card: then every sharer on the node sits on it."""
        devices = self.by_node.get(node, [])
        return devices if len({device.key for device in devices}) == 1 else []

    def unheld(self, node: str, held: set[tuple[str, str]], resource: Resource) -> list[Device]:
        """The node's devices that no holder's series names, and that the resource can stand for.

        A MIG resource stands for devices of its profile; a GPU for whole ones, or where there is none (the single
        strategy) for any.
        """
        named = {device.key for device in self.by_node.get(node, ()) if (device.namespace, device.pod) in held}
        free = [device for device in self.by_node.get(node, ()) if device.key not in named]
        wanted = resource.profile.name if resource.profile else None
        same = [device for device in free if _profile_name(device) == wanted]
        return same if resource.profile else same or free


def _profile_name(device: Device) -> str | None:
    profile = parse_profile(device.profile)
    return profile.name if profile else None


def map_devices(devices: Iterable[Device], holdings: Iterable[Holding], nodes: set[str]) -> DeviceMap:
    """Index the devices. A device that names a node nobody knows (an exporter's pod name) is found by its pod only."""
    by_pod: dict[tuple[str, str], list[Device]] = defaultdict(list)
    by_node: dict[str, list[Device]] = {node: [] for node in nodes}
    for device in devices:
        if device.namespace and device.pod:
            by_pod[device.namespace, device.pod].append(device)
        if device.key.node in by_node:
            by_node[device.key.node].append(device)
    claims: dict[tuple[str, object], int] = defaultdict(int)
    for holding in holdings:
        claims[holding.key.node, holding.key.pod] += 1
    return DeviceMap(by_pod, by_node, frozenset(key for key, count in claims.items() if count > 1))


def usage_of(devices: Iterable[Device], mask: Mask) -> Usage:
    """The usage of some devices over some minutes; one device that several series name counts once."""
    ratios: dict[DeviceKey, Samples] = {}
    for device in devices:
        known = ratios.get(device.key)
        ratios[device.key] = device.ratios if known is None else larger(known, device.ratios)
    usage = Usage()
    for samples in ratios.values():
        usage = usage.plus(usage_within(samples, mask))
    return usage


def samples_expected(quantity: Mapping[Decimal, Mask], mask: Mask, resource: Resource, shared: bool) -> int:
    """Device-minutes that a holding should have reported: every unit is a device, unless units share one."""
    if shared or resource.kind is ResourceKind.AWS_VGPU:
        union = 0
        for part in quantity.values():
            union |= part
        return (union & mask).bit_count()
    return sum(int(units) * (part & mask).bit_count() for units, part in quantity.items())
