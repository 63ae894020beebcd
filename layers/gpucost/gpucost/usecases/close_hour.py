"""Work out one cluster-hour and offer it to the ledger."""

from datetime import datetime

from gpucost.domain.allocation import allocate
from gpucost.domain.policy import Policy
from gpucost.ports import HourJob, Ledger, Metrics, MetricsError, Publication


def close_hour(
    job: HourJob, metrics: Metrics, ledger: Ledger, policy: Policy, *, settings_digest: str, now: datetime
) -> Publication:
    """Read the hour, allocate it under the policy, publish it. Safe to repeat: the ledger recognises its own hour.

    MetricsError when the hour cannot be read, or holds nothing of the cluster: nothing has been written then.
    `settings_digest` goes into the record as the name of the settings that made the policy.
    """
    readings = metrics.read_hour(job.cluster, job.hour)
    if not readings.seen:
        raise MetricsError(
            f"nothing was reported of cluster {job.cluster} in the hour from {job.hour}: check the cluster's name, "
            "cluster_label in the settings, and that kube-state-metrics is scraped"
        )
    return ledger.publish(allocate(readings, policy, job.cluster, job.hour, settings_digest), now)
