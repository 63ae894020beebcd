"""The label dialects of device series: which node, which device, whose workload."""

from collections.abc import Collection, Iterable, Mapping

from gpucost.adapters.labels import LabelNames
from gpucost.domain.readings import DeviceSeries, Samples

_HOST_LABELS = ("Hostname", "hostname")
_EXPORTED = ("exported_namespace", "exported_pod", "exported_container")
_OLD_NAMES = ("pod_namespace", "pod_name", "container_name")
_EXPORTER = "dcgm-exporter"


def exporting_jobs(series: Iterable[Mapping[str, str]]) -> frozenset[str]:
    """The scrape jobs that do not honour labels: there exported_* name the workload, the plain labels the exporter.

    A cluster can have jobs of both kinds. Series without a job are all of one.
    """
    return frozenset(labels.get("job", "") for labels in series if labels.get("exported_pod"))


def device_of(
    labels: Mapping[str, str], samples: Samples, names: LabelNames, exporting: Collection[str]
) -> DeviceSeries:
    """One exporter series as the domain knows it; `exporting` are the jobs that do not honour labels."""
    namespace, pod, container = _workload(labels, names, labels.get("job", "") in exporting)
    return DeviceSeries(
        metric=labels.get("__name__", ""),
        node=_node(labels, names),
        uuid=labels.get("UUID") or labels.get("uuid", ""),
        index=labels.get("gpu", ""),
        instance=labels.get("GPU_I_ID", ""),
        profile=labels.get("GPU_I_PROFILE", ""),
        model=labels.get("modelName", ""),
        namespace=namespace,
        pod=pod,
        container=container,
        samples=samples,
        claim=labels.get("dra_claim_name", ""),
    )


def _node(labels: Mapping[str, str], names: LabelNames) -> str:
    """The node by the exporter (its Hostname label was renamed in 2026), else by the pipeline's node label."""
    return next((labels[name] for name in (*_HOST_LABELS, names.node) if labels.get(name)), "")


def _workload(labels: Mapping[str, str], names: LabelNames, exported: bool) -> tuple[str, str, str]:
    """namespace, pod and container of who uses the device; empty for a device that nobody uses.

    With labels not honoured an idle device carries the exporter's own pod in the plain labels: that is nobody.
    """
    own = (names.namespace, names.pod, names.container)
    for keys in (_EXPORTED,) if exported else (own, _OLD_NAMES):
        namespace, pod, container = (labels.get(key, "") for key in keys)
        if namespace and pod:
            return ("", "", "") if _EXPORTER in pod and _EXPORTER in container else (namespace, pod, container)
    return "", "", ""
