"""Pod labels that the settings name come with one question, and each pod has its own."""

from collections.abc import Callable

import pytest

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics import prometheus_metrics
from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.hours import Hour
from gpucost.domain.policy import BuRules, Policy
from local.scenarios.history import Span, openmetrics
from local.scenarios.kubernetes import TARGET, Node, Pod

pytestmark = pytest.mark.real
HOUR = Hour.parse("2026-11-30T10:00:00Z")
NODE = Node("n-1", "aws:///us-west-2a/i-0123456789abcdef0", {}, {"nvidia.com/gpu": 4})


def test_labels_of_pods_are_kept_and_asked_for_once(prometheus_factory: Callable[[str], str]) -> None:
    span = Span.of_hours(HOUR, 1)
    pods = [Pod("ns", f"p-{index}", NODE.name, "nvidia.com/gpu", ("Job", "x")) for index in range(3)]
    labels = ({"label_team": "red", "label_stage": "prod"}, {"label_stage": "dev"}, {"label_cost_center": "x"})
    series = [*NODE.series(span), *(one for pod in pods for one in pod.series(span))]
    for pod, own in zip(pods, labels, strict=True):
        identity = {**TARGET, "namespace": pod.namespace, "pod": pod.name, "uid": pod.uid}
        series.append(span.steady("kube_pod_labels", {**identity, **own}, 1))
    policy = Policy(pod_labels=("stage", "team", "costCenter"), bu=BuRules(pod_label="team"))
    url = prometheus_factory(openmetrics(series, {}) + "# EOF\n")
    readings = prometheus_metrics(url, LabelNames(), policy).read_hour("c", HOUR)
    report = allocate(readings, policy, "c", HOUR)
    assert [(row.pod, row.bu, row.labels) for row in sorted(report.pods, key=lambda row: row.pod)] == [
        ("p-0", "red", (("stage", "prod"), ("team", "red"))),
        ("p-1", "ns", (("stage", "dev"),)),
        ("p-2", "ns", (("costCenter", "x"),)),
    ]
    assert sum(trace.name == "pod_labels" for trace in report.queries) == 1
