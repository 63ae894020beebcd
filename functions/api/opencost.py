"""/allocation and /allocation/compute: the same costs in the dialect of OpenCost."""

import re
from typing import Any

from aws_lambda_powertools.event_handler import Response

from functions.api import caller, schemas
from functions.api import opencost_parameters as given
from functions.api.responses import answers
from gpucost.ports import RequestError
from gpucost.runtime.http import CSV, Routes, answered
from gpucost.runtime.json_text import json_text
from gpucost.usecases.answers.exports import csv_text
from gpucost.usecases.answers.window import Window
from gpucost.usecases.opencost.allocation import DEFAULT_FIELDS, Dialect, allocations
from gpucost.usecases.opencost.fields import aggregate_of
from gpucost.usecases.opencost.filters import Filter, all_of, older_filter, parse_filter

routes = Routes()

_STEP = re.compile(r"([1-9]\d{0,3})([hdw])")
_HOURS = {"hour": 1, "day": 24, "week": 7 * 24, "h": 1, "d": 24, "w": 7 * 24}


def _compute(
    window: given.WindowName,
    aggregate: given.Aggregate = None,
    step: given.StepText = None,
    accumulate: given.Accumulate = "false",
    accumulate_by: given.AccumulateBy = None,
    include_idle: given.IncludeIdle = True,
    idle: given.Idle = True,
    share_idle: given.ShareIdle = "false",
    idle_by_node: given.IdleByNode = False,
    filter: given.FilterText = None,
    filter_clusters: given.FilterClusters = None,  # noqa: ARG001 -- read by name
    filter_nodes: given.FilterNodes = None,  # noqa: ARG001
    filter_namespaces: given.FilterNamespaces = None,  # noqa: ARG001
    filter_kinds: given.FilterKinds = None,  # noqa: ARG001
    filter_controllers: given.FilterControllers = None,  # noqa: ARG001
    filter_pods: given.FilterPods = None,  # noqa: ARG001
    filter_labels: given.FilterLabels = None,  # noqa: ARG001
    offset: given.Offset = 0,
    limit: given.Names = None,
    format: given.Format = "json",
    resolution: given.Resolution = None,  # noqa: ARG001 -- clients send it, and so for the rest
    metadata: given.Metadata = False,  # noqa: ARG001
    proportional: given.Proportional = False,  # noqa: ARG001
    balancers: given.Balancers = False,  # noqa: ARG001
    external: given.External = False,  # noqa: ARG001
    reconcile: given.Reconcile = False,  # noqa: ARG001
) -> Response[Any]:
    """Allocations by name, one set for every step. Idle cost is there for callers who see everything only."""
    ledger = caller.visible(routes)
    asked = Dialect(
        window=Window.named(window, caller.now(), widened=True),
        aggregate=aggregate_of(aggregate) if aggregate else DEFAULT_FIELDS,
        step_hours=_step(step, accumulate_by or accumulate),
        accumulate=accumulate == "true" and accumulate_by is None,
        filter=all_of([parse_filter(filter or ""), *_older_filters()]),
        include_idle=include_idle and idle,
        share_idle=share_idle != "false",
        idle_by_node=idle_by_node,
    )
    sets = [_page(one, offset, limit) for one in allocations(asked, ledger)]
    if format == "csv":
        return answered(routes.event, csv_text((row for one in sets for row in one.values()), _COLUMNS), CSV)
    return answered(routes.event, json_text({"code": 200, "status": "success", "data": sets}))


def _older_filters() -> list[Filter]:
    fields = given.OLDER_FILTERS
    return [older_filter(fields[name], text) for name, text in routes.parameters.items() if name in fields and text]


_COLUMNS = (
    *("name", "start", "end", "minutes", "gpuCount", "gpuHours", "gpuCost", "gpuCostIdle", "gpuEfficiency"),
    *("gpuCostEffective", "gpuCostWaste", "gpuCostUnknown", "totalCost", "totalEfficiency", "currency"),
)


def _page(one: dict[str, Any], offset: int, limit: int | None) -> dict[str, Any]:
    names = list(one)[offset : None if limit is None else offset + limit]
    return {name: one[name] for name in names}


def _step(text: str | None, accumulate: str) -> int | None:
    if accumulate in _HOURS:
        return _HOURS[accumulate]
    if text is None:
        return None
    match = _STEP.fullmatch(text)
    if match is None:
        raise RequestError("'step' is not a length of whole hours such as 1h, 1d or 1w")
    return int(match[1]) * _HOURS[match[2]]


_ANSWERS = answers(schemas.Allocations, csv=True)
routes.get("/allocation", summary="Costs in OpenCost's dialect", operation_id="get_allocation", responses=_ANSWERS)(
    _compute
)
routes.get(
    "/allocation/compute",
    summary="Costs in OpenCost's dialect",
    operation_id="get_allocation_compute",
    responses=_ANSWERS,
)(_compute)
