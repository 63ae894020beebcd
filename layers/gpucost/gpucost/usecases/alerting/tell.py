"""Publish findings: each once, and rather twice than not at all."""

from collections.abc import Sequence
from datetime import datetime

from gpucost.domain.alerts.finding import Finding
from gpucost.ports import AlertLog, GpucostError, Publisher, ServiceError, ServiceUnavailable


def tell(findings: Sequence[Finding], log: AlertLog, publisher: Publisher, now: datetime) -> tuple[Finding, ...]:
    """Publish every finding that the log does not know as told, and note it there.

    A crash between publishing and noting makes the next call publish it again, under the same id. One finding that
    cannot be published does not keep back the others: the error is raised at the end and names all that failed.
    """
    told: list[Finding] = []
    failures: list[tuple[Finding, GpucostError]] = []
    for finding in findings:
        if not log.begin(finding, now):
            continue
        try:
            publisher.publish(finding)
        except GpucostError as error:
            failures.append((finding, error))
        else:
            log.done(finding.id, now)
            told.append(finding)
    if failures:
        raise _failure(failures, len(findings))
    return tuple(told)


def _failure(failures: Sequence[tuple[Finding, GpucostError]], of: int) -> ServiceError:
    kind = ServiceUnavailable if any(error.retryable for _, error in failures) else ServiceError
    reasons = "; ".join(f"{finding.id}: {error}" for finding, error in failures)
    return kind(f"{len(failures)} of {of} findings were not published: {reasons}")
