"""Pods that come and go at any second, scraped every 15 seconds by collectors with clocks of their own."""

import random
from collections.abc import Callable
from decimal import Decimal

import pytest

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics import prometheus_metrics
from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.hours import Hour
from gpucost.domain.policy import Policy

pytestmark = pytest.mark.real
HOUR = Hour.parse("2026-11-30T10:00:00Z")
SCRAPE = 15
ODD = ['quo"te', "back\\slash", "new\nline", "emoji-🚀", "a" * 63, "비전", "<!channel>"]


def escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def history(lives: dict[str, tuple[int, int]], skew: int) -> str:
    """Seconds of the hour in which each pod lived -> what a collector whose scrapes are `skew` seconds late stored."""
    requests, phases = ["# TYPE kube_pod_container_resource_requests gauge"], ["# TYPE kube_pod_status_phase gauge"]
    for namespace, (first, end) in lives.items():
        who = f'namespace="{escaped(namespace)}",pod="p",uid="uid-{escaped(namespace)}"'
        where = 'container="main",node="n",resource="nvidia_com_gpu",unit="integer"'
        for second in range(skew % SCRAPE, 3600, SCRAPE):
            if first <= second < end:
                at = HOUR.epoch + second
                requests.append(f"kube_pod_container_resource_requests{{{who},{where}}} 1 {at}")
                phases.append(f'kube_pod_status_phase{{{who},phase="Running"}} 1 {at}')
    up = [f'kube_node_info{{node="n"}} 1 {HOUR.epoch + second}' for second in range(-45, 3600, SCRAPE)]
    return "\n".join([*requests, *phases, "# TYPE kube_node_info gauge", *up, "# EOF", ""])


@pytest.mark.parametrize("skew", [0, 7, 14])
def test_each_start_and_stop_is_right_to_the_minute_and_the_lookback(
    skew: int, prometheus_factory: Callable[[str], str]
) -> None:
    """A minute by the sampling, and here a minute that the engine looks back: this history has no staleness markers."""
    chance = random.Random(skew)
    lives = {}
    for namespace in ODD:
        first = chance.randrange(0, 3000)
        lives[namespace] = (first, chance.randrange(first + 120, 3600))
    url = prometheus_factory(history(lives, skew))
    readings = prometheus_metrics(url, LabelNames(), Policy()).read_hour("c", HOUR)
    report = allocate(readings, Policy(physical_gpus={"n": 8}), "c", HOUR)
    held = {row.namespace: row.figures.gpu_hours for row in report.namespaces}
    assert set(held) == set(ODD)
    for namespace, (first, end) in lives.items():
        true = Decimal(end - first) / 3600
        assert abs(held[namespace] - true) <= Decimal(2) / 60, namespace


def test_ten_thousand_namespaces_are_ten_thousand_rows(prometheus_factory: Callable[[str], str]) -> None:
    lives = {f"ns-{index}": (0, 16) for index in range(10_000)}
    readings = prometheus_metrics(prometheus_factory(history(lives, 0)), LabelNames(), Policy()).read_hour("c", HOUR)
    report = allocate(readings, Policy(physical_gpus={"n": 64}), "c", HOUR)
    assert len(report.namespaces) == 10_000
    assert report.totals.allocated_gpu_hours + report.totals.unallocated_gpu_hours == report.totals.capacity_gpu_hours
