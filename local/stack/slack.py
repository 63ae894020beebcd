"""A Slack incoming webhook on loopback. It refuses what Slack refuses, in Slack's words, and remembers what it took."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from local.stack.http import QuietHandler, http_server
from local.stack.slack_limits import fault_of

HOOK_PATH = "/services/T00000000/B00000000/local"
PLAIN = "text/plain; charset=utf-8"


@dataclass
class SlackDouble:
    """A running webhook. `answers` are (status, body) pairs that the next requests get instead of being looked at."""

    webhook_url: str = ""
    messages_per_second: float | None = None
    messages: list[dict[str, Any]] = field(default_factory=list)
    refused: list[tuple[int, str]] = field(default_factory=list)
    answers: list[tuple[int, str]] = field(default_factory=list)
    _free_at: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def receive(self, path: str, content_type: str, body: bytes) -> tuple[int, str, dict[str, str]]:
        """Status, plain-text body and headers of the answer to one post."""
        with self._lock:
            status, text, headers = self._judge(path, content_type, body)
            if status != 200:
                self.refused.append((status, text))
            return status, text, headers

    def _judge(self, path: str, content_type: str, body: bytes) -> tuple[int, str, dict[str, str]]:
        if path != HOOK_PATH:
            return 404, "no_service", {}
        if self.answers:
            status, text = self.answers.pop(0)
            return status, text, {"Retry-After": "1"} if status == 429 else {}
        wait = self._free_at - time.monotonic()
        if self.messages_per_second and wait > 0:
            return 429, "rate_limited", {"Retry-After": str(int(wait) + 1)}
        payload = _decode(content_type, body)
        if fault := fault_of(payload):
            return 400, fault, {}
        if self.messages_per_second:
            self._free_at = time.monotonic() + 1 / self.messages_per_second
        self.messages.append(payload)
        return 200, "ok", {}


def _decode(content_type: str, body: bytes) -> Any:
    if not content_type.startswith("application/json"):
        return None
    try:
        return json.loads(body)
    except ValueError:
        return None


@contextmanager
def slack_double(messages_per_second: float | None = None) -> Iterator[SlackDouble]:
    """A webhook that takes everything well-formed, or at most so many messages a second as Slack does (about 1)."""
    double = SlackDouble(messages_per_second=messages_per_second)

    class Handler(QuietHandler):
        def respond(self) -> None:
            status, text, headers = double.receive(self.path, self.headers.get("Content-Type", ""), self.body())
            self.answer(status, text.encode(), PLAIN, headers)

    with http_server(Handler) as base_url:
        double.webhook_url = f"{base_url}{HOOK_PATH}"
        yield double
