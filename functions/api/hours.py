"""/v1/hours: which hours were published, what one of them says, and how its figures came about."""

from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.api import caller, schemas
from functions.api.parameters import (
    ROWS,
    TEXT,
    ClusterName,
    ClusterPath,
    CursorText,
    FormatName,
    From,
    HourPath,
    Limit,
    To,
    WindowText,
)
from functions.api.replies import listed
from functions.api.responses import answers
from gpucost.runtime.http import Routes, answered
from gpucost.runtime.json_text import json_text
from gpucost.usecases.answers.exports import Format
from gpucost.usecases.answers.hour_answers import explained, hour_report, hours
from gpucost.usecases.answers.window import Window, instant

routes = Routes()

StatusName = Annotated[
    Literal["complete", "no_utilization", "partial", "failed", "missing"] | None,
    Query(alias="status", description="Hours of this verdict only; missing ones were never published."),
]
Explained = Annotated[str, Query(alias="namespace", min_length=1, max_length=TEXT, description="The namespace.")]


@routes.get("/v1/hours", summary="Which hours there are", responses=answers(schemas.Hours, rows=True))
def get_hours(
    window: WindowText = None,
    start: From = None,
    end: To = None,
    cluster: ClusterName = None,
    status: StatusName = None,
    format: FormatName = Format.JSON,
    limit: Limit = ROWS,
    cursor: CursorText = None,
) -> Response[Any]:
    """Every hour of the window: verdict, coverage, revision; gaps are there as `missing`."""
    ledger = caller.visible(routes)
    pager = caller.pager(routes, ledger, limit, cursor)
    asked = pager.window(lambda: caller.window_of(window, start, end))
    answer = hours(asked, cluster, status, ledger)
    return listed(routes.event, answer, asked, format, pager, ledger, fixed=bool(start and end))


@routes.get("/v1/hours/<cluster>/<hour>", summary="One hour's report", responses=answers(schemas.Report))
def get_hour(cluster: ClusterPath, hour: HourPath) -> Response[Any]:
    """The published report of one hour: namespaces, pods, nodes, warnings, and the queries that it stands on."""
    return _about(cluster, hour, None)


@routes.get(
    "/v1/hours/<cluster>/<hour>/explain", summary="How figures came about", responses=answers(schemas.Explained)
)
def get_explanation(cluster: ClusterPath, hour: HourPath, namespace: Explained) -> Response[Any]:
    """A namespace's figures of one hour, derived line by line so that they can be worked out again by hand."""
    return _about(cluster, hour, namespace)


def _about(cluster: str, hour: str, namespace: str | None) -> Response[Any]:
    ledger = caller.visible(routes)
    name, moment = caller.from_path(cluster), instant("hour", caller.from_path(hour))
    answer = hour_report(name, moment, ledger) if namespace is None else explained(name, moment, namespace, ledger)
    final = caller.is_final(Window(moment, moment.plus(1)), True, ledger, lambda: [name])
    return answered(routes.event, json_text(answer), final=final)
