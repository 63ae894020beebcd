"""The responses of routes, for the OpenAPI document."""

from typing import Any

from pydantic import BaseModel

from functions.api.schemas import Allocations


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


def answers(model: type[BaseModel], *, rows: bool = False) -> dict[int, Any]:
    """The responses of a route: its document, or its rows as files, or not modified, or a problem."""
    content: dict[str, Any] = {"application/json": {"model": model}}
    if rows:
        text = {"schema": {"type": "string"}}
        content |= {"text/csv": text, "application/x-ndjson": text}
    elif model is Allocations:
        content["text/csv"] = {"schema": {"type": "string"}}
    return {
        200: {"description": "The answer", "content": content},
        304: {"description": "What the caller has, by If-None-Match, is still right"},
        **_problems(),
    }


def files() -> dict[int, Any]:
    """The responses of a route that answers with files only."""
    text = {"schema": {"type": "string"}}
    return {
        200: {"description": "The rows", "content": {"text/csv": text, "application/x-ndjson": text}},
        304: {"description": "What the caller has, by If-None-Match, is still right"},
        **_problems(),
    }


def _problems() -> dict[int, Any]:
    return {
        status: {"description": description, "content": {"application/problem+json": {"model": Problem}}}
        for status, description in _PROBLEMS.items()
    }
