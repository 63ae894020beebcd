"""What a unit of a resource is worth on its node, and how many GPUs the node has."""

from decimal import Decimal
from fractions import Fraction

import pytest

from gpucost.domain.gpus.mig import parse_profile, profile_share
from gpucost.domain.gpus.mig_gpus import MIG_GPUS
from gpucost.domain.policy import Policy, WeightBasis
from tests.support.allocation import codes, instance, node_of, report_of, row_of
from tests.support.readings import GPU, allocatable, device, node, phase, pod, request

MODELS = {
    "A30-24GB": "NVIDIA-A30",
    "A100-40GB": "NVIDIA-A100-SXM4-40GB",
    "A100-80GB": "NVIDIA A100-SXM4-80GB",
    "H100-80GB": "NVIDIA-H100-80GB-HBM3",
    "H100-NVL-94GB": "NVIDIA-H100-NVL",
    "H100-96GB/GH200-96GB/H20": "NVIDIA-H100-96GB",
    "H200-141GB": "NVIDIA-H200",
    "GH200-144GB": "NVIDIA-GH200-144GB",
    "B200-180GB": "NVIDIA-B200",
    "GB200-186GB": "NVIDIA-GB200",
    "B300-269GB": "NVIDIA-B300",
    "GB300-278GB": "NVIDIA-GB300",
    "RTX-PRO-6000-BSE-96GB": "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
}


def test_every_gpu_of_the_table_is_tried() -> None:
    assert set(MODELS) == set(MIG_GPUS)


@pytest.mark.parametrize("gpu", MODELS)
@pytest.mark.parametrize("basis", list(WeightBasis))
def test_a_profiles_share_follows_the_table(gpu: str, basis: WeightBasis) -> None:
    facts = MIG_GPUS[gpu]
    for name, (compute, memory, most) in facts.profiles.items():
        profile = parse_profile(name)
        assert profile is not None
        share = profile_share(profile, MODELS[gpu], basis, 7)
        by_compute = Fraction(compute, facts.compute_slices)
        by_memory = Fraction(memory, facts.memory_slices)
        expected = {"compute": by_compute, "memory": by_memory, "dominant": max(by_compute, by_memory)}
        # A profile with engines of its own (+me, +gfx …) is weighted like its plain one.
        assert share == expected[basis.value], name
        if basis is WeightBasis.COMPUTE:
            assert share * most <= 1


def held(resource: str, count: int = 1, **more: object) -> list[object]:
    who = pod("a-0")
    return [request(who, count, resource=resource), phase(who)]


@pytest.mark.parametrize(
    ("labels", "share"),
    [
        ({"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb"}, "1/7"),
        ({"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb"}, "3/7"),
        ({"nvidia_com_gpu_product": "NVIDIA-A30-MIG-2g.12gb"}, "1/2"),
        ({"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB"}, "1"),
        ({"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED", "nvidia_com_gpu_replicas": "2"}, "1/14"),
        ({"nvidia_com_mig_strategy": "single", "nvidia_com_mig_config": "all-1g.5gb"}, "1/7"),
        ({"nvidia_com_mig_strategy": "single", "nvidia_com_mig_config": "all-disabled"}, "1"),
        ({"nvidia_com_mig_strategy": "mixed", "nvidia_com_mig_config": "all-1g.5gb"}, "1"),
    ],
)
def test_a_gpu_on_a_single_strategy_node_is_its_profile(labels: dict[str, str], share: str) -> None:
    report = report_of(*held(GPU), allocatable(4), instance("p4d.24xlarge", labels=labels))
    assert row_of(report, "a-0").share == share


def test_the_exporters_profile_names_the_slice_where_no_label_does() -> None:
    instance_device = device(pod("a-0"), profile="1g.5gb", instance="7", model="NVIDIA A100-SXM4-40GB")
    report = report_of(*held(GPU), allocatable(7), node(), instance_device)
    assert row_of(report, "a-0").share == "1/7"
    assert node_of(report).capacity_source == "dcgm_uuids"


def test_more_gpus_than_any_machine_has_are_slices() -> None:
    report = report_of(*held(GPU), allocatable(56), node())
    assert row_of(report, "a-0").share == "1/7"
    assert report.totals.capacity_gpu_hours == 8


def test_sixteen_gpus_may_be_a_machine() -> None:
    assert report_of(*held(GPU), allocatable(16), node()).totals.capacity_gpu_hours == 16


@pytest.mark.parametrize(
    ("resource", "labels", "share"),
    [
        ("nvidia_com_gpu_shared", {"nvidia_com_gpu_replicas": "4"}, "1/4"),
        ("nvidia_com_mig_1g_10gb_shared", {"nvidia_com_mig_1g_10gb_replicas": "2"}, "1/14"),
        ("nvidia_com_mig_1g_10gb", {"nvidia_com_mig_1g_10gb_replicas": "2"}, "1/7"),
        ("k8s_amazonaws_com_vgpu", {}, "1/10"),
        ("nvidia_com_TU104GL_Tesla_T4", {}, "1"),
        ("nvidia_com_mig_1c_3g_20gb", {}, "1/7"),
    ],
)
def test_renamed_replicas_vgpus_and_passthrough(resource: str, labels: dict[str, str], share: str) -> None:
    report = report_of(*held(resource), allocatable(1, resource=resource), instance("p4d.24xlarge", labels=labels))
    assert row_of(report, "a-0").share == share


def test_replicas_without_their_label_are_scaled_to_the_card_and_said() -> None:
    report = report_of(*held(GPU), allocatable(4), instance("g4dn.xlarge"))
    assert row_of(report, "a-0").share == "1/4"
    assert "shares_scaled" in codes(report)


def test_replicas_of_a_mig_slice_that_were_not_renamed_are_parts_of_it() -> None:
    """Two 3g of an A100, each for two pods: 3/14 a replica, and the card's seventh slice stays nobody's to take."""
    resource = "nvidia_com_mig_3g_20gb"
    labels = {f"{resource}_product": "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb-SHARED", f"{resource}_replicas": "2"}
    facts = [allocatable(4, resource=resource), node(labels={**labels, "nvidia_com_gpu_count": "1"})]
    report = report_of(*held(resource), *facts)
    assert row_of(report, "a-0").share == "3/14"
    assert node_of(report).stranded_gpu_hours == Decimal("0.142857142857")
    assert "shares_scaled" not in codes(report)


def test_replicas_that_were_renamed_leave_the_slice_itself_whole() -> None:
    resource = "nvidia_com_mig_3g_20gb"
    labels = {f"{resource}_product": "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb", f"{resource}_replicas": "2"}
    facts = [allocatable(2, resource=resource), node(labels={**labels, "nvidia_com_gpu_count": "1"})]
    assert row_of(report_of(*held(resource), *facts), "a-0").share == "3/7"


def test_a_zero_of_shared_beside_the_real_ones_is_nothing() -> None:
    report = report_of(
        *held("nvidia_com_mig_1g_10gb"),
        allocatable(7, resource="nvidia_com_mig_1g_10gb"),
        allocatable(0, resource="nvidia_com_mig_1g_10gb_shared"),
        allocatable(0),
        instance("p5.4xlarge"),
    )
    assert report.totals.stranded_gpu_hours == 0
    assert row_of(report, "a-0").share == "1/7"


@pytest.mark.parametrize(("basis", "scaled"), [("compute", False), ("memory", False), ("dominant", True)])
def test_four_and_three_slices_overlap_only_by_the_larger_share(basis: str, scaled: bool) -> None:
    report = report_of(
        allocatable(1, resource="nvidia_com_mig_4g_20gb"),
        allocatable(1, resource="nvidia_com_mig_3g_20gb"),
        node(labels={"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB", "nvidia_com_gpu_count": "1"}),
        policy=Policy(weight_basis=WeightBasis(basis)),
    )
    assert ("shares_scaled" in codes(report)) is scaled
    assert report.totals.capacity_gpu_hours == 1
    assert report.totals.stranded_gpu_hours == 0


def test_two_threes_strand_a_seventh() -> None:
    report = report_of(
        allocatable(2, resource="nvidia_com_mig_3g_20gb"),
        node(labels={"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB", "nvidia_com_gpu_count": "1"}),
    )
    assert report.totals.stranded_usd == Decimal("1.714285714286")
    assert report.totals.unallocated_usd == 12


def test_a_stale_whole_count_leaves_room_for_the_whole_gpus_that_are_there() -> None:
    """Eight cards, four in seven slices: of the eight whole GPUs that are still counted, four are."""
    report = report_of(allocatable(8), allocatable(28, resource="nvidia_com_mig_1g_5gb"), instance("p4d.24xlarge"))
    assert report.totals.stranded_gpu_hours == 0
    assert "shares_scaled" not in codes(report)
