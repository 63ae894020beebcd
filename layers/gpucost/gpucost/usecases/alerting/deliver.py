"""Bring findings from the queue to the chat channel."""

import json
from collections.abc import Sequence

from gpucost.domain.alerts.blocks import NO_REPLY, Reply, slack_message
from gpucost.domain.alerts.finding import Finding
from gpucost.domain.alerts.messages import finding_of
from gpucost.ports import Chat, DeliveryAmbiguous, DeliveryError, MessageError
from gpucost.usecases.alerting.patience import Patience

PAUSE_SECONDS = 2.0


def read_finding(body: str) -> Finding:
    """The finding in a message of the topic, as raw message delivery hands it on. MessageError when it holds none."""
    try:
        return finding_of(json.loads(body))
    except json.JSONDecodeError as error:
        raise MessageError(f"the message is not JSON ({error}); the subscription needs raw message delivery") from None
    except (ValueError, RecursionError) as error:
        raise MessageError(f"the message is not one of ours: {error}") from None


def deliver(findings: Sequence[Finding], chat: Chat, patience: Patience, reply: Reply = NO_REPLY) -> None:
    """Post one message about the findings of one cluster-hour (`domain.blocks.by_hour` sorts them so).

    DeliveryUnavailable: send the same findings again later, `retry_after` seconds from now if it says so; as long as
    patience lasts, that is done here. Where the answer is ambiguous, the post is repeated once after a pause; if it is
    again, DeliveryError says where to look. Every other DeliveryError is for good, too.
    """
    message = slack_message(findings, reply)
    try:
        patience.send(lambda: chat.post(message))
    except DeliveryAmbiguous:
        patience.pause(PAUSE_SECONDS)
    else:
        return
    try:
        patience.send(lambda: chat.post(message))
    except DeliveryAmbiguous as error:
        raise ambiguous_twice(findings, error) from error


def ambiguous_twice(findings: Sequence[Finding], error: DeliveryAmbiguous) -> DeliveryError:
    """What to raise when two tries ended without a clear answer."""
    ids = ", ".join(finding.id for finding in findings)
    return DeliveryError(
        f"it is not known whether the message arrived, after two tries: {error}. "
        f"Look for these findings in the channel, and send them again if they are not there: {ids}"
    )
