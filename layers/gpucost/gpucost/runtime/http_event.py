"""API Gateway's events, brought to one form: payload format 2.0, with parameters that mean what the caller wrote."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode

from gpucost.ports import RequestError

MAX_PARAMETERS = 100
_SHOWN = 60


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


def as_format_2(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event in format 2.0, whichever it came in. An empty parameter is as good as none and left out.

    The identity stays where it was. RequestError when there are too many parameters.
    """
    given = query_parameters(event)
    parameters = {name: kept for name, values in given.items() if (kept := [value for value in values if value])}
    context = dict(event.get("requestContext") or {})
    http = dict(context.get("http") or {})
    if event.get("version") != "2.0":
        path = str(event.get("path") or "/")
        http |= {"method": str(event.get("httpMethod") or "GET"), "path": path}
        context |= {"stage": "$default"}
    else:
        path = str(event.get("rawPath") or "/")
    return {
        **event,
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": urlencode(parameters, doseq=True, errors="replace"),
        "queryStringParameters": {name: ",".join(values) for name, values in parameters.items()},
        "headers": _headers(event),
        "requestContext": {**context, "http": http},
    }


def check_once(event: Mapping[str, Any]) -> None:
    """RequestError when a parameter is given more than once: which of two was meant cannot be told."""
    repeated = sorted(name for name, values in query_parameters(event).items() if len(values) > 1)
    if repeated:
        raise RequestError(f"{', '.join(repr(name[:_SHOWN]) for name in repeated)} is given more than once")


def _headers(event: Mapping[str, Any]) -> dict[str, str]:
    """Headers by lower-case name, each with one text."""
    single = {name.lower(): str(value or "") for name, value in (event.get("headers") or {}).items()}
    several = event.get("multiValueHeaders") or {}
    return single | {name.lower(): ", ".join(values or []) for name, values in several.items()}
