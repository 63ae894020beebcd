"""The names of the labels that identify a workload, which differ between pipelines."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LabelNames:
    """Label names as the stored series have them. `cluster` is None where one workspace holds one cluster."""

    namespace: str = "namespace"
    pod: str = "pod"
    container: str = "container"
    node: str = "node"
    uid: str = "uid"
    cluster: str | None = None
