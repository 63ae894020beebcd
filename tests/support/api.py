"""Asking the API's handler: requests as API Gateway hands them on, answers as a client sees them."""

import base64
import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import simplejson

from functions.api.app import lambda_handler
from local.stack.events import http_api_event
from tests.support.handlers import NOW, Context

ADMIN = "arn:aws:iam::111122223333:role/finops"


@dataclass(frozen=True, slots=True)
class Reply:
    """Status, headers by lower-case name, and the body as the client reads it."""

    status: int
    headers: Mapping[str, str]
    body: str

    @property
    def json(self) -> Any:
        return simplejson.loads(self.body, use_decimal=True)


def ask(
    path: str,
    query: Mapping[str, Any] | str = "",
    caller: str | Mapping[str, str] = ADMIN,
    headers: Mapping[str, str] | None = None,
    now: datetime = NOW,
    method: str = "GET",
) -> Reply:
    """Ask about a path as an IAM identity, or with a token's claims."""
    text = query if isinstance(query, str) else urlencode(query)
    event = http_api_event(method, path, text, headers or {}, now, caller if isinstance(caller, str) else "")
    if not isinstance(caller, str):
        event["requestContext"]["authorizer"] = {"jwt": {"claims": dict(caller), "scopes": None}}
    return reply(lambda_handler(event, Context()))


def reply(answer: Mapping[str, Any]) -> Reply:
    headers = {name.lower(): str(value) for name, value in (answer.get("headers") or {}).items()}
    content = answer.get("body") or ""
    raw = base64.b64decode(content) if answer.get("isBase64Encoded") else content.encode()
    if headers.get("content-encoding") == "gzip":
        raw = gzip.decompress(raw)
    return Reply(int(answer["statusCode"]), headers, raw.decode())
