"""The local Slack takes what Slack takes, and refuses the rest with Slack's own plain-text answers."""

from typing import Any

import pytest
import requests

from local.stack.slack import SlackDouble, slack_double


def mrkdwn(length: int) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": "x" * length}


def plain(length: int) -> dict[str, Any]:
    return {"type": "plain_text", "text": "x" * length}


def post(double: SlackDouble, payload: object) -> tuple[int, str]:
    answer = requests.post(double.webhook_url, json=payload, timeout=5)
    assert answer.headers["Content-Type"].startswith("text/plain")
    return answer.status_code, answer.text


@pytest.mark.parametrize(
    "block",
    [
        {"type": "section", "text": mrkdwn(3000)},
        {"type": "section", "fields": [mrkdwn(2000)] * 10},
        {"type": "header", "text": plain(150)},
        {"type": "context", "elements": [mrkdwn(1)] * 10},
        {"type": "actions", "elements": [{"type": "button", "text": plain(75)}]},
        {"type": "divider"},
    ],
)
def test_blocks_at_their_limit_are_taken(slack: SlackDouble, block: dict[str, Any]) -> None:
    payload = {"text": "fallback", "blocks": [block] * 50}
    assert post(slack, payload) == (200, "ok")
    assert slack.messages == [payload]


@pytest.mark.parametrize(
    "blocks",
    [
        [{"type": "divider"}] * 51,
        [{"type": "section", "text": mrkdwn(3001)}],
        [{"type": "section", "text": mrkdwn(0)}],
        [{"type": "section"}],
        [{"type": "section", "fields": []}],
        [{"type": "section", "fields": [mrkdwn(1)] * 11}],
        [{"type": "section", "fields": [mrkdwn(2001)]}],
        [{"type": "header", "text": plain(151)}],
        [{"type": "header", "text": mrkdwn(1)}],
        [{"type": "context", "elements": [mrkdwn(1)] * 11}],
        [{"type": "actions", "elements": [{"type": "button", "text": plain(76)}]}],
        [{"type": "no-such-block"}],
        ["not a block"],
    ],
)
def test_blocks_over_their_limit_are_refused(slack: SlackDouble, blocks: list[Any]) -> None:
    assert post(slack, {"text": "fallback", "blocks": blocks}) == (400, "invalid_blocks")
    assert slack.messages == []


@pytest.mark.parametrize(
    ("payload", "fault"),
    [({}, "no_text"), ({"text": ""}, "no_text"), ([], "invalid_payload"), ({"text": "x" * 40_001}, "msg_too_long")],
)
def test_messages_that_say_nothing_or_too_much_are_refused(slack: SlackDouble, payload: object, fault: str) -> None:
    assert post(slack, payload) == (400, fault)


def test_a_body_that_is_not_json_is_refused(slack: SlackDouble) -> None:
    headers = {"Content-Type": "application/json"}
    answer = requests.post(slack.webhook_url, data=b"{", headers=headers, timeout=5)
    assert (answer.status_code, answer.text) == (400, "invalid_payload")


def test_an_unknown_webhook_is_not_there(slack: SlackDouble) -> None:
    answer = requests.post(slack.webhook_url + "x", json={"text": "hello"}, timeout=5)
    assert (answer.status_code, answer.text) == (404, "no_service")


def test_more_than_the_allowed_rate_is_turned_away_with_a_time_to_wait() -> None:
    with slack_double(messages_per_second=0.01) as double:
        assert post(double, {"text": "one"}) == (200, "ok")
        answer = requests.post(double.webhook_url, json={"text": "two"}, timeout=5)
    assert answer.status_code == 429
    assert 50 < int(answer.headers["Retry-After"]) <= 100
    assert double.messages == [{"text": "one"}]
    assert double.refused == [(429, "rate_limited")]


def test_answers_can_be_set_for_the_next_posts(slack: SlackDouble) -> None:
    slack.answers = [(410, "channel_is_archived"), (500, "rollup_error")]
    replies = [post(slack, {"text": "hello"}) for _ in range(3)]
    assert replies == [(410, "channel_is_archived"), (500, "rollup_error"), (200, "ok")]
