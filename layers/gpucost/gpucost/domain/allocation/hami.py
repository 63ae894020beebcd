"""HAMi: a pod asks for slots (nvidia.com/gpu) and a part of each card; the part is the share, the slot is not a GPU."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal

from gpucost.domain.gpus.instances import INSTANCE_TYPES, TYPE_LABELS
from gpucost.domain.gpus.resources import GPU, HAMI_CORES, HAMI_MEMORY, HAMI_MEMORY_PERCENT
from gpucost.domain.readings import ContainerRequest, NodeFacts
from gpucost.domain.timeline import Timeline, combine, merge, present, within

ONE = Decimal(1)
HUNDRED = Decimal(100)
_PARTS = (HAMI_CORES, HAMI_MEMORY_PERCENT, HAMI_MEMORY)
_MEMORY_LABEL = "nvidia_com_gpu_memory"


def card_memory_mib(nodes: Iterable[NodeFacts]) -> dict[str, int]:
    """Memory of one card by node: its instance type's, else NVIDIA's label's; the larger of two machines'.

    Without either, nothing is said of the node.
    """
    out: dict[str, int] = defaultdict(int)
    for facts in nodes:
        for pairs in facts.labels:
            labels = dict(pairs)
            kinds = (INSTANCE_TYPES.get(labels.get(name, "")) for name in TYPE_LABELS)
            sizes = [str(kind.gpu_memory_mib) for kind in kinds if kind]
            size = next((int(said) for said in (*sizes, labels.get(_MEMORY_LABEL, "")) if said.isdecimal()), 0)
            if size:
                out[facts.node] = max(out[facts.node], size)
    return dict(out)


def cards_held(requests: Iterable[ContainerRequest], card_memory_mib: Mapping[str, int]) -> list[ContainerRequest]:
    """Turn HAMi's requests into requests of physical cards: slots × cores %, or × memory % where only that is asked.

    card_memory_mib: a card's memory by node, for requests in MiB. Where nothing names a part (0 names none), a slot is
    a whole card.
    """
    by_container: dict[tuple[object, ...], dict[str, ContainerRequest]] = defaultdict(dict)
    others: list[ContainerRequest] = []
    for request in requests:
        if request.resource == GPU or request.resource in _PARTS:
            key = (request.node, request.pod, request.container, request.init)
            by_container[key][request.resource] = request
        else:
            others.append(request)
    for asked in by_container.values():
        slots = asked.get(GPU)
        if slots is not None:
            others.append(replace(slots, quantity=_cards(slots, asked, card_memory_mib)))
    return others


def _cards(
    slots: ContainerRequest, asked: Mapping[str, ContainerRequest], card_memory_mib: Mapping[str, int]
) -> Timeline[Decimal]:
    whole = {
        HAMI_CORES: HUNDRED,
        HAMI_MEMORY_PERCENT: HUNDRED,
        HAMI_MEMORY: Decimal(card_memory_mib.get(slots.node, 0)),
    }
    for resource in _PARTS:
        part = asked.get(resource)
        if part is not None and whole[resource]:
            asked_for = {share: mask for share, mask in part.quantity.items() if share > 0}
            if asked_for:
                return _parts_of(slots.quantity, asked_for, whole[resource])
    return slots.quantity


def _parts_of(slots: Timeline[Decimal], part: Timeline[Decimal], whole: Decimal) -> Timeline[Decimal]:
    """Slots times part / whole (at most 1) by minute; whole cards where the part was not reported."""
    cards = combine(slots, part, lambda count, share: count * min(share / whole, ONE))
    return merge(cards, within(slots, ~present(cards)), max)
