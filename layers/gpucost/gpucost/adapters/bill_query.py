"""Parquet deliveries, read by Athena: what the bill's reader needs of them, as CSV.

A library that reads Parquet is larger than all else that ships to Lambda together, and needs the memory for whole row
groups. Athena is made for it, reads only the columns and rows that matter, and leaves a CSV in S3.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters.aws_errors import explained
from gpucost.domain.prices.bill import NET_COLUMNS, POD_OPERATIONS, REQUIRED, SPLIT
from gpucost.prices import BillError, Delivery, Manifest

if TYPE_CHECKING:
    from mypy_boto3_athena import AthenaClient
    from mypy_boto3_athena.type_defs import QueryExecutionTypeDef

PERMISSIONS = ("athena:GetQueryExecution", "athena:StartQueryExecution")
_TABLE = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
_PERIOD = re.compile(r"\d{4}-\d{2}")
_FAILED = {"FAILED", "CANCELLED"}
MOST_FAILURES = 10
"""How many failed queries about one delivery are looked past, before somebody has to look into it."""


def bill_sql(table: str, period: str, net: bool, split: bool) -> str:
    """The rows of one billing period that the reader looks at, every column as text, under its own name.

    table: database.table, as Data Exports' Athena integration makes it, partitioned by billing_period. `net` and
    `split`: whether the export has the columns for private discounts, and for split cost allocation.
    """
    if not _TABLE.fullmatch(table):
        raise BillError(f"{table!r} is not like database.table, in small letters, digits and underscores")
    if not _PERIOD.fullmatch(period):
        raise BillError(f"{period!r} is not a billing period such as 2026-11")
    columns = [*REQUIRED, *(NET_COLUMNS if net else ()), *(SPLIT if split else ())]
    operations = ", ".join(f"'{name}'" for name in POD_OPERATIONS)
    return (
        f"SELECT {', '.join(map(_as_text, columns))} FROM {table} WHERE billing_period = '{period}' AND ("  # noqa: S608
        "(line_item_product_code = 'AmazonEC2' AND line_item_resource_id LIKE 'i-%') "
        f"OR line_item_operation IN ({operations}))"
    )


def _as_text(column: str) -> str:
    """Numbers come out as decimals, not in the e-notation of doubles; times as the CSV export writes them."""
    if column.endswith("_date"):
        return f"date_format({column}, '%Y-%m-%dT%H:%i:%S.000Z') AS {column}"
    if column.endswith(("_cost", "_amount")):
        return f"CAST(CAST({column} AS DECIMAL(38, 15)) AS VARCHAR) AS {column}"
    return column


class AthenaBills:
    """`prices.BillEngine` on Athena. `table`: database.table, empty where there is none."""

    def __init__(self, client: "AthenaClient", workgroup: str, table: str) -> None:
        self._client = client
        self._workgroup = workgroup
        self._table = table

    def start(self, manifest: Manifest) -> str:
        """The query about a delivery. To ask twice starts one query, unless the first has failed by then."""
        if not self._table:
            raise BillError(
                f"the bill of {manifest.period} is Parquet, which Athena has to read: name its table in the parameter "
                "BillTable, or let the export write gzipped CSV"
            )
        net, split = (set(names) <= manifest.columns for names in (NET_COLUMNS, SPLIT))
        sql = bill_sql(self._table, manifest.period, net, split)
        delivery = manifest.delivery
        mark = f"{delivery.id} {delivery.at.isoformat()} {sql}"
        query = ""
        for _ in range(MOST_FAILURES):
            query = self._started(sql, hashlib.sha256(mark.encode()).hexdigest())
            if self._state(query) not in _FAILED:
                return query
            # Athena gives the same query back for the same token. One that failed would never be tried again.
            mark = f"{mark} {query}"
        raise BillError(
            f"Athena failed {MOST_FAILURES} times on the bill of {manifest.period}, the last time with {query}"
        )

    def _started(self, sql: str, token: str) -> str:
        try:
            answer = self._client.start_query_execution(
                QueryString=sql, ClientRequestToken=token, WorkGroup=self._workgroup
            )
        except (ClientError, BotoCoreError) as error:
            raise explained(error, "asking Athena for the bill") from error
        return str(answer["QueryExecutionId"])

    def _state(self, query: str) -> str:
        return str(self._execution(query)["Status"]["State"])

    def _execution(self, query: str) -> "QueryExecutionTypeDef":
        try:
            return self._client.get_query_execution(QueryExecutionId=query)["QueryExecution"]
        except (ClientError, BotoCoreError) as error:
            raise explained(error, f"reading Athena's query {query}") from error

    def result(self, query: str) -> tuple[Delivery, Sequence[str]]:
        """A delivery counts as of the moment in which it was asked about."""
        execution = self._execution(query)
        status = execution["Status"]
        if status["State"] != "SUCCEEDED":
            why = status.get("StateChangeReason", "no reason given")
            raise BillError(f"Athena's query {query} for the bill ended as {status['State']}: {why}")
        location = execution["ResultConfiguration"]["OutputLocation"]
        return Delivery(query, status["SubmissionDateTime"]), [location]
