"""/v1/waste, /v1/capacity and /v1/prices."""

from decimal import Decimal
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.api import caller, schemas
from functions.api.parameters import (
    ROWS,
    BuName,
    ClusterName,
    CursorText,
    FormatName,
    From,
    Limit,
    NamespaceName,
    StepName,
    To,
    WindowText,
)
from functions.api.replies import listed
from functions.api.responses import answers
from gpucost.runtime.http import Routes
from gpucost.usecases.answers.capacity import capacity
from gpucost.usecases.answers.cost_query import Filters
from gpucost.usecases.answers.exports import Format
from gpucost.usecases.answers.price_answers import prices
from gpucost.usecases.answers.waste import waste

routes = Routes()

MinWaste = Annotated[
    Decimal, Query(alias="min_waste_usd", ge=0, le=10**9, description="Leave out pods that wasted less than this.")
]


@routes.get("/v1/waste", summary="Who wastes most", responses=answers(schemas.Waste, rows=True))
def get_waste(
    window: WindowText = None,
    start: From = None,
    end: To = None,
    cluster: ClusterName = None,
    bu: BuName = None,
    namespace: NamespaceName = None,
    min_waste_usd: MinWaste = Decimal(0),
    format: FormatName = Format.JSON,
    limit: Limit = ROWS,
    cursor: CursorText = None,
) -> Response[Any]:
    """Pods that hold slices without using them, by the money that this wasted."""
    ledger = caller.visible(routes)
    pager = caller.pager(routes, ledger, limit, cursor)
    asked = pager.window(lambda: caller.window_of(window, start, end))
    answer = waste(asked, Filters(cluster=cluster, bu=bu, namespace=namespace), min_waste_usd, ledger)
    return listed(routes.event, answer, asked, format, pager, ledger, fixed=bool(start and end))


@routes.get("/v1/capacity", summary="Capacity", responses=answers(schemas.Capacity, rows=True))
def get_capacity(
    window: WindowText = None,
    start: From = None,
    end: To = None,
    cluster: ClusterName = None,
    step: StepName = None,
    format: FormatName = Format.JSON,
    limit: Limit = ROWS,
    cursor: CursorText = None,
) -> Response[Any]:
    """What there was, what was held, what nobody held, and what nobody ever could. For callers who see everything."""
    ledger = caller.visible(routes)
    pager = caller.pager(routes, ledger, limit, cursor)
    asked = pager.window(lambda: caller.window_of(window, start, end))
    answer = capacity(asked, step, cluster, ledger)
    return listed(routes.event, answer, asked, format, pager, ledger, fixed=bool(start and end))


@routes.get("/v1/prices", summary="Prices in use", responses=answers(schemas.Prices, rows=True))
def get_prices(
    window: WindowText = None,
    start: From = None,
    end: To = None,
    cluster: ClusterName = None,
    format: FormatName = Format.JSON,
    limit: Limit = ROWS,
    cursor: CursorText = None,
) -> Response[Any]:
    """The prices that the hours of a window were worked out with, and where they came from."""
    ledger = caller.visible(routes)
    pager = caller.pager(routes, ledger, limit, cursor)
    asked = pager.window(lambda: caller.window_of(window, start, end))
    answer = prices(asked, cluster, ledger)
    return listed(routes.event, answer, asked, format, pager, ledger, fixed=bool(start and end))
