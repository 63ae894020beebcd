"""Small builders for readings, so that a test says only what it is about."""

from collections.abc import Mapping
from decimal import Decimal

from gpucost.domain.hours import Hour
from gpucost.domain.readings import (
    ContainerRequest,
    DeviceSeries,
    NodeFacts,
    NodeResource,
    PodId,
    PodPhase,
    Readings,
    Samples,
)
from gpucost.domain.timeline import FULL, Mask

HOUR = Hour.parse("2026-11-30T10:00:00Z")
GPU = "nvidia_com_gpu"


def pod(name: str, namespace: str = "bu-a", uid: str | None = None) -> PodId:
    return PodId(namespace, name, uid if uid is not None else f"uid-{name}")


def mask(first: int, end: int) -> Mask:
    """Minutes [first, end)."""
    return (1 << end) - (1 << first)


def request(
    who: PodId,
    quantity: int | str = 1,
    *,
    node: str = "node-a",
    resource: str = GPU,
    container: str = "main",
    minutes: Mask = FULL,
    init: bool = False,
) -> ContainerRequest:
    return ContainerRequest(who, container, node, resource, {Decimal(quantity): minutes}, init)


def phase(who: PodId, name: str = "Running", minutes: Mask = FULL) -> PodPhase:
    return PodPhase(who, name, minutes)


def allocatable(count: int, *, node: str = "node-a", resource: str = GPU, minutes: Mask = FULL) -> NodeResource:
    return NodeResource(node, resource, {Decimal(count): minutes})


def node(name: str = "node-a", minutes: Mask = FULL, labels: Mapping[str, str] | None = None) -> NodeFacts:
    pairs = tuple(sorted((labels or {}).items()))
    return NodeFacts(name, minutes, {pairs: minutes} if labels else {})


def samples(value: str | None, minutes: Mask = FULL) -> Samples:
    return tuple(Decimal(value) if value is not None and minutes >> minute & 1 else None for minute in range(60))


def device(
    who: PodId | None = None,
    value: str | None = "0.5",
    *,
    uuid: str = "GPU-0",
    node: str = "node-a",
    instance: str = "",
    profile: str = "",
    model: str = "NVIDIA A10G",
    minutes: Mask = FULL,
    metric: str = "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    claim: str = "",
) -> DeviceSeries:
    return DeviceSeries(
        metric=metric,
        node=node,
        uuid=uuid,
        index="0",
        instance=instance,
        profile=profile,
        model=model,
        namespace=who.namespace if who else "",
        pod=who.pod if who else "",
        container="main" if who else "",
        samples=samples(value, minutes),
        claim=claim,
    )


def readings(*facts: object, seen: Mask = FULL, **more: object) -> Readings:
    """Sorts facts into readings by their type; keyword arguments are Readings' own fields."""
    kinds = {
        "requests": ContainerRequest,
        "phases": PodPhase,
        "node_resources": NodeResource,
        "nodes": NodeFacts,
        "devices": DeviceSeries,
    }
    sorted_facts = {name: tuple(fact for fact in facts if isinstance(fact, kind)) for name, kind in kinds.items()}
    return Readings(seen=seen, **{**sorted_facts, **more})  # type: ignore[arg-type]
