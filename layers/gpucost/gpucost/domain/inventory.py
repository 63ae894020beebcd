"""What is held or used, but has no price: other accelerators, requests without a namespace, use without a request."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from gpucost.domain.holding import PhaseMasks, phase_masks
from gpucost.domain.hours import MINUTES
from gpucost.domain.mig import parse_profile
from gpucost.domain.money import round_fraction
from gpucost.domain.policy import Policy
from gpucost.domain.readings import ContainerRequest, DeviceSeries, PodId, Readings, Samples
from gpucost.domain.report import HourWarning, Unpriced
from gpucost.domain.resources import GPU, ResourceKind, parse_resource
from gpucost.domain.timeline import FULL, Mask, Timeline, minutes, within
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


def accelerators_without_price(readings: Readings, bound: Iterable[ContainerRequest], policy: Policy) -> Inventory:
    """Held accelerators outside the grammar, and request series that name no namespace."""
    phases = phase_masks(readings.phases)
    hours: dict[tuple[PodId, str, str, str], Fraction] = defaultdict(Fraction)
    for request in bound:
        reason = _reason(request.resource, policy)
        if reason:
            mask = phases.get(request.pod, PhaseMasks()).held if phases else FULL
            hours[request.pod, request.node, request.resource, reason] += _unit_hours(within(request.quantity, mask))
    for request in _nameless(readings.requests, policy):
        hours[request.pod, request.node, request.resource, NO_NAMESPACE] += _unit_hours(request.quantity)
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


def _nameless(requests: Iterable[ContainerRequest], policy: Policy) -> list[ContainerRequest]:
    """Request series of priced resources without a namespace, each container once."""
    distinct: dict[tuple[PodId, str, str, str], ContainerRequest] = {}
    for request in requests:
        if not request.pod.namespace and parse_resource(request.resource, policy.passthrough).priced:
            distinct[request.pod, request.container, request.node, request.resource] = request
    return list(distinct.values())


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
    """
    asking = {request.pod for request in bound}
    running = {pod: masks.running for pod, masks in phase_masks(readings.phases).items() if masks.running}
    by_name: dict[tuple[str, str], list[PodId]] = defaultdict(list)
    for pod in sorted(running):
        if pod.namespace and pod.pod:
            by_name[pod.namespace, pod.pod].append(pod)
    found: dict[tuple[PodId, str, str], tuple[DeviceSeries, Mask]] = {}
    for series in readings.devices:
        for pod in by_name.get((series.namespace, series.pod), ()):
            if pod in asking:
                continue
            claimed = bool(series.claim) or bool(readings.claims.get(pod))
            mask = _sampled(series.samples) & running[pod]
            if not mask or not (claimed or _active(series.samples)):
                continue
            key = (pod, series.node, f"{series.uuid}/{series.instance}")
            found[key] = (series, mask | (found[key][1] if key in found else 0))
    requests = tuple(
        ContainerRequest(pod, device, node, _resource(series), {Decimal(1): mask})
        for (pod, node, device), (series, mask) in sorted(found.items(), key=lambda item: item[0])
    )
    if not requests:
        return Inventory()
    how = "inferred from the devices" if infer else "not priced (set infer_use_without_request to price them)"
    text = f"{len(requests)} devices are used by pods that request none: {how}"
    warnings = (warn(Code.USE_WITHOUT_REQUEST, text),)
    if infer:
        return Inventory(warnings=warnings, requests=requests)
    rows = tuple(
        Unpriced(one.pod.namespace, one.pod.pod, one.pod.uid, one.node, one.resource, _hours(one), NO_REQUEST)
        for one in requests
    )
    return Inventory(rows, warnings)


def _resource(series: DeviceSeries) -> str:
    """The resource that a request for the device would have named."""
    profile = parse_profile(series.profile)
    return GPU if profile is None else f"nvidia_com_mig_{profile.name.replace('.', '_')}"


def _sampled(samples: Samples) -> Mask:
    return sum(1 << minute for minute, sample in enumerate(samples) if sample is not None)


def _active(samples: Samples) -> bool:
    return any(sample is not None and sample.is_finite() and sample > 0 for sample in samples)


def _hours(request: ContainerRequest) -> Decimal:
    return round_fraction(_unit_hours(request.quantity))


def _unit_hours(quantity: Timeline[Decimal]) -> Fraction:
    return sum((Fraction(units) * minutes(mask) for units, mask in quantity.items()), Fraction(0)) / MINUTES
