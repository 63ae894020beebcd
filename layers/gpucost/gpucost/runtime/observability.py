"""Logs as JSON lines and metrics in CloudWatch's embedded format: both are written to standard output only."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

type Handler = Callable[[dict[str, Any], LambdaContext], Any]

NAMESPACE = "gpucost"

logger = Logger()
_metrics = Metrics(namespace=NAMESPACE)


def count(name: str, value: int = 1) -> None:
    """Add to one of this invocation's metrics, a number of things."""
    _metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)


def observed(handler: Handler) -> Handler:
    """A Lambda handler whose log lines carry the invocation's ids, and whose metrics are written when it ends.

    The event itself is never logged: it may hold what does not belong into a log.
    """

    @wraps(handler)
    def wrapper(event: dict[str, Any], context: LambdaContext) -> Any:
        try:
            return handler(event, context)
        finally:
            if _metrics.metric_set:
                _metrics.flush_metrics()

    return logger.inject_lambda_context(wrapper, clear_state=True)
