"""Events are built as the services build them, and stream filters pass what they should."""

from datetime import UTC, datetime

import pytest

from local.errors import StackError
from local.stack.events import http_api_event, matches, stream_event

HEADS = '{"dynamodb": {"NewImage": {"type": {"S": ["head"]}}}}'


def record(kind: str) -> dict[str, object]:
    return {"eventName": "INSERT", "dynamodb": {"NewImage": {"type": {"S": kind}}}}


def test_a_filter_passes_equal_values_only() -> None:
    assert matches(record("head"), [HEADS])
    assert not matches(record("rows"), [HEADS])
    assert not matches({"eventName": "REMOVE", "dynamodb": {}}, [HEADS])
    assert matches(record("rows"), [HEADS, '{"eventName": ["INSERT", "MODIFY"]}'])
    assert matches(record("rows"), [])


def test_a_filter_that_is_not_understood_is_an_error_and_not_a_guess() -> None:
    with pytest.raises(StackError, match="equality only"):
        matches(record("head"), ['{"eventName": [{"prefix": "INS"}]}'])


def test_stream_records_are_json_as_lambda_passes_them() -> None:
    written = datetime(2026, 11, 30, 11, 10, tzinfo=UTC)
    image = {"NewImage": {"rows": {"B": b"\x00\xff"}}, "ApproximateCreationDateTime": written}
    event = stream_event([{"eventSource": "dynamodb", "dynamodb": image}], "arn")
    assert event["Records"] == [
        {
            "eventSource": "aws:dynamodb",
            "eventSourceARN": "arn",
            "dynamodb": {"NewImage": {"rows": {"B": "AP8="}}, "ApproximateCreationDateTime": written.timestamp()},
        }
    ]


def test_an_http_request_without_query_has_no_query_parameters() -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    bare = http_api_event("GET", "/v1/costs", "", {}, now)
    assert "queryStringParameters" not in bare
    full = http_api_event("GET", "/v1/costs", "bu=a%26b&bu=c&from=", {"Accept": "x"}, now)
    assert full["queryStringParameters"] == {"bu": "a&b,c", "from": ""}
    assert (full["rawQueryString"], full["headers"]) == ("bu=a%26b&bu=c&from=", {"accept": "x"})
