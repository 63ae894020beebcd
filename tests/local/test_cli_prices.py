"""`gpucost prices`, and the commands that price hours by AWS, against its APIs on loopback."""

import re
import uuid
from collections.abc import Iterator
from decimal import Decimal

import boto3
import pytest
import simplejson

from local.scenarios.recipe import RECIPE
from local.stack.sigv4_gateway import sigv4_gateway
from tests.local.conftest import HOUR, CommandLine
from tests.support.price_api import PriceApi, captured, changed, price_api
from tests.support.tables import create_table

pytestmark = pytest.mark.real
NODE_PRICE = Decimal("21.957642")


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[PriceApi]:
    with price_api() as double:
        double.products = [changed(captured("p4d-us-east-1"), regionCode="us-west-2")]
        for service in ("PRICING", "EC2"):
            monkeypatch.setenv(f"AWS_ENDPOINT_URL_{service}", double.url)
        yield double


@pytest.fixture
def table(dynamodb_local: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_local)
    name = f"prices-{uuid.uuid4().hex}"
    create_table(boto3.client("dynamodb"), name)
    return name


def without_capacity_type(api: PriceApi) -> None:
    """The recipe's node does not say how it is bought, and EC2 may not be asked."""
    api.failures = [(403, "UnauthorizedOperation")]


def test_a_backfill_prices_by_aws_and_the_prices_are_listed(
    gpucost: CommandLine, recipe_url: str, table: str, api: PriceApi
) -> None:
    without_capacity_type(api)
    period = ("--from", "2026-11-30T10:00:00Z", "--to", "2026-11-30T11:00:00Z")
    done = gpucost("backfill", *period, "--table", table, "--prometheus-url", recipe_url)
    assert done.code == 0, done.err
    show = ("prices", "--table", table, "--cluster", RECIPE.cluster, "--hour", HOUR)
    shown = gpucost(*show)
    assert shown.code == 0, shown.err
    (listed, node) = (re.split(r"[\s│]+", line) for line in shown.out.splitlines() if "p4d.24xlarge" in line)
    assert listed[:4] == ["us-west-2", "p4d.24xlarge", "21.957642", "2.74470525"]
    assert listed[4:6] == ["2026-09-01T00:00:00Z", "2026-09-01"]
    assert node[1:8] == ["p4d.24xlarge", "8", "2.74470525", "21.957642", "price_list", "2026-09-01", "fallback"]
    document = simplejson.loads(gpucost(*show, "--json").out, use_decimal=True)
    assert document["price_list"][0]["usd_per_hour"] == document["nodes"][0]["capacity_usd"] == NODE_PRICE


def test_an_empty_book_is_an_empty_table(gpucost: CommandLine, table: str) -> None:
    shown = gpucost("prices", "--table", table)
    assert (shown.code, shown.out.split()[0]) == (0, "region")
    assert simplejson.loads(gpucost("prices", "--table", table, "--json").out) == {
        "currency": "USD",
        "price_list": [],
        "nodes": [],
    }


def test_a_cluster_without_hours_is_said_so(gpucost: CommandLine, table: str) -> None:
    run = gpucost("prices", "--table", table, "--cluster", "nobody", "--hour", HOUR)
    assert (run.code, run.err) == (5, f"gpucost: no hour of nobody was published in the 72 hours up to {HOUR}\n")


def test_a_table_that_is_not_there_is_said_so(gpucost: CommandLine, table: str) -> None:
    run = gpucost("prices", "--table", f"{table}-not")
    assert run.code == 1
    assert f"{table}-not" in run.err
    assert len(run.err.splitlines()) == 1


def test_a_workspace_is_priced_by_aws_at_once(gpucost: CommandLine, recipe_url: str, api: PriceApi) -> None:
    without_capacity_type(api)
    with sigv4_gateway(recipe_url) as gateway:
        run = gpucost("hour", "--workspace", gateway.endpoint, "--hour", HOUR, "--json")
    assert run.code == 0, run.err
    assert simplejson.loads(run.out, use_decimal=True)["totals"]["capacity_usd"] == NODE_PRICE


@pytest.mark.parametrize(("option", "usd"), [((), 96), (("--aws-prices",), NODE_PRICE)])
def test_a_prometheus_is_priced_by_aws_when_asked_for(
    gpucost: CommandLine, recipe_url: str, api: PriceApi, option: tuple[str, ...], usd: Decimal
) -> None:
    without_capacity_type(api)
    run = gpucost("hour", "--prometheus-url", recipe_url, "--hour", HOUR, "--json", *option)
    assert simplejson.loads(run.out, use_decimal=True)["totals"]["capacity_usd"] == usd
