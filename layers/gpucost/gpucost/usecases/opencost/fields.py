"""The fields of OpenCost's dialect, and what a row of ours has in each of them."""

import re
from collections.abc import Mapping

from gpucost.domain.report import NamespaceRow, PodRow
from gpucost.ports import RequestError

type Properties = Mapping[str, str]

RECORDED = ("cluster", "node", "namespace", "controllerKind", "controller", "pod", "bu", "resource")
LABEL = "label:"
_KINDS = ("deployment", "statefulset", "daemonset", "job")
"""Fields that are the controller's name, for controllers of that kind only."""
_UNRECORDED = ("container", "service", "annotation:")
_ALIASES = {
    "controllername": "controller",
    "services": "service",
    # The labels that OpenCost reads these from, unless it is told others.
    "department": "label:department",
    "environment": "label:env",
    "owner": "label:owner",
    "product": "label:app",
    "team": "label:team",
}
_EXACT = {name.lower(): name for name in (*RECORDED, *_KINDS, *_UNRECORDED)} | _ALIASES
_OF_NAMESPACES = {"cluster", "namespace", "bu"}


def aggregate_of(text: str) -> tuple[str, ...]:
    """The fields that allocations are named by, each once. RequestError for one that OpenCost does not have either.

    Fields that are not recorded are taken: nobody has anything in them, which OpenCost writes as __unallocated__.
    """
    return tuple(dict.fromkeys(_field(name) for name in text.split(",")))


def filter_field(name: str) -> str:
    """The field that a filter looks at. RequestError for one that is not recorded: it would leave out everything."""
    field = _field(name)
    if field in _UNRECORDED:
        raise RequestError(f"the filter looks at {name[:60]!r}, which is not recorded; there are {_NAMES}")
    return field


def needs_pods(field: str) -> bool:
    """Whether the rows of pods have to be read for it."""
    return field not in _OF_NAMESPACES and field not in _UNRECORDED


def properties_of(cluster: str, row: NamespaceRow | PodRow) -> dict[str, str]:
    """What a row has in every field that is recorded of it."""
    found = {"cluster": cluster, "namespace": row.namespace, "bu": row.bu}
    if isinstance(row, PodRow):
        kind, _, name = (row.workload or "").rpartition("/")
        found |= {"node": row.node, "pod": row.pod, "resource": row.resource}
        found |= {"controllerKind": kind.lower(), "controller": name}
        found |= {LABEL + _label(key): value for key, value in row.labels}
    return found


def value_of(properties: Properties, field: str) -> str:
    """What is in a field; "" where nothing is."""
    if field in _KINDS:
        return properties.get("controller", "") if properties.get("controllerKind") == field else ""
    return properties.get(field, "")


_NAMES = f"{', '.join(RECORDED)}, {', '.join(_KINDS)}, and label:KEY"


def _field(name: str) -> str:
    text = name.strip()
    key = re.fullmatch(r"label(?::(?P<a>.+)|\[(?P<b>.+)\])", text)
    if key is not None:
        return LABEL + _label(key["a"] or key["b"])
    if re.fullmatch(r"annotation(:.+|\[.+\])", text):
        return "annotation:"
    field = _EXACT.get(text.lower())
    if field is None:
        raise RequestError(f"{text[:60]!r} is no field of an allocation; there are {_NAMES}")
    return field


def _label(key: str) -> str:
    """A label's key as Prometheus writes it, and OpenCost with it."""
    return re.sub(r"\W", "_", key, flags=re.ASCII)
