"""`gpucost bill` and `gpucost drift`: the bill from files, kept in a real ledger, and set against the estimate."""

import json
import uuid
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import boto3
import pytest
import simplejson

from gpucost.domain.hours import Hour
from local.scenarios.recipe import RECIPE
from tests.local.conftest import CommandLine
from tests.support.bills import csv_gz, line, parquet, pod_line
from tests.support.price_api import PriceApi, captured, changed, price_api
from tests.support.tables import create_table

pytestmark = pytest.mark.real
FIRST = Hour.parse("2026-11-30T10:00:00Z")
PERIOD = ("--from", FIRST.key, "--to", FIRST.plus(1).key)
ROWS = [line(FIRST, "16", "SavingsPlanCoveredUsage"), line(FIRST, "-16", "SavingsPlanNegation")]


@pytest.fixture
def table(dynamodb_local: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_local)
    name = f"bill-{uuid.uuid4().hex}"
    create_table(boto3.client("dynamodb"), name)
    return name


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[PriceApi]:
    with price_api() as double:
        double.products = [changed(captured("p4d-us-east-1"), regionCode="us-west-2")]
        double.failures = [(403, "UnauthorizedOperation")]
        for service in ("PRICING", "EC2"):
            monkeypatch.setenv(f"AWS_ENDPOINT_URL_{service}", double.url)
        yield double


@pytest.mark.usefixtures("api")
def test_a_bill_takes_the_place_of_the_estimate_and_the_drift_shows(
    gpucost: CommandLine, recipe_url: str, table: str, tmp_path: Path, api: PriceApi
) -> None:
    backfill = ("backfill", *PERIOD, "--table", table, "--prometheus-url", recipe_url)
    assert gpucost(*backfill).code == 0
    file = tmp_path / "bill.csv.gz"
    pod_arn = f"arn:aws:eks:us-west-2:111122223333:pod/{RECIPE.cluster}/bu-a/worker-0/uid-0"
    split = pod_line(FIRST, "bu-a", "1.5", line_item_resource_id=pod_arn)
    file.write_bytes(csv_gz([*ROWS, split]))
    kept = gpucost("bill", str(file), "--table", table, "--cluster", RECIPE.cluster, "--keep")
    assert kept.code == 0, kept.err
    assert "i-0f3a9c51d2e47b860" in kept.out
    assert "1 hours are other than before" in kept.out
    assert [cell.strip() for cell in next(row for row in kept.out.splitlines() if "bu-a" in row).split("│")] == [
        RECIPE.cluster,
        "bu-a",
        "1.176302",
        "1.500000",
    ]
    api.failures = [(403, "UnauthorizedOperation")]
    assert "1 published" in gpucost(*backfill).out
    shown = gpucost("drift", *PERIOD, "--table", table, "--cluster", RECIPE.cluster, "--json")
    assert shown.code == 0, shown.err
    rows = {row["bu"]: row for row in simplejson.loads(shown.out, use_decimal=True)["rows"]}
    assert rows["bu-a"]["estimated_usd"] == Decimal("1.17630225")
    assert rows["bu-a"]["billed_usd"] == Decimal("0.857142857144")
    assert rows[None]["billed_usd"] == 14
    assert "-27.1 %" in gpucost("drift", *PERIOD, "--table", table, "--cluster", RECIPE.cluster).out


def test_parquet_reads_as_csv_does(gpucost: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "bill.parquet"
    parquet(ROWS, file)
    (tmp_path / "same.csv.gz").write_bytes(csv_gz(ROWS))
    assert gpucost("bill", str(file)).out == gpucost("bill", str(tmp_path / "same.csv.gz")).out


def test_what_is_not_a_bill_is_refused(gpucost: CommandLine, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.parquet"
    wrong.write_text("no")
    empty = tmp_path / "empty.csv"
    empty.write_text("a,b\n")
    nothing = tmp_path / "nothing.csv.gz"
    nothing.write_bytes(csv_gz([]))
    for call, code, said in (
        ((str(wrong),), 2, "cannot be read as Parquet"),
        ((str(tmp_path / "gone.csv"),), 2, "gone.csv cannot be read: No such file"),
        ((str(empty),), 1, "lacks the columns"),
        ((str(nothing),), 5, "names no accelerated EC2 instance"),
        ((str(nothing), "--keep"), 2, "need the ledger: --table NAME"),
    ):
        run = gpucost("bill", *call)
        assert (run.code, len(run.err.splitlines())) == (code, 1), run.err
        assert said in run.err


def test_a_period_that_nobody_was_billed_for_is_said_so(gpucost: CommandLine, table: str) -> None:
    run = gpucost("drift", *PERIOD, "--table", table, "--cluster", "nobody")
    assert (run.code, json.dumps(run.out)) == (5, '""')
    assert "no hour of nobody" in run.err
