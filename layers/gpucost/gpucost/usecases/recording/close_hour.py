"""Work out one cluster-hour and offer it to the ledger."""

from datetime import datetime

from gpucost.books import Books
from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.policy import Policy
from gpucost.domain.prices.pricing import SETTINGS_ONLY
from gpucost.ports import HourJob, Metrics, MetricsError, Publication
from gpucost.prices import PriceSources
from gpucost.usecases.pricing.price_hour import price_sheet
from gpucost.usecases.recording.plan import SCHEDULED
from gpucost.usecases.recording.record_hour import record_hour


def close_hour(
    job: HourJob,
    metrics: Metrics,
    ledger: Books,
    policy: Policy,
    *,
    settings_digest: str,
    now: datetime,
    prices: PriceSources | None = None,
) -> Publication | None:
    """Read the hour, allocate it under the policy, publish it. Safe to repeat: the ledger recognises its own hour.

    MetricsError when the hour cannot be read, or when the hour that has just ended holds nothing of the cluster:
    nothing has been written then. None when another look, a gap or a backfill finds nothing: that is how it is.
    `settings_digest` goes into the record as the name of the settings that made the policy. Without `prices`, the
    settings' rates are all there is.
    """
    readings = metrics.read_hour(job.cluster, job.hour)
    if not readings.seen and job.reason != SCHEDULED:
        return None
    if not readings.seen:
        raise MetricsError(
            f"nothing was reported of cluster {job.cluster} in the hour from {job.hour}: check the cluster's name, "
            "cluster_label in the settings, and that kube-state-metrics is scraped"
        )
    sheet = price_sheet(readings, job.hour, policy.rates, prices, now) if prices else SETTINGS_ONLY
    return record_hour(allocate(readings, policy, job.cluster, job.hour, settings_digest, sheet), ledger, now)
