"""The deployed ledger, as commands on a laptop reach it: with the caller's own AWS credentials."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import boto3
from botocore.exceptions import BotoCoreError

from gpucost.adapters.aws_prices import aws_price_sources
from gpucost.adapters.dynamodb import DynamoBillBook, DynamoLedger, DynamoPriceBook
from gpucost.domain.hours import Hour
from gpucost.prices import PriceSources
from gpucost.runtime.settings import Settings
from local.errors import UsageError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def open_ledger(table: str, region: str | None, keep_days: int | None = None) -> DynamoLedger:
    """The ledger in a table (the stack's output TableName). UsageError when no client can be made."""
    return DynamoLedger(_client(region), table, keep_days)


def open_price_book(table: str, region: str | None) -> DynamoPriceBook:
    """The price book in the same table."""
    return DynamoPriceBook(_client(region), table)


def open_prices(table: str, region: str | None, settings: Settings) -> PriceSources | None:
    """AWS' prices, kept in the table; None when the settings want their own rates only."""
    if not settings.asks_aws:
        return None
    return aws_price_sources(boto3.Session(), open_price_book(table, region), open_bill_book(table, region))


def open_bill_book(table: str, region: str | None) -> DynamoBillBook:
    """What the bill says, in the same table."""
    return DynamoBillBook(_client(region), table)


def _client(region: str | None) -> "DynamoDBClient":
    try:
        return boto3.Session(region_name=region).client("dynamodb")
    except BotoCoreError as error:
        raise UsageError(f"no DynamoDB client: {error}; name --region, or set AWS_REGION") from None


def period(first: str, end: str) -> tuple[Hour, Hour]:
    """The hours [first, end) of --from and --to. UsageError unless they are hours, in order, and over."""
    try:
        hours = Hour.parse(first), Hour.parse(end)
    except ValueError as error:
        raise UsageError(f"--from and --to: {error}") from None
    if not hours[0] < hours[1]:
        raise UsageError(f"--to is {hours[1]}, which is not after --from {hours[0]}")
    over = Hour.containing(datetime.now(UTC))
    if hours[1] > over:
        raise UsageError(f"--to is {hours[1]}, but hours are over only up to {over}")
    return hours
