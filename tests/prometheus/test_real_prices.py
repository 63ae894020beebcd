"""Clusters in a real Prometheus, priced by AWS' answers over HTTP."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal

import pytest

from gpucost.adapters.fleet import Ec2Fleet
from gpucost.adapters.labels import LabelNames
from gpucost.adapters.memory import MemoryBillBook, MemoryPriceBook
from gpucost.adapters.metrics import prometheus_metrics
from gpucost.adapters.price_list import AwsPriceList
from gpucost.adapters.spot_market import AwsSpotMarket
from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.hours import Hour
from gpucost.domain.policy import Policy
from gpucost.domain.report import HourReport
from gpucost.prices import PriceSources
from gpucost.usecases.pricing.price_hour import price_sheet
from local.scenarios.history import Span, openmetrics
from local.scenarios.kubernetes import Node, Pod
from local.scenarios.recipe import RECIPE
from tests.support.price_api import PriceApi, captured, changed, price_api

pytestmark = pytest.mark.real
HOUR = Hour.parse("2026-11-30T10:00:00Z")
ALL_OF_P4D = Decimal("21.957642")


@pytest.fixture
def api() -> Iterator[PriceApi]:
    with price_api() as double:
        yield double


def priced(url: str, api: PriceApi, hour: Hour = HOUR) -> HourReport:
    """The hour with the prices that the API on loopback names."""
    policy = Policy()
    readings = prometheus_metrics(url, LabelNames(), policy).read_hour("c", hour)
    sources = PriceSources(
        MemoryPriceBook(),
        AwsPriceList(lambda region: api.client("pricing", region)),
        AwsSpotMarket(lambda region: api.client("ec2", region)),
        Ec2Fleet(lambda region: api.client("ec2", region)),
        MemoryBillBook(),
    )
    sheet = price_sheet(readings, hour, policy.rates, sources, hour.end + timedelta(minutes=10))
    return allocate(readings, policy, "c", hour, prices=sheet)


def test_the_recipes_cluster_at_real_prices(prometheus_factory: Callable[[str], str], api: PriceApi) -> None:
    api.products = [changed(captured("p4d-us-east-1"), regionCode="us-west-2")]
    api.failures = [(403, "UnauthorizedOperation")]
    report = priced(prometheus_factory(RECIPE.openmetrics()), api)
    allocated = {row.namespace: row.figures.allocated_usd for row in report.namespaces}
    assert allocated == {"bu-a": Decimal("1.17630225"), "bu-b": Decimal("0.7842015"), "bu-c": Decimal("0.7842015")}
    assert report.totals.unallocated_usd == Decimal("19.21293675")
    assert report.totals.allocated_usd + report.totals.unallocated_usd == ALL_OF_P4D
    (node,) = report.nodes
    assert (node.price.source, node.price.as_of) == ("price_list", "2026-09-01")


SPOT_NODE = Node(
    "ip-10-0-0-1.us-west-2.compute.internal",
    "aws:///us-west-2a/i-0123456789abcdef0",
    {
        "node.kubernetes.io/instance-type": "g5.12xlarge",
        "topology.kubernetes.io/zone": "us-west-2a",
        "eks.amazonaws.com/capacityType": "SPOT",
    },
    {"nvidia.com/gpu": 4},
)


def test_an_hour_with_a_spot_price_change_in_the_middle(
    prometheus_factory: Callable[[str], str], api: PriceApi
) -> None:
    span = Span.of_hours(HOUR, 1)
    pod = Pod("bu-a", "train-0", SPOT_NODE.name, "nvidia.com/gpu", ("StatefulSet", "train"))
    series = [*SPOT_NODE.series(span), *pod.series(span)]
    api.spot_rows = [
        ("g5.12xlarge", "us-west-2a", "2026-11-30T04:11:09Z", "2.4680000000"),
        ("g5.12xlarge", "us-west-2a", "2026-11-30T10:22:41Z", "3.1234560000"),
        ("g5.12xlarge", "us-west-2b", "2026-11-30T10:40:00Z", "99.0000000000"),
    ]
    report = priced(prometheus_factory(openmetrics(series, {}) + "# EOF\n"), api)
    before, after = 22 * 60 + 41, 3600 - (22 * 60 + 41)
    exact = (Decimal("2.468") * before + Decimal("3.123456") * after) / 3600
    assert abs(report.totals.capacity_usd - exact) < Decimal("1e-9")
    assert abs(report.totals.allocated_usd - exact / 4) < Decimal("1e-9")
    (node,) = report.nodes
    assert (node.price.source, node.price.as_of, node.price.flag) == ("spot", "2026-11-30T10:22:41Z", None)
