"""The HTTP side of a Prometheus-compatible engine: signed, form-encoded, retried while it makes sense."""

import time
from collections.abc import Callable, Mapping
from urllib.parse import quote, urlencode, urlsplit

import requests
from requests.auth import AuthBase

from gpucost.adapters.metrics.errors import error_of
from gpucost.ports import MetricsError, MetricsUnavailable

CONNECT_TIMEOUT = 3.0
READ_TIMEOUT = 60.0
ATTEMPTS = 3
FIRST_PAUSE = 0.5
_HEADERS = {
    "Content-Type": "application/x-www-form-urlencoded",
    # Inside a region the shorter transfer saves less time than compressing a range of ratios costs the engine.
    "Accept-Encoding": "identity",
}
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def form_body(parameters: Mapping[str, str]) -> str:
    """Percent-encode each value exactly once (RFC 3986): what is sent is what is signed."""
    return urlencode(parameters, quote_via=quote, safe="")


class EngineClient:
    """Asks one engine. `endpoint` ends before /api/v1; `auth` signs each request, or is None for a plain Prometheus."""

    def __init__(
        self,
        endpoint: str,
        auth: AuthBase | None = None,
        read_timeout: float = READ_TIMEOUT,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.endpoint = checked_endpoint(endpoint)
        self._auth = auth
        self._timeout = (CONNECT_TIMEOUT, read_timeout)
        self._sleep = sleep
        self._session = requests.Session()
        self._session.trust_env = False

    def post(self, path: str, parameters: Mapping[str, str]) -> str:
        """The body of a 200 answer. MetricsUnavailable after three tries; any other MetricsError at once."""
        pause = FIRST_PAUSE
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._once(path, parameters)
            except MetricsUnavailable:
                if attempt == ATTEMPTS:
                    raise
                self._sleep(pause)
                pause *= 2
        raise AssertionError("unreachable")

    def _once(self, path: str, parameters: Mapping[str, str]) -> str:
        try:
            response = self._session.post(
                f"{self.endpoint}/api/v1/{path}",
                data=form_body(parameters),
                headers=_HEADERS,
                auth=self._auth,
                timeout=self._timeout,
                allow_redirects=False,
            )
        except requests.Timeout as error:
            raise MetricsUnavailable(f"{self.endpoint} did not answer in time ({type(error).__name__})") from error
        except requests.RequestException as error:
            raise MetricsUnavailable(
                f"{self.endpoint} could not be reached ({type(error).__name__}): check the endpoint and the network"
            ) from error
        if response.status_code != requests.codes.ok:
            raise error_of(self.endpoint, response.status_code, response.text)
        response.encoding = "utf-8"
        return response.text


def checked_endpoint(endpoint: str) -> str:
    """The endpoint without its trailing slash. MetricsError unless it is https, or http on this machine."""
    parts = urlsplit(endpoint)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise MetricsError(
            f"{endpoint!r} is not an endpoint: expected https://…/workspaces/ws-… or http://localhost:9090"
        )
    if parts.username or parts.password:
        raise MetricsError("the endpoint must not carry a user name or password")
    return endpoint.rstrip("/").removesuffix("/api/v1")
