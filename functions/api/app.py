"""The API: answers questions about costs from the published hours."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.api import costs, document, findings, focus, hours, opencost, usage
from gpucost.runtime.http import HttpApi
from gpucost.runtime.observability import observed

api = HttpApi(
    [costs.routes, usage.routes, findings.routes, hours.routes, opencost.routes, focus.routes, document.routes]
)


@observed
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    return api.resolve(event, context)
