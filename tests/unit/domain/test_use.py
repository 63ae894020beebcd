"""Who used what: samples, joins, estimates, and what is not known."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucost.domain.readings import DeviceSeries
from gpucost.domain.report import Basis
from gpucost.domain.timeline import FULL
from tests.support.allocation import codes, instance, report_of, row_of
from tests.support.readings import GPU, allocatable, device, mask, phase, pod, request, samples

A, B = pod("a-0"), pod("b-0", "bu-b")
RATIO, RATIO_RENAMED = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO"
PERCENT, PERCENT_RENAMED = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_UTIL_RATIO"


def with_samples(one: DeviceSeries, *values: str | None) -> DeviceSeries:
    """The device with these values first, and the last of them for the rest of the hour."""
    decimals = [None if value is None else Decimal(value) for value in values]
    return replace(one, samples=(*decimals, *([decimals[-1]] * (60 - len(decimals)))))


def utilization(*devices: object) -> Decimal | None:
    report = report_of(request(A), phase(A), allocatable(1), *devices)
    return row_of(report, "a-0").figures.utilization


@pytest.mark.parametrize(
    ("metric", "value", "ratio"),
    [(RATIO, "0.5", "0.5"), (RATIO_RENAMED, "0.5", "0.5"), (PERCENT, "50", "0.5"), (PERCENT_RENAMED, "50", "0.5"),
     (RATIO, "1.294", "1"), (PERCENT, "100", "1"), (PERCENT, "129", "1"), (RATIO, "0", "0")],
)  # fmt: skip
def test_the_unit_belongs_to_the_metrics_name(metric: str, value: str, ratio: str) -> None:
    assert utilization(device(A, value, metric=metric)) == Decimal(ratio)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "-0.1", "2", "9223372036854775794"])
def test_impossible_samples_are_no_observation(value: str) -> None:
    assert utilization(device(A, value)) is None
    assert utilization(with_samples(device(A), value, "0.5")) == Decimal("0.5")


def test_the_percentage_stands_in_only_where_the_ratio_is_missing() -> None:
    ratio = device(A, "0.2", minutes=mask(0, 30))
    assert utilization(ratio, device(A, "80", metric=PERCENT)) == Decimal("0.5")


def test_duplicates_of_a_device_count_once_and_the_larger_value_counts() -> None:
    assert utilization(device(A, "0.2"), device(A, "0.4")) == Decimal("0.4")
    assert utilization(device(A, "0.2", minutes=mask(0, 30)), device(A, "0.4", minutes=mask(30, 60))) == Decimal("0.3")


def test_a_gap_is_bridged_by_the_mean_of_what_was_seen_and_said_when_it_is_long() -> None:
    report = report_of(request(A), phase(A), allocatable(1), device(A, "0.5", minutes=mask(0, 20)))
    row = row_of(report, "a-0")
    assert row.figures.utilization == Decimal("0.5")
    assert (row.evidence.samples_seen, row.evidence.samples_expected) == (20, 60)
    assert "utilization_gap" in codes(report)
    assert report.coverage.utilization == Decimal("0.333333333333")


def test_pulling_an_image_is_held_and_known_to_be_unused() -> None:
    report = report_of(
        request(A),
        phase(A, "Pending", mask(0, 15)),
        phase(A, "Running", mask(15, 60)),
        allocatable(1),
        device(A, "0.8", minutes=mask(15, 60)),
    )
    figures = row_of(report, "a-0").figures
    assert (figures.allocated_usd, figures.utilization, figures.effective_usd) == (12, Decimal("0.6"), Decimal("7.2"))


def test_a_pod_that_never_ran_used_nothing_and_that_is_known() -> None:
    report = report_of(request(A), phase(A, "Pending"), allocatable(1))
    figures = row_of(report, "a-0").figures
    assert (figures.utilization, figures.waste_usd, figures.unknown_usd) == (0, 12, 0)


def test_a_node_out_of_reach_leaves_its_pods_use_unknown_not_zero() -> None:
    report = report_of(request(A), phase(A, "Unknown"), allocatable(1))
    assert row_of(report, "a-0").figures.utilization is None


def test_samples_outside_of_the_running_time_are_somebody_elses() -> None:
    """A name that is used again within the hour: each uid gets the minutes in which it ran."""
    first, second = pod("web-0", uid="1"), pod("web-0", uid="2")
    report = report_of(
        request(first, minutes=mask(0, 30)),
        phase(first, minutes=mask(0, 30)),
        request(second, minutes=mask(30, 60)),
        phase(second, minutes=mask(30, 60)),
        allocatable(1),
        with_samples(device(first), *["0.9"] * 30, "0.1"),
    )
    assert [row.figures.utilization for row in report.pods] == [Decimal("0.9"), Decimal("0.1")]


def test_the_same_name_on_two_nodes_is_told_apart_by_the_node() -> None:
    one, two = pod("w", uid="1"), pod("w", uid="2")
    report = report_of(
        request(one, node="n1"), phase(one), request(two, node="n2"), phase(two),
        allocatable(1, node="n1"), allocatable(1, node="n2"),
        device(one, "0.2", node="n1", uuid="GPU-1"), device(two, "0.6", node="n2", uuid="GPU-2"),
    )  # fmt: skip
    assert [row.figures.utilization for row in report.pods] == [Decimal("0.2"), Decimal("0.6")]


def test_a_device_that_names_its_exporter_as_host_is_found_by_the_workload() -> None:
    assert utilization(device(A, "0.5", node="dcgm-exporter-4flp2")) == Decimal("0.5")


def test_each_resource_of_a_pod_gets_the_devices_of_its_profile() -> None:
    small, large = "nvidia_com_mig_1g_5gb", "nvidia_com_mig_3g_20gb"
    report = report_of(
        request(A, resource=small), request(A, resource=large), request(A, resource=GPU), phase(A),
        allocatable(1, resource=small), allocatable(1, resource=large), allocatable(1), instance("p4d.24xlarge"),
        device(A, "0.1", instance="7", profile="1g.5gb"), device(A, "0.3", instance="1", profile="3g.20gb"),
        device(A, "0.9", uuid="GPU-1"),
        memory=(device(A, "100", instance="7", profile="1g.5gb"), device(A, "300", instance="1", profile="3g.20gb")),
    )  # fmt: skip
    found = {row.resource: (row.figures.utilization, row.vram_used_mib) for row in report.pods}
    assert found == {
        small: (Decimal("0.1"), 100), large: (Decimal("0.3"), 300), GPU: (Decimal("0.9"), None),
    }  # fmt: skip


def test_memory_is_the_peak_of_each_device_added_up() -> None:
    memory = (
        device(A, "100"), device(A, "300"), device(A, "50", uuid="GPU-1"), device(A, "NaN", uuid="GPU-2"),
        device(A, "2147483632", uuid="GPU-3"), device(A, "-1", uuid="GPU-4"),
    )  # fmt: skip
    report = report_of(request(A), phase(A), allocatable(1), memory=memory)
    assert row_of(report, "a-0").vram_used_mib == 350


def test_sharers_of_the_only_card_share_its_value_even_if_one_is_named() -> None:
    """Without virtual GPUs the exporter labels a time-sliced card with one pod only."""
    labels = {"nvidia_com_gpu_product": "Tesla-T4-SHARED", "nvidia_com_gpu_replicas": "4"}
    facts = [request(A), phase(A), request(B), phase(B), allocatable(4), instance("g4dn.xlarge", labels=labels)]
    report = report_of(*facts, device(A, "0.6"))
    assert [(row.utilization_basis, row.figures.utilization) for row in report.pods] == [
        (Basis.SHARED_DEVICE, Decimal("0.6")),
        (Basis.SHARED_DEVICE, Decimal("0.6")),
    ]


def test_sharers_of_several_cards_are_not_guessed_onto_one() -> None:
    labels = {"nvidia_com_gpu_product": "Tesla-T4-SHARED", "nvidia_com_gpu_replicas": "4"}
    facts = [request(B), phase(B), allocatable(16), instance("g4dn.12xlarge", labels=labels)]
    report = report_of(*facts, device(None, "0.6"), device(None, "0.1", uuid="GPU-1"))
    assert row_of(report, "b-0").figures.utilization is None


def test_an_idle_device_that_carries_the_exporters_pod_is_nobodys() -> None:
    exporter = pod("nvidia-dcgm-exporter-x", "gpu-operator")
    report = report_of(
        request(A), phase(A), phase(exporter), allocatable(2), device(A), device(exporter, "0", uuid="1")
    )
    assert {row.namespace for row in report.namespaces} == {"bu-a"}


def test_a_namespace_of_known_and_unknown_use_says_how_much_is_unknown() -> None:
    other = pod("a-1")
    devices = device(A, "0.25"), device(None, "0.9", uuid="GPU-1")
    report = report_of(request(A), phase(A), request(other), phase(other), allocatable(2), *devices)
    (row,) = report.namespaces
    figures = row.figures
    assert (figures.effective_usd, figures.waste_usd, figures.unknown_usd) == (3, 9, 12)
    assert (figures.utilization, row.utilization_basis) == (Decimal("0.25"), Basis.MIXED)
    assert "utilization_missing" in codes(report)


def test_samples_of_the_builder_are_what_they_say() -> None:
    assert samples("1", FULL) == (Decimal(1),) * 60


T4_SHARED = {"nvidia_com_gpu_product": "Tesla-T4-SHARED", "nvidia_com_gpu_replicas": "4"}


def test_copies_of_a_shared_cards_value_are_put_together_minute_by_minute() -> None:
    """Each sharer's copy lasts as long as the sharer; a third one, never labelled, sits on the same card."""
    third = pod("c-0", "bu-c")
    report = report_of(
        request(third, 2), phase(third), allocatable(4), instance("g4dn.xlarge", labels=T4_SHARED),
        device(A, "0.6", minutes=mask(0, 40)), device(B, "0.2", minutes=mask(30, 60)),
    )  # fmt: skip
    row = row_of(report, "c-0")
    assert row.figures.utilization == Decimal("0.466666666667")
    assert (row.evidence.samples_seen, row.evidence.samples_expected) == (60, 60)


def test_a_vgpu_is_a_share_of_a_card() -> None:
    vgpu = "k8s_amazonaws_com_vgpu"
    facts = (request(A, 4, resource=vgpu), phase(A, minutes=mask(0, 30)), allocatable(10, resource=vgpu))
    row = row_of(report_of(*facts, instance("g4dn.xlarge"), device(None, "0.5")), "a-0")
    assert (row.utilization_basis, row.share) == (Basis.SHARED_DEVICE, "1/10")
    assert (row.evidence.samples_seen, row.evidence.samples_expected) == (30, 30)


def test_memory_of_duplicates_counts_once_and_of_instances_each() -> None:
    memory = (
        device(A, "100", instance="1"), device(A, "250", instance="1"), device(A, "30", instance="2"),
        device(A, "0", uuid="GPU-1"), device(A, None, uuid="GPU-2"),
    )  # fmt: skip
    report = report_of(request(A), phase(A), allocatable(1), memory=memory)
    assert row_of(report, "a-0").vram_used_mib == 280
    idle = report_of(request(A), phase(A), allocatable(1), memory=(device(A, "0"),))
    assert row_of(idle, "a-0").vram_used_mib == 0


@pytest.mark.parametrize("value", ["0", "1"])
def test_the_ends_of_the_scale_are_samples(value: str) -> None:
    assert utilization(device(A, value)) == Decimal(value)
