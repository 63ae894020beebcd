"""How a namespace's figure came about, from the record alone, in terms that can be worked out again by hand."""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from gpucost.domain.report import Basis, Evidence, Figures, HourReport, NamespaceRow, NodeRow, PodRow

_BASES = {
    Basis.POD: "measured on the pod's own devices",
    Basis.SHARED_DEVICE: "measured on the card that it shares",
    Basis.NODE: "estimated from the node's devices that nobody is named on",
    Basis.CLUSTER: "estimated from what the cluster's other holders used",
    Basis.RECIPE: "the guide's proxy: the mean over all devices of the cluster, divided by 100",
    Basis.NONE: "no series: unknown",
    Basis.MIXED: "from several sources, see the pods",
}


def explain(report: HourReport, namespace: str) -> list[str]:
    """Lines of text: the namespace's sums, each pod's derivation, its nodes, and the queries that were asked.

    ValueError when the report has no such namespace; the message names those that it has.
    """
    rows = [row for row in report.namespaces if row.namespace == namespace]
    if not rows:
        known = ", ".join(sorted({row.namespace for row in report.namespaces})) or "none"
        raise ValueError(f"nobody in namespace {namespace!r} held a GPU in the hour from {report.hour}; held: {known}")
    pods = [row for row in report.pods if row.namespace == namespace]
    nodes = {row.node for row in pods}
    return [
        f"{namespace} in {report.cluster}, hour from {report.hour} ({report.status.value})",
        *(line for row in rows for line in _namespace(row, pods)),
        *(line for row in pods for line in _pod(row)),
        *(line for row in report.nodes if row.node in nodes for line in _node(row)),
        *_queries(report),
    ]


def _namespace(row: NamespaceRow, pods: list[PodRow]) -> Iterator[str]:
    mine = [pod for pod in pods if pod.bu == row.bu]
    yield ""
    yield f"BU {row.bu}: the sum of {len(mine)} pod rows"
    yield from _sums(row.figures)


def _sums(figures: Figures) -> Iterator[str]:
    yield f"  allocated  ${figures.allocated_usd}  ({figures.gpu_hours} GPU-hours, {figures.slice_hours} slice-hours)"
    if figures.effective_usd is not None:
        yield f"  effective  ${figures.effective_usd}  (utilization {figures.utilization} of what is known)"
        yield f"  waste      ${figures.waste_usd}"
    if figures.unknown_usd:
        yield f"  unknown    ${figures.unknown_usd}  (no utilisation series: neither effective nor waste)"


def _pod(row: PodRow) -> Iterator[str]:
    figures, evidence = row.figures, row.evidence
    yield ""
    yield f"pod {row.pod} (uid {row.uid or 'not reported'}) on {row.node}: {row.resource}"
    units = _units(row)
    held = f"{units} × {row.share} GPU × {evidence.held_minutes}/60 h" if units else f"shares of {row.share} GPU"
    yield f"  held       {held} = {figures.gpu_hours} GPU-hours"
    yield f"  price      ${row.price.usd_per_gpu_hour} per GPU-hour ({_papers(row)})"
    yield f"  allocated  {figures.gpu_hours} × ${row.price.usd_per_gpu_hour} = ${figures.allocated_usd}"
    yield f"  used       {_use(row)}"
    if figures.effective_usd is not None:
        yield f"  effective  ${figures.allocated_usd} × {figures.utilization} = ${figures.effective_usd}"
        yield f"  waste      ${figures.allocated_usd} - ${figures.effective_usd} = ${figures.waste_usd}"
    else:
        yield "  effective  unknown, and so is waste"


def _units(row: PodRow) -> Decimal | None:
    """How many units were held, where it was the same number all the time on one kind of node."""
    share = Fraction(row.share)
    if not share or not row.evidence.held_minutes:
        return None
    units = Fraction(row.figures.gpu_hours) / share * 60 / row.evidence.held_minutes
    return Decimal(round(units)) if round(units) and abs(units - round(units)) < Fraction(1, 10**6) else None


def _papers(row: PodRow) -> str:
    parts = [row.price.source, f"as of {row.price.as_of}" if row.price.as_of else "", row.price.flag or ""]
    return ", ".join(part for part in parts if part)


def _use(row: PodRow) -> str:
    evidence = row.evidence
    basis = _BASES[row.utilization_basis]
    if row.figures.utilization is None:
        return f"{basis} ({_samples(evidence)})"
    ran = f"ran {evidence.running_minutes} of the {evidence.held_minutes} minutes it held"
    return f"utilization {row.figures.utilization}, {basis} ({_samples(evidence)}; {ran})"


def _samples(evidence: Evidence) -> str:
    return f"{evidence.samples_seen} of {evidence.samples_expected} device-minutes seen"


def _node(row: NodeRow) -> Iterator[str]:
    rate = row.price.usd_per_gpu_hour
    yield ""
    yield f"node {row.node} ({row.instance_type or 'unknown type'}, {row.physical_gpus} GPUs by {row.capacity_source})"
    yield f"  capacity     {row.capacity_gpu_hours} GPU-hours × ${rate} = ${row.capacity_usd}"
    yield f"  allocated    ${row.allocated_usd}"
    stranded = f", of which nobody could hold ${row.stranded_usd}" if row.stranded_usd else ""
    yield f"  unallocated  ${row.unallocated_usd}{stranded}"


def _queries(report: HourReport) -> Iterator[str]:
    yield ""
    seen, expected = report.coverage.minutes_seen, report.coverage.minutes_expected
    yield f"asked of the metrics engine, one sample a minute; the cluster reported in {seen} of {expected} minutes"
    for trace in report.queries:
        yield f"  {trace.name}: {trace.series} series, {trace.samples} samples"
        yield f"    {trace.query}"
    yield f"rules {report.rule_version}, settings {report.settings_digest or 'not recorded'}"
