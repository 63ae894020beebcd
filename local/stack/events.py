"""Lambda events as the services build them, from what their APIs return."""

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

from local.errors import StackError
from local.stack.aws import REGION

type Event = dict[str, Any]


def sqs_event(messages: Sequence[Mapping[str, Any]], queue_arn: str) -> Event:
    """The event that a function gets for messages as ReceiveMessage returned them."""
    return {"Records": [_sqs_record(message, queue_arn) for message in messages]}


def _sqs_record(message: Mapping[str, Any], queue_arn: str) -> Event:
    attributes = {
        name: {
            "stringValue": value.get("StringValue"),
            "dataType": value["DataType"],
            "stringListValues": [],
            "binaryListValues": [],
        }
        for name, value in message.get("MessageAttributes", {}).items()
    }
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": dict(message.get("Attributes", {})),
        "messageAttributes": attributes,
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn,
        "awsRegion": REGION,
    }


def stream_event(records: Sequence[Mapping[str, Any]], stream_arn: str) -> Event:
    """The event that a function gets for records as GetRecords returned them."""
    return {"Records": [_stream_record(record, stream_arn) for record in records]}


def _stream_record(record: Mapping[str, Any], stream_arn: str) -> Event:
    plain = _json_form({key: value for key, value in record.items() if key != "eventSource"})
    return {**plain, "eventSource": "aws:dynamodb", "eventSourceARN": stream_arn}


def _json_form(value: Any) -> Any:
    """Binary as base64 and times as epoch seconds, as Lambda passes them."""
    match value:
        case dict():
            return {key: _json_form(item) for key, item in value.items()}
        case list():
            return [_json_form(item) for item in value]
        case bytes():
            return base64.b64encode(value).decode()
        case datetime():
            return value.timestamp()
        case _:
            return value


def matches(record: Mapping[str, Any], patterns: Sequence[str]) -> bool:
    """Whether an event source mapping with these filter patterns would pass the record on. None means every record."""
    return not patterns or any(_matches(record, json.loads(pattern)) for pattern in patterns)


def _matches(value: Any, pattern: Any) -> bool:
    if isinstance(pattern, Mapping):
        return isinstance(value, Mapping) and all(_matches(value.get(key), part) for key, part in pattern.items())
    if not isinstance(pattern, list) or any(isinstance(one, Mapping | list) for one in pattern):
        raise StackError(f"the local stack understands filters by equality only, not {json.dumps(pattern)}")
    return value in pattern


LOCAL_CALLER = "arn:aws:iam::123456789012:user/local"


def http_api_event(
    method: str, path: str, query: str, headers: Mapping[str, str], now: datetime, caller: str = LOCAL_CALLER
) -> Event:
    """An HTTP API request in payload format 2.0, signed by this IAM user or role as far as the function can tell."""
    values = {name: ",".join(several) for name, several in parse_qs(query, keep_blank_values=True).items()}
    event: Event = {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {name.lower(): value for name, value in headers.items()},
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "local",
            "authorizer": {"iam": {"accountId": "123456789012", "userArn": caller}},
            "domainName": "localhost",
            "domainPrefix": "local",
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": ""},
            "requestId": f"local-{now.timestamp():.6f}",
            "routeKey": f"{method} {path}",
            "stage": "$default",
            "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "timeEpoch": int(now.timestamp() * 1000),
        },
        "isBase64Encoded": False,
    }
    return {**event, "queryStringParameters": values} if values else event
