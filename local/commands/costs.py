"""`gpucost costs`: what the costs API says, as a table, JSON or CSV."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any

import simplejson
from rich.markup import escape
from rich.table import Table

from local.api_client import CostsApi
from local.errors import UsageError
from local.report_view import amount, console, percent

PATH = "/v1/costs"
BARS = "▁▂▃▄▅▆▇█"
NAMES = ("bu", "namespace", "cluster", "node", "workload", "pod", "resource")
_MONEY = ("allocated_usd", "effective_usd", "waste_usd", "unknown_usd")


@dataclass(frozen=True, slots=True)
class Question:
    """The parameters of /v1/costs; None leaves them out."""

    window: str | None = None
    first: str | None = None
    end: str | None = None
    group_by: str | None = None
    step: str | None = None
    cluster: str | None = None
    bu: str | None = None
    namespace: str | None = None
    compare: bool = False

    def query(self) -> dict[str, str]:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        renamed = {{"first": "from", "end": "to"}.get(name, name): value for name, value in given.items()}
        return {name: "true" if value is True else str(value) for name, value in renamed.items() if value}


def run(url: str | None, asked: Question, as_json: bool, as_csv: bool) -> None:
    """Ask the API, print the answer. ApiError with its reason, UsageError for options that do not go together."""
    if not url:
        raise UsageError("--url is missing: the stack's output ApiUrl (or set GPUCOST_API_URL)")
    if as_json and as_csv:
        raise UsageError("give either --json or --csv")
    api = CostsApi(url)
    if as_csv:
        sys.stdout.write(api.text(PATH, {**asked.query(), "format": "csv"}))
        return
    answer = api.rows(PATH, asked.query())
    if as_json:
        sys.stdout.write(simplejson.dumps(answer, use_decimal=True, indent=2, ensure_ascii=False) + "\n")
        return
    out = console()
    out.print(_heading(answer), highlight=False)
    out.print(_stepped(answer) if answer.get("step") else _table(answer, asked.compare))


def _heading(answer: Mapping[str, Any]) -> str:
    hours = answer["hours"]
    clusters = escape(", ".join(answer["clusters"]))
    gaps = f", {hours['missing']} of {hours['expected']} hours missing" if hours["missing"] else ""
    return f"[bold]{clusters}[/]  {answer['from']} to {answer['to']}, {answer['currency']}{gaps}"


def _table(answer: Mapping[str, Any], compared: bool) -> Table:
    names = _names(answer["rows"])
    table = _columns(names, ["GPU-hours", "allocated", "utilization", "effective", "waste", "unknown"])
    if compared:
        table.add_column("change", justify="right")
    for row in answer["rows"]:
        table.add_row(*(escape(str(row[name])) for name in names), *_figures(row), *_change(row, compared))
    totals = answer["totals"]
    table.add_section()
    gpu_hours = totals.get("gpu_hours", totals.get("allocated_gpu_hours"))
    blanks = [""] * (len(names) - 1)
    table.add_row("total", *blanks, *_figures({**totals, "gpu_hours": gpu_hours}), *_change(totals, compared))
    if "capacity_usd" in totals:
        for name in ("unallocated", "capacity"):
            table.add_row(
                name, *blanks, amount(_decimal(totals[f"{name}_gpu_hours"])), amount(_decimal(totals[f"{name}_usd"]))
            )
    return table


def _figures(row: Mapping[str, Any]) -> list[str]:
    allocated, *others = (amount(_decimal(row[name])) for name in _MONEY)
    return [amount(_decimal(row["gpu_hours"])), allocated, percent(_decimal(row["utilization"])), *others]


def _change(row: Mapping[str, Any], compared: bool) -> list[str]:
    if not compared:
        return []
    ratio = _decimal(row["delta_ratio"])
    return ["new" if ratio is None else f"{100 * ratio:+.1f} %"]


def _stepped(answer: Mapping[str, Any]) -> Table:
    """One line for every group: its sums, and its allocated cost from step to step."""
    names = _names(answer["rows"])
    steps = sorted({row["from"] for row in answer["rows"]})
    groups: dict[tuple[str, ...], dict[str, Mapping[str, Any]]] = {}
    for row in answer["rows"]:
        groups.setdefault(tuple(str(row[name]) for name in names), {})[row["from"]] = row
    table = _columns(names, ["allocated", "waste"])
    table.add_column(f"allocated by {answer['step']}")
    ordered = sorted(groups.items(), key=lambda one: (-_sum(one[1].values(), "allocated_usd"), one[0]))
    for key, rows in ordered:
        values = [_decimal(rows[step]["allocated_usd"]) if step in rows else None for step in steps]
        sums = (amount(_sum(rows.values(), name)) for name in ("allocated_usd", "waste_usd"))
        table.add_row(*map(escape, key), *sums, sparkline(values))
    return table


def _sum(rows: Any, name: str) -> Decimal:
    return sum((_decimal(row[name]) or Decimal(0) for row in rows), Decimal(0))


def sparkline(values: Sequence[Decimal | None]) -> str:
    """One character for every value, from 0 to the largest; a blank where there is none."""
    largest = max((value for value in values if value is not None), default=Decimal(0))
    if not largest:
        return "".join(" " if value is None else BARS[0] for value in values)
    return "".join(" " if value is None else BARS[round(value / largest * (len(BARS) - 1))] for value in values)


def _columns(names: Sequence[str], headings: Sequence[str]) -> Table:
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    for name in names:
        table.add_column("BU" if name == "bu" else name)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def _names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    labels = [name for name in (rows[0] if rows else ()) if name.startswith("label:")]
    return [*(name for name in NAMES if rows and name in rows[0]), *labels] or ["bu"]


def _decimal(value: Decimal | int | None) -> Decimal | None:
    return None if value is None else Decimal(value)
