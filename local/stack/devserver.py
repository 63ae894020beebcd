"""The API on localhost: turns HTTP requests into the events of an HTTP API, and the handler's answers back.

There is no authorizer on this machine; in the cloud the HTTP API asks for SigV4. Requests count as those of one IAM
user, or of whoever the header X-Local-Caller names, to try the rules of access.
"""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from urllib.parse import unquote, urlsplit

from local.stack.events import LOCAL_CALLER, http_api_event
from local.stack.http import QuietHandler, http_server
from local.stack.runner import Runner

DEFAULT_PORT = 8642


@contextmanager
def api_server(runner: Runner, port: int = 0) -> Iterator[str]:
    """Serve the function `api` until the block ends; yields the base URL. Port 0 is any free one."""

    class Handler(QuietHandler):
        def respond(self) -> None:
            self.body()
            parts = urlsplit(self.path)
            caller = self.headers.get("X-Local-Caller", LOCAL_CALLER)
            headers = dict(self.headers.items())
            event = http_api_event(self.command, unquote(parts.path), parts.query, headers, datetime.now(UTC), caller)
            answer = runner.invoke("api", event)
            body = str(answer.get("body") or "")
            content = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()
            headers = {name: str(value) for name, value in (answer.get("headers") or {}).items()}
            content_type = headers.pop("Content-Type", "application/json")
            headers.pop("Content-Length", None)
            self.answer(int(answer["statusCode"]), content, content_type, headers)

    with http_server(Handler, port) as base_url:
        yield base_url
