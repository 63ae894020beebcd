"""Who waits: pods that ask for GPUs and have no node yet at the end of the hour."""

from collections import defaultdict
from decimal import Decimal

from gpucost.domain.allocation.ownership import Ownership
from gpucost.domain.gpus.resources import parse_resource
from gpucost.domain.money import ZERO, plain
from gpucost.domain.policy import Policy
from gpucost.domain.readings import PodId, Readings
from gpucost.domain.report import Pending
from gpucost.domain.timeline import Mask

PENDING = "Pending"


def pending_of(readings: Readings, owners: Ownership, policy: Policy) -> tuple[Pending, ...]:
    """The waiting pods by BU, namespace and resource, sorted. A pod that was bound within the hour waits no more."""
    last = 1 << (readings.seen.bit_length() - 1) if readings.seen else 0
    waiting = {one.pod for one in readings.phases if one.phase == PENDING and one.minutes & last}
    bound = {one.pod for one in readings.requests if one.node}
    asked: dict[tuple[PodId, str], dict[tuple[str, bool], Decimal]] = defaultdict(dict)
    for one in readings.requests:
        if one.pod not in waiting or one.pod in bound or not one.pod.namespace:
            continue
        if not parse_resource(one.resource, policy.passthrough).priced:
            continue
        units = max((quantity for quantity, mask in one.quantity.items() if mask & last), default=ZERO)
        if units > 0:
            asked[one.pod, one.resource][one.container, one.init] = units
    return _summed(asked, owners, last)


def _summed(
    asked: dict[tuple[PodId, str], dict[tuple[str, bool], Decimal]], owners: Ownership, last: Mask
) -> tuple[Pending, ...]:
    pods: dict[tuple[str, str, str], int] = defaultdict(int)
    units: dict[tuple[str, str, str], Decimal] = defaultdict(Decimal)
    for (pod, resource), containers in asked.items():
        bu = next(name for name, mask in owners.bu_of(pod).items() if mask & last)
        key = (bu, pod.namespace, resource)
        pods[key] += 1
        # As the scheduler counts: all containers together, or the largest init container, whichever is more.
        together = sum((count for (_, init), count in containers.items() if not init), ZERO)
        units[key] += max([together, *(count for (_, init), count in containers.items() if init)])
    return tuple(Pending(*key, pods[key], plain(units[key])) for key in sorted(pods))
