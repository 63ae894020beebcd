"""Slack's Web API on loopback: chat.postMessage and chat.update, with its limits, its errors and its memory."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from local.stack.http import QuietHandler, http_server
from local.stack.slack_limits import fault_of

TOKEN = "xoxb-0000-canary-token"
CHANNEL = "C0123ABCD"


@dataclass
class SlackWeb:
    """`messages` by (channel, timestamp), each with all of its versions. `answers` are given instead of looking.

    An answer is (status, body), or ("done", status): the request is carried out, and its answer is lost on the way.
    `wait` is what Retry-After says with a 429. `told` is what whoever pressed a button was told.
    """

    url: str = ""
    token: str = TOKEN
    messages: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    answers: list[tuple[int | str, Any]] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)
    wait: str = "30"
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def receive(self, path: str, authorization: str, body: bytes) -> tuple[int, dict[str, Any]]:
        with self._lock:
            if "/actions/" in path:
                self.told.append(json.loads(body))
                return 200, {}
            method = path.rpartition("/")[2]
            self.calls.append(method)
            answer = self.answers.pop(0) if self.answers else None
            if answer and answer[0] != "done":
                return int(answer[0]), answer[1]
            result = self._act(method, authorization, json.loads(body))
            return (int(answer[1]), {}) if answer else (200, result)

    def _act(self, method: str, authorization: str, payload: dict[str, Any]) -> dict[str, Any]:
        if authorization != f"Bearer {self.token}":
            return {"ok": False, "error": "invalid_auth"}
        channel, stamp = payload.pop("channel", ""), payload.pop("ts", "")
        if fault := fault_of(payload):
            return {"ok": False, "error": fault}
        if method == "chat.postMessage":
            stamp = f"1796032800.{len(self.messages):06}"
            self.messages[channel, stamp] = [payload]
        elif (channel, stamp) in self.messages:
            self.messages[channel, stamp].append(payload)
        else:
            return {"ok": False, "error": "message_not_found"}
        return {"ok": True, "channel": channel, "ts": stamp}


@contextmanager
def slack_web() -> Iterator[SlackWeb]:
    """Serve until the block ends."""
    double = SlackWeb()

    class Handler(QuietHandler):
        def respond(self) -> None:
            status, answer = double.receive(self.path, self.headers.get("Authorization", ""), self.body())
            headers = {"Retry-After": double.wait} if status == 429 else None
            self.answer(status, json.dumps(answer).encode(), "application/json; charset=utf-8", headers)

    with http_server(Handler) as url:
        double.url = f"{url}/api"
        yield double
