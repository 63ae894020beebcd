"""Per batch of findings from the topic's queue: post one message per cluster-hour to the chat channel."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.runtime import container
from gpucost.runtime.batches import Response, bodies, work_queue
from gpucost.runtime.environment import NotifyEnvironment
from gpucost.runtime.observability import count, observed
from gpucost.usecases.deliver import read_finding
from gpucost.usecases.deliver_batch import deliver_batch


@observed
def lambda_handler(event: dict[str, Any], _context: LambdaContext) -> Response:
    """Answers with the messages to deliver again; those that never can be posted go to the dead-letter queue."""
    parts = container.parts(NotifyEnvironment)
    failures = deliver_batch(bodies(event), parts.chat, parts.pause)

    def settle(message: str) -> None:
        failure = failures.get(read_finding(message).id)
        if failure is not None:
            raise failure
        count("FindingsDelivered")

    return work_queue(event, settle, parts.dead_letters, parts.max_receives)
