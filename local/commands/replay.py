"""`gpucost replay`: show what lies in a dead-letter queue and why, and send it to its queue again."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError
from rich.markup import escape

from gpucost.adapters.aws_errors import explained
from local.errors import UsageError, one_line
from local.report_view import console

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

BATCH = 10
HIDDEN_SECONDS = 900
WITHOUT_REASON = "no reason: the function crashed or ran out of time; see its log"


def run(dead_letters: str, into: str | None, region: str | None) -> None:
    """List the dead letters with their reasons; with `into`, send each to that queue and remove it here."""
    try:
        client = boto3.Session(region_name=region).client("sqs")
    except BotoCoreError as error:
        raise UsageError(f"no SQS client: {error}; name --region, or set AWS_REGION") from None
    out = console()
    try:
        # All are taken before the first is sent on: one that fails again at once is not met a second time.
        letters = list(_letters(client, dead_letters))
        for letter in letters:
            out.print(_shown(letter))
            _settle(client, dead_letters, into, letter)
    except (ClientError, BotoCoreError) as error:
        raise explained(error, f"replaying {dead_letters}") from error
    if into is None:
        out.print(f"{len(letters)} dead letters; --into QUEUE-URL sends them again")
    else:
        out.print(f"{len(letters)} dead letters sent again")


def _letters(client: "SQSClient", url: str) -> Iterator[Mapping[str, Any]]:
    """Every message once: what was seen is hidden until it is settled."""
    while True:
        answer = client.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=BATCH,
            VisibilityTimeout=HIDDEN_SECONDS,
            MessageAttributeNames=["All"],
            WaitTimeSeconds=0,
        )
        messages = answer.get("Messages", [])
        if not messages:
            return
        yield from messages


def _shown(letter: Mapping[str, Any]) -> str:
    attributes = letter.get("MessageAttributes") or {}
    reason = attributes.get("reason", {}).get("StringValue", WITHOUT_REASON)
    return f"{escape(one_line(letter['Body'])[:200])}\n  [red]{escape(one_line(reason))}[/]"


def _settle(client: "SQSClient", url: str, into: str | None, letter: Mapping[str, Any]) -> None:
    """Send the letter on, or leave it for others to see. It is removed only once the other queue has it."""
    if into is None:
        client.change_message_visibility(QueueUrl=url, ReceiptHandle=letter["ReceiptHandle"], VisibilityTimeout=0)
    else:
        client.send_message(QueueUrl=into, MessageBody=letter["Body"])
        client.delete_message(QueueUrl=url, ReceiptHandle=letter["ReceiptHandle"])
