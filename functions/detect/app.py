"""Per published hour in the ledger's stream: tell what is worth telling about it."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.runtime import container
from gpucost.runtime.batches import Response, work_stream
from gpucost.runtime.environment import DetectEnvironment
from gpucost.runtime.observability import count, observed
from gpucost.usecases.alerting.watch import watch
from gpucost.usecases.recording.published import published_hour


@observed
def lambda_handler(event: dict[str, Any], _context: LambdaContext) -> Response:
    """Answers with the records to deliver again; those that never can succeed go to the dead-letter queue."""
    parts = container.parts(DetectEnvironment)

    def work(item: Mapping[str, Any]) -> None:
        announced = published_hour(item)
        if announced is None:
            return
        told = watch(*announced, parts.alerting, parts.now())
        count("FindingsTold", len(told))

    return work_stream(event, work, parts.dead_letters, parts.now())
