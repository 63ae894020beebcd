"""`gpucost bill` and `gpucost drift`: what AWS' bill says, and how far it is from the estimate that it replaced."""

import hashlib
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import simplejson
from rich.markup import escape
from rich.table import Table

from gpucost.adapters.bill_files import Reading
from gpucost.books import Books
from gpucost.domain.hours import Hour
from gpucost.domain.prices.bill import BilledHour, BillReader
from gpucost.domain.prices.drift import Drift, SideBySide, drift, is_billed, side_by_side
from gpucost.domain.report import HourReport
from gpucost.prices import Delivery
from local.commands.table import open_bill_book, open_ledger, period
from local.errors import NoDataError, UsageError
from local.parquet import bill_as_csv
from local.report_view import UNKNOWN, amount, console


@dataclass(frozen=True, slots=True)
class Target:
    """The ledger that a bill is kept in, or set beside."""

    table: str | None
    region: str | None
    cluster: str | None
    keep: bool


def run_bill(files: Sequence[Path], target: Target) -> None:
    """Say what the files of one delivery hold; keep it in the ledger, or set it beside the ledger, if asked to."""
    if target.table is None and (target.keep or target.cluster):
        raise UsageError("--keep and --cluster need the ledger: --table NAME")
    bill = read(files)
    billed, out = bill.billed(), console()
    if not billed:
        raise NoDataError("the bill names no accelerated EC2 instance: is it hourly, with resource ids?")
    out.print(_said(billed))
    if target.table and target.cluster:
        reports = published(open_ledger(target.table, target.region), target.cluster, billed)
        out.print(_beside(side_by_side(reports, bill.split())))
    if target.table and target.keep:
        changed = open_bill_book(target.table, target.region).keep(_delivery(files), billed)
        out.print(f"kept; {len(changed)} hours are other than before")
        if changed:
            out.print(f"work them out again: gpucost backfill --from {changed[0]} --to {changed[-1].plus(1)} …")


def read(files: Sequence[Path]) -> BillReader:
    """All files of a delivery together. BillError or UsageError names the file that cannot be read."""
    reading = Reading()
    for file in files:
        try:
            if file.suffix == ".parquet":
                reading.take(file.with_suffix(".csv").name, io.BytesIO(bill_as_csv(file)))
            else:
                with file.open("rb") as stream:
                    reading.take(str(file), stream)
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror or error}") from None
    return reading.bill


def published(ledger: Books, cluster: str, billed: Sequence[BilledHour]) -> Iterator[HourReport]:
    """The cluster's published reports of the hours that are billed."""
    hours = sorted({one.hour for one in billed})
    for head in ledger.heads(cluster, hours[0], hours[-1].plus(1)):
        report = ledger.report(cluster, head.hour)
        if report:
            yield report


def run_drift(table: str, region: str | None, cluster: str, first: str, end: str, json: bool) -> None:
    """By BU: what the estimate said, and what the bill says, over the hours of the period that are billed."""
    pairs = list(restatements(open_ledger(table, region), cluster, *period(first, end)))
    if not pairs:
        raise NoDataError(f"no hour of {cluster} from {first} to {end} is priced by the bill")
    found = drift(pairs)
    if json:
        sys.stdout.write(simplejson.dumps(_document(cluster, len(pairs), found), use_decimal=True, indent=2) + "\n")
        return
    console().print(f"[bold]{escape(cluster)}[/]  {len(pairs)} hours are priced by the bill")
    console().print(_drifts(found))


def restatements(ledger: Books, cluster: str, first: Hour, end: Hour) -> Iterator[tuple[HourReport, HourReport]]:
    """The hours that are priced by the bill, each with the last revision before it that was not."""
    for head in ledger.heads(cluster, first, end):
        current = ledger.report(cluster, head.hour)
        if current is None or not is_billed(current):
            continue
        for number in range(head.revision - 1, 0, -1):
            earlier = ledger.revision(cluster, head.hour, number)
            if earlier and not is_billed(earlier):
                yield earlier, current
                break


def _delivery(files: Sequence[Path]) -> Delivery:
    digest = hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)).hexdigest()
    return Delivery(f"file-{digest[:32]}", datetime.now(UTC))


def _document(cluster: str, hours: int, found: Sequence[Drift]) -> dict[str, Any]:
    rows = [
        {
            "bu": one.bu or None,
            "estimated_usd": one.estimated_usd,
            "billed_usd": one.billed_usd,
            "change_usd": one.change_usd,
        }
        for one in found
    ]
    return {"cluster": cluster, "currency": "USD", "hours": hours, "rows": rows}


def _said(billed: Sequence[BilledHour]) -> Table:
    table = _table(("instance", "hours", "amortized $", "net $", "first hour", "last hour"), (1, 2, 3))
    for instance in sorted({one.instance_id for one in billed}):
        mine = [one for one in billed if one.instance_id == instance]
        net = [one.net_usd for one in mine if one.net_usd is not None]
        table.add_row(
            instance,
            amount(sum((one.usage_hours for one in mine), Decimal(0))),
            amount(sum((one.amortized_usd for one in mine), Decimal(0))),
            amount(sum(net, Decimal(0)) if net else None),
            mine[0].hour.key,
            mine[-1].hour.key,
        )
    return table


def _beside(found: Sequence[SideBySide]) -> Table:
    table = _table(("cluster", "namespace", "allocated here $", "AWS split cost $"), (2, 3))
    for one in found:
        table.add_row(escape(one.cluster), escape(one.namespace), amount(one.allocated_usd), amount(one.aws_split_usd))
    return table


def _drifts(found: Sequence[Drift]) -> Table:
    table = _table(("BU", "estimate $", "bill $", "change $", "change"), (1, 2, 3, 4))
    for one in found:
        ratio = one.change_usd / one.estimated_usd if one.estimated_usd else None
        table.add_row(
            escape(one.bu) or "nobody",
            amount(one.estimated_usd),
            amount(one.billed_usd),
            amount(one.change_usd),
            UNKNOWN if ratio is None else f"{ratio * 100:+.1f} %",
        )
    return table


def _table(headings: Sequence[str], right: Sequence[int]) -> Table:
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index in right else "left")
    return table
