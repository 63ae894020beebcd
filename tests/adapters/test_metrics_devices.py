"""Whose a device is by its labels, where scrape jobs of one cluster treat the workload's labels differently."""

import pytest

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics.assemble import Assembler
from gpucost.adapters.metrics.matrix import Series
from gpucost.domain.readings import PodId
from gpucost.domain.timeline import FULL
from tests.support.readings import samples

METRIC = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
EXPORTER = {"namespace": "gpu-operator", "pod": "nvidia-dcgm-exporter-x", "container": "nvidia-dcgm-exporter"}


def series(**labels: str) -> Series:
    return Series({"__name__": METRIC, "Hostname": "n-1", **labels}, samples("0.5"), FULL)


HONOURED = series(job="annotated", UUID="GPU-1", namespace="bu-a", pod="a-0", container="main")
EXPORTED = series(job="operator", UUID="GPU-2", exported_namespace="bu-b", exported_pod="b-0", **EXPORTER)
IDLE = series(job="operator", UUID="GPU-3", **EXPORTER)


def workloads(*found: Series) -> list[tuple[str, str]]:
    taken = Assembler(LabelNames())
    taken.take("utilization", found)
    return [(one.namespace, one.pod) for one in taken.readings((), ()).devices]


def test_each_job_is_read_by_its_own_way_with_labels() -> None:
    assert workloads(HONOURED, EXPORTED, IDLE) == [("bu-a", "a-0"), ("bu-b", "b-0"), ("", "")]


def test_series_without_a_job_are_all_of_one() -> None:
    idle = series(UUID="GPU-3", namespace="tools", pod="gpu-metrics-x", container="exporter")
    held = series(UUID="GPU-2", exported_namespace="bu-b", exported_pod="b-0", namespace="tools", pod="gpu-metrics-x")
    assert workloads(held, idle) == [("bu-b", "b-0"), ("", "")]


@pytest.mark.parametrize("turn", [1, -1])
def test_an_owner_does_not_depend_on_the_order_of_series(turn: int) -> None:
    """A pipeline without uids: a name that was used again has two owners."""
    names = [{"namespace": "bu-a", "pod": "a-0", "owner_kind": "Job", "owner_name": name} for name in ("j-1", "j-2")]
    taken = Assembler(LabelNames())
    taken.take("owners", [Series(one, samples("1"), FULL) for one in names[::turn]])
    assert list(taken.owners.values()) == ["Job/j-2"]


REQUEST = {"namespace": "bu-a", "pod": "a-0", "uid": "1", "container": "main", "resource": "nvidia_com_gpu"}
AMD = {**REQUEST, "resource": "amd_com_gpu"}
GPU = {"Hostname": "n-1", "UUID": "GPU-1", "namespace": "bu-a", "pod": "a-0"}


@pytest.mark.parametrize(
    ("facts", "lacks"),
    [
        ((("utilization", GPU, FULL),), False),
        ((), True),
        ((("requests", {**REQUEST, "node": "n-1"}, FULL), ("utilization", GPU, FULL >> 1)), True),
        ((("utilization", GPU, FULL), ("memory", GPU, FULL)), False),
        ((("utilization", GPU, FULL), ("memory", {**GPU, "UUID": "GPU-2"}, FULL)), True),
        ((("utilization", GPU, FULL), ("requests", {**REQUEST, "node": "n-2"}, FULL)), True),
        ((("utilization", GPU, FULL), ("requests", {**REQUEST, "node": ""}, FULL)), False),
        (
            (("utilization", GPU, FULL), ("requests", {**AMD, "node": "n-2"}, FULL)),
            False,
        ),
    ],
    ids=["whole", "nothing", "a gap", "memory of it", "memory of another", "held elsewhere", "unbound", "not NVIDIA's"],
)
def test_the_percentage_is_asked_for_where_a_card_has_no_ratio(
    facts: tuple[tuple[str, dict[str, str], int], ...], lacks: bool
) -> None:
    """An exporter that cannot profile reports no ratio, on its node only: the others' series do not stand for it."""
    taken = Assembler(LabelNames())
    for question, labels, minutes in facts:
        taken.take(question, [Series({"__name__": METRIC, **labels}, samples("0.5", minutes), minutes)])
    assert taken.lacks_utilization is lacks


REPORTER = {"namespace": "kube-system", "pod": "kube-state-metrics-x", "container": "main", "node": "n-9", "uid": "9"}
EXPORTED_REQUEST = {
    "resource": "nvidia_com_gpu",
    **{f"exported_{name}": REQUEST[name] for name in ("namespace", "pod", "container", "uid")},
    "exported_node": "n-1",
}


def test_a_state_that_was_scraped_without_honouring_labels_is_not_its_reporters() -> None:
    """Otherwise all that anybody holds is billed to kube-state-metrics' namespace, on its node."""
    taken = Assembler(LabelNames())
    full = samples("1")
    taken.take("requests", [Series({**REPORTER, **EXPORTED_REQUEST}, full, FULL)])
    taken.take("phases", [Series({**REPORTER, **EXPORTED_REQUEST, "phase": "Running"}, full, FULL)])
    taken.take("allocatable", [Series({**REPORTER, "resource": "nvidia_com_gpu", "exported_node": "n-1"}, full, FULL)])
    taken.take("nodes", [Series({**REPORTER, "exported_node": "n-1", "provider_id": "x"}, full, FULL)])
    taken.take("namespace_labels", [Series({**REPORTER, "exported_namespace": "bu-a", "label_bu": "red"}, full, FULL)])
    taken.take("sidecars", [Series({**REPORTER, **EXPORTED_REQUEST}, full, FULL)])
    readings, who = taken.readings((), ()), PodId("bu-a", "a-0", "1")
    (request,), (phase,) = readings.requests, readings.phases
    assert (request.pod, request.container, request.node, phase.pod) == (who, "main", "n-1", who)
    assert [one.node for one in readings.node_resources] == [one.node for one in readings.nodes] == ["n-1"]
    assert set(readings.namespace_labels) == {"bu-a"}
    assert readings.sidecars == {(who, "main")}


def test_an_unbound_pod_is_not_bound_to_the_node_of_its_reporter() -> None:
    unbound = {**REPORTER, **EXPORTED_REQUEST, "exported_pod": "waits", "exported_uid": "2"}
    del unbound["exported_node"]
    taken = Assembler(LabelNames())
    taken.take("requests", [Series(one, samples("1"), FULL) for one in ({**REPORTER, **EXPORTED_REQUEST}, unbound)])
    assert [(one.pod.pod, one.node) for one in taken.requests] == [("a-0", "n-1"), ("waits", "")]
