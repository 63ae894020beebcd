"""Hourly, or on a backfill event: queue one job for every cluster-hour that is due."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.runtime import container
from gpucost.runtime.environment import PlanEnvironment
from gpucost.runtime.observability import count, logger, observed
from gpucost.usecases.recording.plan import plan, requested


@observed
def lambda_handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, int]:
    """A failure is raised: Lambda tries again twice and then keeps the event, with the error, in the failure queue."""
    parts = container.parts(PlanEnvironment)
    now = parts.now()
    due = plan(requested(event, now), parts.clusters, parts.jobs, parts.ledger, parts.upkeep, now)
    count("HoursQueued", len(due))
    logger.info("queued", hours=len(due), first=due[0].hour.key, last=due[-1].hour.key, reason=due[0].reason)
    return {"queued": len(due)}
