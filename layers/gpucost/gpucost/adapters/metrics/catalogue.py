"""The questions that one cluster-hour takes: a fixed number, whatever the number of pods. Each is a plain selector.

Joins and aggregations are done in our own code: the engine answers a bare selector several times faster, and the
samples themselves are the evidence. Range questions are put for the hour's 60 instants; facts that don't change are
asked once, at half a minute before the end of the hour.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from gpucost.adapters.labels import LabelNames
from gpucost.domain.allocation.holding import HELD_PHASES
from gpucost.domain.allocation.utilisation import MEMORY_METRIC, UTILIZATION_METRICS
from gpucost.domain.gpus.resources import ACCELERATOR_SELECTOR, label_names, sanitize
from gpucost.domain.policy import Policy


@dataclass(frozen=True, slots=True)
class Question:
    """One query. `instant` questions ask for facts, range questions for the 60 instants of the hour."""

    name: str
    promql: str
    instant: bool = False


def quoted(value: str) -> str:
    """A PromQL string literal."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


class Catalogue:
    """Writes the questions for one cluster, in the label dialect of its pipeline."""

    def __init__(self, labels: LabelNames, cluster: str) -> None:
        self._cluster = [f"{labels.cluster}={quoted(cluster)}"] if labels.cluster else []

    def select(self, metric: str, *matchers: str) -> str:
        """A selector of one metric, limited to the cluster."""
        inside = ",".join([*self._cluster, *matchers])
        return f"{metric}{{{inside}}}" if inside else metric

    def select_names(self, metrics: Iterable[str]) -> str:
        """A selector of several metrics by name, limited to the cluster."""
        return self.select("", f"__name__=~{quoted('|'.join(metrics))}")

    def questions(self, policy: Policy) -> list[Question]:
        """All questions of an hour, but for the fallback utilisation metrics (`fallback`)."""
        accelerators = f"resource=~{quoted(_accelerators(policy))}"
        phases = f"phase=~{quoted('|'.join(sorted(HELD_PHASES)))}"
        return [
            Question("requests", self.select("kube_pod_container_resource_requests", accelerators)),
            Question("init_requests", self.select("kube_pod_init_container_resource_requests", accelerators)),
            Question("phases", f"{self.select('kube_pod_status_phase', phases)} == 1"),
            Question("allocatable", self.select("kube_node_status_allocatable", accelerators)),
            Question("node_labels", self.select("kube_node_labels")),
            Question("nodes", self.select("kube_node_info")),
            Question("utilization", self.select_names(_metrics(1))),
            Question("memory", _peak(self.select(MEMORY_METRIC)), instant=True),
            Question("owners", _last(self.select("kube_pod_owner", 'owner_is_controller="true"')), instant=True),
            Question("sidecars", _last(self.select("kube_pod_init_container_info", 'restart_policy="Always"')), True),
            Question("claims", _last(self.select("kube_pod_resourceclaim_info")), instant=True),
            *self._label_questions(policy),
        ]

    def fallback(self) -> Question:
        """The percent metrics: asked where a device lacks the ratio metric."""
        return Question("utilization_fallback", self.select_names(_metrics(100)))

    def _label_questions(self, policy: Policy) -> list[Question]:
        """Labels that say whose a pod is, and those that rows keep: one question a kind, however many labels."""
        pod_labels = [policy.bu.pod_label] if policy.bu.pod_label else []
        asked = (
            ("pod_labels", "kube_pod_labels", "label", [*pod_labels, *policy.pod_labels]),
            ("namespace_labels", "kube_namespace_labels", "label", [policy.bu.namespace_label]),
            ("namespace_annotations", "kube_namespace_annotations", "annotation", [policy.bu.namespace_annotation]),
        )
        out = []
        for name, metric, prefix, keys in asked:
            names = dict.fromkeys(name for key in keys if key for name in label_names(key))
            selectors = [self.select(metric, f'{prefix}_{one}!=""') for one in names]
            if selectors:
                out.append(Question(name, " or ".join(selectors)))
        return out


def _accelerators(policy: Policy) -> str:
    listed = sorted(name for name in map(sanitize, policy.passthrough) if not name.startswith("nvidia_com_"))
    return "|".join([ACCELERATOR_SELECTOR, *listed])


def _metrics(divisor: int) -> list[str]:
    return [name for name, by in UTILIZATION_METRICS.items() if by == divisor]


def _last(selector: str) -> str:
    return f"last_over_time({selector}[1h])"


def _peak(selector: str) -> str:
    return f"max_over_time({selector}[1h:1m])"
