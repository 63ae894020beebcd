"""The history of a cluster of any number of GPU pods, as OpenMetrics, written to a file."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from gpucost.domain.hours import Hour

GPUS_PER_NODE = 8
PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
type Row = tuple[str, Callable[[], str]]


def write_history(path: Path, hour: Hour, pods: int, seed: int = 1) -> None:
    """One hour, one sample a minute: requests, phases, owners, nodes, and DCGM series with changing values."""
    chance = random.Random(seed)
    with path.open("w", encoding="utf-8") as out:
        for name, rows in _families(pods, chance):
            out.write(f"# TYPE {name} gauge\n")
            for labels, value in rows:
                _write(out, f"{name}{{{labels}}}", hour, value)
        out.write("# EOF\n")


def _write(out: TextIO, series: str, hour: Hour, value: Callable[[], str]) -> None:
    out.writelines(f"{series} {value()} {hour.epoch + 60 * minute}\n" for minute in range(60))


def _families(pods: int, chance: random.Random) -> Iterator[tuple[str, Iterator[Row]]]:
    nodes = range((pods + GPUS_PER_NODE - 1) // GPUS_PER_NODE)
    ksm = 'job="kube-state-metrics",instance="10.0.1.10:8080"'
    one, zero = (lambda: "1"), (lambda: "0")
    yield (
        "kube_pod_container_resource_requests",
        (
            (f'{_pod(i)},container="main",node="{_node(i)}",resource="nvidia_com_gpu",unit="integer",{ksm}', one)
            for i in range(pods)
        ),
    )
    yield (
        "kube_pod_status_phase",
        (
            (f'{_pod(i)},phase="{phase}",{ksm}', one if phase == "Running" else zero)
            for i in range(pods)
            for phase in PHASES
        ),
    )
    yield (
        "kube_pod_owner",
        (
            (f'{_pod(i)},owner_kind="ReplicaSet",owner_name="train-{i}-7d4b9c",owner_is_controller="true",{ksm}', one)
            for i in range(pods)
        ),
    )
    yield "kube_node_info", ((f'node="ip-{n}",provider_id="aws:///us-west-2a/i-{n:017x}",{ksm}', one) for n in nodes)
    yield (
        "kube_node_labels",
        (
            (
                f'node="ip-{n}",label_node_kubernetes_io_instance_type="p4d.24xlarge",'
                f'label_nvidia_com_gpu_product="NVIDIA-A100-SXM4-40GB",{ksm}',
                one,
            )
            for n in nodes
        ),
    )
    yield (
        "kube_node_status_allocatable",
        ((f'node="ip-{n}",resource="nvidia_com_gpu",unit="integer",{ksm}', lambda: "8") for n in nodes),
    )
    yield "DCGM_FI_PROF_GR_ENGINE_ACTIVE", ((_device(i), lambda: f"{chance.random():.6f}") for i in range(pods))
    yield "DCGM_FI_DEV_FB_USED", ((_device(i), lambda: str(chance.randrange(100, 40000))) for i in range(pods))


def _pod(index: int) -> str:
    name = f"train-{index}-7d4b9c-abcde"
    return f'namespace="team-{index % 200}",pod="{name}",uid="{index:08x}-1111-2222-3333-{index:012x}"'


def _node(index: int) -> str:
    return f"ip-{index // GPUS_PER_NODE}"


def _device(index: int) -> str:
    gpu = index % GPUS_PER_NODE
    owner = _pod(index).rsplit(",", 1)[0]
    return (
        f'gpu="{gpu}",UUID="GPU-{index:036x}",pci_bus_id="00000000:10:1C.0",device="nvidia{gpu}",'
        f'modelName="NVIDIA A100-SXM4-40GB",Hostname="{_node(index)}",{owner},container="main",job="dcgm-exporter"'
    )
