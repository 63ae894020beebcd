"""Rows as files: CSV for spreadsheets, and one JSON document a line for machines."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any

import simplejson

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class Format(StrEnum):
    """How rows are written."""

    JSON = "json"
    CSV = "csv"
    JSON_LINES = "jsonl"


def csv_text(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """The rows as CSV with a heading (RFC 4180). Unknown is an empty cell; a number is written exactly.

    Text that a spreadsheet would take for a formula begins with an apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return out.getvalue()


def json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """Each row as a JSON document on a line of its own; numbers are exact."""
    return "".join(f"{simplejson.dumps(row, use_decimal=True, ensure_ascii=False, allow_nan=False)}\n" for row in rows)


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case Decimal():
            return format(value, "f")
        case str() if value.startswith(_FORMULA):
            return f"'{value}"
        case dict() | list():
            return simplejson.dumps(value, use_decimal=True, ensure_ascii=False)
    return str(value)
