"""The composition root: which adapters stand behind the ports of each function.

Nothing is built at import, and each part only when it is first used; then it lives as long as the Lambda environment.
"""

import os
from collections.abc import Callable
from datetime import UTC, datetime

from gpucost.runtime.alert_parts import AlertParts
from gpucost.runtime.environment import Environment
from gpucost.runtime.price_parts import PriceParts


class Container(PriceParts, AlertParts):
    """The parts of one function. A part that the function's environment does not provide for is refused."""

    def now(self) -> datetime:
        return _clock()


def _utc_now() -> datetime:
    return datetime.now(UTC)


_clock: Callable[[], datetime] = _utc_now
_containers: dict[type[Environment], Container] = {}


def parts(kind: type[Environment]) -> Container:
    """The parts of the function with this environment, built on first use. ConfigurationError when it is incomplete."""
    if kind not in _containers:
        _containers[kind] = Container(kind.read(os.environ))
    return _containers[kind]


def reset(clock: Callable[[], datetime] = _utc_now) -> None:
    """Forget all parts, and go by this clock: for tests and replays; in Lambda nothing of the kind ever changes."""
    global _clock  # noqa: PLW0603 -- the one clock of the process
    _clock = clock
    _containers.clear()
