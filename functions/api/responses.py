"""The responses of routes, for the OpenAPI document."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel


class Problem(BaseModel):
    """An RFC 9457 problem."""

    type: str
    title: str
    status: int
    detail: str


_PROBLEMS = {
    400: "A parameter cannot be understood or answered",
    403: "The caller may not see this",
    404: "There is no such thing",
    409: "The figures changed since the first page",
    500: "A fault of ours; the log line has the reason",
    503: "The ledger cannot be read right now; try again after Retry-After seconds",
}


_TEXT = {"schema": {"type": "string"}}
_CSV = {"text/csv": _TEXT}
_FILES = {**_CSV, "application/x-ndjson": _TEXT}


def answers(model: type[BaseModel], *, rows: bool = False, csv: bool = False) -> dict[int, Any]:
    """The responses of a route: its document, its rows as files (`csv`: CSV only), not modified, or a problem."""
    files = _FILES if rows else _CSV if csv else {}
    return _responses("The answer", {"application/json": {"model": model}, **files})


def files() -> dict[int, Any]:
    """The responses of a route that answers with files only."""
    return _responses("The rows", _FILES)


def _responses(description: str, content: Mapping[str, Any]) -> dict[int, Any]:
    return {
        200: {"description": description, "content": dict(content)},
        304: {"description": "What the caller has, by If-None-Match, is still right"},
        **_problems(),
    }


def _problems() -> dict[int, Any]:
    return {
        status: {"description": description, "content": {"application/problem+json": {"model": Problem}}}
        for status, description in _PROBLEMS.items()
    }
