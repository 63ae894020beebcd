"""An answer with rows, in the form that was asked for."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.event_handler import Response

from functions.api import caller
from gpucost.runtime.http import CSV, JSON_LINES, answered
from gpucost.runtime.json_text import json_text
from gpucost.usecases.answers.exports import Format, csv_text, json_lines
from gpucost.usecases.answers.paging import Pager
from gpucost.usecases.answers.visible import VisibleLedger
from gpucost.usecases.answers.window import Window


def listed(
    event: Mapping[str, Any],
    answer: dict[str, Any],
    window: Window,
    form: Format,
    pager: Pager,
    ledger: VisibleLedger,
    *,
    fixed: bool,
) -> Response[Any]:
    """The answer as JSON, with this page's rows and the cursor to the next; or all of its rows as a file."""
    final = caller.is_final(window, fixed, ledger, lambda: list(answer["clusters"]))
    if form is Format.JSON:
        rows, following = pager.page(answer["rows"], window)
        return answered(event, json_text({**answer, "rows": rows, "next_cursor": following}), final=final)
    rows = [{**row, "currency": answer["currency"]} for row in answer["rows"]]
    if form is Format.JSON_LINES:
        return answered(event, json_lines(rows), JSON_LINES, final=final)
    return answered(event, csv_text(rows, columns_of(rows)), CSV, final=final)


def columns_of(rows: list[dict[str, Any]]) -> list[str]:
    """The columns of rows that are all alike."""
    return list(rows[0]) if rows else ["currency"]
