"""The verdict on an hour: how much of it was seen, and whether its figures may be called final."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

from gpucost.domain.allocation.drafts import Draft, NodeDraft
from gpucost.domain.allocation.holding import phase_masks
from gpucost.domain.hours import MINUTES
from gpucost.domain.money import round_fraction
from gpucost.domain.readings import ContainerRequest, PodId, Readings
from gpucost.domain.report import Coverage, HourWarning, Status
from gpucost.domain.timeline import Mask, hull, minutes, present, since
from gpucost.domain.warnings import Code, warn

ENOUGH = Fraction(95, 100)
LOW_CONFIDENCE = Fraction(1, 2)

_PARTIAL = {
    Code.ENGINE_WARNING.value,
    Code.CLUSTER_GAP.value,
    Code.REQUEST_GAP.value,
    Code.CAPACITY_GAP.value,
    Code.PHASE_MISSING.value,
    Code.UNATTRIBUTED.value,
}


def coverage_of(readings: Readings, drafts: Sequence[Draft]) -> Coverage:
    """Minutes seen, and device-minutes of utilisation seen over expected (None when none were expected)."""
    seen = minutes(readings.seen)
    expected = sum(draft.expected for draft in drafts)
    observed = sum(min(draft.usage.samples, draft.expected) for draft in drafts)
    ratio = round_fraction(Fraction(observed, expected)) if expected else None
    return Coverage(seen, MINUTES, round_fraction(Fraction(seen, MINUTES)), ratio)


def data_warnings(readings: Readings, requests: Iterable[ContainerRequest]) -> list[HourWarning]:
    """What is wrong with the data itself."""
    out = [warn(Code.ENGINE_WARNING, f"the metrics engine warned: {text}") for text in sorted(readings.engine_warnings)]
    seen = minutes(readings.seen)
    if Fraction(seen, MINUTES) < ENOUGH:
        out.append(warn(Code.CLUSTER_GAP, f"the cluster reported in {seen} of {MINUTES} minutes"))
    bound = list(requests)
    if bound and not readings.phases:
        text = "no kube_pod_status_phase at all: bound pods are taken as held all the time, finished ones too"
        out.append(warn(Code.PHASE_MISSING, text))
    out += _request_gap(readings, bound)
    out += _capacity_gap(readings, bound)
    return out


def _request_gap(readings: Readings, bound: list[ContainerRequest]) -> list[HourWarning]:
    """Running pods that request GPUs, but whose request or phase series was missing part of the time.

    A pod that ran before and after a gap ran in it: where a shard of kube-state-metrics is silent, both are missing.
    """
    requested: dict[PodId, Mask] = defaultdict(int)
    for request in bound:
        requested[request.pod] |= present(request.quantity)
    running = phase_masks(readings.phases)
    ran = seen = 0
    for pod, mask in requested.items():
        if pod in running:
            lived = hull(running[pod].running) if pod.uid else running[pod].running
            ran += minutes(lived)
            seen += minutes(lived & running[pod].held & mask)
    if ran and Fraction(seen, ran) < ENOUGH:
        text = f"request series cover {seen} of {ran} minutes in which their pods ran"
        return [warn(Code.REQUEST_GAP, text)]
    return []


def _capacity_gap(readings: Readings, bound: list[ContainerRequest]) -> list[HourWarning]:
    """Nodes that existed and offered GPUs, or had pods that asked for some, without an allocatable series meanwhile.

    A machine that was there before and after a gap was there in it; a name without the machine's id says no such thing.
    A node that joins has nothing to offer until its device plugin is up: that is no gap.
    """
    advertised: dict[str, Mask] = {request.node: 0 for request in bound}
    for one in readings.node_resources:
        advertised[one.node] = advertised.get(one.node, 0) | present(one.allocatable)
    machines: dict[tuple[str, str], Mask] = defaultdict(int)
    for facts in readings.nodes:
        if facts.node in advertised:
            machines[facts.node, facts.provider_id] |= facts.minutes
    existed: dict[str, Mask] = defaultdict(int)
    for (node, machine), mask in machines.items():
        lived = hull(mask) if machine else mask
        offered = advertised[node] & lived
        joined = offered and not lived & 1
        existed[node] |= lived & since(offered) if joined else lived
    expected = sum(minutes(mask) for mask in existed.values())
    seen = sum(minutes(mask & advertised[node]) for node, mask in existed.items())
    if expected and Fraction(seen, expected) < ENOUGH:
        text = f"allocatable series cover {seen} of {expected} minutes in which their nodes existed"
        return [warn(Code.CAPACITY_GAP, text)]
    return []


def use_warnings(drafts: Sequence[Draft]) -> list[HourWarning]:
    """Holders whose use is unknown, or is known from less than half of their time."""
    out = []
    for bu, namespace, unknown, thin in _by_namespace(drafts):
        subject = f"{bu}/{namespace}"
        if unknown:
            text = (
                f"no utilisation series for {unknown} of the pods in {namespace}: their effective and waste are unknown"
            )
            out.append(warn(Code.UTILIZATION_MISSING, text, subject))
        if thin:
            text = f"utilisation of {thin} of the pods in {namespace} rests on less than half of their running time"
            out.append(warn(Code.UTILIZATION_GAP, text, subject))
    return out


def _by_namespace(drafts: Sequence[Draft]) -> list[tuple[str, str, int, int]]:
    unknown: dict[tuple[str, str], int] = defaultdict(int)
    thin: dict[tuple[str, str], int] = defaultdict(int)
    for draft in drafts:
        key = (draft.bu, draft.holding.key.pod.namespace)
        missing = draft.utilization is None
        unknown[key] += missing
        seen = Fraction(draft.usage.samples, draft.expected) if draft.expected else Fraction(1)
        thin[key] += not missing and draft.estimate is None and seen < LOW_CONFIDENCE
    return [(*key, unknown[key], thin[key]) for key in sorted(unknown)]


def node_warnings(nodes: Sequence[NodeDraft]) -> list[HourWarning]:
    """What does not fit on a node."""
    out: list[HourWarning] = []
    if not nodes:
        out.append(warn(Code.NO_GPUS, "no node with GPUs was seen: check the scrape job and the resource allow-list"))
    for node in nodes:
        name = node.hour.node
        states = [state for state, _ in node.hour.states]
        if node.overcommitted:
            out.append(warn(Code.OVERCOMMITTED, f"pods on {name} held more GPUs than it has: shares were cut", name))
        if any(not state.gpus for state in states):
            out.append(
                warn(Code.CAPACITY_UNKNOWN, f"nothing tells how many GPUs {name} has: what is held counts", name)
            )
        if any(state.fit < 1 for state in states):
            out.append(warn(Code.SHARES_SCALED, f"{name} advertises more than its GPUs: shares were scaled", name))
        if any(state.gpus and not state.advertised_gpus for state in states):
            text = (
                f"{name} has GPUs but advertised none of them part of the time (driver, device plugin or MIG change?)"
            )
            out.append(warn(Code.NOTHING_ADVERTISED, text, name))
    return out


def status_of(warnings: Iterable[HourWarning], drafts: Sequence[Draft]) -> Status:
    """partial when the data is; no_utilization when pods ran and no use of any is known; complete otherwise.

    That a pod which only pulled its image used nothing is known without any exporter.
    """
    if any(warning.code in _PARTIAL for warning in warnings):
        return Status.PARTIAL
    ran = [draft for draft in drafts if draft.running]
    if ran and all(draft.utilization is None for draft in ran):
        return Status.NO_UTILIZATION
    return Status.COMPLETE
