"""What every chat channel does: the in-memory twin, and the webhook adapter against a local Slack."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, cast

import pytest

from gpucost.adapters.memory_chat import MemoryChat, MemorySecrets
from gpucost.adapters.slack import Answer, SlackWebhook
from gpucost.domain.alerts.blocks import by_hour, slack_message
from gpucost.ports import Chat, DeliveryAmbiguous, DeliveryError, DeliveryUnavailable
from local.stack.slack import SlackDouble
from tests.support.findings import finding, with_pods

MESSAGE = slack_message([with_pods(finding(), 3)])


class Channel(Protocol):
    """A chat together with what arrived there, and a way to choose its next answer."""

    @property
    def chat(self) -> Chat: ...

    def posted(self) -> list[dict[str, Any]]: ...

    def answer_next(self, status: int, body: str, retry_after: str | None) -> None: ...


@dataclass
class MemoryChannel:
    chat: MemoryChat

    def posted(self) -> list[dict[str, Any]]:
        return self.chat.posted

    def answer_next(self, status: int, body: str, retry_after: str | None) -> None:
        self.chat.answers.append(Answer(status, body, retry_after))


@dataclass
class SlackChannel:
    chat: SlackWebhook
    double: SlackDouble

    def posted(self) -> list[dict[str, Any]]:
        return self.double.messages

    def answer_next(self, status: int, body: str, retry_after: str | None) -> None:
        assert retry_after in (None, "1"), "the local Slack always asks for one second"
        self.double.answers.append((status, body))


@pytest.fixture(params=["memory", "slack"])
def channel(request: pytest.FixtureRequest) -> Iterator[Channel]:
    if request.param == "memory":
        yield MemoryChannel(MemoryChat())
    else:
        double = cast("SlackDouble", request.getfixturevalue("slack"))
        yield SlackChannel(SlackWebhook(MemorySecrets({"hook": double.webhook_url}), "hook"), double)


def test_a_message_arrives_as_it_was_posted(channel: Channel) -> None:
    channel.chat.post(MESSAGE)
    assert channel.posted() == [MESSAGE]


def test_messages_arrive_in_order_and_each_once(channel: Channel) -> None:
    messages = [slack_message([finding(f"bu-{index}")]) for index in range(3)]
    for message in messages:
        channel.chat.post(message)
    assert channel.posted() == messages


def test_a_message_about_150_bus_with_odd_names_is_taken(channel: Channel) -> None:
    message = slack_message(by_hour(finding(f'{index} R&D <!channel> "비전" `x`\n') for index in range(150))[0])
    channel.chat.post(message)
    assert channel.posted() == [message]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (410, "channel_is_archived"),
        (404, "channel_not_found"),
        (403, "action_prohibited"),
        (400, "invalid_payload"),
        (400, "missing_text_or_fallback_or_attachments"),
        (302, "found"),
    ],
)
def test_a_refusal_for_good_says_what_was_answered(channel: Channel, status: int, body: str) -> None:
    channel.answer_next(status, body, None)
    with pytest.raises(DeliveryError, match=rf"^Slack answered {status} {body}: ") as caught:
        channel.chat.post(MESSAGE)
    assert not caught.value.retryable
    assert channel.posted() == []


def test_too_many_messages_says_when_to_come_back(channel: Channel) -> None:
    channel.answer_next(429, "rate_limited", "1")
    with pytest.raises(DeliveryUnavailable) as caught:
        channel.chat.post(MESSAGE)
    assert (type(caught.value), caught.value.retry_after) == (DeliveryUnavailable, 1.0)
    channel.chat.post(MESSAGE)
    assert channel.posted() == [MESSAGE]


@pytest.mark.parametrize(("status", "body"), [(500, "rollup_error"), (503, "")])
def test_a_server_error_is_ambiguous(channel: Channel, status: int, body: str) -> None:
    channel.answer_next(status, body, None)
    with pytest.raises(DeliveryAmbiguous, match=rf"^Slack answered {status}") as caught:
        channel.chat.post(MESSAGE)
    assert caught.value.retryable
