"""Prometheus servers shared by the tests of a session, one for each history that a test asks for."""

from collections import OrderedDict
from contextlib import AbstractContextManager

from local.stack.prometheus import prometheus_with

KEEP = 12


class PrometheusPool:
    """Starts a Prometheus for a history, or finds the one that holds it. At most `keep` run at a time.

    A URL stays good until `keep` other histories were asked for: ask again rather than hold on to one.
    """

    def __init__(self, keep: int = KEEP) -> None:
        self._keep = keep
        self._running: OrderedDict[str, tuple[AbstractContextManager[str], str]] = OrderedDict()

    def __call__(self, openmetrics: str) -> str:
        if openmetrics in self._running:
            self._running.move_to_end(openmetrics)
            return self._running[openmetrics][1]
        if len(self._running) >= self._keep:
            _, (oldest, _) = self._running.popitem(last=False)
            oldest.__exit__(None, None, None)
        manager = prometheus_with(openmetrics)
        url = manager.__enter__()
        self._running[openmetrics] = (manager, url)
        return url

    def close(self) -> None:
        while self._running:
            _, (manager, _) = self._running.popitem()
            manager.__exit__(None, None, None)
