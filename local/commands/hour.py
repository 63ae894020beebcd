"""`gpucost hour`: one cluster-hour from any Prometheus or AMP workspace, worked out on the spot. It writes nothing."""

import os
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import simplejson
from botocore.exceptions import BotoCoreError

from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.allocation.explain import explain
from gpucost.domain.documents import report_document
from gpucost.domain.hours import Hour
from gpucost.domain.prices.pricing import SETTINGS_ONLY
from gpucost.domain.report import HourReport
from gpucost.ports import Metrics, MetricsError
from gpucost.prices import PriceSources
from gpucost.runtime.settings import Settings
from gpucost.usecases.pricing.price_hour import price_sheet
from local.errors import NoDataError, UsageError
from local.report_view import console, report_view
from local.settings_file import read_settings

DEFAULT_CLUSTER = "gpu-cost-poc"
WORKSPACE_ID = re.compile(r"ws-[0-9a-f-]+")
REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]")


@dataclass(frozen=True, slots=True)
class Source:
    """Where the metrics are: a Prometheus by URL, or an AMP workspace by id or endpoint in a region.

    timeout: seconds to wait for each answer. aws_prices: whether to ask AWS for prices; None leaves it to the source.
    """

    prometheus_url: str | None
    workspace: str | None
    region: str | None
    timeout: float
    aws_prices: bool | None = None

    def prices(self, settings: Settings) -> PriceSources | None:
        """AWS' prices, if they are wanted: for a workspace unless told otherwise. Nothing that is learned is kept."""
        wanted = self.workspace is not None if self.aws_prices is None else self.aws_prices
        if not wanted or not settings.asks_aws:
            return None
        import boto3

        from gpucost.adapters.aws_prices import aws_price_sources
        from gpucost.adapters.memory import MemoryBillBook, MemoryPriceBook

        return aws_price_sources(boto3.Session(), MemoryPriceBook(), MemoryBillBook())

    def metrics(self, settings: Settings) -> Metrics:
        """The engine, asked under the settings' label names. UsageError when it is not clear which one is meant."""
        from gpucost.adapters.metrics import amp_metrics, prometheus_metrics

        if self.prometheus_url is not None and self.workspace is None:
            _check_url("--prometheus-url", self.prometheus_url)
            return prometheus_metrics(self.prometheus_url, settings.labels(), settings.policy(), self.timeout)
        if self.workspace is None or self.prometheus_url is not None:
            raise UsageError("give either --prometheus-url URL, or --workspace ws-… with --region")
        import boto3

        endpoint = self._workspace_endpoint(self.workspace)
        session = boto3.Session()
        return amp_metrics(endpoint, settings.labels(), settings.policy(), session, read_timeout=self.timeout)

    def _workspace_endpoint(self, workspace: str) -> str:
        """The endpoint of a workspace given by its id; an endpoint as DescribeWorkspace prints it stays as it is."""
        if "://" in workspace:
            _check_url("--workspace", workspace)
            return workspace
        if not WORKSPACE_ID.fullmatch(workspace):
            raise UsageError(f"--workspace is {workspace!r}; write its id, ws-…, or its prometheusEndpoint")
        region = self.region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""
        if not REGION.fullmatch(region):
            raise UsageError(f"--region is {region!r}; name the workspace's region, such as us-west-2")
        return f"https://aps-workspaces.{region}.amazonaws.com/workspaces/{workspace}/"


@dataclass(frozen=True, slots=True)
class Output:
    """What to print: a table, the report document, or how a namespace's figures came about."""

    json: bool = False
    explain: str | None = None


def run(source: Source, hour: str, cluster: str | None, settings_path: Path | None, output: Output) -> None:
    """Read the hour, work it out, print it. GpucostError says what to do."""
    if output.json and output.explain is not None:
        raise UsageError("give either --json or --explain NAMESPACE")
    settings = read_settings(settings_path)
    report = _worked_out(source, parse_hour(hour), cluster_name(cluster, settings), settings)
    if output.json:
        sys.stdout.write(json_text(report))
    elif output.explain is not None:
        sys.stdout.write(_derivation(report, output.explain))
    else:
        console().print(report_view(report))


def _derivation(report: HourReport, namespace: str) -> str:
    try:
        return "\n".join(explain(report, namespace)) + "\n"
    except ValueError as error:
        raise UsageError(str(error)) from None


def json_text(report: HourReport) -> str:
    """The report document, with exact numbers."""
    return simplejson.dumps(report_document(report), use_decimal=True, indent=2, ensure_ascii=False) + "\n"


def _worked_out(source: Source, hour: Hour, cluster: str, settings: Settings) -> HourReport:
    try:
        readings = source.metrics(settings).read_hour(cluster, hour)
    except BotoCoreError as error:
        advice = "check AWS_PROFILE, or run `aws configure` or `aws sso login`"
        raise MetricsError(f"the AWS credentials cannot be used: {error} ({advice})") from None
    if not readings.seen:
        label = settings.cluster_label
        where = f'with {label}="{cluster}" ' if label else ""
        raise NoDataError(
            f"there are no kube-state-metrics series {where}in the hour {hour}: check the hour, the retention, "
            "that kube-state-metrics is scraped, and cluster_label and label_names in the settings"
        )
    policy, sources = settings.policy(), source.prices(settings)
    sheet = price_sheet(readings, hour, policy.rates, sources, datetime.now(UTC)) if sources else SETTINGS_ONLY
    return allocate(readings, policy, cluster, hour, settings.digest(), sheet)


def parse_hour(text: str) -> Hour:
    """The hour of the option --hour. UsageError when it is none."""
    try:
        return Hour.parse(text)
    except ValueError as error:
        raise UsageError(f"--hour: {error}") from None


def cluster_name(cluster: str | None, settings: Settings) -> str:
    if cluster == "":
        raise UsageError("--cluster is empty; leave it out, or name the cluster")
    if cluster is None and settings.cluster_label is not None:
        raise UsageError(
            f"the settings tell clusters apart by the label {settings.cluster_label!r}: name one, --cluster NAME"
        )
    return cluster or DEFAULT_CLUSTER


def _check_url(option: str, url: str) -> None:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good:
        raise UsageError(f"{option} is {url!r}; write a URL such as http://localhost:9090")
