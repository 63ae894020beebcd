"""Recorded answers of an engine, replayed over HTTP to the client and worked out to a report."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from typing import Any
from urllib.parse import parse_qs

from gpucost.adapters.metrics import prometheus_metrics
from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.hours import Hour
from gpucost.domain.money import round_fraction
from gpucost.domain.policy import RateCard
from gpucost.domain.prices.pricing import SETTINGS_ONLY, NodeFactsForPrice, price_of
from gpucost.domain.report import HourReport
from gpucost.runtime.settings import parse_settings
from local.stack.http import QuietHandler, http_server
from tests.support.cases import CASES, load

HOUR = Hour.parse("2026-11-30T10:00:00Z")
TOLERANCE = Decimal("0.000001")
NODE_LABELS = {
    "node": "gpu-node-a",
    "label_node_kubernetes_io_instance_type": "a100-1gpu",
    "label_nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb",
    "label_nvidia_com_gpu_count": "7",
}


def series(labels: dict[str, str], value: str) -> dict[str, Any]:
    return {"metric": labels, "values": [[HOUR.epoch + 60 * minute, value] for minute in range(60)]}


def answers_of(recorded: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The recorded slices per namespace as a cluster of one GPU in seven slices, without any DCGM series."""
    requests, phases = [], []
    for one in recorded["data"]["result"]:
        namespace = one["metric"]["namespace"]
        pod = {"namespace": namespace, "pod": f"{namespace}-0", "uid": f"uid-{namespace}"}
        of_container = {"container": "main", "node": "gpu-node-a", "resource": "nvidia_com_gpu"}
        requests.append(series({**pod, **of_container}, str(one["value"][1])))
        phases.append(series({**pod, "phase": "Running"}, "1"))
    return {
        "kube_pod_container_resource_requests": {"result": requests},
        "kube_pod_status_phase": {"result": phases},
        "kube_node_status_allocatable": {
            "result": [series({"node": "gpu-node-a", "resource": "nvidia_com_gpu"}, "7")],
        },
        "kube_node_labels": {"result": [series(NODE_LABELS, "1")]},
    }


@contextmanager
def replayed(recorded: dict[str, Any]) -> Iterator[str]:
    """An engine that answers from the recording; what the recording says besides its data goes with the requests."""
    answers = answers_of(recorded)
    extras = {key: value for key, value in recorded.items() if key != "data"}

    class Handler(QuietHandler):
        def respond(self) -> None:
            query = parse_qs(self.body().decode())["query"][0]
            metric = query.split("{", 1)[0].split("(")[-1].split(" ")[0]
            kind = "matrix" if self.path.endswith("query_range") else "vector"
            found = answers.get(metric, {"result": []})
            document = {"status": "success", "data": {"resultType": kind, **found}}
            if metric == "kube_pod_container_resource_requests":
                document |= extras
            self.answer(200, json.dumps(document, default=str).encode(), "application/json")

    with http_server(Handler) as url:
        yield url


def report_of(case: str) -> tuple[HourReport, dict[str, Any]]:
    expected = load(CASES / case / "expected.json")
    settings = parse_settings(json.loads((CASES / case / "expected.json").read_text(encoding="utf-8"))["config"])
    recorded = json.loads((CASES / case / "requests.json").read_text(encoding="utf-8"))
    with replayed(recorded) as url:
        found = prometheus_metrics(url, settings.labels(), settings.policy()).read_hour("c", HOUR)
    return allocate(found, settings.policy(), "c", HOUR), expected


def assert_figures(report: HourReport, expected: dict[str, Any]) -> None:
    rows = {row.namespace: row.figures for row in report.namespaces}
    assert set(rows) == set(expected["namespaces"])
    for namespace, figures in expected["namespaces"].items():
        for name, value in figures.items():
            found = getattr(rows[namespace], name)
            assert (found is None) == (value is None), f"{namespace} {name}"
            assert value is None or abs(found - value) <= TOLERANCE, f"{namespace} {name}"


def test_without_dcgm_the_allocation_stands_and_the_use_is_unknown() -> None:
    report, expected = report_of("44-scalar-nan-when-no-dcgm")
    assert_figures(report, expected)
    assert report.status.value == "no_utilization"
    assert expected["flags"]["run"] in {warning.code for warning in report.warnings}


def test_an_answer_with_a_warning_makes_the_hour_partial() -> None:
    report, expected = report_of("46-partial-data-warning")
    assert_figures(report, expected)
    assert report.status.value == "partial"
    assert any("Query result may contain partial data" in warning.message for warning in report.warnings)


def test_rounded_shares_reconcile_with_the_total() -> None:
    expected = load(CASES / "43-rounding-reconciles" / "expected.json")
    given = load(CASES / "43-rounding-reconciles" / "input.json")
    recorded = {
        "status": "success",
        "data": {
            "result": [
                {"metric": {"namespace": namespace}, "value": [0, str(slices)]}
                for namespace, slices in given["slice_hours"].items()
            ]
        },
    }
    settings = parse_settings({"usd_per_gpu_hour": given["usd_per_gpu_hour"], "slices_per_gpu": 7})
    with replayed(recorded) as url:
        found = prometheus_metrics(url, settings.labels(), settings.policy()).read_hour("c", HOUR)
    report = allocate(found, settings.policy(), "c", HOUR)
    six = Decimal("0.000001")
    for row in report.namespaces:
        rounded = expected["rounded_6"][row.namespace]
        allocated = row.figures.allocated_usd
        effective = round_fraction_of(allocated, Decimal(given["utilization"]))
        assert allocated.quantize(six) == Decimal(rounded["allocated"])
        assert effective.quantize(six) == Decimal(rounded["effective"])
        assert (allocated.quantize(six) - effective.quantize(six)) == Decimal(rounded["waste"])
    total = sum((row.figures.allocated_usd for row in report.namespaces), Decimal(0))
    assert total == report.totals.allocated_usd == Decimal(expected["total_allocated"])


def round_fraction_of(amount: Decimal, ratio: Decimal) -> Decimal:
    return round_fraction(Fraction(amount) * Fraction(ratio))


def test_a_missing_or_zero_rate_falls_back_and_says_so() -> None:
    given = load(CASES / "42-price-missing-or-zero" / "prices.json")
    expected = load(CASES / "42-price-missing-or-zero" / "expected.json")["result"]
    table = {name: Decimal(row["usd_per_hour"]) / row["gpus"] for name, row in given["table"].items()}
    rates = RateCard(given["fallback_usd_per_gpu_hour"], by_instance_type=table)
    for instance_type in given["ask"]:
        price = price_of(NodeFactsForPrice("n", instance_type, None, Fraction(8)), rates, SETTINGS_ONLY).price
        assert price.usd_per_gpu_hour == expected[instance_type]["usd_per_gpu_hour"]
        assert price.source == expected[instance_type]["price_source"]
        assert price.flag == "fallback"
    known = price_of(NodeFactsForPrice("n", "p4d.24xlarge", None, Fraction(8)), rates, SETTINGS_ONLY).price
    assert (known.usd_per_gpu_hour, known.flag) == (Decimal("4.1"), None)
