"""Whose a pod is. A label's history counts: the mapping is worked out for each minute, not for today."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gpucost.domain.gpus.resources import label_names
from gpucost.domain.policy import BuRules
from gpucost.domain.readings import Labels, PodId, Readings
from gpucost.domain.timeline import FULL, Mask, Timeline, hull, present


@dataclass(frozen=True)
class Ownership:
    """Maps a pod to its BU by minute: pod label, namespace label, annotation, map, pattern, else the namespace."""

    rules: BuRules
    readings: Readings
    _answers: dict[str, dict[str, Mask]] = field(default_factory=dict)

    def bu_of(self, pod: PodId) -> Timeline[str]:
        """The pod's BU over the hour. Every minute has one."""
        answer: dict[str, Mask] = {}
        if self.rules.pod_label:
            _fill(answer, _label_values(self.readings.pod_labels.get(pod, {}), self.rules.pod_label))
        if present(answer) != FULL:
            _fill(answer, self._of_namespace(pod.namespace))
        return answer

    def _of_namespace(self, namespace: str) -> Timeline[str]:
        if namespace not in self._answers:
            answer: dict[str, Mask] = {}
            for key, source in (
                (self.rules.namespace_label, self.readings.namespace_labels),
                (self.rules.namespace_annotation, self.readings.namespace_annotations),
            ):
                if key:
                    _fill(answer, _label_values(source.get(namespace, {}), key))
            _fill(answer, {self._named(namespace): FULL})
            self._answers[namespace] = answer
        return self._answers[namespace]

    def _named(self, namespace: str) -> str:
        """The BU by the namespace's name alone."""
        mapped = self.rules.by_namespace.get(namespace)
        if mapped:
            return mapped
        for pattern, bu in self._patterns:
            match = pattern.fullmatch(namespace)
            if match:
                return match.expand(bu) or namespace
        return namespace

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str]]:
        return [(re.compile(pattern), bu) for pattern, bu in self.rules.patterns]


def kept_labels(labels: Timeline[Labels], keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The values of these labels at the end of the hour, by their keys as in Kubernetes; without what a pod lacks."""
    if not keys or not labels:
        return ()
    latest: dict[str, str] = {}
    for _, pairs in sorted((mask, pairs) for pairs, mask in labels.items()):
        latest |= dict(pairs)
    values = ((key, _value(latest, key)) for key in sorted(keys))
    return tuple((key, value) for key, value in values if value)


def _value(labels: Mapping[str, str], key: str) -> str:
    """The value of a label by its key as in Kubernetes; "" without one."""
    return next((labels[name] for name in label_names(key) if labels.get(name)), "")


def _label_values(labels: Timeline[Labels], key: str) -> dict[str, Mask]:
    """The non-empty values of one label, by minute. In a gap between two reports of a value, the value holds."""
    values: dict[str, Mask] = {}
    for pairs, mask in labels.items():
        value = _value(dict(pairs), key)
        if value:
            values[value] = values.get(value, 0) | mask
    reported = present(values)
    return {value: mask | (hull(mask) & ~reported) for value, mask in values.items()}


def _fill(answer: dict[str, Mask], more: Mapping[str, Mask]) -> None:
    """Add values where the answer has none yet. Where two claim a minute, the first by name has it."""
    for value in sorted(more):
        free = more[value] & ~present(answer) & FULL
        if free:
            answer[value] = answer.get(value, 0) | free
