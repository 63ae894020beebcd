"""Amazon Managed Prometheus as far as a reader sees it: a real Prometheus behind a gateway that verifies SigV4.

Faults can be put in its way: a status and body, a delay, a connection that drops, for chosen requests.
"""

import gzip
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import requests
from botocore.credentials import Credentials

from local.stack.aws import ACCESS_KEY, SECRET_KEY
from local.stack.http import QuietHandler, http_server
from local.stack.sigv4 import SignatureError, SignedRequest, Verifier

WORKSPACE = "ws-00000000-0000-0000-0000-000000000000"
REGION = "us-east-1"
"""What the product signs for when an endpoint on this machine names no region."""
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Fault:
    """What a request meets instead of the engine. With no status, the engine answers after `delay` seconds."""

    status: int | None = None
    body: str = ""
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0
    drop: bool = False


@dataclass(frozen=True, slots=True)
class Received:
    """A request that reached the gateway, and the status it was answered with (None when it was dropped)."""

    method: str
    path: str
    body: str
    status: int | None


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    body: bytes
    content_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


def _refusal(status: int, message: str) -> _Reply:
    return _Reply(status, json.dumps({"message": message}).encode())


@dataclass
class Gateway:
    """A running gateway. `faults` are by the number of the request, counted from 1; `always` is for all others."""

    upstream: str
    verifier: Verifier
    workspace: str = WORKSPACE
    faults: dict[int, Fault] = field(default_factory=dict)
    always: Fault | None = None
    received: list[Received] = field(default_factory=list)
    base_url: str = ""
    _count: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def endpoint(self) -> str:
        """The workspace's endpoint as AMP's DescribeWorkspace writes it, with a trailing slash."""
        return f"{self.base_url}/workspaces/{self.workspace}/"

    def next_fault(self) -> Fault | None:
        """The fault of the request that is arriving now."""
        with self._lock:
            self._count += 1
            return self.faults.get(self._count, self.always)


@contextmanager
def sigv4_gateway(
    upstream: str, callers: Mapping[str, Credentials] | None = None, region: str = REGION, workspace: str = WORKSPACE
) -> Iterator[Gateway]:
    """A gateway in front of the Prometheus at `upstream`; by default the local stack's own credentials may ask."""
    known = callers if callers is not None else {ACCESS_KEY: Credentials(ACCESS_KEY, SECRET_KEY)}
    gateway = Gateway(upstream, Verifier("aps", region, known), workspace)

    class Handler(_Handler):
        pass

    Handler.gateway = gateway
    with http_server(Handler) as base_url:
        gateway.base_url = base_url
        yield gateway


class _Handler(QuietHandler):
    gateway: Gateway

    def respond(self) -> None:
        body, fault = self.body(), self.gateway.next_fault()
        if fault and fault.delay:
            time.sleep(fault.delay)
        reply = None if fault and fault.drop else self._reply(body, fault)
        # Recorded before it is sent, so that whoever has the answer finds the record.
        self.gateway.received.append(Received(self.command, self.path, body.decode(), reply.status if reply else None))
        if reply is None:
            self.close_connection = True
        else:
            self.answer(reply.status, reply.body, reply.content_type, dict(reply.headers))

    def _reply(self, body: bytes, fault: Fault | None) -> _Reply:
        if fault and fault.status is not None:
            return _Reply(fault.status, fault.body.encode(), fault.content_type, fault.headers)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = SignedRequest(self.command, f"{self.gateway.base_url}{self.path}", headers, body)
        try:
            self.gateway.verifier.verify(request, datetime.now(UTC))
        except SignatureError as error:
            return _refusal(403, str(error))
        workspace = f"/workspaces/{self.gateway.workspace}"
        if not self.path.startswith(f"{workspace}/api/v1/"):
            return _refusal(404, f"no workspace at {self.path}")
        return self._forward(self.path.removeprefix(workspace), body)

    def _forward(self, path: str, body: bytes) -> _Reply:
        headers = {"Content-Type": self.headers.get("Content-Type", JSON)}
        url = f"{self.gateway.upstream}{path}"
        answer = requests.request(self.command, url, data=body, headers=headers, timeout=60)
        content_type = answer.headers.get("Content-Type", JSON)
        if "gzip" in self.headers.get("Accept-Encoding", ""):
            packed = gzip.compress(answer.content, compresslevel=1)
            return _Reply(answer.status_code, packed, content_type, {"Content-Encoding": "gzip"})
        return _Reply(answer.status_code, answer.content, content_type)
