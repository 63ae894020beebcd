"""Deliveries of the bill in a real S3 API, good ones and broken ones; and Parquet as Athena would read it."""

import csv
import gzip
import io
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import boto3
import duckdb
import pytest

from gpucost.adapters.bill_files import BillFiles, Reading
from gpucost.adapters.bill_query import AthenaBills, bill_sql
from gpucost.domain.hours import Hour
from gpucost.domain.prices.bill import NET_COLUMNS, REQUIRED, SPLIT, BilledHour
from gpucost.ports import ServiceError
from gpucost.prices import BillError, Delivery, Manifest
from tests.support.bills import (
    ALL_COLUMNS,
    INSTANCE,
    MANIFEST_KEY,
    PERIOD,
    csv_gz,
    data_key,
    line,
    manifest,
    parquet,
    pod_line,
)

HOUR = Hour.parse("2026-11-30T10:00:00Z")
ROWS = [
    line(HOUR, "21.957642", line_item_net_unblended_cost="20.5"),
    line(HOUR.plus(1), "14.123456789012", "SavingsPlanCoveredUsage"),
    line(HOUR.plus(2), "1e-7", "DiscountedUsage", reservation_net_effective_cost="0.00000005"),
    line(HOUR.plus(2), "-14", "SavingsPlanNegation"),
    pod_line(HOUR, "bu-a", "1.25", "0.5"),
]
BILLED = [
    BilledHour(INSTANCE, HOUR, Decimal(1), Decimal("21.957642"), Decimal("20.5")),
    BilledHour(INSTANCE, HOUR.plus(1), Decimal(1), Decimal("14.123456789012"), Decimal(0)),
    BilledHour(INSTANCE, HOUR.plus(2), Decimal(1), Decimal("0.0000001"), Decimal("0.00000005")),
]


@pytest.fixture
def bucket(clean_moto: str) -> "Bucket":
    return Bucket(clean_moto, "example-bill")


class Bucket:
    """A bucket in moto's S3."""

    def __init__(self, endpoint: str, name: str) -> None:
        self.name = name
        self.client = boto3.client("s3", endpoint_url=endpoint)
        self.client.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
        self.files = BillFiles(self.client)

    def put(self, key: str, body: bytes) -> str:
        self.client.put_object(Bucket=self.name, Key=key, Body=body)
        return f"s3://{self.name}/{key}"


@pytest.mark.real
def test_a_delivery_is_read_from_its_manifest_on(bucket: Bucket) -> None:
    bucket.put(data_key("gpucost-00001.csv.gz"), csv_gz(ROWS[:2]))
    bucket.put(data_key("gpucost-00002.csv.gz"), csv_gz(ROWS[2:]))
    bucket.put(MANIFEST_KEY, manifest(bucket.name, ["gpucost-00001.csv.gz", "gpucost-00002.csv.gz"]))
    found = bucket.files.manifest(bucket.name, MANIFEST_KEY)
    assert (found.delivery.id, found.period, found.is_parquet) == ("e-1", PERIOD, False)
    assert found.columns == set(ALL_COLUMNS)
    assert bucket.files.read(found.files) == BILLED


@pytest.mark.real
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "is not JSON"),
        (b"[]", "lacks executionId, columns or dataFiles"),
        (b'{"executionId": "e", "columns": [], "dataFiles": []}', "lacks executionId, columns or dataFiles"),
        (b'{"executionId": "e", "columns": [], "dataFiles": [1]}', "lacks executionId, columns or dataFiles"),
    ],
)
def test_a_manifest_that_is_none_says_so(bucket: Bucket, body: bytes, said: str) -> None:
    bucket.put(MANIFEST_KEY, body)
    with pytest.raises(BillError, match=said):
        bucket.files.manifest(bucket.name, MANIFEST_KEY)


@pytest.mark.real
def test_a_key_that_is_no_manifest_and_an_object_that_is_gone_are_named(bucket: Bucket) -> None:
    with pytest.raises(BillError, match=r"a\.json is not a manifest such as"):
        bucket.files.manifest(bucket.name, "a.json")
    with pytest.raises(ServiceError, match=r"reading s3://example-bill/cur/gpucost/metadata.*Manifest.json failed"):
        bucket.files.manifest(bucket.name, MANIFEST_KEY)
    with pytest.raises(BillError, match="'elsewhere' is not the URI of an S3 object"):
        bucket.files.read(["elsewhere"])


def taken(body: bytes, name: str = "bill.csv.gz") -> Sequence[BilledHour]:
    reading = Reading()
    reading.take(name, io.BytesIO(body))
    return reading.bill.billed()


WHOLE = csv_gz(ROWS)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (WHOLE[: len(WHOLE) // 2], "bill.csv.gz is cut off or damaged"),
        (WHOLE[:-4], "bill.csv.gz is cut off or damaged"),
        (b"not gzip", "bill.csv.gz is cut off or damaged"),
        (gzip.compress(b"a,b\n1,2\n"), "lacks the columns line_item_usage_start_date"),
        (gzip.compress(b"\xff\xfe"), "bill.csv.gz is not CSV in UTF-8"),
        (
            csv_gz(ROWS, [name for name in ALL_COLUMNS if "usage_amount" not in name]),
            "lacks the columns line_item_usage_a",
        ),
        (csv_gz([ROWS[0], line(HOUR, "1", line_item_currency_code="EUR")]), "bill.csv.gz, row 3: the cost is in EUR"),
        (
            gzip.compress(gzip.decompress(WHOLE)[:-60]),
            r"bill.csv.gz, row 6: \d+ cells under \d+ columns: is it cut off",
        ),
        (gzip.compress(b""), "the delivery has no rows at all"),
    ],
    ids=["half", "no end", "no gzip", "columns", "no text", "a column", "currency", "cut off", "empty"],
)
def test_a_broken_file_is_named_with_the_row(body: bytes, said: str) -> None:
    with pytest.raises(BillError, match=said):
        taken(body)


def test_plain_csv_and_blank_lines_are_read_too() -> None:
    assert taken(gzip.decompress(WHOLE) + b"\n\n", "result.csv") == BILLED


def athena(sql: str, file: Path) -> bytes:
    """What Athena leaves: every cell in quotes, nothing for null. Its date_format has MySQL's letters."""
    with duckdb.connect() as engine:
        engine.sql("CREATE MACRO date_format(t, f) AS strftime(t, replace(f, '%i', '%M'))")
        engine.sql(f"CREATE SCHEMA bill; CREATE VIEW bill.data AS SELECT * FROM '{file}'")
        found = engine.sql(sql)
        out = io.StringIO()
        writer = csv.writer(out, quoting=csv.QUOTE_ALL)
        writer.writerow(found.columns)
        writer.writerows(["" if cell is None else cell for cell in row] for row in found.fetchall())
    return out.getvalue().encode()


def test_parquet_by_the_query_says_the_same_as_csv(tmp_path: Path) -> None:
    file = tmp_path / "bill.parquet"
    others = [line(HOUR, "3", line_item_product_code="AmazonS3", line_item_resource_id="bucket")]
    parquet([*ROWS, *others], file)
    result = athena(bill_sql("bill.data", PERIOD, net=True, split=True), file)
    assert taken(result, "result.csv") == BILLED
    assert b"AmazonS3" not in result
    gross = taken(athena(bill_sql("bill.data", PERIOD, net=False, split=False), file), "result.csv")
    assert [(one.amortized_usd, one.net_usd) for one in gross] == [(one.amortized_usd, None) for one in BILLED]
    assert taken(athena(bill_sql("bill.data", "2026-10", net=True, split=True), file), "result.csv") == []


@pytest.mark.parametrize("table", ["bill", "bill.data; DROP", "Bill.Data", "a.b.c", ""])
def test_a_table_that_could_be_anything_else_is_refused(table: str) -> None:
    with pytest.raises(BillError, match=r"is not like database\.table"):
        bill_sql(table, PERIOD, net=False, split=False)
    with pytest.raises(BillError, match="is not a billing period"):
        bill_sql("bill.data", "2026-11' OR '1'='1", net=False, split=False)


DELIVERY = Delivery("e-1", datetime.fromisoformat("2026-12-01T03:12:44Z"))


def of_parquet(columns: Sequence[str] = (*REQUIRED, *SPLIT)) -> Manifest:
    return Manifest(DELIVERY, PERIOD, ("s3://example-bill/a.snappy.parquet",), frozenset(columns))


@pytest.mark.real
def test_athena_is_asked_for_the_columns_that_the_delivery_has(clean_moto: str) -> None:
    client = boto3.client("athena", endpoint_url=clean_moto)
    client.create_work_group(
        Name="gpucost-bill", Configuration={"ResultConfiguration": {"OutputLocation": "s3://example-results/"}}
    )
    engine = AthenaBills(client, "gpucost-bill", "bill.data")
    query = engine.start(of_parquet())
    asked = client.get_query_execution(QueryExecutionId=query)["QueryExecution"]
    assert asked["WorkGroup"] == "gpucost-bill"
    assert asked["Query"] == bill_sql("bill.data", PERIOD, net=False, split=True)
    again = AthenaBills(client, "gpucost-bill", "bill.data").start(of_parquet((*REQUIRED, *NET_COLUMNS)))
    assert again != query


def test_parquet_without_a_table_says_what_to_do() -> None:
    with pytest.raises(BillError, match="name its table in the parameter BillTable, or let the export write gzipped"):
        AthenaBills(boto3.client("athena", region_name="us-west-2"), "gpucost-bill", "").start(of_parquet())


class Failing:
    """An Athena where some queries have failed. It knows each by its token, as the real one does."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.queries: dict[str, str] = {}

    def start_query_execution(self, **request: str) -> dict[str, str]:
        token = request["ClientRequestToken"]
        return {"QueryExecutionId": self.queries.setdefault(token, f"q-{len(self.queries)}")}

    def get_query_execution(self, **request: str) -> dict[str, object]:
        failed = int(request["QueryExecutionId"].removeprefix("q-")) < self.failures
        return {"QueryExecution": {"Status": {"State": "FAILED" if failed else "QUEUED"}}}


def test_a_delivery_that_comes_again_after_its_query_failed_is_asked_for_anew() -> None:
    athena = Failing(0)
    engine = AthenaBills(athena, "gpucost-bill", "bill.data")  # type: ignore[arg-type]
    assert [engine.start(of_parquet()), engine.start(of_parquet())] == ["q-0", "q-0"]
    athena.failures = 2
    assert [engine.start(of_parquet()), engine.start(of_parquet())] == ["q-2", "q-2"]
    athena.failures = 1000
    with pytest.raises(BillError, match="Athena failed 10 times on the bill of 2026-11, the last time with q-9"):
        engine.start(of_parquet())


class Answering:
    """Athena's answer about a query."""

    def __init__(self, **status: object) -> None:
        self.status = status

    def get_query_execution(self, **_: str) -> dict[str, object]:
        where = {"OutputLocation": "s3://example-results/q-1.csv"}
        return {"QueryExecution": {"Status": self.status, "ResultConfiguration": where}}


def test_a_query_that_is_done_is_a_delivery_as_of_when_it_was_asked() -> None:
    done = Answering(State="SUCCEEDED", SubmissionDateTime=DELIVERY.at)
    found = AthenaBills(done, "gpucost-bill", "bill.data").result("q-1")  # type: ignore[arg-type]
    assert found == (Delivery("q-1", DELIVERY.at), ["s3://example-results/q-1.csv"])


def test_a_query_that_failed_says_why() -> None:
    failed = Answering(State="FAILED", StateChangeReason="TABLE_NOT_FOUND: bill.data")
    with pytest.raises(BillError, match=r"query q-1 for the bill ended as FAILED: TABLE_NOT_FOUND: bill\.data"):
        AthenaBills(failed, "gpucost-bill", "bill.data").result("q-1")  # type: ignore[arg-type]
