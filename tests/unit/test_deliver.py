"""What is posted, what is posted again, and what is given up on."""

import json

import pytest

from gpucost.adapters.memory_chat import TAKEN, MemoryChat
from gpucost.adapters.slack import Answer
from gpucost.domain.alerts.blocks import slack_message
from gpucost.domain.alerts.messages import notification
from gpucost.ports import DeliveryAmbiguous, DeliveryError, DeliveryUnavailable, MessageError
from gpucost.usecases.alerting.deliver import PAUSE_SECONDS, deliver, read_finding
from gpucost.usecases.alerting.patience import LEAST, Patience
from tests.support.findings import finding, with_pods

FINDINGS = [finding("bu-a"), finding("bu-b")]
MESSAGE = slack_message(FINDINGS)


class Pauses(list[float]):
    """Notes how long it was asked to wait, and does not."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def test_one_message_is_posted() -> None:
    chat, pauses = MemoryChat(), Pauses()
    deliver(FINDINGS, chat, Patience(pauses))
    assert chat.posted == [MESSAGE]
    assert pauses == []


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (410, "channel_is_archived"),
        (404, "channel_not_found"),
        (403, "action_prohibited"),
        (400, "invalid_payload"),
        (400, "missing_text_or_fallback_or_attachments"),
    ],
)
def test_a_refusal_for_good_is_not_repeated_and_keeps_slacks_reason(status: int, body: str) -> None:
    chat, pauses = MemoryChat([Answer(status, body)]), Pauses()
    with pytest.raises(DeliveryError, match=rf"^Slack answered {status} {body}") as caught:
        deliver(FINDINGS, chat, Patience(pauses))
    assert not caught.value.retryable
    assert (chat.posted, pauses) == ([], [])


def test_slack_is_waited_for_as_long_as_it_asks() -> None:
    chat, pauses = MemoryChat([Answer(429, "rate_limited", "7"), Answer(429, "rate_limited", "0")]), Pauses()
    deliver(FINDINGS, chat, Patience(pauses))
    assert (chat.posted, pauses) == ([MESSAGE], [7.0, LEAST])


def test_patience_is_for_all_messages_together() -> None:
    chat, pauses = (
        MemoryChat([Answer(429, "", "40"), TAKEN, Answer(429, "", "20"), TAKEN, Answer(429, "", "1")]),
        Pauses(),
    )
    patience = Patience(pauses)
    deliver(FINDINGS, chat, patience)
    deliver(FINDINGS, chat, patience)
    with pytest.raises(DeliveryUnavailable):
        deliver(FINDINGS, chat, patience)
    assert (len(chat.posted), pauses) == (2, [40.0, 20.0])


@pytest.mark.parametrize("wait", [None, "61", "soon"])
def test_a_longer_wait_or_one_of_unknown_length_is_left_to_the_queue(wait: str | None) -> None:
    chat, pauses = MemoryChat([Answer(429, "rate_limited", wait)]), Pauses()
    with pytest.raises(DeliveryUnavailable) as caught:
        deliver(FINDINGS, chat, Patience(pauses))
    assert type(caught.value) is DeliveryUnavailable
    assert (chat.posted, pauses) == ([], [])


def test_a_server_error_is_repeated_once() -> None:
    chat, pauses = MemoryChat([Answer(500, "rollup_error")]), Pauses()
    deliver(FINDINGS, chat, Patience(pauses))
    assert (chat.posted, pauses) == ([MESSAGE], [PAUSE_SECONDS])


def test_two_ambiguous_answers_are_given_up_on_with_the_ids_to_look_for() -> None:
    chat = MemoryChat([Answer(500, "rollup_error"), Answer(503, "")])
    with pytest.raises(DeliveryError, match="not known whether the message arrived") as caught:
        deliver(FINDINGS, chat, Patience(Pauses()))
    assert not caught.value.retryable
    assert all(told.id in str(caught.value) for told in FINDINGS)
    assert chat.posted == []


def test_a_lost_acknowledgement_doubles_the_message_at_most_once_and_recognisably() -> None:
    chat = MemoryChat()
    chat.lose_acknowledgements(2)
    with pytest.raises(DeliveryError) as caught:
        deliver(FINDINGS, chat, Patience(Pauses()))
    assert not isinstance(caught.value, DeliveryAmbiguous)
    assert chat.posted == [MESSAGE, MESSAGE]
    assert all(told.id[:12] in json.dumps(chat.posted[1]) for told in FINDINGS)


def test_a_limit_met_by_the_repetition_is_left_to_the_queue() -> None:
    chat = MemoryChat([Answer(502, ""), Answer(429, "rate_limited")])
    with pytest.raises(DeliveryUnavailable):
        deliver(FINDINGS, chat, Patience(Pauses()))


def test_a_finding_is_read_from_the_body_that_was_published() -> None:
    told = with_pods(finding('R&D "비전"'), 2)
    assert read_finding(json.dumps(notification(told))) == told


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("", "the message is not JSON"),
        ("hello", "raw message delivery"),
        ("[" * 100_000, "not one of ours"),
        ("{}", "not a notification of a finding"),
        (json.dumps({"Type": "Notification", "Message": json.dumps(notification(finding()))}), "not a notification"),
    ],
)
def test_a_message_of_somebody_else_is_refused_in_one_line(body: str, says: str) -> None:
    with pytest.raises(MessageError, match=says) as caught:
        read_finding(body)
    assert "\n" not in str(caught.value)
