"""Misfortunes on the wire: botocore's own hooks, so that the client's real code runs into them."""

import json
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ReadTimeoutError

from tests.simulation.chance import Chance, Fault
from tests.simulation.table import Committed
from tests.support.faults import Killed

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

WRITES = ("PutItem", "TransactWriteItems", "BatchWriteItem", "DeleteItem")
READS = ("GetItem", "Query")


class StormyWire:
    """Makes a client's calls fail: throttled, cancelled, half done, unanswered, or killed on the way out or back.

    `committed` hears of every item that was written by a put or a transaction, as the table's stream does.
    """

    def __init__(self, client: "DynamoDBClient", chance: Chance, committed: Committed) -> None:
        self._chance = chance
        self._committed = committed
        self._held_back: list[Any] = []
        events: Any = client.meta.events
        for name in (*WRITES, *READS):
            events.register(f"before-send.dynamodb.{name}", self._before_send)
        for name in WRITES:
            events.register(f"before-call.dynamodb.{name}", self._remember)
            events.register(f"after-call.dynamodb.{name}", self._after_write)
        events.register("provide-client-params.dynamodb.BatchWriteItem", self._hold_back)
        events.register_first("after-call.dynamodb.BatchWriteItem", self._leave_unprocessed)

    def _before_send(self, request: Any, event_name: str, **_: Any) -> AWSResponse | None:
        if self._chance.happens(Fault.KILLED_BEFORE):
            raise Killed
        if self._chance.happens(Fault.THROTTLED):
            return _refusal(request.url, "ProvisionedThroughputExceededException")
        if event_name.endswith(".TransactWriteItems") and self._chance.happens(Fault.CONFLICT):
            return _refusal(request.url, "TransactionCanceledException", "TransactionConflict")
        if event_name.endswith(".PutItem") and self._chance.happens(Fault.CONFLICT):
            return _refusal(request.url, "TransactionConflictException")
        return None

    def _remember(self, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        context["sent"] = json.loads(params["body"])

    def _after_write(self, http_response: AWSResponse, context: dict[str, Any], event_name: str, **_: Any) -> None:
        if http_response.status_code != 200:
            return
        for item in _written(context["sent"]):
            self._committed(item)
        if self._chance.happens(Fault.LOST_ACK):
            raise ReadTimeoutError(endpoint_url=event_name)
        if self._chance.happens(Fault.KILLED_AFTER):
            raise Killed

    def _hold_back(self, params: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Some items of a batch do not get through."""
        ((table, requests),) = params["RequestItems"].items()
        if len(requests) < 2 or not self._chance.happens(Fault.HALF_BATCH):
            return params
        self._held_back = requests[1:]
        return {"RequestItems": {table: requests[:1]}}

    def _leave_unprocessed(self, parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        """And the table says so, as the service does."""
        (table,) = context["sent"]["RequestItems"]
        if self._held_back:
            parsed["UnprocessedItems"] = {table: self._held_back}
            self._held_back = []


def _written(sent: dict[str, Any]) -> list[dict[str, Any]]:
    puts = [entry["Put"] for entry in sent.get("TransactItems", [])] or [sent]
    read = TypeDeserializer().deserialize
    keep = ("type", "cluster", "hour")
    items = [put["Item"] for put in puts if "Item" in put]
    return [{name: read(item[name]) for name in keep if name in item} for item in items]


def _refusal(url: str, code: str, reason: str | None = None) -> AWSResponse:
    body: dict[str, Any] = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "by the storm"}
    if reason:
        body["CancellationReasons"] = [{"Code": reason}, {"Code": "None"}]
    headers = HTTPHeaders.from_dict({"Content-Type": "application/x-amz-json-1.0"})
    return AWSResponse(url, 400, headers, _Raw(json.dumps(body).encode()))


class _Raw:
    """The body of an answer that never came over a socket."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, **_: Any) -> list[bytes]:
        return [self._body]
