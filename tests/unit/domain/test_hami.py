from decimal import Decimal

import pytest

from gpucost.domain.allocation.hami import card_memory_mib, cards_held
from gpucost.domain.gpus.resources import GPU, HAMI_CORES, HAMI_MEMORY, HAMI_MEMORY_PERCENT
from gpucost.domain.policy import Policy
from gpucost.domain.readings import ContainerRequest
from gpucost.domain.timeline import FULL, Mask
from tests.support.allocation import codes, instance, node_of, report_of, row_of
from tests.support.readings import allocatable, mask, node, phase, pod, request

A = pod("a")
HALF, REST = mask(0, 30), mask(30, 60)
CARD = {"node-a": 16384}


def cards(*requests: ContainerRequest, memory: dict[str, int] | None = None) -> dict[Decimal, Mask]:
    (one,) = cards_held(requests, CARD if memory is None else memory)
    assert one.resource == GPU
    return dict(one.quantity)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, "2"),
        ({HAMI_CORES: 25}, "0.5"),
        ({HAMI_CORES: 150}, "2"),
        ({HAMI_MEMORY_PERCENT: 40}, "0.8"),
        ({HAMI_MEMORY: 4096}, "0.5"),
        ({HAMI_MEMORY: 99999}, "2"),
        ({HAMI_CORES: 25, HAMI_MEMORY_PERCENT: 90, HAMI_MEMORY: 16384}, "0.5"),
        ({HAMI_MEMORY_PERCENT: 90, HAMI_MEMORY: 4096}, "1.8"),
        ({HAMI_CORES: 0}, "2"),
        ({HAMI_CORES: 0, HAMI_MEMORY: 4096}, "0.5"),
    ],
)
def test_a_slot_is_the_part_of_a_card_that_cores_or_else_memory_name(parts: dict[str, int], expected: str) -> None:
    asked = [request(A, units, resource=resource) for resource, units in parts.items()]
    assert cards(request(A, 2), *asked) == {Decimal(expected): FULL}


def test_memory_in_mib_says_nothing_on_a_card_of_unknown_size() -> None:
    assert cards(request(A, 1), request(A, 4096, resource=HAMI_MEMORY), memory={"node-b": 16384}) == {1: FULL}


def test_a_slot_is_a_whole_card_while_no_part_is_reported() -> None:
    part = request(A, 50, resource=HAMI_CORES, minutes=HALF)
    assert cards(request(A, 1), part) == {Decimal("0.5"): HALF, Decimal(1): REST}


def test_parts_that_come_to_the_same_are_not_lost() -> None:
    full = request(A, 100, resource=HAMI_CORES, minutes=HALF)
    assert cards(request(A, 1), full) == {1: FULL}
    over = ContainerRequest(A, "main", "node-a", HAMI_CORES, {Decimal(100): HALF, Decimal(120): REST})
    assert cards(request(A, 1), over) == {1: FULL}


def test_a_part_never_holds_longer_than_its_slot() -> None:
    assert cards(request(A, 1, minutes=HALF), request(A, 50, resource=HAMI_CORES)) == {Decimal("0.5"): HALF}


def test_a_part_without_a_slot_is_no_card() -> None:
    assert cards_held([request(A, 50, resource=HAMI_CORES)], CARD) == []


@pytest.mark.parametrize("what", ["node", "container", "init"])
def test_a_part_belongs_to_the_slots_of_its_own(what: str) -> None:
    other = {"node": "node-b", "container": "other", "init": True}
    part = request(A, 50, resource=HAMI_CORES, **{what: other[what]})  # type: ignore[arg-type]
    assert cards(request(A, 1), part) == {1: FULL}
    assert cards(request(A, 1), request(pod("b"), 50, resource=HAMI_CORES)) == {1: FULL}


def test_other_resources_pass_untouched() -> None:
    other = request(A, 3, resource="nvidia_com_mig_1g_5gb")
    assert cards_held([other, request(A, 1, container="x")], CARD) == [other, request(A, 1, container="x")]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"node_kubernetes_io_instance_type": "g4dn.xlarge"}, {"node-a": 16384}),
        ({"beta_kubernetes_io_instance_type": "g4dn.xlarge"}, {"node-a": 16384}),
        ({"node_kubernetes_io_instance_type": "g4dn.xlarge", "nvidia_com_gpu_memory": "1"}, {"node-a": 16384}),
        ({"node_kubernetes_io_instance_type": "unheard-of", "nvidia_com_gpu_memory": "15360"}, {"node-a": 15360}),
        ({"nvidia_com_gpu_memory": "much"}, {}),
        ({}, {}),
    ],
)
def test_a_cards_memory_is_its_types_else_what_the_label_says(labels: dict[str, str], expected: dict[str, int]) -> None:
    assert card_memory_mib([node(labels=labels)]) == expected


@pytest.mark.parametrize("turn", [1, -1])
def test_of_two_machines_under_one_name_the_larger_card_counts_in_whatever_order_they_come(turn: int) -> None:
    both = [instance("g4dn.xlarge", minutes=HALF), instance("g5.xlarge", minutes=REST)]
    assert card_memory_mib(both[::turn]) == {"node-a": 22888}


def test_beside_hami_a_mig_slice_is_a_slice() -> None:
    """A cluster with both: a 1g of an A100 is a seventh, not a card."""
    slice_, facts = "nvidia_com_mig_1g_5gb", [instance("p4d.24xlarge"), phase(A)]
    report = report_of(request(A, resource=slice_), allocatable(56, resource=slice_), *facts, policy=Policy(hami=True))
    assert row_of(report, "a").share == "1/7"
    assert report.totals.allocated_gpu_hours == Decimal("0.142857142857")


def test_beside_hami_a_gpu_of_the_single_strategy_is_its_profile() -> None:
    labels = {"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"}
    facts = [request(A), phase(A), allocatable(56), instance("p4d.24xlarge", labels=labels)]
    assert row_of(report_of(*facts, policy=Policy(hami=True)), "a").share == "1/7"


def test_slots_are_no_cards_so_where_nothing_counts_those_what_is_held_counts() -> None:
    facts = [request(A), request(A, 25, resource=HAMI_CORES), phase(A), allocatable(10), node()]
    report = report_of(*facts, policy=Policy(hami=True))
    assert (node_of(report).physical_gpus, node_of(report).capacity_gpu_hours) == (0, Decimal("0.25"))
    assert "capacity_unknown" in codes(report)
