"""What must hold of every hour, whatever the cluster reports: conservation, order, duplication, splitting, bounds."""

import random
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.documents import report_document, report_from_document
from gpucost.domain.policy import Policy, RateCard, WeightBasis
from gpucost.domain.readings import ContainerRequest, DeviceSeries, NodeFacts, NodeResource, PodPhase, Readings
from gpucost.domain.report import HourReport
from gpucost.domain.timeline import FULL, within
from tests.support.readings import GPU, HOUR, device, mask, node, phase, pod, request, samples
from tests.support.readings import readings as readings_of

RESOURCES = [GPU, "nvidia_com_mig_1g_5gb", "nvidia_com_mig_3g_20gb", "nvidia_com_gpu_shared", "k8s_amazonaws_com_vgpu"]
TYPES = ["p4d.24xlarge", "g4dn.xlarge", "g5.12xlarge", "unheard-of"]


@st.composite
def spans(draw: st.DrawFn) -> int:
    first = draw(st.integers(0, 59))
    return mask(first, draw(st.integers(first + 1, 60)))


@st.composite
def clusters(draw: st.DrawFn) -> Readings:
    """A small cluster with odd lives: partial minutes, idle nodes, missing facts, impossible samples."""
    facts: dict[str, list[Any]] = {"requests": [], "phases": [], "node_resources": [], "nodes": [], "devices": []}
    nodes = [f"node-{index}" for index in range(draw(st.integers(1, 3)))]
    for name in nodes:
        labels = {"node_kubernetes_io_instance_type": draw(st.sampled_from(TYPES))}
        facts["nodes"].append(
            node(name, draw(st.one_of(st.just(FULL), spans())), draw(st.sampled_from([labels, None])))
        )
        for resource in draw(st.lists(st.sampled_from(RESOURCES), max_size=3, unique=True)):
            count = Decimal(draw(st.integers(0, 8)))
            facts["node_resources"].append(NodeResource(name, resource, {count: draw(spans())}))
        facts["devices"].append(device(None, "0.1", node=name, uuid=f"GPU-{name}"))
    for index in range(draw(st.integers(0, 6))):
        who = pod(f"pod-{index % 4}", draw(st.sampled_from(["bu-a", "bu-b", "ns-c"])), uid=f"uid-{index}")
        where = draw(st.sampled_from(nodes))
        resource = draw(st.sampled_from(RESOURCES))
        quantity, minutes = draw(st.integers(0, 5)), draw(spans())
        facts["requests"].append(request(who, quantity, node=where, resource=resource, minutes=minutes))
        facts["phases"].append(phase(who, draw(st.sampled_from(["Pending", "Running", "Unknown"])), draw(spans())))
        value = draw(st.sampled_from([None, "0", "0.25", "0.999999", "1.3", "2.5", "-1", "NaN"]))
        facts["devices"].append(device(who, value, node=where, uuid=f"GPU-{where}-{index}", minutes=draw(spans())))
    return readings_of(*(fact for kind in facts.values() for fact in kind))


policies = st.builds(
    Policy,
    rates=st.builds(
        RateCard,
        usd_per_gpu_hour=st.decimals("0.000001", "40", places=6),
        by_instance_type=st.just({"p4d.24xlarge": Decimal("2.74470525")}),
    ),
    weight_basis=st.sampled_from(list(WeightBasis)),
)


def report_of(readings: Readings, policy: Policy) -> HourReport:
    return allocate(readings, policy, "test", HOUR)


@given(clusters(), policies)
def test_money_and_gpu_hours_are_conserved_to_the_last_digit(readings: Readings, policy: Policy) -> None:
    report = report_of(readings, policy)
    for row in report.nodes:
        pods = [one for one in report.pods if one.node == row.node]
        assert row.allocated_usd + row.unallocated_usd == row.capacity_usd
        assert sum((one.figures.allocated_usd for one in pods), Decimal(0)) == row.allocated_usd
        assert sum((one.figures.gpu_hours for one in pods), Decimal(0)) == row.allocated_gpu_hours
        assert row.allocated_gpu_hours + row.unallocated_gpu_hours == row.capacity_gpu_hours
    assert report.totals.allocated_usd + report.totals.unallocated_usd == report.totals.capacity_usd
    assert sum((row.figures.allocated_usd for row in report.namespaces), Decimal(0)) == report.totals.allocated_usd


@given(clusters(), policies)
def test_figures_stay_within_their_bounds(readings: Readings, policy: Policy) -> None:
    report = report_of(readings, policy)
    for figures in [row.figures for row in report.pods] + [row.figures for row in report.namespaces]:
        assert figures.allocated_usd >= 0
        if figures.utilization is not None:
            assert figures.effective_usd is not None
            assert figures.waste_usd is not None
            assert 0 <= figures.utilization <= 1
            assert 0 <= figures.effective_usd <= figures.allocated_usd
            assert figures.effective_usd + figures.waste_usd + figures.unknown_usd == figures.allocated_usd
        else:
            assert figures.effective_usd is None or figures.allocated_usd == figures.unknown_usd
    for one in report.nodes:
        assert 0 <= one.stranded_usd <= one.unallocated_usd
        assert 0 <= one.stranded_gpu_hours <= one.unallocated_gpu_hours


@given(clusters(), policies, st.randoms(use_true_random=False))
def test_the_order_of_the_series_changes_nothing(readings: Readings, policy: Policy, shuffler: random.Random) -> None:
    def shuffled[T](facts: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(shuffler.sample(facts, len(facts)))

    other = replace(
        readings,
        requests=shuffled(readings.requests),
        phases=shuffled(readings.phases),
        node_resources=shuffled(readings.node_resources),
        nodes=shuffled(readings.nodes),
        devices=shuffled(readings.devices),
    )
    assert report_of(other, policy) == report_of(readings, policy)


@given(clusters(), policies)
def test_duplicated_series_change_nothing(readings: Readings, policy: Policy) -> None:
    twice = replace(
        readings,
        requests=readings.requests * 2,
        phases=readings.phases * 2,
        node_resources=readings.node_resources * 2,
        nodes=readings.nodes * 2,
        devices=readings.devices * 2,
    )
    assert report_of(twice, policy) == report_of(readings, policy)


def part(readings: Readings, minutes: int) -> Readings:
    """The readings of some minutes only."""

    def cut_request(one: ContainerRequest) -> ContainerRequest:
        return replace(one, quantity=within(one.quantity, minutes))

    def cut_node(one: NodeFacts) -> NodeFacts:
        return replace(one, minutes=one.minutes & minutes, labels=within(one.labels, minutes))

    def cut_device(one: DeviceSeries) -> DeviceSeries:
        kept = tuple(value if minutes >> minute & 1 else None for minute, value in enumerate(one.samples))
        return replace(one, samples=kept)

    def cut_phase(one: PodPhase) -> PodPhase:
        return replace(one, minutes=one.minutes & minutes)

    def cut_resource(one: NodeResource) -> NodeResource:
        return replace(one, allocatable=within(one.allocatable, minutes))

    return replace(
        readings,
        requests=tuple(map(cut_request, readings.requests)),
        phases=tuple(map(cut_phase, readings.phases)),
        node_resources=tuple(map(cut_resource, readings.node_resources)),
        nodes=tuple(map(cut_node, readings.nodes)),
        devices=tuple(map(cut_device, readings.devices)),
    )


@given(st.integers(1, 59), st.lists(st.tuples(st.integers(0, 59), st.integers(1, 60)), min_size=1, max_size=6))
def test_the_parts_of_an_hour_add_up_to_the_hour(cut: int, lives: list[tuple[int, int]]) -> None:
    facts: list[Any] = []
    for index, (first, length) in enumerate(lives):
        who = pod(f"pod-{index}")
        minutes = mask(first, min(first + length, 60))
        facts += [request(who, minutes=minutes), phase(who, minutes=minutes)]
    whole = Readings(
        seen=FULL,
        requests=tuple(fact for fact in facts if isinstance(fact, ContainerRequest)),
        phases=tuple(fact for fact in facts if isinstance(fact, PodPhase)),
        node_resources=(NodeResource("node-a", GPU, {Decimal(8): FULL}),),
        nodes=(node(labels={"node_kubernetes_io_instance_type": "p4d.24xlarge"}),),
        devices=(device(None, "0.2"),),
    )
    reports = [report_of(one, Policy()) for one in (whole, part(whole, mask(0, cut)), part(whole, mask(cut, 60)))]
    whole_totals, *parts = [report.totals for report in reports]
    close = Decimal("0.00000000005")
    assert abs(whole_totals.allocated_usd - sum(one.allocated_usd for one in parts)) <= close
    assert abs(whole_totals.capacity_usd - sum(one.capacity_usd for one in parts)) <= close


@given(clusters(), policies)
def test_a_report_survives_its_document(readings: Readings, policy: Policy) -> None:
    report = report_of(readings, policy)
    assert report_from_document(report_document(report)) == report


def test_the_builders_build_what_they_say() -> None:
    assert samples("0.5", mask(58, 60)) == (*(None,) * 58, Decimal("0.5"), Decimal("0.5"))
