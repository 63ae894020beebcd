"""What is held or used, but has no price: other accelerators, requests without a namespace, use without a request."""

import operator
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from gpucost.domain.allocation.cards import sampled
from gpucost.domain.allocation.holding import holdings, phase_masks
from gpucost.domain.allocation.utilisation import BLANK
from gpucost.domain.gpus.mig import parse_profile
from gpucost.domain.gpus.resources import GPU, ResourceKind, parse_resource
from gpucost.domain.hours import MINUTES
from gpucost.domain.money import round_fraction
from gpucost.domain.policy import Policy
from gpucost.domain.readings import ContainerRequest, PodId, Readings, Samples
from gpucost.domain.report import HourWarning, Unpriced
from gpucost.domain.timeline import Mask, Timeline, merge_all, minutes
from gpucost.domain.warnings import Code, warn

_HAMI_KINDS = {ResourceKind.HAMI_CORES, ResourceKind.HAMI_MEMORY, ResourceKind.HAMI_MEMORY_PERCENT}
NO_NAMESPACE = "no namespace label on the request series"
NO_REQUEST = "used without a request"


@dataclass(frozen=True, slots=True)
class Inventory:
    """Things to list, the warnings that go with them, and requests to be priced after all."""

    rows: tuple[Unpriced, ...] = ()
    warnings: tuple[HourWarning, ...] = ()
    requests: tuple[ContainerRequest, ...] = ()


def accelerators_without_price(readings: Readings, bound: Sequence[ContainerRequest], policy: Policy) -> Inventory:
    """Held accelerators outside the grammar, and request series that name no namespace."""
    asked = {request.resource for request in bound}
    reasons = {resource: reason for resource in asked if (reason := _reason(resource, policy))}
    hours = {
        (one.key.pod, one.key.node, one.key.resource, reasons[one.key.resource]): _unit_hours(one.quantity)
        for one in holdings(readings, [request for request in bound if request.resource in reasons])
    }
    for key, quantity in _nameless(readings.requests).items():
        hours[*key, NO_NAMESPACE] = _unit_hours(quantity)
    rows = tuple(
        Unpriced(pod.namespace, pod.pod, pod.uid, node, resource, round_fraction(quantity), reason)
        for (pod, node, resource, reason), quantity in sorted(hours.items())
        if quantity
    )
    return Inventory(rows, tuple(_warnings(rows)))


def _reason(resource: str, policy: Policy) -> str | None:
    kind = parse_resource(resource, policy.passthrough).kind
    if kind in _HAMI_KINDS:
        return None if policy.hami else "HAMi share: set hami to price GPUs by it"
    return "no rule for this resource" if kind is ResourceKind.OTHER else None


def _nameless(requests: Iterable[ContainerRequest]) -> dict[tuple[PodId, str, str], Timeline[Decimal]]:
    """Requests without a namespace by (pod, node, resource), each container once."""
    containers: dict[tuple[PodId, str, str], dict[str, Timeline[Decimal]]] = defaultdict(dict)
    for request in requests:
        if not request.pod.namespace:
            known = containers[request.pod, request.node, request.resource]
            known[request.container] = merge_all([known.get(request.container, {}), request.quantity], max)
    return {key: merge_all(known.values(), operator.add) for key, known in containers.items()}


def _warnings(rows: Iterable[Unpriced]) -> list[HourWarning]:
    by_code: dict[tuple[Code, str], Decimal] = defaultdict(Decimal)
    for row in rows:
        code = Code.UNATTRIBUTED if row.reason == NO_NAMESPACE else Code.UNPRICED
        by_code[code, row.resource] += row.quantity_hours
    texts = {
        Code.UNATTRIBUTED: "no namespace label on GPU request series ({} {}-hours): set label_names to your pipeline's",
        Code.UNPRICED: "{} {}-hours are held and have no price here",
    }
    return [warn(code, texts[code].format(hours, name), name) for (code, name), hours in sorted(by_code.items())]


def use_without_request(readings: Readings, bound: Iterable[ContainerRequest], infer: bool) -> Inventory:
    """Devices that report a workload which runs, but requests no GPU: DRA claims, or a lost request series.

    A device without any activity counts only when the pod has a resource claim: idle series may carry stale labels.
    Inferred is only what is on a node that is known: a device that names its exporter as host would be a node more.
    """
    requests = _requests_in_use(readings, {request.pod for request in bound})
    if not requests:
        return Inventory()
    nodes = {one.node for one in readings.nodes} | {one.node for one in readings.node_resources}
    inferred = tuple(one for one in requests if infer and one.node in nodes)
    how = "inferred from the devices" if infer else "not priced (set infer_use_without_request to price them)"
    if infer and len(inferred) < len(requests):
        how += f", but for {len(requests) - len(inferred)} that name no node of the cluster"
    text = f"{len(requests)} devices are used by pods that request none: {how}"
    rows = tuple(
        Unpriced(one.pod.namespace, one.pod.pod, one.pod.uid, one.node, one.resource, _hours(one), NO_REQUEST)
        for one in requests
        if not infer or one.node not in nodes
    )
    return Inventory(rows, (warn(Code.USE_WITHOUT_REQUEST, text),), inferred)


def _requests_in_use(readings: Readings, asking: set[PodId]) -> tuple[ContainerRequest, ...]:
    """One request for each device that names a running pod which asks for none, over the minutes that name it."""
    running = {pod: masks.running for pod, masks in phase_masks(readings.phases).items()}
    by_name: dict[tuple[str, str], list[PodId]] = defaultdict(list)
    for pod in running.keys() - asking:
        if pod.namespace and pod.pod:
            by_name[pod.namespace, pod.pod].append(pod)
    used: dict[tuple[PodId, str, str], Mask] = defaultdict(int)
    profiles: dict[tuple[PodId, str, str], str] = defaultdict(str)
    for series in readings.devices:
        for pod in by_name.get((series.namespace, series.pod), ()):
            claimed = bool(series.claim) or bool(readings.claims.get(pod))
            mask = sampled(series.samples) & running[pod]
            if mask and (claimed or _active(series.samples)):
                key = (pod, series.node, f"{series.uuid}/{series.instance}")
                used[key] |= mask
                profiles[key] = max(profiles[key], series.profile)
    return tuple(
        ContainerRequest(pod, device, node, _resource(profiles[pod, node, device]), {Decimal(1): mask})
        for (pod, node, device), mask in sorted(used.items())
    )


def _resource(profile_name: str) -> str:
    """The resource that a request for the device would have named."""
    profile = parse_profile(profile_name)
    return GPU if profile is None else f"nvidia_com_mig_{profile.name.replace('.', '_')}"


def _active(samples: Samples) -> bool:
    return any(sample is not None and sample.is_finite() and 0 < sample < BLANK for sample in samples)


def _hours(request: ContainerRequest) -> Decimal:
    return round_fraction(_unit_hours(request.quantity))


def _unit_hours(quantity: Timeline[Decimal]) -> Fraction:
    return sum((Fraction(units) * minutes(mask) for units, mask in quantity.items()), Fraction(0)) / MINUTES
