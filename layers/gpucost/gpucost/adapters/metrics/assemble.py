"""Turns series into readings: the labels of each metric family to the domain's typed facts."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics.devices import device_of, exporting_jobs
from gpucost.adapters.metrics.matrix import Series
from gpucost.domain.gpus.resources import AWS_VGPU
from gpucost.domain.readings import (
    ContainerRequest,
    DeviceSeries,
    Labels,
    NodeFacts,
    NodeResource,
    PodId,
    PodPhase,
    Readings,
    Samples,
)
from gpucost.domain.report import QueryTrace
from gpucost.domain.timeline import Mask, Timeline

_REPLICA_SET = "ReplicaSet"
_WITH_EXPORTER = ("nvidia_com_", AWS_VGPU)
"""How the resources begin whose devices NVIDIA's exporter reports."""


class Timelines:
    """Samples as timelines. Series that share their samples share the timeline."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Samples, dict[Decimal, Mask]]] = {}

    def of(self, samples: Samples) -> Timeline[Decimal]:
        """value -> minutes; a minute without a sample is in none of them."""
        known = self._known.get(id(samples))
        if known is None:
            timeline: dict[Decimal, Mask] = {}
            for minute, sample in enumerate(samples):
                if sample is not None:
                    timeline[sample] = timeline.get(sample, 0) | 1 << minute
            known = self._known[id(samples)] = (samples, timeline)
        return known[1]


@dataclass
class Assembler:
    """Collects one hour's answers by question name; `readings` gives the whole."""

    names: LabelNames
    seen: Mask = 0
    requests: list[ContainerRequest] = field(default_factory=list)
    phases: list[PodPhase] = field(default_factory=list)
    resources: list[NodeResource] = field(default_factory=list)
    nodes: list[NodeFacts] = field(default_factory=list)
    devices: list[DeviceSeries] = field(default_factory=list)
    sampled: dict[tuple[str, str, str], Mask] = field(default_factory=dict)
    memory: list[DeviceSeries] = field(default_factory=list)
    sidecars: set[tuple[PodId, str]] = field(default_factory=set)
    owners: dict[PodId, str] = field(default_factory=dict)
    claims: dict[PodId, list[str]] = field(default_factory=lambda: defaultdict(list))
    labelled: dict[str, dict[object, dict[Labels, Mask]]] = field(default_factory=dict)
    _timelines: Timelines = field(default_factory=Timelines)

    def take(self, question: str, series: Iterable[Series]) -> None:
        """Add the answer of one question of the catalogue."""
        takers: Mapping[str, Callable[[Iterable[Series]], None]] = {
            "requests": lambda found: self._take_requests(found, init=False),
            "init_requests": lambda found: self._take_requests(found, init=True),
            "phases": self._take_phases,
            "allocatable": self._take_resources,
            "node_labels": self._take_node_labels,
            "nodes": self._take_nodes,
            "utilization": lambda found: self._take_devices(found, self.devices),
            "utilization_fallback": lambda found: self._take_devices(found, self.devices),
            "memory": lambda found: self._take_devices(found, self.memory, sampled=False),
            "owners": self._take_owners,
            "sidecars": self._take_sidecars,
            "claims": self._take_claims,
            "pod_labels": lambda found: self._take_labels("pod", found, "label_", self._pod),
            "namespace_labels": lambda found: self._take_labels("namespace", found, "label_", self._namespace),
            "namespace_annotations": lambda found: self._take_labels(
                "annotation", found, "annotation_", self._namespace
            ),
        }
        takers[question](series)

    def readings(self, queries: tuple[QueryTrace, ...], warnings: tuple[str, ...]) -> Readings:
        """All that was taken, as the domain's readings."""
        return Readings(
            seen=self.seen,
            requests=tuple(self.requests),
            phases=tuple(self.phases),
            node_resources=tuple(self.resources),
            nodes=tuple(self.nodes),
            devices=tuple(self.devices),
            memory=tuple(self.memory),
            sidecars=frozenset(self.sidecars),
            owners=self.owners,
            pod_labels=self.labelled.get("pod", {}),  # type: ignore[arg-type]
            namespace_labels=self.labelled.get("namespace", {}),  # type: ignore[arg-type]
            namespace_annotations=self.labelled.get("annotation", {}),  # type: ignore[arg-type]
            claims={pod: tuple(sorted(set(names))) for pod, names in self.claims.items()},
            engine_warnings=warnings,
            queries=queries,
        )

    def _pod(self, labels: Mapping[str, str]) -> PodId:
        names = self.names
        return PodId(_own(labels, names.namespace), _own(labels, names.pod), _own(labels, names.uid))

    def _namespace(self, labels: Mapping[str, str]) -> str:
        return _own(labels, self.names.namespace)

    def _node(self, labels: Mapping[str, str]) -> str:
        return _own(labels, self.names.node)

    def _note(self, series: Series) -> Mask:
        """The minutes of a series; they count as seen."""
        self.seen |= series.minutes
        return series.minutes

    def _timeline(self, series: Series) -> Timeline[Decimal]:
        self._note(series)
        return self._timelines.of(series.samples)

    def _take_requests(self, series: Iterable[Series], init: bool) -> None:
        found = list(series)
        # Where bound pods' nodes are kept as exported_, what a series without one names is its reporter's node.
        kept = f"exported_{self.names.node}"
        renaming = {one.labels.get("job", "") for one in found if one.labels.get(kept)}
        for one in found:
            labels = one.labels
            bound = kept in labels or labels.get("job", "") not in renaming
            self.requests.append(
                ContainerRequest(
                    pod=self._pod(labels),
                    container=_own(labels, self.names.container),
                    node=self._node(labels) if bound else "",
                    resource=labels.get("resource", ""),
                    quantity=self._timeline(one),
                    init=init,
                )
            )

    def _take_phases(self, series: Iterable[Series]) -> None:
        for one in series:
            self.phases.append(PodPhase(self._pod(one.labels), one.labels.get("phase", ""), self._note(one)))

    def _take_resources(self, series: Iterable[Series]) -> None:
        for one in series:
            resource = one.labels.get("resource", "")
            self.resources.append(NodeResource(self._node(one.labels), resource, self._timeline(one)))

    def _take_node_labels(self, series: Iterable[Series]) -> None:
        for one in series:
            minutes = self._note(one)
            labels = _prefixed(one.labels, "label_")
            self.nodes.append(NodeFacts(self._node(one.labels), minutes, {labels: minutes}))

    def _take_nodes(self, series: Iterable[Series]) -> None:
        for one in series:
            minutes = self._note(one)
            provider = one.labels.get("provider_id", "")
            self.nodes.append(NodeFacts(self._node(one.labels), minutes, provider_id=provider))

    def _take_devices(self, series: Iterable[Series], into: list[DeviceSeries], sampled: bool = True) -> None:
        found = list(series)
        exporting = exporting_jobs(one.labels for one in found)
        for one in found:
            device = device_of(one.labels, one.samples, self.names, exporting)
            into.append(device)
            if sampled:
                self.sampled[_key(device)] = self.sampled.get(_key(device), 0) | one.minutes

    @property
    def lacks_utilization(self) -> bool:
        """Whether some device lacks samples in minutes in which the cluster reported.

        An exporter that cannot profile its cards reports no ratio at all: they are known by their memory, or by
        requests on a node without any device.
        """
        if not self.sampled or any(mask & self.seen != self.seen for mask in self.sampled.values()):
            return True
        nodes = {node for node, _, _ in self.sampled}
        held = {one.node for one in self.requests if one.node and one.resource.startswith(_WITH_EXPORTER)}
        return bool({_key(one) for one in self.memory} - self.sampled.keys() or held - nodes)

    def _take_owners(self, series: Iterable[Series]) -> None:
        for one in series:
            kind, name = one.labels.get("owner_kind", ""), one.labels.get("owner_name", "")
            if kind and name:
                pod = self._pod(one.labels)
                self.owners[pod] = max(self.owners.get(pod, ""), _workload(kind, name))

    def _take_sidecars(self, series: Iterable[Series]) -> None:
        self.sidecars.update((self._pod(one.labels), _own(one.labels, self.names.container)) for one in series)

    def _take_claims(self, series: Iterable[Series]) -> None:
        for one in series:
            self.claims[self._pod(one.labels)].append(one.labels.get("resourceclaim_name", ""))

    def _take_labels[K](
        self, kind: str, series: Iterable[Series], prefix: str, key_of: Callable[[Mapping[str, str]], K]
    ) -> None:
        into = self.labelled.setdefault(kind, {})
        for one in series:
            labels = _prefixed(one.labels, prefix)
            timeline = into.setdefault(key_of(one.labels), {})
            timeline[labels] = timeline.get(labels, 0) | self._note(one)


def _own(labels: Mapping[str, str], name: str) -> str:
    """A label of what the series is about, not of whoever reported it.

    Where the scrape does not honour labels, the reporter's own takes the name, and the series' is kept as exported_.
    """
    return labels.get(f"exported_{name}") or labels.get(name, "")


def _key(device: DeviceSeries) -> tuple[str, str, str]:
    return device.node, device.uuid or device.index, device.instance


def _prefixed(labels: Mapping[str, str], prefix: str) -> Labels:
    """The pairs under a prefix, without it, sorted."""
    return tuple(sorted((key.removeprefix(prefix), value) for key, value in labels.items() if key.startswith(prefix)))


def _workload(kind: str, name: str) -> str:
    """The owner as people know it: a Deployment's ReplicaSet is named after it, with a hash behind the last dash."""
    if kind == _REPLICA_SET and "-" in name:
        return f"Deployment/{name.rsplit('-', 1)[0]}"
    return f"{kind}/{name}"
