"""The HTTP side of the API: routes under both payload formats of API Gateway, exact JSON numbers, RFC 9457 problems."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

import simplejson
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, APIGatewayRestResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver
from aws_lambda_powertools.event_handler.api_gateway import Router as RouteTable
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.ports import GpucostError, RequestError
from gpucost.runtime.observability import logger

type Parameters = Mapping[str, Sequence[str]]
type Route = Callable[[Parameters], dict[str, Any]]

JSON = "application/json"
PROBLEM_JSON = "application/problem+json"
RETRY_AFTER_SECONDS = 5
MAX_PARAMETERS = 100

json_text = partial(simplejson.dumps, use_decimal=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class HttpApi:
    """GET routes that take the query parameters and answer with a document of Decimals, text, lists and nulls."""

    def __init__(self) -> None:
        self._routes = RouteTable()  # type: ignore[no-untyped-call]

    def get(self, path: str) -> Callable[[Route], Route]:
        def register(route: Route) -> Route:
            def answer() -> Response[dict[str, Any]]:
                parameters = query_parameters(self._routes.current_event.raw_event)
                return Response(HTTPStatus.OK, JSON, route(parameters))

            self._routes.get(path)(answer)
            return route

        return register

    def resolve(self, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        """API Gateway's answer to an event in payload format 2.0 or 1.0."""
        resolver = self._format_2 if event.get("version") == "2.0" else self._format_1
        return resolver.resolve(event, context)

    @cached_property
    def _format_2(self) -> ApiGatewayResolver:
        return self._prepared(APIGatewayHttpResolver(serializer=json_text))

    @cached_property
    def _format_1(self) -> ApiGatewayResolver:
        return self._prepared(APIGatewayRestResolver(serializer=json_text))

    def _prepared(self, resolver: ApiGatewayResolver) -> ApiGatewayResolver:
        resolver.include_router(self._routes)
        resolver.not_found(_not_found)
        resolver.exception_handler(RequestError)(_bad_request)
        resolver.exception_handler(GpucostError)(_failed)
        resolver.exception_handler(Exception)(_unexpected)
        return resolver


def query_parameters(event: Mapping[str, Any]) -> dict[str, list[str]]:
    """The query parameters with all their values, whether the event has them raw, single, multiple, null or not at all.

    RequestError when there are too many.
    """
    raw = event.get("rawQueryString")
    if raw:
        try:
            return parse_qs(raw, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
        except ValueError:
            raise RequestError(f"the query has more than {MAX_PARAMETERS} parameters") from None
    single = event.get("queryStringParameters") or {}
    multiple = event.get("multiValueQueryStringParameters") or {}
    values = {name: [value or ""] for name, value in single.items()}
    return values | {name: list(several or [""]) for name, several in multiple.items()}


def problem(status: HTTPStatus, detail: str, headers: Mapping[str, str] | None = None) -> Response[str]:
    """An RFC 9457 problem. `detail` says what is wrong and what to do."""
    document = {"type": "about:blank", "title": status.phrase, "status": status.value, "detail": detail}
    return Response(status, PROBLEM_JSON, json_text(document), headers=dict(headers or {}))


def _not_found(_: NotFoundError) -> Response[str]:
    return problem(HTTPStatus.NOT_FOUND, "there is nothing at this path; see docs/api.md for the routes")


def _bad_request(error: RequestError) -> Response[str]:
    return problem(HTTPStatus.BAD_REQUEST, str(error))


def _failed(error: GpucostError) -> Response[str]:
    logger.error("request failed", reason=str(error), error=type(error).__name__)
    if error.retryable:
        retry = {"Retry-After": str(RETRY_AFTER_SECONDS)}
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, "the ledger cannot be read right now; try again soon", retry)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "the request failed; its log line has the reason")


def _unexpected(error: Exception) -> Response[str]:
    logger.exception("unexpected", error=type(error).__name__)
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, "the request failed; its log line has the reason")
