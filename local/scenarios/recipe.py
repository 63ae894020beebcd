"""The AWS guide's own cluster: one p4d.24xlarge cut into 56 slices, of which three BUs hold 3, 2 and 2.

The guide (AWS Observability Best Practices, "EKS cluster-wide GPU cost allocation / attribution") read a cluster-wide
average utilisation of 0.00045219982142857 after dividing by 100. In the reference hour the seven held slices carry
exactly the load behind that reading, 2.532319 busy slices; the 49 idle ones are at 0 and drag the average down.
"""

from collections.abc import Iterator, Mapping

from gpucost.domain.hours import MINUTES
from local.scenarios.history import Series, Span
from local.scenarios.kubernetes import Node, Pod
from local.scenarios.scenario import Scenario

NODE = "ip-192-168-41-17.us-west-2.compute.internal"
GPUS = 8
SLICES_PER_GPU = 7
FIRST_INSTANCE_ID = 7
MILLION = 1_000_000
REFERENCE_LOAD = 2_532_319
"""Busy slices of the whole cluster in the reference hour, in millionths."""

PODS = tuple(
    Pod(bu, f"{bu}-worker-{index}", NODE, "nvidia.com/gpu", ("StatefulSet", f"{bu}-worker"))
    for bu, count in (("bu-a", 3), ("bu-b", 2), ("bu-c", 2))
    for index in range(count)
)
BUSY = (620_000, 550_000, 400_000, 500_000, 200_000, 262_319, 0)
"""Each pod's mean busy share of its slice in the reference hour, in millionths. One of bu-c's is forgotten."""
SWING = (1, -1, 0, 1, -1, 0, 0)
"""Pods swing in pairs, so that a BU's load is the same in every minute of an hour."""
LOAD_PERCENT = (15, 20, 35, 60, 80, 95, 100, 90)
"""Load of each hour of the history, in percent of the reference hour's."""

JOB = Pod("bu-b", "bu-b-evaluate-x7k2p", NODE, "nvidia.com/gpu", ("Job", "bu-b-evaluate"))
JOB_START, JOB_MINUTES, JOB_KEPT_MINUTES = 150, 20, 60
"""A job that runs 20 minutes in the third hour; its finished pod stays for another hour and holds nothing."""


def build(span: Span) -> Iterator[Series]:
    """Every series of the cluster over the span."""
    yield from _nodes(span)
    for pod in PODS:
        yield from pod.series(span)
    yield from JOB.series(span.part(JOB_START, JOB_MINUTES))
    yield from JOB.series(span.part(JOB_START + JOB_MINUTES, JOB_KEPT_MINUTES), phase="Succeeded")
    yield from _devices(span)


def _nodes(span: Span) -> Iterator[Series]:
    gpu_labels = {
        "node.kubernetes.io/instance-type": "p4d.24xlarge",
        "topology.kubernetes.io/zone": "us-west-2b",
        "eks.amazonaws.com/nodegroup": "gpu-ng-ubuntu",
        "workload": "gpu",
        "nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb",
        "nvidia.com/gpu.count": str(GPUS * SLICES_PER_GPU),
        "nvidia.com/gpu.memory": "4864",
        "nvidia.com/gpu.replicas": "1",
        "nvidia.com/mig.strategy": "single",
        "nvidia.com/mig.config": "all-1g.5gb",
        "nvidia.com/mig.config.state": "success",
    }
    slices = {"nvidia.com/gpu": GPUS * SLICES_PER_GPU}
    yield from Node(NODE, "aws:///us-west-2b/i-0f3a9c51d2e47b860", gpu_labels, slices).series(span)
    for number, instance in ((11, "i-04c8d1e6a2b93f570"), (82, "i-0b7e2f9d54a1c6380")):
        labels = {"node.kubernetes.io/instance-type": "m5.large", "eks.amazonaws.com/nodegroup": "system-ng"}
        name = f"ip-192-168-12-{number}.us-west-2.compute.internal"
        yield from Node(name, f"aws:///us-west-2a/{instance}", labels).series(span)


def _devices(span: Span) -> Iterator[Series]:
    for gpu in range(GPUS):
        for instance in range(SLICES_PER_GPU):
            labels = _device_labels(gpu, FIRST_INSTANCE_ID + instance)
            if instance:
                yield from _idle_device(span, labels)
            elif gpu < len(PODS):
                yield from _held_device(span, {**labels, **_workload(PODS[gpu])}, gpu)
            else:
                yield from _job_device(span, labels)


def _idle_device(span: Span, labels: Mapping[str, str]) -> Iterator[Series]:
    yield span.steady("DCGM_FI_PROF_GR_ENGINE_ACTIVE", labels, "0.000000")
    yield span.steady("DCGM_FI_DEV_FB_USED", labels, 3)


def _held_device(span: Span, labels: Mapping[str, str], holder: int) -> Iterator[Series]:
    values = [f"{busy(holder, minute) / MILLION:.6f}" for minute in range(span.minutes)]
    yield Series("DCGM_FI_PROF_GR_ENGINE_ACTIVE", labels, span.start, values)
    yield span.steady("DCGM_FI_DEV_FB_USED", labels, 2650 + 180 * holder)


def _job_device(span: Span, labels: Mapping[str, str]) -> Iterator[Series]:
    end = JOB_START + JOB_MINUTES
    yield from _idle_device(span.part(0, JOB_START), labels)
    held = span.part(JOB_START, JOB_MINUTES)
    yield held.steady("DCGM_FI_PROF_GR_ENGINE_ACTIVE", {**labels, **_workload(JOB)}, "0.900000")
    yield held.steady("DCGM_FI_DEV_FB_USED", {**labels, **_workload(JOB)}, 4100)
    yield from _idle_device(span.part(end, span.minutes - end), labels)


def _device_labels(gpu: int, instance: int) -> dict[str, str]:
    return {
        "job": "nvidia-dcgm-exporter",
        "instance": "192.168.41.17:9400",
        "namespace": "gpu-operator",
        "pod": "nvidia-dcgm-exporter-tk4wq",
        "container": "nvidia-dcgm-exporter",
        "gpu": str(gpu),
        "UUID": f"GPU-8f6c1d2e-0000-4000-8000-{gpu:012d}",
        "device": f"nvidia{gpu}",
        "modelName": "NVIDIA A100-SXM4-40GB",
        "GPU_I_PROFILE": "1g.5gb",
        "GPU_I_ID": str(instance),
        "Hostname": NODE,
    }


def _workload(pod: Pod) -> dict[str, str]:
    """The scrape does not honour labels (the chart's default), so the workload's come under exported_*."""
    return {"exported_namespace": pod.namespace, "exported_pod": pod.name, "exported_container": pod.container}


def busy(holder: int, minute: int) -> int:
    """Millionths of its slice that a pod keeps busy in a minute of the history."""
    percent = LOAD_PERCENT[minute // MINUTES]
    wave = (minute * 7 % 21 - 10) * 4000
    return (BUSY[holder] + SWING[holder] * wave) * percent // 100


OWN_RATE = {"price_sources": ["settings"]}
"""The guide prices by its own $12, whatever AWS charges."""

RECIPE = Scenario("gpu-cost-poc", "the guide's p4d.24xlarge in 56 slices, held 3/2/2", build, OWN_RATE)
