"""DynamoDB tables to test with, on whichever endpoint."""

from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def dynamodb_client(endpoint: str) -> "DynamoDBClient":
    """A client that does not retry by itself: the tests inject faults and count calls."""
    config = Config(retries={"total_max_attempts": 1}, connect_timeout=5, read_timeout=20)
    return boto3.client("dynamodb", endpoint_url=endpoint, region_name="us-east-1", config=config)


def create_table(client: "DynamoDBClient", name: str) -> str:
    """A table of the ledger's shape; its name."""
    client.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "sk")],
        BillingMode="PAY_PER_REQUEST",
    )
    return name
