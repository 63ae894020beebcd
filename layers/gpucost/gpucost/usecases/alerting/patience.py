"""Slack says how long to wait: as long as that fits into a batch's time, it is waited for."""

from collections.abc import Callable
from dataclasses import dataclass

from gpucost.ports import DeliveryUnavailable

LONGEST = 60.0
"""Seconds that one batch waits in all. What takes longer waits in the queue."""
LEAST = 1.0


@dataclass(slots=True)
class Patience:
    """`pause` waits; `left` is how many seconds may still be waited."""

    pause: Callable[[float], None]
    left: float = LONGEST

    def send[T](self, call: Callable[[], T]) -> T:
        """Call until it is taken, waiting as long as was asked for. DeliveryUnavailable when patience ends."""
        while True:
            try:
                return call()
            except DeliveryUnavailable as error:
                if error.retry_after is None or not self._wait(max(error.retry_after, LEAST)):
                    raise

    def _wait(self, seconds: float) -> bool:
        if seconds > self.left:
            return False
        self.left -= seconds
        self.pause(seconds)
        return True
