"""A node's hour: its constant stretches, its price, and its capacity minute by minute."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from gpucost.domain.allocation.cards import NO_CARDS, Cards, cards_of
from gpucost.domain.allocation.holding import Holding
from gpucost.domain.allocation.nodes import NodeState
from gpucost.domain.gpus.instances import INSTANCE_TYPES, TYPE_LABELS
from gpucost.domain.gpus.resources import parse_resource
from gpucost.domain.policy import Policy
from gpucost.domain.readings import DeviceSeries, Labels, NodeFacts, NodeResource, Readings
from gpucost.domain.timeline import Mask, Timeline, carried, combine, merge_all, present, within

type Units = tuple[tuple[str, Decimal], ...]
"""(resource, allocatable units), sorted."""

_STATE_PREFIXES = ("nvidia_com_gpu_", "nvidia_com_mig_")


@dataclass(frozen=True, slots=True)
class NodeHour:
    """One node's constant stretches, in a fixed order."""

    node: str
    states: tuple[tuple[NodeState, Mask], ...]

    @property
    def last(self) -> NodeState:
        """The state that the node ended the hour in: what its row shows."""
        return max(self.states, key=lambda pair: pair[1])[0]

    @property
    def mean_gpus(self) -> Fraction:
        """What the price of the whole node is shared by, so that a count that changed in mid-hour loses none of it."""
        lasted = sum(mask.bit_count() for _, mask in self.states)
        return sum((state.gpus * mask.bit_count() for state, mask in self.states), Fraction(0)) / max(lasted, 1)

    def capacity(self, held: Timeline[Fraction]) -> dict[Fraction, Mask]:
        """GPUs by minute. Where nothing counts the cards, they are at least what is held."""
        out: dict[Fraction, Mask] = {}
        for state, mask in self.states:
            known: Timeline[Fraction] = {state.gpus: mask}
            parts = known if state.physical is not None else merge_all([known, within(held, mask)], max)
            for gpus, part in parts.items():
                out[gpus] = out.get(gpus, 0) | part
        return out


def node_hours(readings: Readings, policy: Policy, held: Iterable[Holding]) -> list[NodeHour]:
    """Every node with GPUs in the hour, sorted by name: it advertised some, held some, or is a type that has some."""
    held_minutes: dict[str, Mask] = defaultdict(int)
    for holding in held:
        held_minutes[holding.key.node] |= present(holding.quantity)
    allocatable = _allocatable(readings.node_resources)
    facts = _facts(readings.nodes)
    cards = _cards(readings.devices, set(facts) | set(allocatable) | set(held_minutes))
    out = []
    for node in sorted(set(facts) | set(allocatable) | set(held_minutes)):
        minutes, labels = facts.get(node, (0, {}))
        for timeline in allocatable.get(node, {}).values():
            minutes |= present(timeline)
        minutes |= held_minutes.get(node, 0)
        hour = _node_hour(node, minutes, labels, allocatable.get(node, {}), cards.get(node, NO_CARDS), policy)
        if node in held_minutes or any(_has_gpus(state) for state, _ in hour.states):
            out.append(hour)
    return out


def _has_gpus(state: NodeState) -> bool:
    priced = any(
        parse_resource(name, state.policy.passthrough).priced for name, count in state.allocatable if count > 0
    )
    known = INSTANCE_TYPES.get(state.instance_type or "")
    return priced or bool(state.gpu_uuids) or (known is not None and known.gpus > 0)


def _node_hour(
    node: str,
    minutes: Mask,
    labels: Timeline[Labels],
    allocatable: Mapping[str, Timeline[Decimal]],
    cards: Cards,
    policy: Policy,
) -> NodeHour:
    units = carried(_stretches(allocatable), minutes) or {(): minutes}
    labelled = carried(labels, minutes) or {(): minutes}
    states = combine(labelled, units, lambda pairs, counts: (pairs, counts))
    return NodeHour(
        node,
        tuple(
            (NodeState(node, pairs, counts, cards.count(mask), cards.profiles(mask), cards.model, policy), mask)
            for (pairs, counts), mask in sorted(states.items())
        ),
    )


def _stretches(allocatable: Mapping[str, Timeline[Decimal]]) -> dict[Units, Mask]:
    """All that a node advertised, over the minutes in which it advertised anything.

    A resource that is not reported while others are does not exist then (MIG was re-partitioned): no gap to be carried.
    """
    reported = present({resource: present(units) for resource, units in allocatable.items()})
    out: dict[Units, Mask] = {(): reported}
    for resource in sorted(allocatable):
        counted = {(resource, count): mask for count, mask in allocatable[resource].items()}
        without = within(out, ~present(counted))
        out = {**without, **combine(out, counted, lambda so_far, one: (*so_far, one))}
    return within(out, reported)


def _allocatable(resources: Iterable[NodeResource]) -> dict[str, dict[str, Timeline[Decimal]]]:
    """Allocatable units by node and resource, duplicates collapsed to the larger."""
    out: dict[str, dict[str, Timeline[Decimal]]] = defaultdict(dict)
    for one in resources:
        if one.node:
            known = out[one.node].get(one.resource)
            merged = one.allocatable if known is None else merge_all([known, one.allocatable], max)
            out[one.node][one.resource] = merged
    return out


def _facts(nodes: Iterable[NodeFacts]) -> dict[str, tuple[Mask, Timeline[Labels]]]:
    """When each node existed and which of its labels matter here, duplicates collapsed."""
    out: dict[str, tuple[Mask, Timeline[Labels]]] = {}
    for one in nodes:
        if not one.node:
            continue
        minutes, labels = out.get(one.node, (0, {}))
        kept: dict[Labels, Mask] = {}
        for pairs, mask in one.labels.items():
            cut = tuple((key, value) for key, value in pairs if _matters(key))
            kept[cut] = kept.get(cut, 0) | mask
        out[one.node] = (minutes | one.minutes, merge_all([labels, kept], _both) if labels and kept else kept or labels)
    return out


def _both(left: Labels, right: Labels) -> Labels:
    """What two reporters say of a node in one minute: each may be allowed to tell other labels."""
    if left == right:
        return left
    pairs = dict(left)
    for key, value in right:
        pairs[key] = max(value, pairs.get(key, value))
    return tuple(sorted(pairs.items()))


def _matters(key: str) -> bool:
    return key in TYPE_LABELS or key.startswith(_STATE_PREFIXES)


def _cards(series: Iterable[DeviceSeries], nodes: set[str]) -> dict[str, Cards]:
    out: dict[str, list[DeviceSeries]] = defaultdict(list)
    for one in series:
        if one.node in nodes:
            out[one.node].append(one)
    return {node: cards_of(found) for node, found in out.items()}
