"""The question that a caller of /v1/costs asks: which hours, of what, grouped how."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import Self

from gpucost.domain.ledger.revisions import RowChange
from gpucost.domain.report import NamespaceRow, PodRow
from gpucost.ports import RequestError
from gpucost.usecases.answers.window import Window

type Row = NamespaceRow | PodRow | RowChange


class GroupBy(StrEnum):
    """What a row of the answer stands for."""

    BU = "bu"
    NAMESPACE = "namespace"
    CLUSTER = "cluster"
    NODE = "node"
    WORKLOAD = "workload"
    POD = "pod"
    RESOURCE = "resource"


LABEL = "label:"


class LabelKey(str):
    """Grouping by a pod's label: `label:` and its key, as in Kubernetes."""

    __slots__ = ()

    @property
    def key(self) -> str:
        return self.removeprefix(LABEL)


type Grouping = GroupBy | LabelKey


class Step(StrEnum):
    """How long a row's stretch of time is; without a step it is the whole window."""

    HOUR = "hour"
    DAY = "day"
    MONTH = "month"


_DETAIL = {GroupBy.NODE, GroupBy.WORKLOAD, GroupBy.POD, GroupBy.RESOURCE}
COLUMNS: dict[GroupBy, tuple[str, ...]] = {
    GroupBy.BU: ("bu",),
    GroupBy.NAMESPACE: ("bu", "namespace"),
    GroupBy.CLUSTER: ("cluster",),
    GroupBy.NODE: ("cluster", "node"),
    GroupBy.WORKLOAD: ("cluster", "bu", "namespace", "workload"),
    GroupBy.POD: ("cluster", "bu", "namespace", "pod"),
    GroupBy.RESOURCE: ("resource",),
}
"""What names a group. A pod's row adds up its resources, and its restarts under the same name."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Exact values that a row must have; None leaves all."""

    cluster: str | None = None
    bu: str | None = None
    namespace: str | None = None
    node: str | None = None
    workload: str | None = None
    pod: str | None = None
    resource: str | None = None

    @property
    def of_pods(self) -> bool:
        """Whether only pods can tell."""
        return any(value is not None for value in (self.node, self.workload, self.pod, self.resource))

    @property
    def of_rows(self) -> bool:
        """Whether they pick rows out of clusters, so that what belongs to a whole cluster does not fit the answer."""
        return self.of_pods or self.bu is not None or self.namespace is not None

    def pass_row(self, row: Row) -> bool:
        return self.row_check()(row)

    def row_check(self) -> Callable[[Row], bool]:
        """What tells whether a row passes."""
        names = ("bu", "namespace", "node", "workload", "pod", "resource")
        wanted = [(name, value) for name in names if (value := getattr(self, name)) is not None]
        if not wanted:
            return lambda _: True
        return lambda row: all(getattr(row, name, None) == value for name, value in wanted)


@dataclass(frozen=True, slots=True)
class CostQuery:
    """Costs of the hours of a window. `compare` sets them beside those of the window before."""

    window: Window
    group_by: tuple[Grouping, ...] = (GroupBy.BU,)
    step: Step | None = None
    filters: Filters = Filters()
    compare: bool = False

    @property
    def in_detail(self) -> bool:
        """Whether the rows of pods have to be read."""
        return self.filters.of_pods or any(one in _DETAIL or isinstance(one, LabelKey) for one in self.group_by)

    @property
    def with_adjustments(self) -> bool:
        """Whether rows say what was learned late: adjustments are booked on a day, by BU and namespace."""
        return self.step in (Step.DAY, Step.MONTH) and not self.in_detail

    @property
    def columns(self) -> tuple[str, ...]:
        """The names that stand for a group, each once."""
        names = ((str(one),) if isinstance(one, LabelKey) else COLUMNS[one] for one in self.group_by)
        return tuple(dict.fromkeys(name for several in names for name in several))

    @classmethod
    def checked(
        cls, window: Window, group_by: Sequence[Grouping], step: Step | None, filters: Filters, compare: bool
    ) -> Self:
        """RequestError for what does not go together."""
        if compare and step is not None:
            raise RequestError("'compare' is for the window as a whole: leave out 'step'")
        return cls(window, tuple(dict.fromkeys(group_by)), step, filters, compare)


def groupings(text: str) -> list[Grouping]:
    """The groupings of a list with commas. RequestError for one that there is not."""
    return [_grouping(name) for name in text.split(",")]


def _grouping(name: str) -> Grouping:
    if name.startswith(LABEL) and len(name) > len(LABEL):
        return LabelKey(name)
    try:
        return GroupBy(name)
    except ValueError:
        raise RequestError(f"'group_by' is {name[:60]!r}; choose from {', '.join(GroupBy)}, and label:KEY") from None


def key_of(columns: Sequence[str]) -> Callable[[Row, str], tuple[str, ...]]:
    """What gives the key of a row and its cluster: what it has in each column, "" where it has nothing."""
    parts = [_part(column) for column in columns]
    return lambda row, cluster: tuple([part(row, cluster) for part in parts])


def _part(column: str) -> Callable[[Row, str], str]:
    if column == "cluster":
        return lambda _, cluster: cluster
    if column.startswith(LABEL):
        label = LabelKey(column).key
        return lambda row, _: dict(row.labels).get(label, "") if isinstance(row, PodRow) else ""
    value = attrgetter(column)
    return lambda row, _: value(row) or ""
