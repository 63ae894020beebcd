"""Tell what a published hour gives reason to tell: once, and rather twice than not at all."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from gpucost.domain.alerts import Finding
from gpucost.domain.findings import find_waste
from gpucost.domain.hours import Hour
from gpucost.domain.policy import AlertRules
from gpucost.ports import AlertLog, GpucostError, Ledger, LedgerError, Publisher, ServiceError, ServiceUnavailable

NEWS = timedelta(hours=6)
"""How long after its end an hour is news. What a backfill or a healed gap shows is history: it alerts nobody."""


def detect(
    cluster: str,
    hour: Hour,
    *,
    ledger: Ledger,
    rules: AlertRules,
    log: AlertLog,
    publisher: Publisher,
    now: datetime,
    news: timedelta | None = None,
) -> tuple[Finding, ...]:
    """Find and tell what the published report of the hour shows. Gives back the findings that were told now.

    With `news`, an hour that ended longer ago than that tells nothing.
    """
    if news is not None and now - hour.end > news:
        return ()
    return tell(findings_of(ledger, cluster, hour, rules), log, publisher, now)


def findings_of(ledger: Ledger, cluster: str, hour: Hour, rules: AlertRules) -> tuple[Finding, ...]:
    """What the published report of the hour shows. LedgerError when there is none, because somebody said there is."""
    report = ledger.report(cluster, hour)
    if report is None:
        raise LedgerError(
            f"{cluster} {hour} was announced as published, but the ledger has no report of it: "
            "send the record again once the ledger can be read, or publish the hour again"
        )
    return find_waste(report, rules)


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
