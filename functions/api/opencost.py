"""/allocation and /allocation/compute: the same costs in the dialect of OpenCost."""

import re
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.api import caller, schemas
from gpucost.ports import RequestError
from gpucost.runtime.http import CSV, Routes, answered
from gpucost.runtime.json_text import json_text
from gpucost.usecases.exports import csv_text
from gpucost.usecases.opencost import DEFAULT_FIELDS, FIELDS, Dialect, allocations
from gpucost.usecases.opencost_filter import parse_filter
from gpucost.usecases.window import Window

routes = Routes()

_STEP = re.compile(r"([1-9]\d{0,3})([hdw])")
_HOURS = {"hour": 1, "day": 24, "week": 7 * 24, "h": 1, "d": 24, "w": 7 * 24}

WindowName = Annotated[str, Query(alias="window", min_length=1, max_length=64, description="As for /v1/costs.")]
Aggregate = Annotated[
    str | None, Query(alias="aggregate", max_length=256, description=f"Of {', '.join(FIELDS)}; several with commas.")
]
StepText = Annotated[str | None, Query(alias="step", max_length=16, description="Length of a set: 1h, 1d, 7d, 1w.")]
Accumulate = Annotated[
    Literal["true", "false", "hour", "day", "week"],
    Query(alias="accumulate", description="true: one set for the window. hour, day, week: sets of that length."),
]
Resolution = Annotated[str | None, Query(alias="resolution", max_length=16, description="Taken, without effect.")]
IncludeIdle = Annotated[bool, Query(alias="includeIdle", description="What nobody held, as __idle__.")]
ShareIdle = Annotated[
    Literal["true", "false", "weighted"],
    Query(alias="shareIdle", description="Share what nobody held out to the holders, by what they held."),
]
IdleByNode = Annotated[bool, Query(alias="idleByNode", description="Keep idle cost by node instead of by cluster.")]
Filter = Annotated[str | None, Query(alias="filter", max_length=2000, description="OpenCost's filter, version 2.")]
Offset = Annotated[int, Query(alias="offset", ge=0, le=10**6, description="Leave out so many names of every set.")]
Names = Annotated[int | None, Query(alias="limit", ge=1, le=10**6, description="At most so many names of every set.")]
Format = Annotated[Literal["json", "csv"], Query(alias="format", description="json or csv.")]
Ignored = Annotated[bool, Query(alias="includeAggregatedMetadata", description="Taken, without effect.")]
Proportional = Annotated[
    bool, Query(alias="includeProportionalAssetResourceCosts", description="Taken, without effect.")
]
ShareBalancers = Annotated[bool, Query(alias="sharelb", description="Taken, without effect: only GPUs have costs.")]


def _compute(
    window: WindowName,
    aggregate: Aggregate = None,
    step: StepText = None,
    accumulate: Accumulate = "false",
    resolution: Resolution = None,  # noqa: ARG001 -- clients send it
    include_idle: IncludeIdle = True,
    share_idle: ShareIdle = "false",
    idle_by_node: IdleByNode = False,
    filter: Filter = None,
    offset: Offset = 0,
    limit: Names = None,
    format: Format = "json",
    include_aggregated_metadata: Ignored = False,  # noqa: ARG001 -- clients send it
    proportional: Proportional = False,  # noqa: ARG001 -- clients send it
    sharelb: ShareBalancers = False,  # noqa: ARG001 -- clients send it
) -> Response[Any]:
    """Allocations by name, one set for every step. Idle cost is there for callers who see everything only."""
    ledger = caller.visible(routes)
    asked = Dialect(
        window=Window.named(window, caller.now()),
        aggregate=_aggregate(aggregate),
        step_hours=_step(step, accumulate),
        accumulate=accumulate == "true",
        filter=parse_filter(filter or ""),
        include_idle=include_idle,
        share_idle=share_idle != "false",
        idle_by_node=idle_by_node,
    )
    sets = [_page(one, offset, limit) for one in allocations(asked, ledger)]
    if format == "csv":
        return answered(routes.event, csv_text((row for one in sets for row in one.values()), _COLUMNS), CSV)
    return answered(routes.event, json_text({"code": 200, "status": "success", "data": sets}))


_COLUMNS = (
    *("name", "start", "end", "minutes", "gpuCount", "gpuHours", "gpuCost", "gpuCostIdle", "gpuEfficiency"),
    *("gpuCostEffective", "gpuCostWaste", "gpuCostUnknown", "totalCost", "totalEfficiency", "currency"),
)


def _page(one: dict[str, Any], offset: int, limit: int | None) -> dict[str, Any]:
    names = list(one)[offset : None if limit is None else offset + limit]
    return {name: one[name] for name in names}


def _aggregate(text: str | None) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(","))) if text else DEFAULT_FIELDS
    if not set(FIELDS).issuperset(names):
        raise RequestError(f"'aggregate' has a field that is not recorded; there are {', '.join(FIELDS)}")
    return names


def _step(text: str | None, accumulate: str) -> int | None:
    if accumulate in _HOURS:
        return _HOURS[accumulate]
    if text is None:
        return None
    match = _STEP.fullmatch(text)
    if match is None:
        raise RequestError("'step' is not a length of whole hours such as 1h, 1d or 1w")
    return int(match[1]) * _HOURS[match[2]]


_ANSWERS = schemas.answers(schemas.Allocations)
routes.get("/allocation", summary="Costs in OpenCost's dialect", operation_id="get_allocation", responses=_ANSWERS)(
    _compute
)
routes.get(
    "/allocation/compute",
    summary="Costs in OpenCost's dialect",
    operation_id="get_allocation_compute",
    responses=_ANSWERS,
)(_compute)
