"""What one published hour says of every subject that is watched: good, bad, or nothing."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from gpucost.domain.alerts.alert_rules import AlertRules, Watch
from gpucost.domain.alerts.budgets import usual
from gpucost.domain.alerts.episodes import Observation, Verdict
from gpucost.domain.alerts.finding import Kind, PodWaste
from gpucost.domain.alerts.findings import find_waste, pod_waste, worst_first
from gpucost.domain.money import ZERO, plain, round_fraction
from gpucost.domain.report import HourReport, NamespaceRow, PodRow, Status
from gpucost.domain.wording import cents, count, percent

PODS_SHOWN = 10
EASED = Decimal("0.8")
"""Below this part of a threshold a BU's waste is over."""


@dataclass(frozen=True, slots=True)
class Sign:
    """One subject's hour: the observation, and what a message about it can say. `allocated_usd` is what it held."""

    kind: Kind
    subject: str
    bu: str
    seen: Observation
    allocated_usd: Decimal = ZERO
    utilization: Decimal | None = None
    unknown_usd: Decimal = ZERO
    pods: tuple[PodWaste, ...] = ()
    more_pods: int = 0
    more_pods_usd: Decimal = ZERO
    facts: tuple[str, ...] = ()


def signs_of(report: HourReport, rules: AlertRules, past: Mapping[str, Sequence[Decimal]]) -> list[Sign]:
    """All signs of an hour. Waste is judged in complete hours only; `past` is what BUs cost in this hour of past weeks.

    An hour that was not read well says one thing: that data is lost.
    """
    out = [_data(report)]
    if report.status is Status.COMPLETE:
        out += [*_waste(report, rules), *_idle(report, rules), *_cluster(report, rules)]
        out += _anomalies(report, rules, past)
    return [one for one in out if rules.of(one.bu).watch(one.kind).enabled]


def _data(report: HourReport) -> Sign:
    bad = report.status is not Status.COMPLETE
    facts = []
    if bad:
        facts = [f"The hour is {report.status.value}: it is no waste, and nothing in it was judged."]
        facts += [f"{one.code}: {one.message}" for one in report.warnings[:5]]
    return Sign(Kind.DATA_LOSS, "", "", Observation(Verdict.BAD if bad else Verdict.GOOD), facts=tuple(facts))


def missing_hour() -> Sign:
    """The sign of an hour that was never published."""
    return Sign(
        Kind.DATA_LOSS, "", "", Observation(Verdict.BAD), facts=("An hour was not published: see its dead letters.",)
    )


def _waste(report: HourReport, rules: AlertRules) -> Iterator[Sign]:
    by_bu: defaultdict[str, list[NamespaceRow]] = defaultdict(list)
    for row in report.namespaces:
        by_bu[row.bu].append(row)
    wasteful = {one.bu: one for one in find_waste(report, rules)}
    for bu, rows in sorted(by_bu.items()):
        found = wasteful.get(bu)
        if found:
            seen = Observation(Verdict.BAD, found.waste_usd)
            yield Sign(
                Kind.BU_WASTE,
                "",
                bu,
                seen,
                found.allocated_usd,
                found.utilization,
                found.unknown_usd,
                found.pods,
                found.more_pods,
                found.more_pods_usd,
            )
        else:
            yield Sign(Kind.BU_WASTE, "", bu, Observation(_eased(rows, rules.of(bu))))


def _eased(rows: Sequence[NamespaceRow], rules: AlertRules) -> Verdict:
    allocated = sum((row.figures.allocated_usd for row in rows), ZERO)
    known = allocated - sum((row.figures.unknown_usd for row in rows), ZERO)
    waste = sum((row.figures.waste_usd or ZERO for row in rows), ZERO)
    if allocated and not known:
        return Verdict.UNKNOWN
    over = (
        known >= rules.min_allocated_usd * EASED
        and waste >= rules.min_waste_usd * EASED
        and waste >= known * rules.min_waste_share * EASED
    )
    return Verdict.BETWEEN if over and waste > 0 else Verdict.GOOD


def _idle(report: HourReport, rules: AlertRules) -> Iterator[Sign]:
    """Workloads by the resource that they hold. A pod without a known owner stands for itself."""
    groups: defaultdict[tuple[str, str, str, str], list[PodRow]] = defaultdict(list)
    for row in report.pods:
        groups[row.bu, row.namespace, row.workload or row.pod, row.resource].append(row)
    waiting = _waiting(report)
    for (bu, namespace, workload, resource), rows in sorted(groups.items()):
        watch = rules.of(bu).watch(Kind.IDLE_SLICE)
        wasteful = worst_first(rows)
        allocated = sum((row.figures.allocated_usd for row in rows), ZERO)
        unknown = sum((row.figures.unknown_usd for row in rows), ZERO)
        ratio = _utilization(rows)
        waste = sum((row.figures.waste_usd or ZERO for row in rows), ZERO)
        facts = [waiting[resource]] if resource in waiting else []
        yield Sign(
            Kind.IDLE_SLICE,
            f"{namespace}/{workload} {resource}",
            bu,
            Observation(_verdict(ratio, watch), plain(waste)),
            plain(allocated),
            ratio,
            plain(unknown),
            tuple(pod_waste(row) for row in wasteful[:PODS_SHOWN]),
            max(len(wasteful) - PODS_SHOWN, 0),
            plain(sum((row.figures.waste_usd or ZERO for row in wasteful[PODS_SHOWN:]), ZERO)),
            tuple(facts),
        )


def _utilization(rows: Iterable[PodRow]) -> Decimal | None:
    known = [row.figures for row in rows if row.figures.effective_usd is not None]
    held = sum((figures.allocated_usd - figures.unknown_usd for figures in known), ZERO)
    used = sum((figures.effective_usd or ZERO for figures in known), ZERO)
    return round_fraction(Fraction(used) / Fraction(held)) if held else None


def _verdict(ratio: Decimal | None, watch: Watch) -> Verdict:
    if ratio is None:
        return Verdict.UNKNOWN
    if ratio < watch.threshold:
        return Verdict.BAD
    return Verdict.GOOD if ratio >= watch.good_threshold else Verdict.BETWEEN


def _waiting(report: HourReport) -> dict[str, str]:
    """Who waits for a resource, as a sentence."""
    by_resource: defaultdict[str, list[str]] = defaultdict(list)
    for one in report.pending:
        by_resource[one.resource].append(f"{one.bu} waits for {one.units:f} ({count(one.pods, 'pod')})")
    return {resource: f"Meanwhile {'; '.join(texts[:5])}." for resource, texts in by_resource.items()}


def _cluster(report: HourReport, rules: AlertRules) -> Iterator[Sign]:
    totals = report.totals
    watch = rules.watch(Kind.UNALLOCATED)
    free = totals.unallocated_usd - totals.stranded_usd
    share = round_fraction(Fraction(free) / Fraction(totals.capacity_usd)) if totals.capacity_usd else ZERO
    if share >= watch.threshold and free >= watch.min_usd and free > 0:
        verdict = Verdict.BAD
    else:
        verdict = Verdict.GOOD if share < watch.good_threshold or free < watch.min_usd * EASED else Verdict.BETWEEN
    facts = (
        f"{percent(share)} of the cluster's {cents(totals.capacity_usd)} is held by nobody.",
        *([*_waiting(report).values()][:3]),
    )
    yield Sign(Kind.UNALLOCATED, "", "", Observation(verdict, plain(free)), plain(totals.capacity_usd), facts=facts)
    watch = rules.watch(Kind.STRANDED)
    if totals.stranded_usd >= watch.min_usd and totals.stranded_usd > 0:
        verdict = Verdict.BAD
    else:
        eased = totals.stranded_usd < watch.min_usd * EASED or not totals.stranded_usd
        verdict = Verdict.GOOD if eased else Verdict.BETWEEN
    worst = sorted(report.nodes, key=lambda row: (-row.stranded_usd, row.node))[:3]
    where = ", ".join(f"{row.node} {cents(row.stranded_usd)}" for row in worst if row.stranded_usd > 0)
    yield Sign(
        Kind.STRANDED,
        "",
        "",
        Observation(verdict, totals.stranded_usd),
        plain(totals.capacity_usd),
        facts=(f"No resource that the nodes offer covers these slices: {where}.",) if where else (),
    )


def _anomalies(report: HourReport, rules: AlertRules, past: Mapping[str, Sequence[Decimal]]) -> Iterator[Sign]:
    now: defaultdict[str, Decimal] = defaultdict(Decimal)
    for row in report.namespaces:
        now[row.bu] += row.figures.allocated_usd
    for bu in sorted({*now, *past}):
        watch = rules.of(bu).watch(Kind.ANOMALY)
        before = usual(list(past.get(bu, ())))
        cost = now.get(bu, ZERO)
        if before is None:
            verdict = Verdict.UNKNOWN
        elif cost >= before * watch.threshold and cost - before >= watch.min_usd:
            verdict = Verdict.BAD
        else:
            over = cost >= before * watch.good_threshold and cost - before >= watch.min_usd * EASED
            verdict = Verdict.BETWEEN if over else Verdict.GOOD
        more = plain(max(cost - (before or ZERO), ZERO))
        fact = f"{cents(cost)} in this hour; {cents(before or ZERO)} is usual at this time of the week."
        yield Sign(Kind.ANOMALY, "", bu, Observation(verdict, more), plain(cost), facts=(fact,) if before else ())
