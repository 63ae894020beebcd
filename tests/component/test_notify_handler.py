"""notify: one message per cluster-hour, nothing lost, and what Slack refuses for good kept with Slack's own words."""

import json
from typing import Any

import pytest

from functions.notify.app import lambda_handler
from gpucost.adapters.memory import MemoryTrackBook
from gpucost.adapters.memory_chat import MemoryChat
from gpucost.adapters.memory_queue import MemoryDeadLetters
from gpucost.adapters.slack import Answer
from gpucost.domain.alerts.messages import notification
from gpucost.runtime.environment import NotifyEnvironment
from gpucost.usecases.alerting.deliver_batch import SECONDS_BETWEEN_POSTS
from tests.support.findings import HOUR, finding
from tests.support.handlers import Context, Parts, install, received, sample

DONE: dict[str, list[Any]] = {"batchItemFailures": []}
SORRY = Answer(429, "rate_limited", "120")


class Notifying:
    """notify with a chat channel that answers as it is told to."""

    def __init__(self, patch: pytest.MonkeyPatch, *answers: Answer) -> None:
        self.chat, self.dead = MemoryChat(answers), MemoryDeadLetters()
        self.parts: Parts = install(
            patch, NotifyEnvironment, chat=self.chat, messages=MemoryTrackBook(), dead_letters=self.dead
        )

    def run(self, event: dict[str, Any]) -> Any:
        return lambda_handler(event, Context())


def of_hours(*bus_by_hour: str) -> dict[str, Any]:
    """An event with one finding for each BU; BUs of the same argument belong to the same hour."""
    event: dict[str, Any] = sample("notify-findings")
    record = event["Records"][0]
    event["Records"] = [
        {**record, "messageId": bu, "body": json.dumps(notification(finding(bu, hour=HOUR.plus(index))))}
        for index, bus in enumerate(bus_by_hour)
        for bu in bus.split()
    ]
    return event


def failed(answer: Any) -> list[str]:
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def test_the_findings_of_an_hour_arrive_in_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    notifying = Notifying(monkeypatch)
    assert notifying.run(sample("notify-findings")) == DONE
    (message,) = notifying.chat.posted
    assert "bu-a" in str(message)
    assert "bu-b" in str(message)
    assert notifying.parts.pauses == []


def test_hours_have_messages_of_their_own_a_second_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    notifying = Notifying(monkeypatch)
    assert notifying.run(of_hours("bu-a bu-b", "bu-c", "bu-d")) == DONE
    assert len(notifying.chat.posted) == 3
    assert notifying.parts.pauses == [SECONDS_BETWEEN_POSTS] * 2


def test_poison_is_kept_with_its_reason_and_the_good_finding_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    notifying = Notifying(monkeypatch)
    event = sample("notify-poison")
    bad = [record["body"] for record in event["Records"][:-1]]
    assert notifying.run(event) == DONE
    assert [letter.body for letter in notifying.dead.letters] == bad
    assert {letter.error for letter in notifying.dead.letters} == {"MessageError"}
    assert len(notifying.chat.posted) == 1


REFUSALS = [
    Answer(410, "channel_is_archived"),
    Answer(404, "channel_not_found"),
    Answer(403, "action_prohibited"),
    Answer(400, "invalid_payload"),
    Answer(400, "missing_text_or_fallback_or_attachments"),
]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda answer: answer.body)
def test_what_slack_refuses_for_good_is_not_tried_again(refusal: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    notifying = Notifying(monkeypatch, refusal)
    assert notifying.run(of_hours("bu-a", "bu-b")) == DONE
    (letter,) = notifying.dead.letters
    assert refusal.body in letter.reason
    assert len(notifying.chat.posted) == 1


def test_a_throttled_channel_is_left_alone_and_the_rest_is_delivered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    notifying = Notifying(monkeypatch, Answer(200, "ok"), SORRY)
    assert failed(notifying.run(of_hours("bu-a", "bu-b bu-c", "bu-d"))) == ["bu-b", "bu-c", "bu-d"]
    assert len(notifying.chat.posted) == 1
    assert notifying.dead.letters == []


def test_the_last_delivery_of_a_throttled_finding_keeps_it_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    notifying = Notifying(monkeypatch, SORRY)
    assert notifying.run(received(of_hours("bu-a"), 3)) == DONE
    assert "rate_limited" in notifying.dead.letters[0].reason


def test_a_lost_acknowledgement_is_repeated_once_under_the_same_finding_id(monkeypatch: pytest.MonkeyPatch) -> None:
    notifying = Notifying(monkeypatch)
    notifying.chat.lose_acknowledgements(1)
    assert notifying.run(of_hours("bu-a")) == DONE
    first, second = notifying.chat.posted
    assert first == second


def test_a_finding_that_came_twice_in_one_batch_is_shown_once(monkeypatch: pytest.MonkeyPatch) -> None:
    notifying = Notifying(monkeypatch)
    event = of_hours("bu-a")
    event["Records"] = [event["Records"][0], {**event["Records"][0], "messageId": "again"}]
    assert notifying.run(event) == DONE
    assert len(notifying.chat.posted) == 1


def test_no_log_line_holds_what_a_message_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notifying = Notifying(monkeypatch, Answer(403, "action_prohibited"))
    notifying.run(of_hours("bu-canary"))
    assert "bu-canary" not in capsys.readouterr().out.replace('"message_id":"bu-canary"', "")
