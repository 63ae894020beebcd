"""/openapi.json: the description of the API, generated from its routes."""

from functools import cache
from typing import Any

import simplejson
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver

from gpucost.runtime.http import Routes, answered

routes = Routes()
VERSION = "1"

DESCRIPTION = (
    "GPU costs of Amazon EKS clusters, from published hours only. Amounts are US dollars as exact JSON numbers with at "
    "most twelve fractional digits: read them as decimals. null is unknown, never zero. Times are UTC."
)


@routes.get("/openapi.json", summary="This document", include_in_schema=False)
def get_document() -> Response[Any]:
    return answered(routes.event, text(routes.resolver))


def text(resolver: ApiGatewayResolver) -> str:
    """The OpenAPI 3.1 document of the routes."""
    return _text(resolver)


@cache
def _text(resolver: ApiGatewayResolver) -> str:
    schema = resolver.get_openapi_json_schema(title="gpucost", version=VERSION, description=DESCRIPTION)
    document = simplejson.loads(schema)
    for path in document["paths"].values():
        for operation in path.values():
            # Faults in parameters are 400 here, as all faults of a request are.
            operation["responses"].pop("422", None)
    document["components"]["schemas"].pop("HTTPValidationError", None)
    document["components"]["schemas"].pop("ValidationError", None)
    return simplejson.dumps(document, indent=2, ensure_ascii=False) + "\n"
