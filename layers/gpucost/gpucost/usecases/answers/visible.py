"""The ledger as one caller may see it. Every question of the API reads through here, and through nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from gpucost.books import Books
from gpucost.domain.allocation.rows import sum_figures, totals
from gpucost.domain.answers.access import Scope
from gpucost.domain.hours import Hour
from gpucost.domain.ledger.journal import is_closed
from gpucost.domain.ledger.revisions import RowChange
from gpucost.domain.ledger.rollups import Rollup
from gpucost.domain.periods import Day, Month, months_between
from gpucost.domain.report import Coverage, HourReport, NamespaceRow, NodeRow, PodRow, Status, Totals
from gpucost.ports import Head, RequestError

type Rows = Sequence[NamespaceRow] | Sequence[PodRow]


class ForbiddenError(RequestError):
    """The caller may not see what it asked for. The message names nothing that the caller does not know."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A stretch of one cluster's time, as far as the caller may see it.

    `hours` counts its published hours by verdict. `totals` is None for those who may not see the cluster's sums.
    """

    cluster: str
    first: Hour
    end: Hour
    hours: Mapping[Status, int]
    totals: Totals | None
    rows: Rows
    nodes: Sequence[NodeRow] = ()


@dataclass(frozen=True, slots=True)
class HourState:
    """What is known of a published hour besides its rows. `totals` is None for those who may not see them."""

    cluster: str
    hour: Hour
    revision: int
    status: Status
    coverage: Coverage
    published_at: datetime
    totals: Totals | None


class VisibleLedger:
    """Published hours and their sums, without what is not the caller's."""

    def __init__(self, ledger: Books, clusters: Sequence[str], scope: Scope) -> None:
        if scope.sees_nothing:
            raise ForbiddenError("this caller may see no costs: ask for a rule in the settings under 'access'")
        self._ledger = ledger
        self.clusters = tuple(clusters)
        self.scope = scope

    def named(self, cluster: str | None) -> Sequence[str]:
        """The clusters that a question is about. RequestError for one that is not the stack's."""
        if cluster is None:
            return self.clusters
        if cluster not in self.clusters:
            raise RequestError(f"there is no such cluster; there is {', '.join(self.clusters)}")
        return [cluster]

    def check_bu(self, bu: str) -> None:
        """ForbiddenError when the BU is not the caller's, whether or not there is one of this name."""
        if not self.scope.may_see(bu):
            raise ForbiddenError("this caller may not see that BU")

    def need_everything(self, what: str) -> None:
        """ForbiddenError when the caller may not see what belongs to the cluster as a whole."""
        if not self.scope.sees_everything:
            raise ForbiddenError(f"{what} is for callers who may see everything; ask for your BUs instead")

    def by_hour(self, cluster: str, first: Hour, end: Hour) -> Iterator[Slice]:
        """The published hours of [first, end): two queries for every month that it touches."""
        for one in self._ledger.published(cluster, first, end):
            hour = one.head.hour
            yield self._slice(cluster, (hour, hour.plus(1)), {one.head.status: 1}, one.head.totals, one.namespaces)

    def by_day(self, cluster: str, first: Day, end: Day) -> Iterator[Slice]:
        """The sums of the days of [first, end): one query for every year that it touches."""
        return map(self._summed, self._ledger.day_rollups(cluster, first, end))

    def by_month(self, cluster: str, first: Month, end: Month) -> Iterator[Slice]:
        """The sums of the months of [first, end): one query for every year that it touches."""
        return map(self._summed, self._ledger.month_rollups(cluster, first, end))

    def in_detail(self, cluster: str, first: Hour, end: Hour) -> Iterator[Slice]:
        """The published hours of [first, end) with their pods: a query for a month, and two calls for an hour."""
        for head in self._ledger.heads(cluster, first, end):
            report = self._ledger.report(cluster, head.hour) if head.status is not Status.FAILED else None
            pods = report.pods if report else ()
            own = self._slice(cluster, (head.hour, head.hour.plus(1)), {head.status: 1}, head.totals, pods)
            yield replace(own, nodes=report.nodes if report and self.scope.sees_everything else ())

    def states(self, cluster: str, first: Hour, end: Hour) -> list[HourState]:
        """Verdicts, coverage and, for those who may see them, sums: one query for every month that it touches."""
        return [self._state(head) for head in self._ledger.heads(cluster, first, end)]

    def adjustments(self, cluster: str, first: Hour, end: Hour) -> Iterator[tuple[Hour, RowChange]]:
        """What was learned in [first, end) of hours of months that were closed before, by the hour in which it was
        booked: one query for every month that it touches.
        """
        for month in months_between(first, end):
            for one in self._ledger.adjustments(cluster, month):
                booked = Hour.containing(one.booked_at)
                if first <= booked < end:
                    yield from ((booked, row) for row in one.rows if self.scope.may_see(row.bu))

    def report(self, cluster: str, hour: Hour) -> HourReport | None:
        """The published report, without what is not the caller's."""
        report = self._ledger.report(cluster, hour)
        return report if report is None or self.scope.sees_everything else self._own(report)

    def is_final(self, cluster: str, first: Hour, end: Hour) -> bool:
        """Whether no published hour of [first, end) can change any more: all its months are closed."""
        months = months_between(first, end)
        return all(is_closed(self._ledger.last_entry(cluster, month)) for month in months)

    def _slice(
        self, cluster: str, span: tuple[Hour, Hour], hours: Mapping[Status, int], whole: Totals, rows: Rows
    ) -> Slice:
        own = [row for row in rows if self.scope.may_see(row.bu)]
        return Slice(cluster, *span, hours, whole if self.scope.sees_everything else None, own)  # type: ignore[arg-type]

    def _summed(self, rollup: Rollup) -> Slice:
        span = rollup.period.first, rollup.period.end
        return self._slice(rollup.cluster, span, rollup.hours, rollup.totals, rollup.namespaces)

    def _state(self, head: Head) -> HourState:
        whole = head.totals if self.scope.sees_everything else None
        return HourState(head.cluster, head.hour, head.revision, head.status, head.coverage, head.published_at, whole)

    def _own(self, report: HourReport) -> HourReport:
        """The report of the caller's BUs: no nodes, and nothing that was said of others or of the cluster.

        What it gives as totals has no capacity; whoever shows it leaves them out.
        """
        namespaces = tuple(row for row in report.namespaces if self.scope.may_see(row.bu))
        others = {row.namespace for row in report.namespaces if not self.scope.may_see(row.bu)}
        only_own = {row.namespace for row in namespaces} - others - {row.node for row in report.nodes}
        return replace(
            report,
            totals=totals((), sum_figures([row.figures for row in namespaces])),
            namespaces=namespaces,
            pods=tuple(row for row in report.pods if self.scope.may_see(row.bu)),
            nodes=(),
            unpriced=tuple(row for row in report.unpriced if row.namespace in only_own),
            pending=tuple(row for row in report.pending if self.scope.may_see(row.bu)),
            warnings=tuple(one for one in report.warnings if one.subject in only_own),
            queries=(),
        )
