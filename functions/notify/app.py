"""Per batch of findings from the topic's queue: tell them in the chat, by a bot or by a webhook."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.runtime import container
from gpucost.runtime.batches import Response, bodies, work_queue
from gpucost.runtime.environment import NotifyEnvironment
from gpucost.runtime.observability import count, observed
from gpucost.usecases.alerting.deliver import read_finding
from gpucost.usecases.alerting.deliver_batch import deliver_batch, findings_in
from gpucost.usecases.alerting.tell_episode import Teller, tell_batch


@observed
def lambda_handler(event: dict[str, Any], _context: LambdaContext) -> Response:
    """Answers with the messages to deliver again; those that never can be posted go to the dead-letter queue."""
    parts = container.parts(NotifyEnvironment)
    findings = findings_in(bodies(event))
    if parts.bot is None:
        failures = deliver_batch(findings, parts.chat, parts.messages, parts.pause, parts.now(), parts.reply)
    else:
        failures = tell_batch(findings, Teller(parts.bot, parts.messages, parts.reply, parts.pause, parts.now))

    def settle(message: str) -> None:
        failure = failures.get(read_finding(message).id)
        if failure is not None:
            raise failure
        count("FindingsDelivered")

    return work_queue(event, settle, parts.dead_letters, parts.max_receives)
