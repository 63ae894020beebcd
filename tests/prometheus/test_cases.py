"""The worked examples, each against a real Prometheus that holds its series."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucost.adapters.metrics import prometheus_metrics
from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.documents import report_document
from gpucost.domain.hours import Hour
from gpucost.domain.report import HourReport
from gpucost.runtime.settings import Settings, parse_settings
from tests.support.cases import CASES, Window, metric_windows
from tests.support.series_notation import openmetrics_of

TOLERANCE = Decimal("0.000001")

pytestmark = pytest.mark.real


def report_of(url: str, window: Window, settings: Settings) -> HourReport:
    policy = settings.policy()
    hour = Hour.parse(window.hour)
    cluster = window.cluster or "test"
    return allocate(prometheus_metrics(url, settings.labels(), policy).read_hour(cluster, hour), policy, cluster, hour)


def assert_close(found: Decimal | None, expected: Any, what: str) -> None:
    if expected is None:
        assert found is None, f"{what}: {found} where the figure is unknown"
    else:
        assert found is not None, f"{what} is unknown where {expected} is expected"
        assert abs(found - expected) <= TOLERANCE, f"{what}: {found} is not {expected}"


@pytest.mark.parametrize("window", list(metric_windows()), ids=str)
def test_case(window: Window, prometheus_factory: Callable[[str], str]) -> None:
    """Allocated, effective, waste and unallocated are what the example works out."""
    url = prometheus_factory(openmetrics_of(CASES / window.case / "series.yaml"))
    settings = parse_settings(window.config)
    report = report_of(url, window, settings)
    document = report_document(report)
    by_namespace = {row["namespace"]: row for row in document["namespaces"]}
    for namespace, figures in window.namespaces.items():
        if namespace not in by_namespace:
            assert figures["allocated_usd"] == 0, f"{namespace} is missing"
            continue
        for name, expected in figures.items():
            assert_close(by_namespace[namespace][name], expected, f"{namespace} {name}")
    for name, expected in window.totals.items():
        assert_close(document["totals"][name], expected, f"cluster {name}")
    for namespace, row in by_namespace.items():
        assert isinstance(namespace, str)
        assert namespace in window.namespaces or row["allocated_usd"] == 0, f"{namespace} is nobody's tenant here"
    for row in document["namespaces"]:
        assert_conserved(row)
    assert_capacity(report)


def assert_conserved(row: dict[str, Any]) -> None:
    known = (row["effective_usd"] or 0) + (row["waste_usd"] or 0)
    assert row["allocated_usd"] == known + row["unknown_usd"]


def assert_capacity(report: HourReport) -> None:
    for node in report.nodes:
        assert node.allocated_usd + node.unallocated_usd == node.capacity_usd
        assert node.unallocated_usd >= node.stranded_usd >= 0


def windows(case: str) -> list[Window]:
    return [window for window in metric_windows() if window.case.startswith(case)]


@pytest.fixture
def report_with(prometheus_factory: Callable[[str], str]) -> Callable[..., HourReport]:
    """The report of a case's first window, with settings changed."""

    def build(case: str, **changes: Any) -> HourReport:
        window = windows(case)[0]
        url = prometheus_factory(openmetrics_of(CASES / window.case / "series.yaml"))
        config = {key: value for key, value in {**window.config, **changes}.items() if value is not None}
        return report_of(url, window, parse_settings(config))

    return build


def codes(report: HourReport) -> set[str]:
    return {warning.code for warning in report.warnings}


def test_other_accelerators_are_listed_with_their_holders(report_with: Callable[..., HourReport]) -> None:
    report = report_with("23")
    listed: dict[str, dict[str, Decimal]] = {}
    for row in report.unpriced:
        listed.setdefault(row.namespace, {})[row.resource] = row.quantity_hours
    assert listed == windows("23")[0].extra["unpriced"]
    assert "unpriced" in codes(report)


def test_series_without_a_namespace_are_unattributed_and_flagged(report_with: Callable[..., HourReport]) -> None:
    expected = windows("10")[0].extra["without_mapping"]
    report = report_with("10", label_names=None)
    assert sum(row.quantity_hours for row in report.unpriced) == expected["unattributed_gpu_hours"]
    assert any(expected["error_or_flag"] in warning.message for warning in report.warnings)
    assert report.status.value == "partial"
    assert report.namespaces == ()


def test_a_holder_without_series_is_flagged(report_with: Callable[..., HourReport]) -> None:
    report = report_with("14")
    assert [w.subject for w in report.warnings if w.code == "utilization_missing"] == ["bu-b/bu-b"]


def test_an_annotation_names_the_bu_byte_for_byte(report_with: Callable[..., HourReport]) -> None:
    report = report_with("68", bu={"namespace_annotation": "cost-center/bu"})
    by_namespace = {row.namespace: row.bu for row in report.namespaces}
    for namespace, bu in windows("68")[0].extra["bu_annotation"].items():
        assert by_namespace[namespace] == bu
    assert by_namespace["true"] == "true"


def test_hami_shares_that_nobody_announced_are_pointed_out(report_with: Callable[..., HourReport]) -> None:
    report = report_with("24", hami=None)
    assert any("set hami" in row.reason for row in report.unpriced)
    assert report.totals.allocated_gpu_hours <= report.totals.capacity_gpu_hours == 1


def test_a_passthrough_name_that_is_not_listed_is_reported_by_name(report_with: Callable[..., HourReport]) -> None:
    report = report_with("26", passthrough_resources=[])
    assert [row.resource for row in report.unpriced] == ["nvidia_com_TU104GL_Tesla_T4"]
    assert report.totals.allocated_usd == 0


def test_a_stale_whole_gpu_count_is_dropped(report_with: Callable[..., HourReport]) -> None:
    report = report_with("35")
    assert [node.physical_gpus for node in report.nodes] == [2]


def test_the_recipe_proxy_reproduces_the_guide(report_with: Callable[..., HourReport]) -> None:
    """avg / 100 over every instance, as the guide does, where its settings are asked for by name."""
    report = report_with("11", utilization="recipe")
    effective = {row.namespace: row.figures.effective_usd for row in report.namespaces}
    allocated = Decimal(36) / 7
    found = effective["bu-a"]
    assert found is not None
    assert abs(found - allocated * Decimal("0.0004539326785714286")) < Decimal("1e-9")
    assert {row.utilization_basis.value for row in report.namespaces} == {"recipe"}
