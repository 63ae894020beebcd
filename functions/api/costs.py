"""/v1/costs: what was held, used and wasted."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from functions.api import caller, schemas
from functions.api.parameters import (
    ROWS,
    TEXT,
    BuName,
    ClusterName,
    CursorText,
    FormatName,
    From,
    GroupByText,
    Limit,
    NamespaceName,
    NodeName,
    PodName,
    ResourceName,
    StepName,
    To,
    WindowText,
    WorkloadName,
)
from functions.api.replies import listed
from functions.api.responses import answers
from gpucost.runtime.http import Routes
from gpucost.usecases.answers.answer import costs
from gpucost.usecases.answers.cost_query import CostQuery, Filters, GroupBy, groupings
from gpucost.usecases.answers.exports import Format

routes = Routes()

Compare = Annotated[bool, Query(alias="compare", description="Set every figure beside that of the window before.")]
Bu = Annotated[str, Path(min_length=1, max_length=TEXT, description="The business unit.")]


@routes.get("/v1/costs", summary="Costs of a window", responses=answers(schemas.Costs, rows=True))
def get_costs(
    window: WindowText = None,
    start: From = None,
    end: To = None,
    group_by: GroupByText = GroupBy.BU.value,
    step: StepName = None,
    cluster: ClusterName = None,
    bu: BuName = None,
    namespace: NamespaceName = None,
    node: NodeName = None,
    workload: WorkloadName = None,
    pod: PodName = None,
    resource: ResourceName = None,
    compare: Compare = False,
    format: FormatName = Format.JSON,
    limit: Limit = ROWS,
    cursor: CursorText = None,
) -> Response[Any]:
    """What was held, used and wasted in a window, by BU or whatever else, dearest first, from published hours only."""
    filters = Filters(cluster, bu, namespace, node, workload, pod, resource)
    return _costs((window, start, end), group_by, step, filters, compare, format, limit, cursor)


@routes.get("/v1/costs/<bu>", summary="Costs of a BU", responses=answers(schemas.Costs, rows=True))
def get_costs_of_bu(
    bu: Bu,
    window: WindowText = None,
    start: From = None,
    end: To = None,
    group_by: GroupByText = GroupBy.NAMESPACE.value,
    step: StepName = None,
    cluster: ClusterName = None,
    compare: Compare = False,
    format: FormatName = Format.JSON,
    limit: Limit = ROWS,
    cursor: CursorText = None,
) -> Response[Any]:
    """The same for one BU, by its namespaces."""
    filters = Filters(cluster=cluster, bu=caller.from_path(bu))
    return _costs((window, start, end), group_by, step, filters, compare, format, limit, cursor)


def _costs(
    asked: tuple[str | None, str | None, str | None],
    group_by: str,
    step: StepName,
    filters: Filters,
    compare: bool,
    form: Format,
    limit: int,
    cursor: str | None,
) -> Response[Any]:
    ledger = caller.visible(routes)
    pager = caller.pager(routes, ledger, limit, cursor)
    window = pager.window(lambda: caller.window_of(*asked))
    query = CostQuery.checked(window, groupings(group_by), step, filters, compare)
    answer = costs(query, ledger)
    return listed(
        routes.event, answer, window, form, pager, ledger, fixed=asked[1] is not None and asked[2] is not None
    )
