"""Recorded output of real exporters, held for an hour in a real Prometheus: it is read, and the reports make sense."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path

import pytest

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics import prometheus_metrics
from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.hours import Hour
from gpucost.domain.policy import Policy, RateCard, WeightBasis
from gpucost.domain.report import HourReport
from local.scenarios import a100_mixed
from local.scenarios.history import Span, openmetrics

pytestmark = pytest.mark.real
CAPTURES = Path(__file__).parents[1] / "captures"
HOUR = Hour.parse("2026-11-30T10:00:00Z")
P4DE = Decimal("27.44705")
CENT = Decimal("0.0001")


def capture(name: str) -> list[str]:
    lines = (CAPTURES / f"{name}.prom").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def held(lines: Iterable[str]) -> str:
    """Exposition lines as OpenMetrics, a sample in each minute of the hour."""
    families: dict[str, list[str]] = {}
    for line in lines:
        series, value = line.rsplit(" ", 1)
        name = series.split("{", 1)[0]
        rows = [f"{series} {value} {HOUR.epoch + 60 * minute}" for minute in range(60)]
        families.setdefault(name, [f"# TYPE {name} gauge"]).extend(rows)
    return "\n".join([row for rows in families.values() for row in rows] + ["# EOF", ""])


def tenant(namespace: str, pod: str, node: str, resource: str, container: str = "main") -> list[str]:
    """The kube-state-metrics side of a running pod."""
    who = f'namespace="{namespace}",pod="{pod}",uid="uid-{pod}"'
    where = f'container="{container}",node="{node}",resource="{resource}",unit="integer"'
    return [
        f"kube_pod_container_resource_requests{{{who},{where}}} 1",
        f'kube_pod_status_phase{{{who},phase="Running"}} 1',
    ]


def allocatable(node: str, resource: str, count: int) -> str:
    return f'kube_node_status_allocatable{{node="{node}",resource="{resource}",unit="integer"}} {count}'


def report_of(url: str, policy: Policy | None = None) -> HourReport:
    rules = policy or Policy()
    return allocate(prometheus_metrics(url, LabelNames(), rules).read_hour("c", HOUR), rules, "c", HOUR)


@pytest.fixture
def mixed_node(prometheus_factory: Callable[[str], str]) -> str:
    history = openmetrics(a100_mixed.build(Span.of_hours(HOUR, 1)), {})
    return prometheus_factory(history + "# EOF\n")


def test_the_captured_mixed_node_comes_out_as_worked_by_hand(mixed_node: str) -> None:
    """46 × 1g + 1 × 3g + one whole GPU are 56 slices of $0.490126; 31 are held, 25 are not, and the engines idle."""
    rates = RateCard(by_instance_type={"p4de.24xlarge": P4DE / 8})
    report = report_of(mixed_node, Policy(rates=rates))
    totals = report.totals
    assert totals.capacity_usd == P4DE
    assert totals.capacity_gpu_hours == 8
    assert abs(totals.allocated_usd - Decimal("15.1939")) < CENT
    assert abs(totals.unallocated_usd - Decimal("12.2531")) < CENT
    assert totals.stranded_usd == 0
    assert totals.effective_usd is not None
    assert totals.effective_usd < Decimal("0.0001")
    assert len(report.pods) == 29
    assert max(row.vram_used_mib or 0 for row in report.pods) == 36634
    one_slice = next(row for row in report.pods if row.resource == "nvidia_com_mig_1g_10gb")
    assert abs(one_slice.figures.allocated_usd - Decimal("0.490126")) < Decimal("0.000001")
    assert report.status.value == "complete"


@pytest.mark.parametrize("basis", list(WeightBasis))
def test_the_captured_node_is_conserved_on_every_basis(mixed_node: str, basis: WeightBasis) -> None:
    report = report_of(mixed_node, Policy(weight_basis=basis))
    assert report.totals.allocated_usd + report.totals.unallocated_usd == report.totals.capacity_usd == 96
    assert report.totals.stranded_usd <= report.totals.unallocated_usd


def test_h100_instances_are_joined_to_their_pods(prometheus_factory: Callable[[str], str]) -> None:
    lines = capture("dcgm-h100-instances")
    pods = sorted({(_label(line, "namespace"), _label(line, "pod")) for line in lines} - {("", "")})
    assert len(pods) == 2
    cluster = [
        row
        for namespace, pod in pods
        for row in tenant(namespace, pod, "node-h100-1", "nvidia_com_mig_1g_10gb", "kserve-container")
    ]
    url = prometheus_factory(held([*lines, *cluster, allocatable("node-h100-1", "nvidia_com_mig_1g_10gb", 7)]))
    report = report_of(url)
    assert report.totals.capacity_gpu_hours == 1
    assert {row.pod for row in report.pods} == {pod for _, pod in pods}
    for row in report.pods:
        assert row.figures.utilization is not None
        assert row.utilization_basis.value == "pod"
        assert row.share == "1/7"


def test_an_a30_instance_reads_relative_to_itself(prometheus_factory: Callable[[str], str]) -> None:
    """The old exporter names its own pod as the host: the device is found by the workload's labels."""
    pod = tenant("user1-ai", "job-9sxmd", "gpu-node", "nvidia_com_mig_2g_12gb", "container-1")
    lines = [*capture("dcgm-a30-under-load"), *pod, allocatable("gpu-node", "nvidia_com_mig_2g_12gb", 2)]
    (row,) = report_of(prometheus_factory(held(lines))).pods
    assert row.share == "1/2"
    assert row.figures.utilization == Decimal("0.959228")


def test_a_gpu_and_its_instances_side_by_side_are_not_counted_twice(prometheus_factory: Callable[[str], str]) -> None:
    lines = capture("dcgm-a100-gpu-and-instances")
    node = _label(lines[0], "Hostname")
    url = prometheus_factory(held([*lines, allocatable(node, "nvidia_com_mig_1g_5gb", 7)]))
    report = report_of(url)
    assert report.totals.capacity_gpu_hours == 1
    assert report.totals.unallocated_gpu_hours == 1


def test_unscheduled_pods_of_the_state_metrics_tests_hold_nothing(prometheus_factory: Callable[[str], str]) -> None:
    report = report_of(prometheus_factory(held(capture("ksm-init-containers-unscheduled"))))
    assert report.pods == ()
    assert report.totals.allocated_usd == 0


def test_node_resources_of_the_state_metrics_tests_are_capacity(prometheus_factory: Callable[[str], str]) -> None:
    report = report_of(prometheus_factory(held(capture("ksm-node-resources"))))
    assert report.totals.capacity_gpu_hours == report.totals.unallocated_gpu_hours == 1


@pytest.mark.parametrize("name", sorted(path.stem for path in CAPTURES.glob("*.prom")))
def test_every_capture_is_read(name: str, prometheus_factory: Callable[[str], str]) -> None:
    up = 'kube_node_info{node="n"} 1'
    report = report_of(prometheus_factory(held([*capture(name), *([] if name == "ksm-node-resources" else [up])])))
    assert report.totals.allocated_usd + report.totals.unallocated_usd == report.totals.capacity_usd


def _label(line: str, name: str) -> str:
    inside = line.split("{", 1)[1]
    for pair in inside.rsplit("}", 1)[0].split(","):
        key, _, value = pair.partition("=")
        if key.strip() == name:
            return value.strip('"')
    return ""
