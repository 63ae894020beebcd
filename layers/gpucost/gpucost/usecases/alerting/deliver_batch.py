"""Bring a batch of queued findings to the chat channel, one message per cluster-hour."""

from collections.abc import Callable, Iterable
from datetime import datetime

from gpucost.domain.alerts.blocks import NO_REPLY, Reply, by_hour
from gpucost.domain.alerts.finding import Finding, Step
from gpucost.ports import Chat, DeliveryUnavailable, MessageError
from gpucost.tracking import MessageBook, Posted
from gpucost.usecases.alerting.deliver import deliver, read_finding
from gpucost.usecases.alerting.patience import Patience

WEBHOOK = "webhook"
SECONDS_BETWEEN_POSTS = 1.0
"""Slack takes about one message a second from a webhook."""


def deliver_batch(
    findings: Iterable[Finding],
    chat: Chat,
    book: MessageBook,
    pause: Callable[[float], None],
    now: datetime,
    reply: Reply = NO_REPLY,
) -> dict[str, Exception]:
    """Deliver findings. Gives back why a finding was not delivered, by its id.

    A webhook's message cannot be changed, so the small steps between an episode's opening, its escalations and its end
    are left out. What was delivered is noted, so that a queue that delivers again does not tell again.
    A message group that fails does not keep back the others, except when the channel cannot take any for now: then the
    rest is not tried.
    """
    failures: dict[str, Exception] = {}
    unavailable: DeliveryUnavailable | None = None
    patience = Patience(pause)
    new = (one for one in findings if one.step is not Step.UPDATE and book.posted(one.id) is None)
    for index, group in enumerate(by_hour(new)):
        if unavailable is None and index:
            pause(SECONDS_BETWEEN_POSTS)
        try:
            if unavailable is not None:
                raise unavailable
            deliver(group, chat, patience, reply)
            for finding in group:
                book.keep_posted(finding.id, Posted(WEBHOOK, f"{now.timestamp():.6f}"))
        except DeliveryUnavailable as error:
            unavailable = error
            failures |= _all(group, error)
        except Exception as error:
            failures |= _all(group, error)
    return failures


def findings_in(bodies: Iterable[str]) -> Iterable[Finding]:
    for body in bodies:
        try:
            yield read_finding(body)
        except MessageError:
            continue


def _all(group: Iterable[Finding], error: Exception) -> dict[str, Exception]:
    return {finding.id: error for finding in group}
