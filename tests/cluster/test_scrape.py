"""The collector's own scrape jobs in a real Prometheus, over real-format exporters, into a second real Prometheus.

Discovery is replaced by fixed targets that carry what Kubernetes would say of them; everything else is the file's own.
"""

# ruff: noqa: E501 -- an exporter writes a series on one line
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import requests
import yaml

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics import prometheus_metrics
from gpucost.adapters.metrics.devices import device_of, exporting_jobs
from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.hours import Hour
from gpucost.domain.policy import Policy
from local.stack.http import QuietHandler, http_server
from local.stack.processes import LOOPBACK, server
from local.stack.prometheus import find_binaries, serve
from tests.cluster.test_files import collector

pytestmark = pytest.mark.real
KSM = """
kube_pod_container_resource_requests{namespace="bu-a",pod="train-0",uid="u-1",container="main",node="n-1",resource="nvidia_com_gpu",unit="integer"} 1
kube_pod_container_resource_requests{namespace="bu-a",pod="train-0",uid="u-1",container="main",node="n-1",resource="cpu",unit="core"} 2
kube_pod_status_phase{namespace="bu-a",pod="train-0",uid="u-1",phase="Running"} 1
kube_node_status_allocatable{node="n-1",resource="nvidia_com_gpu",unit="integer"} 8
kube_node_info{node="n-1",provider_id="aws:///us-west-2a/i-0123456789abcdef0"} 1
kube_node_labels{node="n-1",label_node_kubernetes_io_instance_type="p4d.24xlarge"} 1
kube_deployment_created{namespace="bu-a",deployment="x"} 1
"""
DCGM = """
DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-1",modelName="NVIDIA A100-SXM4-40GB",Hostname="n-1",namespace="bu-a",pod="train-0",container="main"} 0.25
DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-1",Hostname="n-1",namespace="bu-a",pod="train-0",container="main"} 4096
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-1",Hostname="n-1"} 61
"""
META = {
    "kube-state-metrics": {
        "__meta_kubernetes_pod_label_app_kubernetes_io_name": "kube-state-metrics",
        "__meta_kubernetes_pod_container_port_number": "8080",
        "namespace": "kube-system",
        "pod": "kube-state-metrics-0",
    },
    "dcgm-exporter": {
        "__meta_kubernetes_pod_label_app": "nvidia-dcgm-exporter",
        "__meta_kubernetes_pod_container_port_number": "9400",
        "__meta_kubernetes_pod_node_name": "n-1",
        "namespace": "gpu-operator",
        "pod": "nvidia-dcgm-exporter-x",
    },
}


@contextmanager
def exporter(text: str) -> Iterator[str]:
    """An exporter on loopback; yields host:port."""

    class Handler(QuietHandler):
        def respond(self) -> None:
            self.answer(200, text.encode(), "text/plain; version=0.0.4; charset=utf-8")

    with http_server(Handler) as url:
        yield url.removeprefix("http://")


def jobs(targets: dict[str, str], honoured: bool) -> list[dict[str, Any]]:
    """The collector's scrape jobs, with these targets, faster."""
    out = []
    for job in collector()["receivers"]["prometheus"]["config"]["scrape_configs"]:
        fixed = {
            **job,
            "honor_labels": job["honor_labels"] and honoured,
            "scrape_interval": "1s",
            "scrape_timeout": "1s",
        }
        del fixed["kubernetes_sd_configs"]
        fixed["static_configs"] = [{"targets": [targets[job["job_name"]]], "labels": META[job["job_name"]]}]
        out.append(fixed)
    return out


@contextmanager
def scraped(folder: Path, honoured: bool) -> Iterator[str]:
    """A Prometheus that everything was written to by another one that scrapes; yields its URL."""
    with ExitStack() as stack:
        targets = {
            "kube-state-metrics": stack.enter_context(exporter(KSM)),
            "dcgm-exporter": stack.enter_context(exporter(DCGM)),
        }
        stored = folder / "stored"
        stored.mkdir()
        second = stack.enter_context(serve(stored, "--web.enable-remote-write-receiver"))
        config = folder / "scrape.yml"
        document = {
            "global": {"external_labels": {"cluster": "gpu-cost-poc"}},
            "scrape_configs": jobs(targets, honoured),
            "remote_write": [{"url": f"{second}/api/v1/write", "queue_config": {"batch_send_deadline": "200ms"}}],
        }
        config.write_text(yaml.safe_dump(document))

        def command(port: int) -> list[str]:
            return [
                str(find_binaries().prometheus),
                f"--config.file={config}",
                f"--storage.tsdb.path={folder / 'scraping'}",
                f"--web.listen-address={LOOPBACK}:{port}",
            ]

        stack.enter_context(server("Prometheus", command, _ready, folder / "scraping.log"))
        yield second


def _ready(port: int) -> bool:
    try:
        return requests.get(f"http://{LOOPBACK}:{port}/-/ready", timeout=1).ok
    except requests.RequestException:
        return False


def series(url: str, expected: int) -> list[dict[str, str]]:
    """All series that arrived, once there are as many as expected."""
    found: list[dict[str, str]] = []
    for _ in range(100):
        answer = requests.get(f"{url}/api/v1/series", params={"match[]": '{__name__=~"kube_.+|DCGM_.+"}'}, timeout=5)
        found = answer.json()["data"]
        if len(found) >= expected:
            return found
        time.sleep(0.2)
    raise AssertionError(f"only {len(found)} series arrived: {found}")


@pytest.mark.parametrize("honoured", [True, False])
def test_whose_a_device_is_survives_the_scrape_in_both_label_modes(honoured: bool, tmp_path: Path) -> None:
    with scraped(tmp_path, honoured) as url:
        found = series(url, 7)
    names = sorted(one["__name__"] for one in found)
    assert names == [
        "DCGM_FI_DEV_FB_USED",
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "kube_node_info",
        "kube_node_labels",
        "kube_node_status_allocatable",
        "kube_pod_container_resource_requests",
        "kube_pod_status_phase",
    ]
    assert {one["cluster"] for one in found} == {"gpu-cost-poc"}
    devices = [one for one in found if one["__name__"].startswith("DCGM_")]
    exporting = exporting_jobs(devices)
    assert bool(exporting) is not honoured
    for one in devices:
        device = device_of(one, (), LabelNames(), exporting)
        assert (device.namespace, device.pod, device.node) == ("bu-a", "train-0", "n-1")


def test_requests_keep_their_own_namespace(tmp_path: Path) -> None:
    with scraped(tmp_path, honoured=True) as url:
        (request,) = (one for one in series(url, 7) if one["__name__"] == "kube_pod_container_resource_requests")
    assert (request["namespace"], request["pod"], request["resource"]) == ("bu-a", "train-0", "nvidia_com_gpu")


HONOURED = LabelNames()
NOT_HONOURED = LabelNames(namespace="exported_namespace", pod="exported_pod", container="exported_container")


@pytest.mark.parametrize(("honoured", "names"), [(True, HONOURED), (False, HONOURED), (False, NOT_HONOURED)])
def test_an_hour_that_was_scraped_is_worked_out_right_in_both_label_modes(
    honoured: bool, names: LabelNames, tmp_path: Path
) -> None:
    with scraped(tmp_path, honoured) as url:
        series(url, 7)
        # What was scraped just now stands for the minute that comes next.
        hour = Hour.containing(datetime.now(UTC) + timedelta(minutes=1))
        readings = prometheus_metrics(url, names, Policy()).read_hour("gpu-cost-poc", hour)
    report = allocate(readings, Policy(), "gpu-cost-poc", hour)
    (row,) = report.pods
    held = Decimal(row.evidence.held_minutes)
    assert held >= 1
    assert (row.bu, row.pod, row.node, row.utilization_basis) == ("bu-a", "train-0", "n-1", "pod")
    assert abs(row.figures.gpu_hours - held / 60) < Decimal("1e-9")
    assert row.figures.utilization == Decimal("0.25")
    assert row.vram_used_mib == 4096
    assert abs(report.totals.capacity_gpu_hours - 8 * held / 60) < Decimal("1e-9")
