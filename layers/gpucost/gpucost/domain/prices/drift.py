"""How far the bill is from the estimate that it replaced, by BU; and from AWS' own split of it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from gpucost.domain.policy import PriceSource
from gpucost.domain.prices.bill import SplitHour
from gpucost.domain.report import HourReport

UNALLOCATED = ""
"""The BU of what nobody held."""


@dataclass(frozen=True, slots=True)
class Drift:
    """USD that a BU was allocated by the estimate and by the bill. `bu` is empty for what nobody held."""

    bu: str
    estimated_usd: Decimal
    billed_usd: Decimal

    @property
    def change_usd(self) -> Decimal:
        return self.billed_usd - self.estimated_usd


@dataclass(frozen=True, slots=True)
class SideBySide:
    """What a namespace was allocated here, and what AWS' split gives its pods' accelerators; USD, None for none."""

    cluster: str
    namespace: str
    allocated_usd: Decimal | None
    aws_split_usd: Decimal | None


def is_billed(report: HourReport) -> bool:
    """Whether any node of the hour is priced by the bill."""
    return any(row.price.source == PriceSource.CUR.value for row in report.nodes)


def drift(pairs: Iterable[tuple[HourReport, HourReport]]) -> list[Drift]:
    """The sums of (estimate, bill) pairs of reports by BU, sorted; what nobody held comes last."""
    estimated: dict[str, Decimal] = defaultdict(Decimal)
    billed: dict[str, Decimal] = defaultdict(Decimal)
    for before, after in pairs:
        for report, sums in ((before, estimated), (after, billed)):
            for row in report.namespaces:
                sums[row.bu] += row.figures.allocated_usd
            sums[UNALLOCATED] += report.totals.unallocated_usd
    names = sorted({*estimated, *billed}, key=lambda bu: (bu == UNALLOCATED, bu))
    return [Drift(bu, estimated[bu], billed[bu]) for bu in names]


def side_by_side(reports: Iterable[HourReport], split: Iterable[SplitHour]) -> list[SideBySide]:
    """By cluster and namespace, over the cluster-hours of the reports: nothing is added to anything."""
    ours: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    hours = set()
    for report in reports:
        hours.add((report.cluster, report.hour))
        for row in report.namespaces:
            ours[report.cluster, row.namespace] += row.figures.allocated_usd
    theirs: dict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for one in split:
        if (one.cluster, one.hour) in hours:
            theirs[one.cluster, one.namespace] += one.usd
    return [SideBySide(*key, ours.get(key), theirs.get(key)) for key in sorted({*ours, *theirs})]
