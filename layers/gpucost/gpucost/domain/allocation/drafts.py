"""Holdings weighed: exact GPU-minutes, running time and observed use, before anything is money."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

from gpucost.domain.allocation.holding import Holding
from gpucost.domain.allocation.joining import DeviceMap, samples_expected, usage_of
from gpucost.domain.allocation.node_hours import NodeHour
from gpucost.domain.allocation.nodes import Share
from gpucost.domain.allocation.ownership import Ownership
from gpucost.domain.allocation.utilisation import Device, Usage
from gpucost.domain.gpus.resources import parse_resource
from gpucost.domain.report import Basis
from gpucost.domain.timeline import FULL, Mask, Timeline, combine, merge_all, minutes, present, within

ONE = Fraction(1)


@dataclass(frozen=True)
class Draft:
    """One future row: a holding's minutes that belong to one BU. *_minutes are GPU-minutes, exact."""

    bu: str
    holding: Holding
    share: Share
    gpu_minutes: Fraction
    running_minutes: Fraction
    slice_minutes: Fraction
    held: Mask
    usage: Usage
    expected: int
    basis: Basis
    estimate: Fraction | None = None

    @property
    def running(self) -> Mask:
        return self.held & self.holding.running

    @cached_property
    def utilization(self) -> Fraction | None:
        """Used over held, 0..1: held but not running is known to be unused. None when nothing is known."""
        if self.basis is Basis.RECIPE:
            return self.estimate
        if not self.running_minutes:
            return Fraction(0) if self.gpu_minutes else None
        mean = self.usage.mean if self.estimate is None else self.estimate
        if mean is None or self.running_minutes == self.gpu_minutes:
            return mean
        return mean * self.running_minutes / self.gpu_minutes


@dataclass(frozen=True, slots=True)
class NodeDraft:
    """One node's hour in GPU-minutes: what it had, what could be held, and its drafts."""

    hour: NodeHour
    capacity: Fraction
    stranded: Fraction
    drafts: tuple[Draft, ...]
    overcommitted: bool

    def with_drafts(self, drafts: Iterable[Draft]) -> "NodeDraft":
        """The same node with its drafts' utilisation filled in."""
        return replace(self, drafts=tuple(drafts))

    @property
    def allocated(self) -> Fraction:
        return sum((draft.gpu_minutes for draft in self.drafts), Fraction(0))


@lru_cache(maxsize=4096)
def units_of(quantity: Decimal) -> Fraction:
    """A quantity as a rational; nearly all are small whole numbers."""
    return Fraction(quantity)


def total_minutes(timeline: Timeline[Fraction]) -> Fraction:
    """The integral of a timeline over its minutes."""
    parts = [value * minutes(mask) for value, mask in timeline.items()]
    return parts[0] if len(parts) == 1 else sum(parts, Fraction(0))


def weigh_node(hour: NodeHour, held: Iterable[Holding], owners: Ownership, devices: DeviceMap) -> NodeDraft:
    """Weigh the holdings of one node and set them against its capacity, minute by minute."""
    shares = [(holding, _gpus(holding, hour)) for holding in held]
    total = merge_all([gpus for _, gpus in shares], lambda a, b: a + b)
    capacity = hour.capacity(total)
    factor = combine(total, capacity, lambda held, has: has / held if held > has else ONE)
    overcommitted = any(value < 1 for value in factor)
    drafts: list[Draft] = []
    for holding, gpus in shares:
        fitted = combine(gpus, factor, lambda a, b: a * b) if overcommitted else gpus
        drafts.extend(_by_bu(holding, fitted, hour, owners, devices))
    return NodeDraft(hour, total_minutes(capacity), _stranded(hour, capacity, total), tuple(drafts), overcommitted)


def _gpus(holding: Holding, hour: NodeHour) -> dict[Fraction, Mask]:
    """GPUs held by minute."""
    out: dict[Fraction, Mask] = defaultdict(int)
    for state, mask in hour.states:
        share = state.share(holding.key.resource)
        for units, part in within(holding.quantity, mask).items():
            out[units_of(units) * share.gpus] |= part
    return dict(out)


def _stranded(hour: NodeHour, capacity: Timeline[Fraction], total: Timeline[Fraction]) -> Fraction:
    """GPU-minutes that were neither held nor covered by anything the node advertised."""
    advertised: dict[Fraction, Mask] = defaultdict(int)
    for state, mask in hour.states:
        advertised[state.advertised_gpus] |= mask
    reachable = merge_all([advertised, total], max)
    return total_minutes(combine(capacity, reachable, lambda has, can: max(has - can, Fraction(0))))


def _by_bu(
    holding: Holding, gpus: Timeline[Fraction], hour: NodeHour, owners: Ownership, devices: DeviceMap
) -> list[Draft]:
    held = present(gpus)
    out = []
    for bu, mask in sorted(owners.bu_of(holding.key.pod).items()):
        if held & mask:
            out.append(_draft(bu, holding, within(gpus, mask), hour, devices))
    return out


def _draft(bu: str, holding: Holding, gpus: Timeline[Fraction], hour: NodeHour, devices: DeviceMap) -> Draft:
    held = present(gpus)
    running = held & holding.running
    share = _share(holding, held, hour)
    total = total_minutes(gpus)
    usage, basis, expected = _observe(holding, share, running, devices)
    return Draft(
        bu=bu,
        holding=holding,
        share=share,
        gpu_minutes=total,
        running_minutes=total if running == held else total_minutes(within(gpus, running)),
        slice_minutes=_slice_minutes(holding, held, hour),
        held=held,
        usage=usage,
        expected=expected,
        basis=basis if usage.samples or not running else Basis.NONE,
    )


def _share(holding: Holding, held: Mask, hour: NodeHour) -> Share:
    """The unit's share in the last of the minutes: what the row shows."""
    state = max(((mask & held).bit_length(), index) for index, (_, mask) in enumerate(hour.states))[1]
    return hour.states[state][0].share(holding.key.resource)


def _slice_minutes(holding: Holding, held: Mask, hour: NodeHour) -> Fraction:
    total = Fraction(0)
    for state, mask in hour.states:
        slices = state.share(holding.key.resource).slices
        for units, part in within(holding.quantity, mask & held).items():
            total += units_of(units) * (slices * minutes(part))
    return total


def _observe(holding: Holding, share: Share, running: Mask, devices: DeviceMap) -> tuple[Usage, Basis, int]:
    resource = parse_resource(holding.key.resource)
    own = devices.of(holding.key, resource)
    basis = Basis.SHARED_DEVICE if share.shared else Basis.POD
    if not own and share.shared:
        own = devices.shared_card(holding.key.node)
    return usage_of(own, running), basis, samples_expected(holding.quantity, running, resource, share.shared)


def with_estimates(
    drafts: Iterable[Draft], estimates: tuple[Basis, ...], devices: DeviceMap, held: set[tuple[str, str]]
) -> list[Draft]:
    """Fill what nothing was observed of, by the estimates that the settings ask for, in their order."""
    drafts = list(drafts)
    cluster = _cluster_mean(drafts)
    nodes: dict[tuple[str, str, Mask], Fraction | None] = {}
    out = []
    for draft in drafts:
        key = draft.holding.key
        place = (key.node, key.resource, draft.running)
        if draft.basis is Basis.NONE and Basis.NODE in estimates and place not in nodes:
            free = devices.unheld(key.node, held, parse_resource(key.resource))
            nodes[place] = usage_of(free, draft.running).mean
        means = {Basis.NODE: nodes.get(place), Basis.CLUSTER: cluster}
        known = [basis for basis in estimates if means[basis] is not None] if draft.basis is Basis.NONE else []
        out.append(replace(draft, estimate=means[known[0]], basis=known[0]) if known else draft)
    return out


def _cluster_mean(drafts: Iterable[Draft]) -> Fraction | None:
    """What the observed holders used, weighted by what they held while running."""
    used, over = Fraction(0), Fraction(0)
    for draft in drafts:
        mean = draft.usage.mean
        if mean is not None:
            used += mean * draft.running_minutes
            over += draft.running_minutes
    return used / over if over else None


def by_the_recipe(drafts: Iterable[Draft], devices: Iterable[Device]) -> list[Draft]:
    """The guide's proxy: the mean over every device of the cluster, held or not, divided by 100 once too often."""
    usage = usage_of(devices, FULL)
    proxy = None if usage.mean is None else usage.mean / 100
    basis = Basis.NONE if proxy is None else Basis.RECIPE
    return [replace(draft, estimate=proxy, basis=basis) for draft in drafts]


def group_by_node(held: Iterable[Holding]) -> Mapping[str, list[Holding]]:
    """Holdings by node, each in the order given."""
    out: dict[str, list[Holding]] = defaultdict(list)
    for holding in held:
        out[holding.key.node].append(holding)
    return out
