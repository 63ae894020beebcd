"""Ways to build a metrics source: an AMP workspace, or any Prometheus."""

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from requests_aws4auth import AWS4Auth

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics.client import LOOPBACK, READ_TIMEOUT, EngineClient
from gpucost.adapters.metrics.errors import AccessDenied
from gpucost.adapters.metrics.source import EngineMetrics
from gpucost.domain.policy import Policy
from gpucost.ports import MetricsError

if TYPE_CHECKING:
    import boto3

PERMISSIONS = ("aps:QueryMetrics",)
"""What the caller's role needs on the workspace."""

SERVICE = "aps"
_AMP_HOST = re.compile(
    r"(?:[a-z0-9-]+\.)?aps-workspaces(?:-fips)?\.(?P<region>[a-z0-9-]+)\.(?:vpce\.)?amazonaws\.com(?:\.cn)?"
)


def prometheus_metrics(
    url: str, labels: LabelNames, policy: Policy, read_timeout: float = READ_TIMEOUT
) -> EngineMetrics:
    """Any Prometheus, unsigned. `url` is what its web page is under."""
    return EngineMetrics(EngineClient(url, read_timeout=read_timeout), labels, policy)


def amp_metrics(
    endpoint: str,
    labels: LabelNames,
    policy: Policy,
    session: "boto3.Session",
    region: str | None = None,
    sample_fuse: int | None = None,
    read_timeout: float = READ_TIMEOUT,
) -> EngineMetrics:
    """An Amazon Managed Prometheus workspace, signed with the session's credentials, which may refresh.

    endpoint: https://aps-workspaces.<region>.amazonaws.com/workspaces/ws-…, as describe-workspace prints it.
    sample_fuse: refuse a query that would process more samples than this (it is not charged then).
    """
    named = region_of(endpoint)
    credentials = session.get_credentials()
    if credentials is None:
        raise AccessDenied("no AWS credentials found: set AWS_PROFILE, or run `aws configure` or `aws sso login`")
    auth = AWS4Auth(refreshable_credentials=credentials, region=region or named, service=SERVICE)
    return EngineMetrics(EngineClient(endpoint, auth, read_timeout), labels, policy, sample_fuse)


def region_of(endpoint: str) -> str:
    """The region that an AMP endpoint names; us-east-1 for an endpoint on this machine. MetricsError for any other."""
    host = urlsplit(endpoint).hostname or ""
    match = _AMP_HOST.fullmatch(host)
    if match:
        return match["region"]
    if host in LOOPBACK:
        return "us-east-1"
    raise MetricsError(
        f"{endpoint!r} is not an Amazon Managed Prometheus endpoint "
        "(https://aps-workspaces.<region>.amazonaws.com/workspaces/ws-…): credentials are sent to no other host"
    )
