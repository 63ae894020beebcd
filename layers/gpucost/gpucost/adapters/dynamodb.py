"""DynamoDB as the ledger's table: one table, string keys `pk` and `sk`, time to live in `expires_at`."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import batched
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters.aws_errors import explained
from gpucost.adapters.ledger.alert_log import StoreAlertLog
from gpucost.adapters.ledger.bills import StoreBillBook
from gpucost.adapters.ledger.ledger import StoreLedger
from gpucost.adapters.ledger.price_book import StorePriceBook
from gpucost.adapters.ledger.store import Absent, Busy, Condition, Conflict, Equals, Item, Put, checked, distinct
from gpucost.adapters.ledger.tracks import StoreTrackBook
from gpucost.ports import LedgerError, LedgerUnavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PERMISSIONS = (
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
    "dynamodb:DeleteItem",
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "dynamodb:Query",
)
"""What the ledger calls; a reader needs GetItem and Query only."""

BATCH = 25
BATCH_TRIES = 8
FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0
_THROTTLES = {"ThrottlingError", "ProvisionedThroughputExceeded"}
_BUSY = {"TransactionConflictException", "TransactionInProgressException"}

_serializer = TypeSerializer()
_deserializer = TypeDeserializer()


def to_wire(item: Item) -> dict[str, Any]:
    """The item in DynamoDB's own notation. LedgerError when it cannot hold it exactly."""
    return {name: _serializer.serialize(value) for name, value in checked(item).items()}


def from_wire(item: dict[str, Any]) -> Item:
    """The item as Python values; numbers are Decimal."""
    # boto3 wraps bytes in a class of its own, which is of no use here.
    return {name: value["B"] if "B" in value else _deserializer.deserialize(value) for name, value in item.items()}


class DynamoStore:
    """`Store` on a DynamoDB table. Every read is strongly consistent. `sleep` is called between tries, in seconds."""

    def __init__(self, client: "DynamoDBClient", table: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._table = table
        self._sleep = sleep

    def get(self, pk: str, sk: str) -> Item | None:
        key = {"pk": {"S": pk}, "sk": {"S": sk}}
        answer = self._call("get_item", TableName=self._table, Key=key, ConsistentRead=True)
        return from_wire(answer["Item"]) if "Item" in answer else None

    def query(self, pk: str, first: str, last: str) -> list[Item]:
        return [item for page in self._pages(pk, first, last) for item in page]

    def newest(self, pk: str, first: str, last: str) -> Item | None:
        for page in self._pages(pk, first, last, ScanIndexForward=False, Limit=1):
            for item in page:
                return item
        return None

    def put_all(self, items: Sequence[Item]) -> None:
        distinct(items)
        requests = [{"PutRequest": {"Item": to_wire(item)}} for item in items]
        for batch in batched(requests, BATCH, strict=False):
            self._put_batch(list(batch))

    def write(self, puts: Sequence[Put]) -> None:
        distinct([put.item for put in puts])
        wired = [{"TableName": self._table, "Item": to_wire(put.item), **_expression(put.condition)} for put in puts]
        if len(wired) == 1:
            self._call("put_item", **wired[0])
        else:
            self._call("transact_write_items", TransactItems=[{"Put": put} for put in wired])

    def delete(self, pk: str, sk: str, condition: Equals) -> None:
        key = {"pk": {"S": pk}, "sk": {"S": sk}}
        self._call("delete_item", TableName=self._table, Key=key, **_expression(condition))

    def _pages(self, pk: str, first: str, last: str, **more: Any) -> Iterator[list[Item]]:
        if first > last:
            return
        values = {":pk": {"S": pk}, ":first": {"S": first}, ":last": {"S": last}}
        request: dict[str, Any] = {
            "TableName": self._table,
            "ConsistentRead": True,
            "KeyConditionExpression": "pk = :pk AND sk BETWEEN :first AND :last",
            "ExpressionAttributeValues": values,
            **more,
        }
        while True:
            answer = self._call("query", **request)
            yield [from_wire(item) for item in answer["Items"]]
            # Only this says that there is no more: a page may be short, or even empty, in the middle.
            if not answer.get("LastEvaluatedKey"):
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def _put_batch(self, requests: list[dict[str, Any]]) -> None:
        for attempt in range(BATCH_TRIES):
            answer = self._call("batch_write_item", RequestItems={self._table: requests})
            requests = answer.get("UnprocessedItems", {}).get(self._table, [])
            if not requests:
                return
            self._sleep(min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt) * random.uniform(0.5, 1))  # noqa: S311
        raise LedgerUnavailable(f"the table {self._table} left {len(requests)} items unwritten in {BATCH_TRIES} tries")

    def _call(self, operation: str, **request: Any) -> Any:
        try:
            return getattr(self._client, operation)(**request)
        except ClientError as error:
            if _is_conflict(error):
                raise Conflict(str(error)) from None
            if error.response["Error"]["Code"] in _BUSY or "TransactionConflict" in _reasons(error):
                raise Busy(f"{operation} on the table {self._table} met another writer: try again") from error
            raise self._failure(error, operation) from error
        except BotoCoreError as error:
            raise self._failure(error, operation) from error

    def _failure(self, error: ClientError | BotoCoreError, operation: str) -> LedgerError:
        failure = explained(error, f"{operation} on the table {self._table}")
        return (LedgerUnavailable if failure.retryable or _is_passing(error) else LedgerError)(str(failure))


def _expression(condition: Condition | None) -> dict[str, Any]:
    match condition:
        case None:
            return {}
        case Absent():
            return {"ConditionExpression": "attribute_not_exists(pk)"}
        case Equals(attribute, value):
            text = "#a = :a"
        case _:
            attribute, value = condition.attribute, condition.value
            text = "attribute_not_exists(pk) OR #a < :a"
    return {
        "ConditionExpression": text,
        "ExpressionAttributeNames": {"#a": attribute},
        "ExpressionAttributeValues": {":a": _serializer.serialize(value)},
    }


def _reasons(error: ClientError) -> set[str]:
    reasons: list[dict[str, Any]] = error.response.get("CancellationReasons", [])  # type: ignore[assignment]
    return {reason.get("Code", "None") for reason in reasons} - {"None"}


def _is_conflict(error: ClientError) -> bool:
    failed_alone = error.response["Error"]["Code"] == "ConditionalCheckFailedException"
    return failed_alone or "ConditionalCheckFailed" in _reasons(error)


def _is_passing(error: ClientError | BotoCoreError) -> bool:
    """A cancelled transaction names its reasons beside the error, so a throttle is not in the error's own code."""
    return isinstance(error, ClientError) and bool(_reasons(error) & _THROTTLES)


class DynamoLedger(StoreLedger):
    """`ports.Ledger` on a table. With `keep_days`, an hour's items expire that many days after it; without, never."""

    def __init__(self, client: "DynamoDBClient", table_name: str, keep_days: int | None = None) -> None:
        super().__init__(DynamoStore(client, table_name), keep_days)


class DynamoAlertLog(StoreAlertLog):
    """`ports.AlertLog` on the same table."""

    def __init__(self, client: "DynamoDBClient", table_name: str) -> None:
        super().__init__(DynamoStore(client, table_name))


class DynamoPriceBook(StorePriceBook):
    """`prices.PriceBook` on the same table."""

    def __init__(self, client: "DynamoDBClient", table_name: str) -> None:
        super().__init__(DynamoStore(client, table_name))


class DynamoBillBook(StoreBillBook):
    """`prices.BillBook` on the same table."""

    def __init__(self, client: "DynamoDBClient", table_name: str) -> None:
        super().__init__(DynamoStore(client, table_name))


class DynamoTrackBook(StoreTrackBook):
    """`tracking.TrackBook` and `tracking.MessageBook` on the same table."""

    def __init__(self, client: "DynamoDBClient", table_name: str) -> None:
        super().__init__(DynamoStore(client, table_name))
