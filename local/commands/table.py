"""The deployed ledger, as commands on a laptop reach it: with the caller's own AWS credentials."""

from datetime import UTC, datetime

import boto3
from botocore.exceptions import BotoCoreError

from gpucost.adapters.dynamodb import DynamoLedger
from gpucost.domain.hours import Hour
from local.errors import UsageError


def open_ledger(table: str, region: str | None, keep_days: int | None = None) -> DynamoLedger:
    """The ledger in a table (the stack's output TableName). UsageError when no client can be made."""
    try:
        return DynamoLedger(boto3.Session(region_name=region).client("dynamodb"), table, keep_days)
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
