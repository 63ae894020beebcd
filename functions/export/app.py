"""Nightly: the costs of the day that is over, and of the days before it, as files for Athena."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.domain.answers.focus import Account
from gpucost.runtime import container
from gpucost.runtime.environment import ExportEnvironment
from gpucost.runtime.observability import count, logger, observed
from gpucost.usecases.answers.export_costs import export_days, requested_days


@observed
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:
    """A failure is raised: Lambda tries again twice and then keeps the event, with the error, in the failure queue."""
    parts = container.parts(ExportEnvironment)
    _, _, _, region, account_id, *_ = context.invoked_function_arn.split(":")
    days = requested_days(event, parts.now())
    keys = export_days(days, parts.clusters, parts.ledger, Account(account_id, region), parts.files)
    count("FilesExported", len(keys))
    logger.info("exported", files=len(keys))
    return {"files": len(keys)}
