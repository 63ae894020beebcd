"""What one hour's report gives reason to tell. Pure: the same report and rules give the same findings."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from gpucost.domain.alerts.alert_rules import AlertRules
from gpucost.domain.alerts.finding import Finding, Kind, PodWaste, Severity, finding_id
from gpucost.domain.money import ZERO, plain, round_fraction
from gpucost.domain.report import HourReport, NamespaceRow, PodRow, Status

PODS_SHOWN = 10


def find_waste(report: HourReport, rules: AlertRules) -> tuple[Finding, ...]:
    """One finding per BU that wasted enough in this hour by its own rules, the most wasteful first.

    Only a complete hour is judged. What a BU held with unknown utilisation is left out of the judgement and named in
    the finding, so a BU of which nothing is known is never found.
    """
    if report.status is not Status.COMPLETE:
        return ()
    by_bu: defaultdict[str, list[NamespaceRow]] = defaultdict(list)
    for row in report.namespaces:
        by_bu[row.bu].append(row)
    pods: defaultdict[str, list[PodRow]] = defaultdict(list)
    for pod in report.pods:
        pods[pod.bu].append(pod)
    found = [_judge(report, bu, (rows, pods[bu]), rules.of(bu)) for bu, rows in by_bu.items()]
    return tuple(sorted((f for f in found if f), key=lambda finding: (-finding.waste_usd, finding.bu)))


def _judge(
    report: HourReport, bu: str, held: tuple[list[NamespaceRow], list[PodRow]], rules: AlertRules
) -> Finding | None:
    rows, pods = held
    allocated = sum((row.figures.allocated_usd for row in rows), ZERO)
    unknown = sum((row.figures.unknown_usd for row in rows), ZERO)
    waste = sum((row.figures.waste_usd or ZERO for row in rows), ZERO)
    known = allocated - unknown
    reached = (
        known >= rules.min_allocated_usd and waste >= rules.min_waste_usd and waste >= known * rules.min_waste_share
    )
    if not reached or waste <= 0:
        return None
    wasteful = worst_first(pods)
    shown = tuple(pod_waste(row) for row in wasteful[:PODS_SHOWN])
    return Finding(
        id=finding_id(Kind.BU_WASTE, report.cluster, report.hour, bu),
        kind=Kind.BU_WASTE,
        severity=Severity.WARNING,
        cluster=report.cluster,
        hour=report.hour,
        bu=bu,
        allocated_usd=plain(allocated),
        waste_usd=plain(waste),
        utilization=round_fraction(1 - Fraction(waste) / Fraction(known)),
        unknown_usd=plain(unknown),
        pods=shown,
        more_pods=len(wasteful) - len(shown),
        more_pods_usd=plain(sum((row.figures.waste_usd or ZERO for row in wasteful[PODS_SHOWN:]), ZERO)),
    )


def worst_first(rows: Iterable[PodRow]) -> list[PodRow]:
    """The rows that wasted anything, the most wasteful first."""
    wasteful = [row for row in rows if row.figures.waste_usd]
    return sorted(wasteful, key=lambda row: (-(row.figures.waste_usd or ZERO), row.key))


def pod_waste(row: PodRow) -> PodWaste:
    """What a message says of a pod's row."""
    return PodWaste(
        namespace=row.namespace,
        pod=row.pod,
        node=row.node,
        resource=row.resource,
        workload=row.workload,
        held_minutes=row.evidence.held_minutes,
        waste_usd=row.figures.waste_usd or ZERO,
        utilization=row.figures.utilization,
        basis=row.utilization_basis,
        vram_used_mib=row.vram_used_mib,
        allocated_usd=row.figures.allocated_usd,
        slice_hours=row.figures.slice_hours,
        samples_seen=row.evidence.samples_seen,
        samples_expected=row.evidence.samples_expected,
    )
