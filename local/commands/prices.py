"""`gpucost prices`: what is in force, from where, since when, and what a cluster's nodes cost with it."""

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import simplejson
from rich.markup import escape
from rich.table import Table

from gpucost.books import Books
from gpucost.domain.gpus.instances import INSTANCE_TYPES
from gpucost.domain.hours import Hour
from gpucost.domain.prices.pricebook import PriceEntry, in_force
from gpucost.domain.report import HourReport, NodeRow
from gpucost.prices import PriceBook
from local.commands.hour import parse_hour
from local.commands.table import open_ledger, open_price_book
from local.errors import NoDataError
from local.report_view import console

LOOK_BACK_HOURS = 72
NOTHING = "-"


def run(table: str, region: str | None, cluster: str | None, hour: str | None, json: bool) -> None:
    """Print the book, and the nodes of the cluster's last published hour, as of an hour (by default this one).

    NoDataError when there is no such hour.
    """
    at = parse_hour(hour) if hour else Hour.containing(datetime.now(UTC))
    current = entries_in_force(open_price_book(table, region), at)
    report = last_report(open_ledger(table, region), cluster, at) if cluster else None
    if json:
        sys.stdout.write(simplejson.dumps(document(current, report), use_decimal=True, indent=2) + "\n")
        return
    out = console()
    out.print(_book(current))
    if report:
        out.print(f"\n[bold]{escape(report.cluster)}[/]  {report.hour}, revision {report.revision}")
        out.print(_nodes(report.nodes))


def entries_in_force(book: PriceBook, hour: Hour) -> list[PriceEntry]:
    """The entry of each pair that prices the hour."""
    found = (in_force(entries, hour) for _, entries in sorted(book.entries().items()))
    return [entry for entry in found if entry]


def last_report(ledger: Books, cluster: str, hour: Hour) -> HourReport:
    """The cluster's last published hour up to this one. NoDataError when three days have none."""
    heads = ledger.heads(cluster, hour.plus(1 - LOOK_BACK_HOURS), hour.plus(1))
    report = ledger.report(cluster, heads[-1].hour) if heads else None
    if report is None:
        raise NoDataError(f"no hour of {cluster} was published in the {LOOK_BACK_HOURS} hours up to {hour}")
    return report


def document(entries: Sequence[PriceEntry], report: HourReport | None) -> dict[str, Any]:
    """Both lists, with exact numbers; null is not known."""
    return {
        "currency": "USD",
        "price_list": [
            {
                "region": entry.region,
                "instance_type": entry.instance_type,
                "usd_per_hour": entry.usd_per_hour,
                "valid_from": entry.valid_from.key,
                "effective": entry.effective.isoformat() if entry.effective else None,
                "learned_at": entry.learned_at.isoformat(),
                "flag": entry.flag,
                "note": entry.note or None,
            }
            for entry in entries
        ],
        "nodes": [
            {
                "node": row.node,
                "instance_type": row.instance_type,
                "gpus": row.physical_gpus,
                "usd_per_gpu_hour": row.price.usd_per_gpu_hour,
                "capacity_usd": row.capacity_usd,
                "source": row.price.source,
                "as_of": row.price.as_of,
                "flag": row.price.flag,
            }
            for row in (report.nodes if report else ())
        ],
    }


def _book(entries: Sequence[PriceEntry]) -> Table:
    headings = ("region", "instance type", "$/hour", "$/GPU-hour", "in force since", "list of", "learned", "")
    return _table(headings, (2, 3), (_entry_cells(entry) for entry in entries))


def _entry_cells(entry: PriceEntry) -> tuple[str, ...]:
    return (
        entry.region,
        entry.instance_type,
        _text(entry.usd_per_hour),
        _text(_per_gpu(entry)),
        entry.valid_from.key,
        entry.effective.date().isoformat() if entry.effective else NOTHING,
        entry.learned_at.date().isoformat(),
        " ".join(part for part in (entry.flag, entry.note) if part),
    )


def _per_gpu(entry: PriceEntry) -> Decimal | None:
    known = INSTANCE_TYPES.get(entry.instance_type)
    return entry.usd_per_hour / known.gpus if entry.usd_per_hour and known and known.gpus else None


def _nodes(rows: Sequence[NodeRow]) -> Table:
    headings = ("node", "instance type", "GPUs", "$/GPU-hour", "$ in the hour", "source", "as of", "")
    cells = (
        (
            row.node,
            row.instance_type or NOTHING,
            _text(row.physical_gpus),
            _text(row.price.usd_per_gpu_hour),
            _text(row.capacity_usd),
            row.price.source,
            row.price.as_of or NOTHING,
            row.price.flag or "",
        )
        for row in rows
    )
    return _table(headings, (2, 3, 4), cells)


def _table(headings: Sequence[str], right: Sequence[int], rows: Iterator[tuple[str, ...]]) -> Table:
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index in right else "left")
    for cells in rows:
        table.add_row(*(escape(cell) for cell in cells))
    return table


def _text(value: Decimal | None) -> str:
    return NOTHING if value is None else f"{value.normalize():f}"
