"""How many GPUs a node has in each minute, and what becomes of those that nobody holds."""

from decimal import Decimal

import pytest

from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.policy import Policy, PriceSource, RateCard
from gpucost.domain.prices.pricing import Offer, PriceSheet
from gpucost.domain.readings import NodeResource
from tests.support.allocation import codes, instance, node_of, report_of, row_of
from tests.support.readings import GPU, HOUR, allocatable, device, mask, node, phase, pod, readings, request

CAPACITY = [
    ({"physical_gpus": {"node-a": 3}}, "g5.12xlarge", {"nvidia_com_gpu_count": "2"}, True, ("3", "settings")),
    ({}, "g5.12xlarge", {"nvidia_com_gpu_count": "2"}, True, ("4", "instance_type")),
    ({}, "unheard-of", {"nvidia_com_gpu_count": "2"}, True, ("1", "dcgm_uuids")),
    ({}, "unheard-of", {"nvidia_com_gpu_count": "2"}, False, ("2", "node_labels")),
    ({}, "unheard-of", {"nvidia_com_gpu_count": "7", "nvidia_com_gpu_product": "A100-SXM4-40GB-MIG-1g.5gb"}, False,
     ("1", "node_labels")),
    # sixteen 3g are 48/7 of compute, and fill eight cards
    ({}, "unheard-of", {"nvidia_com_gpu_count": "16", "nvidia_com_gpu_product": "A100-SXM4-40GB-MIG-3g.20gb"}, False,
     ("8", "node_labels")),
    ({}, "unheard-of", {"nvidia_com_gpu_count": "24", "nvidia_com_gpu_product": "A100-SXM4-40GB-MIG-2g.10gb"}, False,
     ("8", "node_labels")),
    ({}, "unheard-of", {"nvidia_com_gpu_count": "8", "nvidia_com_gpu_product": "A100-SXM4-40GB-MIG-1g.10gb"}, False,
     ("2", "node_labels")),
    ({}, "g6f.large", {}, False, ("1", "advertised")),
    ({}, "unheard-of", {"nvidia_com_gpu_count": "²"}, False, ("1", "advertised")),
    ({}, "unheard-of", {"nvidia_com_gpu_count": "none"}, False, ("1", "advertised")),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "kind", "labels", "seen_by_dcgm", "expected"), CAPACITY)
def test_physical_gpus_are_counted_by_the_best_source(
    settings: dict[str, dict[str, int]],
    kind: str,
    labels: dict[str, str],
    seen_by_dcgm: bool,
    expected: tuple[str, str],
) -> None:
    facts = [allocatable(1), instance(kind, labels=labels), *([device()] if seen_by_dcgm else [])]
    row = node_of(report_of(*facts, policy=Policy(**settings)))  # type: ignore[arg-type]
    assert (str(row.physical_gpus), row.capacity_source) == expected


def test_a_gpu_node_without_any_gpu_to_offer_is_stranded_and_said() -> None:
    report = report_of(instance("g5.12xlarge"))
    assert report.totals.capacity_gpu_hours == report.totals.stranded_gpu_hours == 4
    assert "nothing_advertised" in codes(report)


def test_a_node_without_gpus_is_no_gpu_node() -> None:
    report = report_of(
        instance("m5.large"),
        node("cpu-2"),
        instance("p4d.24xlarge", ""),
        NodeResource("", GPU, {Decimal(1): mask(0, 60)}),
    )
    assert report.nodes == ()
    assert codes(report) == ["no_gpus"]


def test_where_nothing_counts_the_cards_what_is_held_counts() -> None:
    who, other = pod("a-0"), pod("b-0")
    report = report_of(
        request(who, 2), phase(who), request(other, minutes=mask(0, 30)), phase(other, minutes=mask(0, 30))
    )
    assert report.totals.capacity_gpu_hours == Decimal("2.5")
    assert report.totals.unallocated_gpu_hours == 0
    assert "capacity_unknown" in codes(report)


def test_holders_of_more_than_there_is_are_cut_to_fit_and_said() -> None:
    pods = [pod(f"a-{index}") for index in range(3)]
    facts = [fact for who in pods for fact in (request(who), phase(who, minutes=mask(0, 30)))]
    report = report_of(*facts, allocatable(2), policy=Policy(physical_gpus={"node-a": 2}))
    assert [row.figures.gpu_hours for row in report.pods] == [
        Decimal("0.333333333334"), Decimal("0.333333333333"), Decimal("0.333333333333"),
    ]  # fmt: skip
    assert report.totals.allocated_gpu_hours == 1
    assert report.totals.unallocated_gpu_hours == 1
    assert "overcommitted" in codes(report)


def test_mig_that_is_cut_anew_in_mid_hour_is_what_it_is_in_each_minute() -> None:
    """Seven 1g until 10:20, nothing while the card is reset, two 3g and one 1g from 10:30 on."""
    small, large = pod("small"), pod("large")
    one, three = "nvidia_com_mig_1g_5gb", "nvidia_com_mig_3g_20gb"
    first, last = mask(0, 20), mask(30, 60)
    report = report_of(
        request(small, resource=one, minutes=first),
        phase(small, minutes=first),
        request(large, resource=three, minutes=last),
        phase(large, minutes=last),
        NodeResource("node-a", one, {Decimal(7): first, Decimal(0): mask(20, 30), Decimal(1): last}),
        NodeResource("node-a", three, {Decimal(2): last}),
        node(labels={"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB", "nvidia_com_gpu_count": "1"}),
    )
    assert row_of(report, "small").figures.gpu_hours == Decimal("0.047619047619")
    assert row_of(report, "large").figures.gpu_hours == Decimal("0.214285714286")
    assert row_of(report, "small").figures.slice_hours == Decimal("0.333333333333")
    assert row_of(report, "large").figures.slice_hours == Decimal("1.5")
    assert report.totals.stranded_gpu_hours == Decimal("0.166666666667")
    assert report.totals.capacity_gpu_hours == 1
    assert "nothing_advertised" in codes(report)


def test_a_node_replaced_in_mid_hour_is_two_half_nodes() -> None:
    early, late = pod("web-0", uid="1"), pod("web-0", uid="2")
    report = report_of(
        request(early, node="old", minutes=mask(0, 30)),
        phase(early, minutes=mask(0, 30)),
        request(late, node="new", minutes=mask(30, 60)),
        phase(late, minutes=mask(30, 60)),
        *(allocatable(1, node=name, minutes=minutes) for name, minutes in NODES.items()),
        *(instance("g5.xlarge", name, minutes) for name, minutes in NODES.items()),
        device(early, "0.2", node="old", uuid="GPU-old", minutes=mask(0, 30)),
        device(late, "0.6", node="new", uuid="GPU-new", minutes=mask(30, 60)),
    )
    assert report.totals.capacity_gpu_hours == report.totals.allocated_gpu_hours == 1
    assert [(row.uid, row.figures.utilization) for row in report.pods] == [("1", Decimal("0.2")), ("2", Decimal("0.6"))]


NODES = {"old": mask(0, 30), "new": mask(30, 60)}


def test_facts_without_a_node_are_left_out_and_the_others_count() -> None:
    report = report_of(node(""), allocatable(2), instance("g5.xlarge"), instance("g5.xlarge", minutes=mask(0, 30)))
    assert report.totals.capacity_gpu_hours == 1
    assert node_of(report).instance_type == "g5.xlarge"


def test_labels_that_come_in_two_series_are_one_nodes() -> None:
    """One replica of kube-state-metrics until 10:30, another one from then on."""
    early, late = instance("g5.12xlarge", minutes=mask(0, 30)), instance("g5.12xlarge", minutes=mask(30, 60))
    row = node_of(report_of(allocatable(4), early, late))
    assert (row.physical_gpus, row.capacity_gpu_hours, row.instance_type) == (4, 4, "g5.12xlarge")


@pytest.mark.parametrize("turn", [1, -1])
def test_two_reporters_that_tell_different_labels_tell_them_together(turn: int) -> None:
    """Two installations of kube-state-metrics, each with its own list of labels."""
    product = {"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB-MIG-3g.20gb"}
    told = [node(labels=product), instance("p4d.24xlarge")]
    row = node_of(report_of(allocatable(16), *told[::turn]))
    assert (row.instance_type, row.physical_gpus) == ("p4d.24xlarge", 8)
    assert row.stranded_gpu_hours == Decimal("1.142857142857")


def test_a_node_whose_only_sign_of_a_gpu_is_its_exporter_counts() -> None:
    row = node_of(report_of(node(), device()))
    assert (row.capacity_gpu_hours, row.stranded_gpu_hours, row.gpu_model) == (1, 1, "NVIDIA-A10G")


def test_cards_that_are_cut_in_different_ways_are_still_of_their_model() -> None:
    """The single strategy refuses them, and says so where the model's profile would be."""
    labels = {"nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB-MIG-INVALID"}
    row = node_of(report_of(allocatable(0), instance("p4d.24xlarge", labels=labels)))
    assert (row.gpu_model, row.stranded_gpu_hours) == ("NVIDIA-A100-SXM4-40GB", 8)


def test_a_nodes_whole_price_is_its_hours_however_its_count_changed_meanwhile() -> None:
    """Seven slices of an unlisted type until 10:50, none while the card is reset: its $8.40, not a global rate."""
    labels = {"nvidia_com_gpu_product": "A100-SXM4-40GB-MIG-1g.5gb"}
    counts = NodeResource("node-a", GPU, {Decimal(7): mask(0, 50), Decimal(0): mask(50, 60)})
    found = readings(counts, instance("p9.unlisted", labels=labels))
    offer = Offer(PriceSource.PRICE_LIST, Decimal("8.4"), "2026-11-01")
    report = allocate(found, Policy(), "prod", HOUR, prices=PriceSheet({"node-a": [offer]}, frozenset({"node-a"})))
    assert node_of(report).price.usd_per_gpu_hour == Decimal("10.08")
    assert report.totals.capacity_usd == Decimal("8.4")


def test_rates_by_model_and_type_price_each_node_by_its_own() -> None:
    rates = RateCard(Decimal(12), {"g5.xlarge": Decimal(1)}, {"NVIDIA-L4": Decimal(2)})
    report = report_of(
        allocatable(1, node="a"),
        instance("g5.xlarge", "a"),
        allocatable(1, node="b"),
        node("b", labels={"nvidia_com_gpu_product": "NVIDIA-L4-SHARED"}),
        allocatable(1, node="c"),
        instance("g4dn.xlarge", "c"),
        policy=Policy(rates=rates),
    )
    assert [(row.price.usd_per_gpu_hour, row.price.source, row.price.flag) for row in report.nodes] == [
        (1, "settings:instance_type", None),
        (2, "settings:gpu_model", None),
        (12, "fallback", "fallback"),
    ]
    assert "price_fallback" in codes(report)
