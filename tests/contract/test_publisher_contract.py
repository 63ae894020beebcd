"""What every topic does: the in-memory twin, and the SNS adapter against moto with real subscriptions."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import boto3
import pytest

from gpucost.adapters.memory_chat import MemoryPublisher
from gpucost.adapters.sns import SnsPublisher
from gpucost.domain.alerts.finding import Finding
from gpucost.ports import Publisher, ServiceError
from gpucost.usecases.alerting.deliver import read_finding
from tests.support.findings import finding, with_pods

if TYPE_CHECKING:
    from mypy_boto3_sns import SNSClient
    from mypy_boto3_sqs import SQSClient

ODD_BUS = ('R&D "비전" \\ team\n2 ©', "", "\x00\x1f\x7f", "\ufffe\uffff\ud800", "x" * 2048, "null", "1e5", "<!channel>")


class Topic(Protocol):
    """A publisher together with what reached a subscriber."""

    @property
    def publisher(self) -> Publisher: ...

    def received(self) -> list[Finding]: ...


class MemoryTopic:
    def __init__(self) -> None:
        self.publisher = MemoryPublisher()

    def received(self) -> list[Finding]:
        return self.publisher.published


@dataclass
class MotoTopic:
    """A topic with one queue subscribed to it, with raw delivery."""

    sns: "SNSClient"
    sqs: "SQSClient"

    def __post_init__(self) -> None:
        self.arn = self.sns.create_topic(Name="findings")["TopicArn"]
        self.publisher = SnsPublisher(self.sns, self.arn)
        self.queue = self.subscribe("all", {})

    def subscribe(self, name: str, filter_policy: dict[str, list[str]]) -> str:
        url = self.sqs.create_queue(QueueName=name)["QueueUrl"]
        arn = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        attributes = {"RawMessageDelivery": "true"}
        if filter_policy:
            attributes["FilterPolicy"] = json.dumps(filter_policy)
        self.sns.subscribe(TopicArn=self.arn, Protocol="sqs", Endpoint=arn, Attributes=attributes)
        return url

    def messages(self, queue: str | None = None) -> list[dict[str, Any]]:
        got: list[dict[str, Any]] = []
        while batch := self.sqs.receive_message(
            QueueUrl=queue or self.queue, MaxNumberOfMessages=10, MessageAttributeNames=["All"]
        ).get("Messages", []):
            for message in batch:
                got.append(dict(message))
                self.sqs.delete_message(QueueUrl=queue or self.queue, ReceiptHandle=message["ReceiptHandle"])
        return got

    def received(self) -> list[Finding]:
        return [read_finding(message["Body"]) for message in self.messages()]


@pytest.fixture
def moto_topic(clean_moto: str) -> MotoTopic:
    return MotoTopic(boto3.client("sns", endpoint_url=clean_moto), boto3.client("sqs", endpoint_url=clean_moto))


@pytest.fixture(params=["memory", "moto"])
def topic(request: pytest.FixtureRequest) -> Topic:
    makers: dict[str, Callable[[], Topic]] = {
        "memory": MemoryTopic,
        "moto": lambda: request.getfixturevalue("moto_topic"),
    }
    return makers[request.param]()


def test_a_finding_reaches_a_subscriber_as_it_was_published(topic: Topic) -> None:
    told = replace(with_pods(finding(), 10), more_pods=3)
    topic.publisher.publish(told)
    assert topic.received() == [told]


@pytest.mark.parametrize("bu", ODD_BUS, ids=ascii)
def test_a_bu_of_any_name_reaches_a_subscriber(topic: Topic, bu: str) -> None:
    topic.publisher.publish(finding(bu))
    assert topic.received() == [finding(bu)]


def test_the_same_finding_twice_reaches_a_subscriber_twice_under_one_id(topic: Topic) -> None:
    topic.publisher.publish(finding())
    topic.publisher.publish(finding())
    assert [told.id for told in topic.received()] == [finding().id] * 2


def test_attributes_let_a_subscriber_choose_its_bu(moto_topic: MotoTopic) -> None:
    only_b = moto_topic.subscribe("only-b", {"bu": ["bu-b"], "kind": ["bu_waste"], "severity": ["warning"]})
    for bu in ("bu-a", "bu-b", "bu-c"):
        moto_topic.publisher.publish(finding(bu))
    assert [read_finding(message["Body"]).bu for message in moto_topic.messages(only_b)] == ["bu-b"]


@pytest.mark.parametrize("bu", ODD_BUS, ids=ascii)
def test_body_and_attributes_hold_only_what_sqs_takes(moto_topic: MotoTopic, bu: str) -> None:
    moto_topic.publisher.publish(finding(bu))
    (message,) = moto_topic.messages()
    texts = [message["Body"], *(value["StringValue"] for value in message["MessageAttributes"].values())]
    assert set(message["MessageAttributes"]) == {"bu", "kind", "severity", "step"}
    for text in texts:
        assert text
        assert not [char for char in text if (char < " " and char not in "\t\n\r") or char in "\ufffe\uffff\ud800"]


def test_subject_and_email_are_what_sns_was_given(moto_topic: MotoTopic) -> None:
    sent: dict[str, Any] = {}
    moto_topic.sns.meta.events.register("provide-client-params.sns.Publish", lambda params, **_: sent.update(params))
    moto_topic.publisher.publish(finding("비전" * 100))
    assert sent["Subject"].isascii()
    assert len(sent["Subject"]) <= 100
    assert json.loads(sent["Message"])["email"].startswith("비전")
    assert read_finding(json.loads(sent["Message"])["default"]) == finding("비전" * 100)


def test_a_topic_that_does_not_exist_is_named_and_not_worth_another_try(moto_topic: MotoTopic) -> None:
    publisher = SnsPublisher(moto_topic.sns, f"{moto_topic.arn}-gone")
    with pytest.raises(ServiceError, match=r"publishing finding \w+ on arn:\S+-gone failed") as caught:
        publisher.publish(finding())
    assert not caught.value.retryable
