"""Pods that wait for GPUs at the end of the hour."""

from decimal import Decimal

from gpucost.domain.policy import BuRules, Policy
from gpucost.domain.report import Pending
from tests.support.allocation import report_of
from tests.support.readings import mask, phase, pod, request

MIG = "nvidia_com_mig_3g_40gb"
A, B = pod("a-0"), pod("b-0", "bu-b")


def test_waiting_pods_are_counted_by_bu_namespace_and_resource() -> None:
    facts = [
        request(A, 2, node="", resource=MIG),
        request(pod("a-1"), 1, node="", resource=MIG),
        request(B, 1, node="", resource=MIG),
        *(phase(one, "Pending") for one in (A, pod("a-1"), B)),
    ]
    policy = Policy(bu=BuRules(by_namespace={"bu-b": "research"}))
    assert report_of(*facts, policy=policy).pending == (
        Pending("bu-a", "bu-a", MIG, 2, Decimal(3)),
        Pending("research", "bu-b", MIG, 1, Decimal(1)),
    )


def test_whoever_was_bound_or_is_no_longer_there_waits_no_more() -> None:
    bound = [request(A, 1, node="", minutes=mask(0, 20)), request(A, 1, minutes=mask(20, 60))]
    bound += [phase(A, "Pending", mask(0, 25)), phase(A, "Running", mask(25, 60))]  # type: ignore[list-item]
    gone = [request(B, 1, node="", minutes=mask(0, 30)), phase(B, "Pending", mask(0, 30))]
    assert report_of(*bound, *gone).pending == ()


def test_a_pod_on_its_node_that_still_pulls_its_image_is_no_waiting_one() -> None:
    assert report_of(request(A, 1), phase(A, "Pending")).pending == ()


def test_what_is_no_gpu_is_not_waited_for() -> None:
    assert report_of(request(A, 1, node="", resource="aws_amazon_com_neuron"), phase(A, "Pending")).pending == ()


def test_containers_add_up_and_an_init_container_counts_if_it_asks_for_more() -> None:
    def waits(*containers: tuple[str, int, bool]) -> Decimal:
        asks = [request(A, units, node="", container=name, init=init) for name, units, init in containers]
        # A second kube-state-metrics says the same.
        (row,) = report_of(*asks, *asks, phase(A, "Pending")).pending
        return row.units

    assert waits(("one", 1, False), ("two", 2, False)) == 3
    assert waits(("one", 1, False), ("first", 4, True)) == 4
    assert waits(("one", 2, False), ("first", 1, True)) == 2


def test_whoever_asks_for_none_at_the_end_of_the_hour_waits_for_none() -> None:
    asks = [request(A, 1, node="", minutes=mask(0, 30)), request(A, 0, node="", minutes=mask(30, 60))]
    assert report_of(*asks, phase(A, "Pending")).pending == ()


def test_who_waits_is_seen_at_the_last_minute_that_was_seen() -> None:
    there = [request(A, 1, node="", minutes=mask(0, 40)), phase(A, "Pending", mask(0, 40))]
    before = [request(B, 1, node="", minutes=mask(0, 40)), phase(B, "Pending", mask(0, 39))]
    runs = [request(pod("c-0"), 1, node="", minutes=mask(0, 40)), phase(pod("c-0"), "Running", mask(0, 40))]
    pending = report_of(*before, *runs, *there, seen=mask(0, 40)).pending
    assert [(row.bu, row.pods) for row in pending] == [("bu-a", 1)]


def test_what_is_listed_by_the_settings_is_waited_for_and_others_before_it_hide_nothing() -> None:
    asks = [
        request(pod("n-0", ""), 1, node="", resource=MIG),
        request(pod("x-0"), 1, node="", resource="aws_amazon_com_neuron"),
        request(A, 1, node="", resource="nvidia_com_GA100"),
    ]
    waits = [phase(one, "Pending") for one in (pod("n-0", ""), pod("x-0"), A)]
    policy = Policy(passthrough=("nvidia_com_GA100",))
    (row,) = report_of(*asks, *waits, policy=policy).pending
    assert (row.bu, row.resource, row.units) == ("bu-a", "nvidia_com_GA100", 1)
