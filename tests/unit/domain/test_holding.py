from decimal import Decimal

import pytest

from gpucost.domain.allocation.holding import PhaseMasks, bound_requests, holdings, phase_masks, pod_request
from gpucost.domain.readings import ContainerRequest, PodId
from gpucost.domain.timeline import FULL, Mask, Timeline
from tests.support.readings import mask, phase, pod, readings, request

A = pod("a")


def held(*facts: object, **more: object) -> dict[str, tuple[Timeline[Decimal], Mask]]:
    """uid -> what was held, and when it ran."""
    found = readings(*facts, **more)  # type: ignore[arg-type]
    rows = holdings(found, bound_requests(found.requests))
    assert rows == sorted(rows, key=lambda row: row.key)
    return {row.key.pod.uid: (row.quantity, row.running) for row in rows}


@pytest.mark.parametrize(
    ("name", "holds", "runs"),
    [
        ("Pending", True, False),
        ("Running", True, True),
        ("Unknown", True, True),
        ("Succeeded", False, False),
        ("Failed", False, False),
    ],
)
def test_a_bound_pod_holds_while_pending_running_or_unknown(name: str, holds: bool, runs: bool) -> None:
    result = held(request(A), phase(A, name))
    assert result == ({"uid-a": ({1: FULL}, FULL if runs else 0)} if holds else {})


def test_pulling_an_image_holds_without_running() -> None:
    facts = (request(A), phase(A, "Pending", mask(0, 25)), phase(A, "Running", mask(25, 60)))
    assert held(*facts) == {"uid-a": ({1: FULL}, mask(25, 60))}


def test_a_finished_pod_holds_until_it_finished() -> None:
    facts = (request(A), phase(A, "Running", mask(0, 20)), phase(A, "Succeeded", mask(20, 60)))
    assert held(*facts) == {"uid-a": ({1: mask(0, 20)}, mask(0, 20))}


def test_an_unbound_pod_holds_nothing() -> None:
    assert held(request(A, node=""), phase(A, "Pending")) == {}


def test_a_pod_without_a_namespace_is_nobody_and_holds_nothing() -> None:
    nobody = PodId("", "p", "u")
    assert held(request(nobody), phase(nobody), request(A), phase(A)) == {"uid-a": ({1: FULL}, FULL)}


def test_a_name_used_again_is_another_pod() -> None:
    first, second = pod("db-0", uid="u1"), pod("db-0", uid="u2")
    facts = (
        request(first, 2), phase(first, "Running", mask(0, 20)), phase(first, "Failed", mask(20, 22)),
        request(second, 4), phase(second, "Pending", mask(22, 30)), phase(second, "Running", mask(30, 60)),
    )  # fmt: skip
    assert held(*facts) == {"u1": ({2: mask(0, 20)}, mask(0, 20)), "u2": ({4: mask(22, 60)}, mask(30, 60))}


def test_a_pod_without_phases_holds_nothing_where_others_have_them() -> None:
    assert held(request(A), phase(pod("b"))) == {}
    assert held(request(A), phase(pod("b"), "Succeeded")) == {}


def test_without_the_whole_phase_metric_a_bound_pod_holds_and_runs() -> None:
    assert held(request(A, minutes=mask(0, 30))) == {"uid-a": ({1: mask(0, 30)}, FULL)}


def test_a_request_of_zero_is_no_holding() -> None:
    assert held(request(A, 0), phase(A)) == {}


def test_each_node_and_resource_is_a_holding_of_its_own() -> None:
    found = readings(request(A, resource="nvidia_com_mig_1g_5gb"), request(A, 2), request(A, node="node-b"), phase(A))
    keys = [row.key for row in holdings(found, bound_requests(found.requests))]
    assert [(key.node, key.resource) for key in keys] == [
        ("node-a", "nvidia_com_gpu"), ("node-a", "nvidia_com_mig_1g_5gb"), ("node-b", "nvidia_com_gpu"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("containers", "expected"),
    [
        ([("main", 1, False)], {1: FULL}),
        ([("main", 1, False), ("other", 2, False)], {3: FULL}),
        ([("init", 4, True), ("main", 1, False)], {4: FULL}),
        ([("init", 1, True), ("main", 2, False)], {2: FULL}),
        ([("init", 1, True), ("init-2", 3, True), ("main", 2, False)], {3: FULL}),
        ([("init", 4, True)], {4: FULL}),
        ([("sidecar", 1, True), ("main", 2, False)], {3: FULL}),
        ([("sidecar", 1, True), ("init", 4, True), ("main", 2, False)], {4: FULL}),
    ],
)
def test_a_pod_asks_for_its_largest_init_container_or_the_sum_of_the_rest(
    containers: list[tuple[str, int, bool]], expected: dict[int, Mask]
) -> None:
    requests = [request(A, units, container=name, init=init) for name, units, init in containers]
    sidecars = frozenset({(A, "sidecar")})
    assert pod_request(requests, sidecars) == expected
    assert held(*requests, phase(A), sidecars=sidecars) == {"uid-a": (expected, FULL)}


def test_a_sidecar_of_another_pod_does_not_count() -> None:
    requests = [request(A, 3, container="x", init=True), request(A, 2)]
    assert pod_request(requests, frozenset({(pod("b"), "x")})) == {3: FULL}


def test_replicas_and_overlapping_rollouts_count_once() -> None:
    old, new = request(A, 2, minutes=mask(0, 35)), request(A, 2, minutes=mask(25, 60))
    assert held(old, new, phase(A), phase(A)) == {"uid-a": ({2: FULL}, FULL)}


def test_replicas_that_disagree_count_at_the_larger() -> None:
    facts = (request(A, 1), request(A, 2, minutes=mask(0, 10)), phase(A))
    assert held(*facts) == {"uid-a": ({1: mask(10, 60), 2: mask(0, 10)}, FULL)}


def test_collapsing_keeps_what_a_request_is() -> None:
    who = request(A, 1, node="n", resource="r", container="c", init=True)
    other = request(A, 2, node="n", resource="r", container="c", init=True, minutes=mask(0, 1))
    quantity = {Decimal(1): mask(1, 60), Decimal(2): mask(0, 1)}
    assert bound_requests([who, other]) == [ContainerRequest(A, "c", "n", "r", quantity, True)]


@pytest.mark.parametrize("what", ["node", "container", "resource", "init"])
def test_containers_are_told_apart_by(what: str) -> None:
    other = {"node": "x", "container": "x", "resource": "x", "init": True}
    assert len(bound_requests([request(A), request(A, **{what: other[what]})])) == 2  # type: ignore[arg-type]


def test_an_unbound_request_does_not_end_the_list() -> None:
    assert bound_requests([request(A, node=""), request(A)]) == [request(A)]


def test_phase_masks_are_united_by_pod() -> None:
    masks = phase_masks([
        phase(A, "Running", mask(0, 10)), phase(A, "Unknown", mask(10, 20)), phase(A, "Running", mask(5, 15)),
        phase(pod("b"), "Pending", mask(0, 5)), phase(pod("b"), "Pending", mask(5, 9)), phase(pod("c"), "Failed"),
    ])  # fmt: skip
    assert masks == {A: PhaseMasks(mask(0, 20), mask(0, 20)), pod("b"): PhaseMasks(mask(0, 9), 0)}
