"""/v1/focus: the window's costs as FOCUS rows."""

import os
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.api import caller
from functions.api.parameters import ClusterName, From, To, WindowText
from functions.api.responses import files
from gpucost.domain.answers.focus import COLUMNS, Account
from gpucost.runtime.http import CSV, JSON_LINES, Routes, answered
from gpucost.usecases.answers.exports import csv_text, json_lines
from gpucost.usecases.answers.focus_export import focus_rows

routes = Routes()

FocusFormat = Annotated[Literal["csv", "jsonl"], Query(alias="format", description="csv, or a JSON document a line.")]


@routes.get("/v1/focus", summary="Costs as FOCUS rows", responses=files())
def get_focus(
    window: WindowText = None,
    start: From = None,
    end: To = None,
    cluster: ClusterName = None,
    format: FocusFormat = "csv",
) -> Response[Any]:
    """Every node's hour split into what its pods held and what nobody held: FOCUS 1.2 with 1.3's split columns."""
    ledger = caller.visible(routes)
    asked = caller.window_of(window, start, end)
    context = routes.event["requestContext"]
    account = Account(str(context.get("accountId") or "unknown"), os.environ.get("AWS_REGION") or "unknown")
    rows = list(focus_rows(asked, cluster, account, ledger))
    final = caller.is_final(asked, bool(start and end), ledger, lambda: list(ledger.named(cluster)))
    if format == "jsonl":
        return answered(routes.event, json_lines(rows), JSON_LINES, final=final)
    return answered(routes.event, csv_text(rows, COLUMNS), CSV, final=final)
