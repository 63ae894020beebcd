"""Per job: read the cluster-hour from the metrics engine, allocate it, publish it in the ledger."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.ports import HourJob, Outcome
from gpucost.runtime import container
from gpucost.runtime.batches import Response, work_queue
from gpucost.runtime.environment import CollectEnvironment
from gpucost.runtime.memory import expect_many_objects
from gpucost.runtime.observability import count, logger, observed
from gpucost.usecases.recording.close_hour import close_hour


@observed
def lambda_handler(event: dict[str, Any], _context: LambdaContext) -> Response:
    """Answers with the messages to deliver again; those that never can succeed go to the dead-letter queue."""
    expect_many_objects()
    parts = container.parts(CollectEnvironment)

    def work(message: str) -> None:
        job, settings = HourJob.from_message(message), parts.settings
        publication = close_hour(
            job,
            parts.metrics(settings),
            parts.ledger,
            settings.policy(),
            settings_digest=settings.digest(),
            now=parts.now(),
            prices=parts.price_sources(settings),
        )
        facts = {"cluster": job.cluster, "hour": job.hour.key, "why": job.reason}
        if publication is None:
            count("HoursWithoutData")
            logger.warning("nothing was reported", extra=facts)
            return
        if publication.outcome is Outcome.PUBLISHED:
            count("HoursPublished")
        head = publication.head
        logger.info(publication.outcome.value, extra={**facts, "revision": head.revision, "status": head.status})

    return work_queue(event, work, parts.dead_letters, parts.max_receives)
