"""Bring a batch of queued findings to the chat channel, one message per cluster-hour."""

from collections.abc import Callable, Iterable

from gpucost.domain.alerts import Finding
from gpucost.domain.blocks import by_hour
from gpucost.ports import Chat, DeliveryUnavailable, MessageError
from gpucost.usecases.deliver import deliver, read_finding

SECONDS_BETWEEN_POSTS = 1.0
"""Slack takes about one message a second from a webhook."""


def deliver_batch(bodies: Iterable[str], chat: Chat, pause: Callable[[float], None]) -> dict[str, Exception]:
    """Deliver what the bodies hold. Gives back why a finding was not delivered, by its id.

    A message group that fails does not keep back the others, except when the channel cannot take any for now: then the
    rest is not tried. Bodies that hold no finding are passed over; `read_finding` says why.
    """
    failures: dict[str, Exception] = {}
    unavailable: DeliveryUnavailable | None = None
    for index, group in enumerate(by_hour(_findings(bodies))):
        if unavailable is None and index:
            pause(SECONDS_BETWEEN_POSTS)
        try:
            if unavailable is not None:
                raise unavailable
            deliver(group, chat, pause)
        except DeliveryUnavailable as error:
            unavailable = error
            failures |= _all(group, error)
        except Exception as error:
            failures |= _all(group, error)
    return failures


def _findings(bodies: Iterable[str]) -> Iterable[Finding]:
    for body in bodies:
        try:
            yield read_finding(body)
        except MessageError:
            continue


def _all(group: Iterable[Finding], error: Exception) -> dict[str, Exception]:
    return {finding.id: error for finding in group}
