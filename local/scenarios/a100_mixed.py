"""A real node of eight A100-80GB in mixed MIG mode, from a capture of its dcgm-exporter: full memory, idle engines.

a100_mixed.csv holds the captured devices and names its source. 28 slices 1g.10gb and one 3g.40gb are held, 18 slices
1g.10gb and one whole GPU are free. The capture is one moment; here it lasts for every minute of the history. The
kube-state-metrics side is rebuilt from the node's published allocatable counts; the instance type is our assumption (a
p4de.24xlarge is eight A100-80GB), and so is its rate of $27.44705 an hour.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from local.scenarios.history import Series, Span
from local.scenarios.kubernetes import Node, Pod
from local.scenarios.scenario import Scenario

NODE = Node(
    "dgx-1",
    "aws:///us-west-2c/i-0d9b61f37ac248e05",
    {
        "node.kubernetes.io/instance-type": "p4de.24xlarge",
        "topology.kubernetes.io/zone": "us-west-2c",
        "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB",
        "nvidia.com/gpu.count": "8",
        "nvidia.com/gpu.memory": "81920",
        "nvidia.com/mig.strategy": "mixed",
        "nvidia.com/mig.config.state": "success",
    },
    {
        "nvidia.com/gpu": 1,
        "nvidia.com/mig-1g.10gb": 46,
        "nvidia.com/mig-1g.10gb.shared": 0,
        "nvidia.com/mig-3g.40gb": 1,
    },
)
USD_PER_GPU_HOUR = "3.43088125"


@dataclass(frozen=True, slots=True)
class Device:
    """One captured MIG instance, or whole GPU (empty profile and instance). Nobody holds it where pod is empty."""

    gpu: str
    profile: str
    instance: str
    namespace: str
    pod: str
    gr_engine_active: str
    fb_used_mib: str


def devices() -> list[Device]:
    """The captured devices, in the order of the capture."""
    text = files("local.scenarios").joinpath("a100_mixed.csv").read_text()
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return [Device(**row) for row in rows]


def build(span: Span) -> Iterator[Series]:
    """Every series of the node over the span."""
    yield from NODE.series(span)
    for device in devices():
        if device.pod:
            yield from _pod(device).series(span)
        labels = _labels(device)
        yield span.steady("DCGM_FI_PROF_GR_ENGINE_ACTIVE", labels, device.gr_engine_active)
        yield span.steady("DCGM_FI_DEV_FB_USED", labels, device.fb_used_mib)


def _pod(device: Device) -> Pod:
    return Pod(
        device.namespace, device.pod, NODE.name, f"nvidia.com/mig-{device.profile}", ("StatefulSet", device.namespace)
    )


def _labels(device: Device) -> dict[str, str]:
    """The capture's own labels, plus the container that its authors left out."""
    return {
        "job": "nvidia-dcgm-exporter",
        "gpu": device.gpu,
        "UUID": f"GPU-{int(device.gpu):04d}-0000-0000-0000-000000000000",
        "modelName": "NVIDIA A100-SXM4-80GB",
        "GPU_I_PROFILE": device.profile,
        "GPU_I_ID": device.instance,
        "Hostname": NODE.name,
        "namespace": device.namespace,
        "pod": device.pod,
        "container": "main" if device.pod else "",
    }


A100_MIXED = Scenario(
    "a100-mixed",
    "a captured node of 8 x A100-80GB, mixed MIG, memory full and engines idle",
    build,
    {"usd_per_gpu_hour_by_instance_type": {"p4de.24xlarge": USD_PER_GPU_HOUR}},
)
