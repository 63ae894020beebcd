"""`gpucost export`: the same rows in every kind of file."""

import csv
import gzip
import io
import uuid
from decimal import Decimal
from pathlib import Path

import boto3
import duckdb
import pytest
import simplejson

from gpucost.adapters.dynamodb import DynamoLedger
from gpucost.domain.answers.focus import COLUMNS
from tests.local.conftest import CommandLine
from tests.support.hours import HOUR, pod, report
from tests.support.tables import create_table

pytestmark = pytest.mark.real
PERIOD = ("--from", HOUR.key, "--to", HOUR.plus(2).key, "--cluster", "prod")


@pytest.fixture
def table(dynamodb_local: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_local)
    name = f"export-{uuid.uuid4().hex}"
    client = boto3.client("dynamodb")
    create_table(client, name)
    for number in range(2):
        hour = HOUR.plus(number)
        DynamoLedger(client, name).publish(report(pod("a", "8"), pod("b", "4", used=None), hour=hour), hour.end)
    return name


def test_every_kind_of_file_says_the_same(gpucost: CommandLine, table: str, tmp_path: Path) -> None:
    files = [tmp_path / f"costs{kind}" for kind in (".csv", ".jsonl.gz", ".parquet")]
    for file in files:
        run = gpucost("export", str(file), *PERIOD, "--table", table)
        assert run.code == 0, run.err
        assert f"{file}: 6 rows" in run.out.replace("\n", "")
    with files[0].open(newline="") as stream:
        spread = list(csv.DictReader(io.StringIO(stream.read())))
    lines = [simplejson.loads(line, use_decimal=True) for line in gzip.decompress(files[1].read_bytes()).splitlines()]
    stored = duckdb.sql(f"SELECT * FROM '{files[2]}'")
    assert stored is not None
    assert list(spread[0]) == stored.columns == list(COLUMNS)
    assert set(lines[0]) == set(COLUMNS)
    costs = [Decimal(row["EffectiveCost"]) for row in spread]
    assert costs == [row["EffectiveCost"] for row in lines]
    assert costs == [row[0] for row in stored.select("EffectiveCost").fetchall()]
    assert [row["x_GpuWasteCost"] is None for row in lines] == [
        row[0] is None for row in stored.select("x_GpuWasteCost").fetchall()
    ]


def test_another_kind_of_file_is_refused_and_nothing_is_left(gpucost: CommandLine, table: str, tmp_path: Path) -> None:
    run = gpucost("export", str(tmp_path / "costs.xlsx"), *PERIOD, "--table", table)
    assert run.code == 2
    assert "none of .csv, .jsonl.gz, .parquet" in run.err
    assert list(tmp_path.iterdir()) == []
