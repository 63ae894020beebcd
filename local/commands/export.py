"""`gpucost export`: a window's costs as FOCUS rows in a file: CSV, compressed JSON lines, or Parquet."""

import gzip
from datetime import UTC, datetime
from pathlib import Path

from gpucost.domain.answers.access import EVERYTHING
from gpucost.domain.answers.focus import COLUMNS, Account
from gpucost.usecases.answers.exports import csv_text, json_lines
from gpucost.usecases.answers.focus_export import focus_rows
from gpucost.usecases.answers.visible import VisibleLedger
from gpucost.usecases.answers.window import Window
from local.commands.table import open_ledger
from local.errors import UsageError
from local.parquet import write_rows
from local.report_view import console

KINDS = (".csv", ".jsonl.gz", ".parquet")


def run(table: str, region: str | None, cluster: str, first: str, end: str, account: str, file: Path) -> None:
    """Write the file whole, or not at all. UsageError for a kind of file that is none of these."""
    kind = next((one for one in KINDS if file.name.endswith(one)), None)
    if kind is None:
        raise UsageError(f"{file} is none of {', '.join(KINDS)}")
    window = Window.between(first, end, datetime.now(UTC))
    ledger = VisibleLedger(open_ledger(table, region), [cluster], EVERYTHING)
    rows = list(focus_rows(window, cluster, Account(account, region or "unknown"), ledger))
    part = file.with_name(f"{file.name}.part")
    if kind == ".csv":
        part.write_text(csv_text(rows, COLUMNS), newline="")
    elif kind == ".jsonl.gz":
        part.write_bytes(gzip.compress(json_lines(rows).encode(), mtime=0))
    else:
        write_rows(rows, COLUMNS, part)
    part.replace(file)
    console().print(f"{file}: {len(rows)} rows")
