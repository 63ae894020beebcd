"""The HTTP side of the API: typed routes under both payload formats, and answers that clients may keep."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from http import HTTPStatus
from inspect import getdoc
from typing import Any, get_type_hints

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import ApiGatewayResolver, Router
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.ports import GpucostError, RequestError
from gpucost.runtime import problems
from gpucost.runtime.http_event import as_format_2, check_once, query_parameters
from gpucost.runtime.json_text import json_text

JSON = "application/json"
CSV = "text/csv; charset=utf-8"
JSON_LINES = "application/x-ndjson"
LARGEST_BODY = 5_500_000
"""Lambda returns at most 6 MB. A body not compressed counts as a text in JSON: a quotation mark is two bytes."""
_ESCAPED = 6
"""The most bytes that one becomes in JSON: a control character is written as \\u001f."""
KEEP_FINAL = "private, max-age=86400, immutable"
KEEP_WITH_CHECK = "private, no-cache"

type Handler = Callable[..., Response[Any]]


class Routes:
    """A group of routes. A parameter that a route does not have, or that is given twice, is refused:
    a typing error must not look like an answer.
    """

    def __init__(self) -> None:
        self.router = Router()  # type: ignore[no-untyped-call]

    def get(self, path: str, **documented: Any) -> Callable[[Handler], Handler]:
        def register(handler: Handler) -> Handler:
            check = _only(_query_names(handler))
            documented.setdefault("description", getdoc(handler))
            return self.router.get(path, compress=True, middlewares=[check], **documented)(handler)

        return register

    def post(self, path: str, **documented: Any) -> Callable[[Handler], Handler]:
        """A route that changes something. Its parameters are in the path and the query; it has no body."""

        def register(handler: Handler) -> Handler:
            check = _only(_query_names(handler))
            documented.setdefault("description", getdoc(handler))
            return self.router.post(path, compress=True, middlewares=[check], **documented)(handler)

        return register

    @property
    def event(self) -> dict[str, Any]:
        """The request that is being answered, in payload format 2.0."""
        event: dict[str, Any] = self.router.current_event.raw_event
        return event

    @property
    def resolver(self) -> ApiGatewayResolver:
        """The resolver that the routes are behind, with those of all other groups."""
        resolver = self.router.api_resolver
        if not isinstance(resolver, ApiGatewayResolver):
            raise TypeError("the routes are behind no API yet")
        return resolver

    @property
    def path(self) -> str:
        return str(self.event["rawPath"])

    @property
    def parameters(self) -> dict[str, str]:
        """The query parameters as they were given, once each."""
        return {name: values[0] for name, values in query_parameters(self.event).items()}


class HttpApi:
    """The routes of several groups, behind one resolver that is built with the first request."""

    def __init__(self, groups: Sequence[Routes]) -> None:
        self._groups = groups

    def resolve(self, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
        """API Gateway's answer to an event in payload format 2.0 or 1.0."""
        try:
            request = as_format_2(event)
            check_once(request)
            return self.resolver.resolve(request, context)
        except RequestError as error:
            return _bare(problems.refused(error))

    @cached_property
    def resolver(self) -> ApiGatewayResolver:
        resolver = APIGatewayHttpResolver(enable_validation=True, serializer=json_text)
        for group in self._groups:
            resolver.include_router(group.router)
        resolver.not_found(problems.no_route)
        resolver.exception_handler(RequestValidationError)(problems.invalid)
        resolver.exception_handler(RequestError)(problems.refused)
        resolver.exception_handler(GpucostError)(problems.failed)
        resolver.exception_handler(Exception)(problems.unexpected)
        return resolver


def answered(event: Mapping[str, Any], body: str, content_type: str = JSON, *, final: bool = False) -> Response[Any]:
    """The answer with its ETag, or 304 when the caller has it already. `final` ones may be kept without asking again.

    RequestError when it is larger than Lambda can return.
    """
    encoded = body.encode()
    tag = f'W/"{hashlib.sha256(encoded).hexdigest()[:32]}"'
    headers = {
        "ETag": tag,
        "Cache-Control": KEEP_FINAL if final else KEEP_WITH_CHECK,
        "Vary": "Accept-Encoding, Authorization",
    }
    asked = event.get("headers", {})
    if tag in [one.strip() for one in asked.get("if-none-match", "").split(",")]:
        return Response(HTTPStatus.NOT_MODIFIED, content_type, "", headers=dict(headers), compress=False)
    size = len(encoded)
    if size * _ESCAPED > LARGEST_BODY and "gzip" not in asked.get("accept-encoding", ""):
        size = len(json.dumps(body, ensure_ascii=False).encode())
    if size > LARGEST_BODY:
        raise RequestError(f"the answer has {size} bytes, more than {LARGEST_BODY}: ask for less at once")
    return Response(HTTPStatus.OK, content_type, body, headers=dict(headers))


def _bare(response: Response[str]) -> dict[str, Any]:
    """The answer to a request that does not even reach the routes."""
    headers = {name: str(value) for name, value in response.headers.items()}
    return {
        "statusCode": int(response.status_code),
        "headers": headers,
        "body": response.body,
        "isBase64Encoded": False,
    }


def _query_names(handler: Handler) -> frozenset[str]:
    names = set[str]()
    for name, hint in get_type_hints(handler, include_extras=True).items():
        for mark in getattr(getattr(hint, "__value__", hint), "__metadata__", ()):
            if isinstance(mark, Query):
                names.add(mark.alias or name)
    return frozenset(names)


def _only(names: frozenset[str]) -> Callable[..., Response[Any]]:
    """A check that the query has these parameters only."""

    def check(app: ApiGatewayResolver, next_middleware: Callable[[ApiGatewayResolver], Response[Any]]) -> Response[Any]:
        given = query_parameters(app.current_event.raw_event)
        unknown = len(given.keys() - names)
        if unknown:
            known = f"the names are {', '.join(sorted(names))}" if names else "it has none"
            raise RequestError(f"{unknown} of the parameters are not known here; {known}")
        return next_middleware(app)

    return check
