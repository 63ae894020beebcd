"""The API's handler as a WSGI application, so that tools for HTTP can ask it without a server."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from functions.api.app import lambda_handler
from local.stack.events import http_api_event
from tests.support.api import ADMIN, reply
from tests.support.handlers import Context

type Environ = dict[str, Any]
type Start = Callable[[str, list[tuple[str, str]]], Any]

_HOP = {"content-length", "content-encoding"}


def application(environ: Environ, start_response: Start) -> Iterable[bytes]:
    """One request, signed by somebody who may see everything."""
    # WSGI hands bytes on as Latin-1; the gateway hands on text.
    path = environ["PATH_INFO"].encode("latin-1").decode(errors="replace")
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for name, value in environ.items()
        if name.startswith("HTTP_") and name != "HTTP_ACCEPT_ENCODING"
    }
    query = quote(environ.get("QUERY_STRING", ""), safe="%&=+")
    event = http_api_event(environ["REQUEST_METHOD"], path, query, headers, datetime.now(UTC), ADMIN)
    found = reply(lambda_handler(event, Context()))
    sent = [(name, value) for name, value in found.headers.items() if name not in _HOP]
    start_response(f"{found.status} {HTTPStatus(found.status).phrase}", sent)
    return [found.body.encode()]
