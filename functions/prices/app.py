"""Daily, or on demand: ask the AWS price list about every instance type that was ever priced, and keep what is new."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.ports import ServiceUnavailable
from gpucost.runtime import container
from gpucost.runtime.environment import PricesEnvironment
from gpucost.runtime.observability import count, logger, observed
from gpucost.usecases.pricing.refresh_prices import pairs_from, refresh_prices


@observed
def lambda_handler(event: dict[str, Any], _context: LambdaContext) -> dict[str, int]:
    """What could not be asked now is raised at the end, when the rest is kept: Lambda tries again twice."""
    parts = container.parts(PricesEnvironment)
    done = refresh_prices(parts.price_book, parts.price_list, pairs_from(event), parts.now())
    for entry in done.added:
        facts = {"region": entry.region, "instance_type": entry.instance_type, "from": entry.valid_from.key}
        told = logger.warning if entry.flag or entry.usd_per_hour is None else logger.info
        told("price", extra={**facts, "usd_per_hour": str(entry.usd_per_hour), "flag": entry.flag, "note": entry.note})
    count("PricesChanged", len(done.added))
    if done.unasked:
        raise ServiceUnavailable("; ".join(done.unasked.values()))
    return {"changed": len(done.added)}
