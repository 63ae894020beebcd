"""Work through a batch so that one bad record neither blocks nor takes down the others, and no failure is mute.

A record that can never succeed goes to the dead-letter queue at once, with its reason, and counts as done. A record
that may succeed later is reported back, and its source delivers it again. The last time it does so, it goes to the
dead-letter queue with its last reason. The source's own redrive is left for crashes and timeouts: these give no reason.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from aws_lambda_powertools.utilities.batch import (
    BasePartialBatchProcessor,
    BatchProcessor,
    EventType,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from gpucost.ports import DeadLetters, GpucostError
from gpucost.runtime.observability import count, logger

type Response = Mapping[str, Any]

STREAM_PATIENCE = timedelta(hours=1)
"""How long a stream record is tried again. A stream does not count its deliveries, but it dates its records."""


def bodies(event: Mapping[str, Any]) -> list[str]:
    """The bodies of an SQS event's messages."""
    return [_body(record) for record in event["Records"]]


def work_queue(
    event: dict[str, Any], work: Callable[[str], None], dead_letters: DeadLetters, max_receives: int
) -> Response:
    """Call `work` with the body of each SQS message, and answer with the messages to deliver again."""

    def handle(record: SQSRecord) -> None:
        body = _body(record.raw_event)
        facts = {"message_id": str(record.raw_event.get("messageId", ""))}
        last_time = _receives(record.raw_event) >= max_receives
        _guarded(lambda: work(body), last_time, dead_letters, body, facts)

    return _processed(event, handle, EventType.SQS)


def work_stream(
    event: dict[str, Any], work: Callable[[Mapping[str, Any]], None], dead_letters: DeadLetters, now: datetime
) -> Response:
    """Call `work` with the new image of each DynamoDB record, and answer with the records to deliver again.

    A removal has no new image: it is done. The body of a dead letter is the whole record.
    """

    def handle(record: DynamoDBRecord) -> None:
        change = record.dynamodb
        if change is None or "NewImage" not in change.raw_event:
            return
        written = change.approximate_creation_date_time or 0
        last_time = now.timestamp() - written >= STREAM_PATIENCE.total_seconds()
        facts = {"event_id": str(record.raw_event.get("eventID", ""))}
        body = json.dumps(record.raw_event, default=str)
        _guarded(lambda: work(change.new_image), last_time, dead_letters, body, facts)

    return _processed(event, handle, EventType.DynamoDBStreams)


def _processed(event: dict[str, Any], handle: Callable[[Any], None], kind: EventType) -> Response:
    # When a whole batch failed, its records are reported like any others: an outage is no fault of this function.
    processor: BasePartialBatchProcessor = BatchProcessor(event_type=kind, raise_on_entire_batch_failure=False)
    return process_partial_response(event, handle, processor)


def _guarded(
    work: Callable[[], None], last_time: bool, dead_letters: DeadLetters, body: str, facts: Mapping[str, str]
) -> None:
    try:
        work()
    except Exception as error:
        why = {"reason": str(error), "error": type(error).__name__, **facts}
        expected = isinstance(error, GpucostError)
        hopeless = isinstance(error, GpucostError) and not error.retryable
        if not last_time and not hopeless:
            logger.warning("to be tried again", exc_info=not expected, extra=why)
            count("RecordsRetried")
            raise
        dead_letters.put(body, error, facts)
        logger.error("given up", exc_info=not expected, extra=why)
        count("RecordsGivenUp")


def _body(record: Mapping[str, Any]) -> str:
    return str(record.get("body") or "")


def _receives(record: Mapping[str, Any]) -> int:
    attributes = record.get("attributes") or {}
    return int(attributes.get("ApproximateReceiveCount", 1))
