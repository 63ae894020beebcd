"""A report as a table for people."""

from collections.abc import Iterator
from decimal import Decimal

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table

from gpucost.domain.report import Figures, HourReport, NamespaceRow, Totals

UNKNOWN = "unknown"
WIDTH_WITHOUT_TERMINAL = 160


def console() -> Console:
    """Standard output. Without a terminal (a pipe, a file) lines are wide enough not to be folded."""
    plain = Console()
    return plain if plain.is_terminal else Console(width=WIDTH_WITHOUT_TERMINAL)


def report_view(report: HourReport) -> RenderableType:
    """The whole report: its verdict, namespaces, unallocated and stranded, what is not priced, and its warnings."""
    return Group(_heading(report), _namespaces(report), *_notes(report))


def _heading(report: HourReport) -> str:
    seen, expected = report.coverage.minutes_seen, report.coverage.minutes_expected
    prices = ", ".join(sorted({f"${row.price.usd_per_gpu_hour}/GPU-hour ({row.price.source})" for row in report.nodes}))
    return (
        f"[bold]{escape(report.cluster)}[/]  {report.hour}  {report.status.value}, {seen} of {expected} minutes seen"
        f"{'  ' + escape(prices) if prices else ''}"
    )


def _namespaces(report: HourReport) -> Table:
    table = cost_table(basis=True)
    for row in sorted(report.namespaces, key=lambda row: (-row.figures.allocated_usd, row.key)):
        table.add_row(*_cells(row))
    table.add_section()
    for cells in _totals(report.totals):
        table.add_row(*cells)
    return table


def cost_table(*, basis: bool) -> Table:
    """An empty table with the columns that costs have, with or without the basis of the utilisation."""
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("BU")
    table.add_column("namespace")
    for heading in ("slice-hours", "GPU-hours", "allocated $", "utilization"):
        table.add_column(heading, justify="right")
    if basis:
        table.add_column("basis")
    for heading in ("effective $", "waste $"):
        table.add_column(heading, justify="right")
    return table


def _cells(row: NamespaceRow) -> tuple[str, ...]:
    figures: Figures = row.figures
    return (
        escape(row.bu),
        escape(row.namespace),
        amount(figures.slice_hours),
        amount(figures.gpu_hours),
        amount(figures.allocated_usd),
        percent(figures.utilization),
        row.utilization_basis.value,
        amount(figures.effective_usd),
        amount(figures.waste_usd),
    )


def _totals(totals: Totals) -> Iterator[tuple[str, ...]]:
    yield (
        "allocated",
        "",
        "",
        amount(totals.allocated_gpu_hours),
        amount(totals.allocated_usd),
        "",
        "",
        amount(totals.effective_usd),
        amount(totals.waste_usd),
    )
    yield ("unallocated", "", "", amount(totals.unallocated_gpu_hours), amount(totals.unallocated_usd))
    yield ("  of it stranded", "", "", amount(totals.stranded_gpu_hours), amount(totals.stranded_usd))
    yield ("capacity", "", "", amount(totals.capacity_gpu_hours), amount(totals.capacity_usd))


def _notes(report: HourReport) -> Iterator[str]:
    for row in report.unpriced:
        holder = f"{row.namespace}/{row.pod}"
        yield escape(f"not priced: {row.quantity_hours} hours of {row.resource}, held by {holder} ({row.reason})")
    for warning in report.warnings:
        subject = f" ({warning.subject})" if warning.subject else ""
        yield f"[yellow]warning[/] {escape(warning.code)}: {escape(warning.message + subject)}"


def amount(value: Decimal | None) -> str:
    """Six fractional digits, or that it is unknown."""
    return UNKNOWN if value is None else f"{value:.6f}"


def percent(ratio: Decimal | None) -> str:
    """A ratio in percent, or that it is unknown."""
    return UNKNOWN if ratio is None else f"{100 * ratio:.4f} %"
