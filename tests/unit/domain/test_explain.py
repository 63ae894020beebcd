"""A namespace's figures derived from the record alone."""

import re
from decimal import Decimal

import pytest

from gpucost.domain.allocation.explain import explain
from gpucost.domain.policy import BuRules, Policy, RateCard
from gpucost.domain.report import HourReport, QueryTrace
from tests.support.allocation import instance, report_of
from tests.support.readings import allocatable, device, mask, node, phase, pod, request

A, B = pod("a-0"), pod("a-1")
QUERY = QueryTrace("requests", "kube_pod_container_resource_requests", 2, 120)


def text(report: HourReport, namespace: str = "bu-a") -> str:
    return "\n".join(explain(report, namespace))


def test_every_step_of_a_figure_is_there() -> None:
    report = report_of(
        request(A, 2), phase(A, "Pending", mask(0, 15)), phase(A, "Running", mask(15, 60)), allocatable(4),
        instance("g5.12xlarge"), device(A, "0.8", minutes=mask(15, 60)), queries=(QUERY,),
    )  # fmt: skip
    shown = text(report)
    for line in (
        "BU bu-a: the sum of 1 pod rows",
        "held       2 × 1 GPU × 60/60 h = 2 GPU-hours",
        "price      $12 per GPU-hour (settings:global)",
        "allocated  2 × $12 = $24",
        "used       utilization 0.6, measured on the pod's own devices (45 of 90 device-minutes seen; "
        "ran 45 of the 60 minutes it held)",
        "effective  $24 × 0.6 = $14.4",
        "waste      $24 - $14.4 = $9.6",
        "node node-a (g5.12xlarge, 4 GPUs by instance_type)",
        "capacity     4 GPU-hours × $12 = $48",
        "unallocated  $24",
        "requests: 2 series, 120 samples",
        "kube_pod_container_resource_requests",
    ):
        assert line in shown


def test_what_is_unknown_is_called_unknown() -> None:
    shown = text(report_of(request(A), phase(A), allocatable(1)))
    assert "unknown    $12" in shown
    assert "effective  unknown, and so is waste" in shown
    assert "no series: unknown (0 of 60 device-minutes seen)" in shown
    assert "unknown type" in shown


def test_part_of_a_namespace_may_be_unknown() -> None:
    devices = device(A, "0.5"), device(None, "0.1", uuid="GPU-1")
    report = report_of(request(A), phase(A), request(B), phase(B), allocatable(2), *devices)
    shown = text(report)
    assert "effective  $6  (utilization 0.5 of what is known)" in shown
    assert "unknown    $12" in shown


def test_a_namespace_of_two_bus_has_a_sum_for_each() -> None:
    labels = {A: {(("team", "red"),): mask(0, 60)}, B: {(("team", "blue"),): mask(0, 60)}}
    report = report_of(
        request(A), phase(A), request(B), phase(B), allocatable(2), pod_labels=labels,
        policy=Policy(bu=BuRules(pod_label="team")),
    )  # fmt: skip
    assert re.findall(r"BU (\w+): the sum of 1 pod rows", text(report)) == ["blue", "red"]


def test_a_fallback_price_and_stranded_capacity_are_named() -> None:
    slices = "nvidia_com_mig_3g_20gb"
    report = report_of(
        request(A, resource=slices), phase(A), allocatable(2, resource=slices),
        node(labels={"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB", "nvidia_com_gpu_count": "1"}),
        policy=Policy(rates=RateCard(Decimal(7), {"other": Decimal(1)})),
    )  # fmt: skip
    shown = text(report)
    assert "(fallback, fallback)" in shown
    assert "of which nobody could hold $1" in shown
    assert "1 × 3/7 GPU × 60/60 h" in shown


def test_a_number_of_units_that_changed_is_not_made_up() -> None:
    changing = request(A)
    report = report_of(
        type(changing)(A, "main", "node-a", changing.resource, {Decimal(1): mask(0, 30), Decimal(2): mask(30, 60)}),
        phase(A), allocatable(4),
    )  # fmt: skip
    assert "held       shares of 1 GPU = 1.5 GPU-hours" in text(report)


def test_a_share_of_no_gpu_at_all_is_not_divided_by() -> None:
    report = report_of(request(A), phase(A), allocatable(1), policy=Policy(physical_gpus={"node-a": 0}))
    assert "held       shares of 0 GPU = 0 GPU-hours" in text(report)
    assert report.totals.capacity_usd == 0


def test_nothing_held_is_said_with_those_that_held() -> None:
    report = report_of(request(A), phase(A), allocatable(1))
    with pytest.raises(ValueError, match=r"held: bu-a$"):
        explain(report, "nobody")
    with pytest.raises(ValueError, match=r"held: none$"):
        explain(report_of(allocatable(1)), "nobody")
