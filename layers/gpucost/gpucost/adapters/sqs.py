"""SQS: the queue of jobs, and the dead-letter queues that keep messages with their reason."""

from collections.abc import Mapping, Sequence
from itertools import batched
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters.aws_errors import explained
from gpucost.adapters.aws_text import allowed
from gpucost.ports import HourJob, ServiceUnavailable

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import BatchResultErrorEntryTypeDef, MessageAttributeValueTypeDef

PERMISSIONS = ("sqs:SendMessage",)

MAX_ENTRIES = 10
MAX_REASON = 1000


class SqsJobs:
    """`ports.Jobs` on an SQS queue. A job that is sent twice is harmless: the ledger recognises its own hour."""

    def __init__(self, client: "SQSClient", queue_url: str) -> None:
        self._client = client
        self._queue_url = queue_url

    def send(self, jobs: Sequence[HourJob]) -> None:
        """Queue every job. ServiceUnavailable names those that SQS did not take; the rest are queued."""
        refused = [line for batch in batched(jobs, MAX_ENTRIES, strict=False) for line in self._send_batch(batch)]
        if refused:
            raise ServiceUnavailable(f"{len(refused)} of {len(jobs)} jobs were not queued: {'; '.join(refused)}")

    def _send_batch(self, batch: Sequence[HourJob]) -> list[str]:
        try:
            answer = self._client.send_message_batch(
                QueueUrl=self._queue_url,
                Entries=[{"Id": str(index), "MessageBody": job.message()} for index, job in enumerate(batch)],
            )
        except (ClientError, BotoCoreError) as error:
            raise explained(error, f"queueing {len(batch)} jobs in {self._queue_url}") from error
        return [_refusal(entry, batch) for entry in answer.get("Failed", [])]


def _refusal(entry: "BatchResultErrorEntryTypeDef", batch: Sequence[HourJob]) -> str:
    job = batch[int(entry["Id"])]
    return f"{job.cluster} {job.hour} ({entry['Code']} {entry.get('Message', '')})".replace(" )", ")")


class SqsDeadLetters:
    """`ports.DeadLetters` on an SQS queue: the body stays as it came, the reason goes into message attributes."""

    def __init__(self, client: "SQSClient", queue_url: str) -> None:
        self._client = client
        self._queue_url = queue_url

    def put(self, body: str, reason: Exception, attributes: Mapping[str, str]) -> None:
        """Send the message with `reason`, `error` and the attributes given. ServiceError when SQS does not take it."""
        facts = {"reason": str(reason), "error": type(reason).__name__, **attributes}
        try:
            self._client.send_message(
                QueueUrl=self._queue_url,
                MessageBody=allowed(body) or "(empty)",
                MessageAttributes={name: _attribute(value) for name, value in facts.items()},
            )
        except (ClientError, BotoCoreError) as error:
            raise explained(error, f"keeping a dead letter in {self._queue_url}") from error


def _attribute(value: str) -> "MessageAttributeValueTypeDef":
    return {"DataType": "String", "StringValue": allowed(value)[:MAX_REASON] or "(none)"}
