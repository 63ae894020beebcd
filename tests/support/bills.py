"""Deliveries of the bill as AWS Data Exports writes them: rows with CUR 2.0's columns, files, manifests."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import duckdb

from gpucost.domain.hours import Hour
from gpucost.domain.prices.bill import NET_COLUMNS, REQUIRED, SPLIT

INSTANCE = "i-0f3a9c51d2e47b860"
ALL_COLUMNS = (*REQUIRED, *NET_COLUMNS, *SPLIT, "bill_payer_account_id", "resource_tags")
PREFIX = "cur/gpucost"
PERIOD = "2026-11"

type Row = Mapping[str, str]


def at(hour: Hour) -> str:
    """An instant as the bill writes it."""
    return f"{hour.start:%Y-%m-%dT%H:%M:%S}.000Z"


def line(hour: Hour, usd: str, kind: str = "Usage", **changes: str) -> dict[str, str]:
    """One hour of a p4d: what it cost is in the column that belongs to its kind of line item."""
    row = dict.fromkeys(ALL_COLUMNS, "")
    row |= {
        "line_item_usage_start_date": at(hour),
        "line_item_usage_end_date": at(hour.plus(1)),
        "line_item_product_code": "AmazonEC2",
        "line_item_resource_id": INSTANCE,
        "line_item_line_item_type": kind,
        "line_item_usage_type": "USW2-BoxUsage:p4d.24xlarge",
        "line_item_operation": "RunInstances",
        "line_item_usage_amount": "1.0",
        "line_item_currency_code": "USD",
        "line_item_unblended_cost": "21.957642",
        "resource_tags": '{"team":"ml, research"}',
    }
    gross = {
        "Usage": "line_item_unblended_cost",
        "SavingsPlanCoveredUsage": "savings_plan_savings_plan_effective_cost",
        "DiscountedUsage": "reservation_effective_cost",
    }.get(kind, "line_item_unblended_cost")
    return row | {gross: usd} | changes


def pod_line(hour: Hour, namespace: str, usd: str, unused: str = "0", **changes: str) -> dict[str, str]:
    """What split cost allocation says of a pod's accelerators."""
    own = {
        "line_item_operation": "EKSPod-EC2",
        "line_item_product_code": "AmazonEKS",
        "line_item_usage_type": "USW2-EKS-EC2-Accelerator-Hours",
        "line_item_resource_id": f"arn:aws:eks:us-west-2:111122223333:pod/prod/{namespace}/train-0/uid-0",
        "split_line_item_parent_resource_id": INSTANCE,
        "split_line_item_split_cost": usd,
        "split_line_item_unused_cost": unused,
    }
    return line(hour, "0") | own | changes


def csv_gz(rows: Iterable[Row], columns: Sequence[str] = ALL_COLUMNS) -> bytes:
    """A file of a gzipped CSV delivery."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return gzip.compress(text.getvalue().encode(), mtime=0)


def manifest(bucket: str, names: Sequence[str], execution: str = "e-1", columns: Sequence[str] = ALL_COLUMNS) -> bytes:
    """The manifest that names files under the delivery's data/ folder."""
    return json.dumps(
        {
            "executionId": execution,
            "exportArn": "arn:aws:bcm-data-exports:us-east-1:111122223333:export/gpucost-0",
            "columns": [{"name": name, "type": "string"} for name in columns],
            "dataFiles": [f"s3://{bucket}/{PREFIX}/data/BILLING_PERIOD={PERIOD}/{name}" for name in names],
        }
    ).encode()


MANIFEST_KEY = f"{PREFIX}/metadata/BILLING_PERIOD={PERIOD}/gpucost-Manifest.json"


def data_key(name: str) -> str:
    return f"{PREFIX}/data/BILLING_PERIOD={PERIOD}/{name}"


def parquet(rows: Sequence[Mapping[str, str]], file: Path) -> None:
    """The rows as Data Exports types them in Parquet: times, doubles, texts."""
    source = file.with_suffix(".csv")
    source.write_bytes(gzip.decompress(csv_gz(rows)))

    def typed(name: str) -> str:
        if name.endswith("_date"):
            return f"CAST({name} AS TIMESTAMP) AS {name}"
        if name.endswith(("_cost", "_amount")):
            return f"CAST(nullif({name}, '') AS DOUBLE) AS {name}"
        return name

    columns = ", ".join(map(typed, ALL_COLUMNS))
    texts = f"read_csv('{source}', all_varchar=true, header=true)"
    duckdb.sql(f"COPY (SELECT {columns}, '{PERIOD}' AS billing_period FROM {texts}) TO '{file}' (FORMAT parquet)")
