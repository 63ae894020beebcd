"""Who held what, minute by minute: requests of bound pods in a phase that blocks the device for everybody else.

A pod holds its devices while it is bound to a node and Pending (pulling an image counts), Running or Unknown.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from gpucost.domain.readings import ContainerRequest, PodId, PodPhase, Readings
from gpucost.domain.timeline import FULL, Mask, Timeline, merge_all, within

HELD_PHASES = frozenset({"Pending", "Running", "Unknown"})
RUNNING_PHASES = frozenset({"Running", "Unknown"})
"""Unknown (the node is out of reach) counts as running: nothing says that the devices rested."""


class HoldingKey(NamedTuple):
    """One pod's claim on one resource of one node."""

    node: str
    pod: PodId
    resource: str


@dataclass(frozen=True, slots=True)
class Holding:
    """How many units of the resource the pod held in which minutes, and in which of them it ran."""

    key: HoldingKey
    quantity: Timeline[Decimal]
    running: Mask


@dataclass(frozen=True, slots=True)
class PhaseMasks:
    """The minutes in which a pod held its devices, and those in which it ran."""

    held: Mask = 0
    running: Mask = 0


NOTHING = PhaseMasks()
ALWAYS = PhaseMasks(FULL, FULL)
"""Where the whole metric is missing, a bound pod holds and runs."""


def phase_masks(phases: Iterable[PodPhase]) -> dict[PodId, PhaseMasks]:
    """Held and running minutes of every pod, however many replicas reported them."""
    held: dict[PodId, Mask] = defaultdict(int)
    running: dict[PodId, Mask] = defaultdict(int)
    for phase in phases:
        if phase.phase in HELD_PHASES:
            held[phase.pod] |= phase.minutes
        if phase.phase in RUNNING_PHASES:
            running[phase.pod] |= phase.minutes
    return {pod: PhaseMasks(mask, running[pod]) for pod, mask in held.items()}


def bound_requests(requests: Iterable[ContainerRequest]) -> list[ContainerRequest]:
    """The requests of bound pods, each container once: replicas and overlapping rollouts collapse by identity.

    A request without a namespace is nobody's: it is listed (`inventory`), and never held by a BU called "".
    """
    collapsed: dict[tuple[str, PodId, str, str, bool], ContainerRequest] = {}
    for request in requests:
        if not request.node or not request.pod.namespace:
            continue
        identity = (request.node, request.pod, request.container, request.resource, request.init)
        known = collapsed.get(identity)
        if known is not None and known.quantity != request.quantity:
            quantity = merge_all((known.quantity, request.quantity), max)
            request = ContainerRequest(  # noqa: PLW2901
                request.pod, request.container, request.node, request.resource, quantity, request.init
            )
        collapsed[identity] = request
    return list(collapsed.values())


def pod_request(requests: Iterable[ContainerRequest], sidecars: frozenset[tuple[PodId, str]]) -> Timeline[Decimal]:
    """A pod's request of one resource: max(largest init container, sum of containers and native sidecars)."""
    together: list[Timeline[Decimal]] = []
    one_by_one: list[Timeline[Decimal]] = []
    for request in requests:
        in_turn = request.init and (request.pod, request.container) not in sidecars
        (one_by_one if in_turn else together).append(request.quantity)
    total = merge_all(together, lambda a, b: a + b)
    return merge_all([total, *one_by_one], max) if one_by_one else total


def holdings(readings: Readings, requests: Iterable[ContainerRequest]) -> list[Holding]:
    """Every holding of the hour, sorted by its key. `requests` are bound and collapsed (`bound_requests`)."""
    phases = phase_masks(readings.phases)
    grouped: dict[HoldingKey, list[ContainerRequest]] = defaultdict(list)
    for request in requests:
        grouped[HoldingKey(request.node, request.pod, request.resource)].append(request)
    out: list[Holding] = []
    for key in sorted(grouped):
        masks = phases.get(key.pod, NOTHING) if readings.phases else ALWAYS
        quantity = grouped[key][0].quantity if _single(grouped[key]) else pod_request(grouped[key], readings.sidecars)
        held = {value: mask for value, mask in within(quantity, masks.held).items() if value > 0}
        if held:
            out.append(Holding(key, held, masks.running))
    return out


def _single(requests: list[ContainerRequest]) -> bool:
    return len(requests) == 1
