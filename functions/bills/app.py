"""When the bill was delivered: let it take the place of the estimate."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.runtime import container
from gpucost.runtime.environment import BillsEnvironment
from gpucost.runtime.observability import count, logger, observed
from gpucost.usecases.pricing.true_up import on_event


@observed
def lambda_handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, int]:
    """A failure is raised: Lambda tries again twice and then keeps the event, with the error, in the failure queue."""
    parts = container.parts(BillsEnvironment)
    due = on_event(event, parts.bill_sources, parts.true_up)
    count("HoursRestated", len(due))
    logger.info("the bill was read", hours=len(due))
    return {"queued": len(due)}
