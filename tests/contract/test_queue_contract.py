"""What every queue does: the in-memory twins, and the SQS adapters against moto."""

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import boto3
import pytest
from botocore.config import Config
from botocore.stub import Stubber

from gpucost.adapters.memory_queue import DeadLetter, MemoryDeadLetters, MemoryJobs
from gpucost.adapters.sqs import SqsDeadLetters, SqsJobs
from gpucost.domain.hours import Hour
from gpucost.ports import DeadLetters, HourJob, Jobs, MetricsError, ServiceError, ServiceUnavailable

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

FIRST = Hour.parse("2026-11-29T00:00:00Z")


class Queues(Protocol):
    """Both kinds of queue, with what is in them."""

    @property
    def jobs(self) -> Jobs: ...

    @property
    def dead_letters(self) -> DeadLetters: ...

    def queued(self) -> list[HourJob]: ...

    def kept(self) -> list[DeadLetter]: ...


class MemoryQueues:
    def __init__(self) -> None:
        self.jobs = MemoryJobs()
        self.dead_letters = MemoryDeadLetters()

    def queued(self) -> list[HourJob]:
        return self.jobs.sent

    def kept(self) -> list[DeadLetter]:
        return self.dead_letters.letters


class MotoQueues:
    def __init__(self, client: "SQSClient") -> None:
        self.client = client
        self.jobs_url = client.create_queue(QueueName="jobs")["QueueUrl"]
        self.dead_url = client.create_queue(QueueName="dead")["QueueUrl"]
        self.jobs = SqsJobs(client, self.jobs_url)
        self.dead_letters = SqsDeadLetters(client, self.dead_url)

    def queued(self) -> list[HourJob]:
        return [HourJob.from_message(message["Body"]) for message in self._drain(self.jobs_url)]

    def kept(self) -> list[DeadLetter]:
        return [_letter(message) for message in self._drain(self.dead_url)]

    def _drain(self, url: str) -> "list[MessageTypeDef]":
        messages: list[MessageTypeDef] = []
        while batch := self.client.receive_message(
            QueueUrl=url, MaxNumberOfMessages=10, MessageAttributeNames=["All"]
        ).get("Messages"):
            messages += batch
        return messages


def _letter(message: "MessageTypeDef") -> DeadLetter:
    facts = {name: value.get("StringValue", "") for name, value in message.get("MessageAttributes", {}).items()}
    return DeadLetter(message["Body"], facts.pop("reason"), facts.pop("error"), facts)


def client_at(endpoint: str) -> "SQSClient":
    # No tries beyond the first: a fault that a test injects is the answer.
    config = Config(retries={"mode": "standard", "total_max_attempts": 1})
    return boto3.client("sqs", endpoint_url=endpoint, region_name="us-west-2", config=config)


@pytest.fixture(params=["memory", "sqs"])
def queues(request: pytest.FixtureRequest) -> Queues:
    if request.param == "memory":
        return MemoryQueues()
    return MotoQueues(client_at(request.getfixturevalue("clean_moto")))


def jobs_of(number: int, cluster: str = "prod") -> list[HourJob]:
    return [HourJob(cluster, FIRST.plus(index), "backfill") for index in range(number)]


@pytest.mark.parametrize("number", [0, 1, 10, 11, 25])
def test_every_job_arrives_as_it_was(number: int, queues: Queues) -> None:
    queues.jobs.send(jobs_of(number))
    assert sorted(queues.queued(), key=lambda job: job.hour) == jobs_of(number)


def test_odd_names_survive_the_queue(queues: Queues) -> None:
    jobs = [HourJob('p"r\\od\n비전', FIRST, "schedule")]
    queues.jobs.send(jobs)
    assert queues.queued() == jobs


@pytest.mark.parametrize("body", ["x", '{"kind": "hour"}', "not json", "비전\n\ttext", "x" * 100_000])
def test_a_dead_letter_keeps_the_body_as_it_came_with_its_reason(body: str, queues: Queues) -> None:
    queues.dead_letters.put(body, MetricsError("answered 413: too large"), {"message_id": "m-1"})
    assert queues.kept() == [DeadLetter(body, "answered 413: too large", "MetricsError", {"message_id": "m-1"})]


# What SQS itself does not take has to be kept all the same.
ODD_BODIES = ["", "\x00\x1f", "\ufffe\uffff", "ok \x0b"]


@pytest.mark.parametrize("body", ODD_BODIES, ids=range(len(ODD_BODIES)))
@pytest.mark.parametrize("reason", ["", "at line 3: \x00", "at line 3: " * 500])
def test_nothing_is_too_odd_to_be_kept(body: str, reason: str, queues: Queues) -> None:
    queues.dead_letters.put(body, ValueError(reason), {"message_id": ""})
    (letter,) = queues.kept()
    assert letter.error == "ValueError"
    assert letter.reason.startswith("at line 3: ") == bool(reason)


def test_jobs_that_sqs_does_not_take_are_named(clean_moto: str) -> None:
    client = client_at(clean_moto)
    failed = {"Id": "1", "SenderFault": False, "Code": "InternalError", "Message": "try again"}
    with Stubber(client) as stubber:
        stubber.add_response("send_message_batch", {"Successful": [], "Failed": [failed]})
        with pytest.raises(ServiceUnavailable) as refused:
            SqsJobs(client, "https://sqs.us-west-2.amazonaws.com/111122223333/jobs").send(jobs_of(3))
    assert "1 of 3 jobs" in str(refused.value)
    assert "prod 2026-11-29T01:00:00Z (InternalError try again)" in str(refused.value)


def fail_with(code: str, status: int) -> Callable[["SQSClient"], None]:
    def register(client: "SQSClient") -> None:
        stubber = Stubber(client)
        for method in ("send_message_batch", "send_message"):
            stubber.add_client_error(method, code, "because", status)
        stubber.activate()

    return register


ERRORS: Sequence[Any] = [
    ("AccessDenied", 403, ServiceError),
    ("AWS.SimpleQueueService.NonExistentQueue", 400, ServiceError),
    ("RequestThrottled", 403, ServiceUnavailable),
    ("OverLimit", 403, ServiceUnavailable),
    ("ServiceUnavailable", 503, ServiceUnavailable),
    ("Unheard", 500, ServiceUnavailable),
]


@pytest.mark.parametrize(("code", "status", "kind"), ERRORS)
def test_an_error_says_whether_it_may_pass_and_what_failed(code: str, status: int, kind: type[ServiceError]) -> None:
    client = client_at("http://127.0.0.1:9")
    fail_with(code, status)(client)
    with pytest.raises(ServiceError) as refused:
        SqsJobs(client, "https://queue/jobs").send(jobs_of(1))
    assert type(refused.value) is kind
    assert code in str(refused.value)
    assert "https://queue/jobs" in str(refused.value)


def test_a_queue_that_cannot_be_reached_may_be_later() -> None:
    with pytest.raises(ServiceUnavailable):
        SqsDeadLetters(client_at("http://127.0.0.1:9"), "http://127.0.0.1:9/dead").put("x", ValueError("y"), {})


def test_a_job_is_json_that_other_tools_can_read() -> None:
    assert json.loads(jobs_of(1)[0].message()) == {
        "kind": "hour",
        "cluster": "prod",
        "hour": "2026-11-29T00:00:00Z",
        "reason": "backfill",
    }
