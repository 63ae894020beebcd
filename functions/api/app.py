"""GET /v1/costs: what was held, used and wasted, from the published hours."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.runtime import container
from gpucost.runtime.environment import ApiEnvironment
from gpucost.runtime.http import HttpApi, Parameters
from gpucost.runtime.observability import observed
from gpucost.usecases.answer import costs
from gpucost.usecases.cost_query import CostQuery

api = HttpApi()


@api.get("/v1/costs")
def get_costs(parameters: Parameters) -> dict[str, Any]:
    parts = container.parts(ApiEnvironment)
    return costs(CostQuery.parse(parameters, parts.now()), parts.clusters, parts.ledger)


@observed
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    return api.resolve(event, context)
