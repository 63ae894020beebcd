"""When one reading of an hour replaces another, and what then changed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucost.domain.report import Coverage, Figures, HourReport, NamespaceRow, Status, Totals

ZERO = Decimal(0)


def is_worse(status: Status, coverage: Coverage, than: Status, than_coverage: Coverage) -> bool:
    """Whether a reading must not replace another: its verdict is worse, or it is as good but saw less of the hour."""
    if status.rank != than.rank:
        return status.rank > than.rank
    return coverage.minutes_seen < than_coverage.minutes_seen


@dataclass(frozen=True, slots=True)
class Amounts:
    """Sums that can be subtracted. What is unknown is in unknown_usd and nowhere else, so a difference is exact.

    allocated_usd = effective_usd + waste_usd + unknown_usd.
    """

    slice_hours: Decimal = ZERO
    gpu_hours: Decimal = ZERO
    allocated_usd: Decimal = ZERO
    effective_usd: Decimal = ZERO
    waste_usd: Decimal = ZERO
    unknown_usd: Decimal = ZERO

    @classmethod
    def of(cls, figures: Figures) -> "Amounts":
        return cls(
            slice_hours=figures.slice_hours,
            gpu_hours=figures.gpu_hours,
            allocated_usd=figures.allocated_usd,
            effective_usd=figures.effective_usd or ZERO,
            waste_usd=figures.waste_usd or ZERO,
            unknown_usd=figures.unknown_usd,
        )

    def minus(self, other: "Amounts") -> "Amounts":
        return Amounts(
            slice_hours=self.slice_hours - other.slice_hours,
            gpu_hours=self.gpu_hours - other.gpu_hours,
            allocated_usd=self.allocated_usd - other.allocated_usd,
            effective_usd=self.effective_usd - other.effective_usd,
            waste_usd=self.waste_usd - other.waste_usd,
            unknown_usd=self.unknown_usd - other.unknown_usd,
        )


@dataclass(frozen=True, slots=True)
class RowChange:
    """How much more (or, negative, less) one namespace has for one BU than before."""

    bu: str
    namespace: str
    change: Amounts


@dataclass(frozen=True, slots=True)
class CapacityChange:
    """How much more (or less) the cluster's capacity and its unallocated part are than before."""

    capacity_gpu_hours: Decimal = ZERO
    capacity_usd: Decimal = ZERO
    unallocated_gpu_hours: Decimal = ZERO
    unallocated_usd: Decimal = ZERO


@dataclass(frozen=True, slots=True)
class Diff:
    """What one revision of an hour has over another. `rows` are only those that differ, by (bu, namespace)."""

    before: Status | None
    after: Status
    capacity: CapacityChange
    rows: tuple[RowChange, ...]
    pods_added: tuple[str, ...] = ()
    pods_removed: tuple[str, ...] = ()
    pods_changed: tuple[str, ...] = ()


def capacity_change(before: Totals | None, after: Totals) -> CapacityChange:
    """The difference of the totals; everything is new when there was nothing before."""
    if before is None:
        return CapacityChange(
            after.capacity_gpu_hours, after.capacity_usd, after.unallocated_gpu_hours, after.unallocated_usd
        )
    return CapacityChange(
        after.capacity_gpu_hours - before.capacity_gpu_hours,
        after.capacity_usd - before.capacity_usd,
        after.unallocated_gpu_hours - before.unallocated_gpu_hours,
        after.unallocated_usd - before.unallocated_usd,
    )


def row_changes(before: Iterable[NamespaceRow], after: Iterable[NamespaceRow]) -> tuple[RowChange, ...]:
    """The rows whose amounts differ, in order of (bu, namespace)."""
    old = {row.key: Amounts.of(row.figures) for row in before}
    new = {row.key: Amounts.of(row.figures) for row in after}
    changes = {key: new.get(key, Amounts()).minus(old.get(key, Amounts())) for key in sorted(old.keys() | new.keys())}
    return tuple(RowChange(*key, change) for key, change in changes.items() if change != Amounts())


def diff(before: HourReport, after: HourReport) -> Diff:
    """What `after` has over `before`; pods are named namespace/pod/resource."""
    old, new = _pods(before), _pods(after)
    return Diff(
        before=before.status,
        after=after.status,
        capacity=capacity_change(before.totals, after.totals),
        rows=row_changes(before.namespaces, after.namespaces),
        pods_added=_names(new.keys() - old.keys()),
        pods_removed=_names(old.keys() - new.keys()),
        pods_changed=_names(key for key in old.keys() & new.keys() if old[key] != new[key]),
    )


type _PodKey = tuple[str, str, str, str, str, str]


def _pods(report: HourReport) -> Mapping[_PodKey, tuple[Figures, Decimal]]:
    return {row.key: (row.figures, row.price.usd_per_gpu_hour) for row in report.pods}


def _names(keys: Iterable[_PodKey]) -> tuple[str, ...]:
    return tuple(sorted(f"{namespace}/{pod}/{resource}" for _, namespace, pod, _, _, resource in keys))
