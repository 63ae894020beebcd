"""A webhook on loopback that misbehaves on demand, as networks and proxies do and Slack's own double does not."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from local.stack.http import QuietHandler, http_server

PATH = "/services/T00CANARY/B00CANARY/secretCANARY"


@dataclass
class FaultyWebhook:
    """`fault` is what the next requests meet; `received` counts the requests that arrived whole."""

    url: str = ""
    fault: str = ""
    status: int = 200
    body: str = "ok"
    headers: dict[str, str] = field(default_factory=dict)
    received: list[bytes] = field(default_factory=list)
    delay: float = 0.0


@contextmanager
def faulty_webhook() -> Iterator[FaultyWebhook]:
    """A webhook that takes everything until it is told otherwise."""
    webhook = FaultyWebhook()

    class Handler(QuietHandler):
        def respond(self) -> None:
            webhook.received.append(self.body())
            match webhook.fault:
                case "hang":
                    time.sleep(webhook.delay)
                case "drop":
                    self._hang_up()
                case "half":
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nok")
                    self.wfile.flush()
                    self._hang_up()
                case "garbage":
                    self.wfile.write(b"what?\r\n\r\n")
                    self._hang_up()
                case _:
                    self.answer(webhook.status, webhook.body.encode(), "text/plain", webhook.headers)

        def _hang_up(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    with http_server(Handler) as base_url:
        webhook.url = f"{base_url}{PATH}"
        yield webhook
