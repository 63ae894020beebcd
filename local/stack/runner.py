"""Does what EventBridge Scheduler and the event source mappings do: brings events to the real handlers."""

import importlib
import json
import threading
import time
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TextIO

import boto3

from gpucost.domain.hours import Hour
from gpucost.runtime import container
from local.errors import StackError
from local.stack.aws import REGION, environment
from local.stack.deploy import Deployment
from local.stack.events import Event, matches, sqs_event, stream_event
from local.stack.template import Source

SCHEDULED_TIME = "<aws.scheduler.scheduled-time>"
SCHEDULED_MINUTE = 10
STREAM_TRIES = 3


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call of a handler."""

    function: str
    event: Event
    answer: Any


@dataclass(frozen=True, slots=True)
class LocalContext:
    """What Lambda passes as the context."""

    function_name: str
    aws_request_id: str
    deadline: float
    memory_limit_in_mb: int = 512

    @property
    def invoked_function_arn(self) -> str:
        return f"arn:aws:lambda:{REGION}:123456789012:function:{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        return max(0, int((self.deadline - time.monotonic()) * 1000))


class Runner:
    """Runs the functions of a deployment in this process, each under its own environment.

    `invocations` are all calls so far: to deliver something twice, `invoke` its event again. What the handlers write
    to standard output goes to `log`.
    """

    def __init__(self, deployment: Deployment, endpoint: str, log: TextIO) -> None:
        container.reset(self._now)
        self._time: datetime | None = None
        self._deployment = deployment
        self._log = log
        self._sqs = boto3.client("sqs", endpoint_url=endpoint)
        self._streams = boto3.client("dynamodbstreams", endpoint_url=endpoint)
        self._iterators: dict[str, dict[str, str]] = {}
        self._lock = threading.Lock()
        self.invocations: list[Invocation] = []

    def invoke(self, name: str, event: Event) -> Any:
        """Call a function's handler with an event; its answer. What the handler raises comes through."""
        function = self._deployment.functions[name]
        module, _, attribute = function.definition.handler.rpartition(".")
        with self._lock, environment(function.environment), redirect_stdout(self._log):
            handler = getattr(importlib.import_module(module), attribute)
            deadline = time.monotonic() + function.definition.timeout_seconds
            context = LocalContext(name, f"local-{len(self.invocations) + 1}", deadline)
            answer = handler(event, context)
        self.invocations.append(Invocation(name, event, answer))
        return answer

    def _now(self) -> datetime:
        """The functions' clock: that of the latest hour which was replayed, so that they do what they did then."""
        return self._time or datetime.now(UTC)

    def schedule(self, hour: Hour) -> None:
        """Send `plan` what the stack's schedule sends it ten minutes after the hour, at that time.

        An hour that is delivered again, after later ones, comes late: the clock never goes back.
        """
        due = hour.end.replace(minute=SCHEDULED_MINUTE)
        self._time = max(due, self._time or due)
        moment = due.strftime("%Y-%m-%dT%H:%M:%SZ")
        for template in self._deployment.functions["plan"].definition.schedule_inputs:
            self.invoke("plan", json.loads(template.replace(SCHEDULED_TIME, moment)))

    def drain(self, name: str) -> int:
        """Deliver everything that waits in a function's sources; how many messages or records that were."""
        function = self._deployment.functions[name]
        return sum(self._drain(name, source) for source in function.definition.sources)

    def run_hour(self, hour: Hour) -> None:
        """One hour through the whole line, until nothing is left to deliver."""
        self.schedule(hour)
        for name in ("collect", "detect", "notify"):
            self.drain(name)

    def _drain(self, name: str, source: Source) -> int:
        if source.kind == "SQS":
            return self._drain_queue(name, self._deployment.resources[source.logical_id], source.batch_size)
        return self._drain_stream(name, source)

    def _drain_queue(self, name: str, url: str, batch_size: int) -> int:
        arn = self._sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        delivered = 0
        while messages := self._receive(url, batch_size):
            answer = self.invoke(name, sqs_event(messages, arn))
            failed = failed_items(answer)
            for message in messages:
                if message["MessageId"] not in failed:
                    self._sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            delivered += len(messages)
        return delivered

    def _receive(self, url: str, batch_size: int) -> list[Mapping[str, Any]]:
        answer = self._sqs.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=batch_size,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
            WaitTimeSeconds=0,
        )
        return list(answer.get("Messages", []))

    def _drain_stream(self, name: str, source: Source) -> int:
        table = self._deployment.resources[source.logical_id]
        arn = self._streams.list_streams(TableName=table)["Streams"][0]["StreamArn"]
        event = stream_event(self._new_records(arn), arn)
        records = [record for record in event["Records"] if matches(record, source.patterns)]
        for start in range(0, len(records), source.batch_size):
            self._deliver_in_order(name, records[start : start + source.batch_size])
        return len(records)

    def _deliver_in_order(self, name: str, records: list[Event]) -> None:
        """A stream goes on only when a batch is done: from the first failure on it is delivered again."""
        for _ in range(STREAM_TRIES):
            failed = failed_items(self.invoke(name, {"Records": records}))
            numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
            first = next((index for index, number in enumerate(numbers) if number in failed), None)
            if first is None:
                return
            records = records[first:]
        raise StackError(f"{name} failed {STREAM_TRIES} times on the same stream record; the log has its reason")

    def _new_records(self, arn: str) -> list[Mapping[str, Any]]:
        known = self._iterators.setdefault(arn, {})
        for shard in self._streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
            if shard["ShardId"] not in known:
                answer = self._streams.get_shard_iterator(
                    StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
                )
                known[shard["ShardId"]] = answer["ShardIterator"]
        records: list[Mapping[str, Any]] = []
        for shard_id in list(known):
            while page := self._streams.get_records(ShardIterator=known[shard_id]):
                if following := page.get("NextShardIterator"):
                    known[shard_id] = following
                records += page["Records"]
                if not page["Records"]:
                    break
        return records


def failed_items(answer: Any) -> set[str]:
    """The identifiers that a handler reported as not done."""
    return {failure["itemIdentifier"] for failure in (answer or {}).get("batchItemFailures", [])}
