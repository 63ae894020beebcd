"""What Slack sends when a button is pressed: only what Slack signed, only what is ours, nothing half-read."""

import hashlib
import hmac
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from gpucost.domain.alerts.slack_actions import MAX_AGE, Press, is_signed, press_of

SECRET, BODY, NOW = "s3cret", b"payload=%7B%7D", 1_796_000_000.0


def signature(secret: str = SECRET, at: float = NOW, body: bytes = BODY) -> str:
    return "v0=" + hmac.new(secret.encode(), f"v0:{at:.0f}:".encode() + body, hashlib.sha256).hexdigest()


@pytest.mark.parametrize("age", [0, MAX_AGE, -MAX_AGE])
def test_what_slack_signed_not_long_ago_is_taken(age: int) -> None:
    at = NOW - age
    assert is_signed(SECRET, f"{at:.0f}", BODY, signature(at=at), NOW)


@pytest.mark.parametrize(
    ("secret", "timestamp", "body", "signed"),
    [
        ("", f"{NOW:.0f}", BODY, signature("")),
        (SECRET, f"{NOW:.0f}", BODY, signature("another")),
        (SECRET, f"{NOW:.0f}", BODY + b" ", signature()),
        (SECRET, f"{NOW:.0f}", BODY, ""),
        (SECRET, f"{NOW:.0f}", BODY, "v0=\u00e9"),
        (SECRET, f"{NOW:.0f}", BODY, "v0=\ud800"),
        (SECRET, f"{NOW - MAX_AGE - 1:.0f}", BODY, signature(at=NOW - MAX_AGE - 1)),
        (SECRET, f"{NOW + MAX_AGE + 1:.0f}", BODY, signature(at=NOW + MAX_AGE + 1)),
        (SECRET, "", BODY, signature()),
        (SECRET, f"-{NOW:.0f}", BODY, signature()),
        (SECRET, "9" * 40, BODY, signature()),
    ],
)
def test_nothing_else_is_taken(secret: str, timestamp: str, body: bytes, signed: str) -> None:
    assert not is_signed(secret, timestamp, body, signed, NOW)


def pressed(action: Any, **others: Any) -> bytes:
    payload = {"type": "block_actions", "user": {"id": "U1"}, "actions": [action], **others}
    return urlencode({"payload": json.dumps(payload)}).encode()


def button(value: Any, name: Any = "gpucost:snooze:8h") -> dict[str, Any]:
    return {"action_id": name, "value": value}


def test_a_button_of_ours_says_what_to_do_with_which_episode_for_whom() -> None:
    body = pressed(button('["prod", "e1"]'), response_url="https://hooks.slack.com/actions/T1")
    assert press_of(body) == Press("snooze:8h", "prod", "e1", "U1", "https://hooks.slack.com/actions/T1")
    assert press_of(pressed(button('["prod", "e1"]', "gpucost:acknowledge"))) == Press(
        "acknowledge", "prod", "e1", "U1"
    )


@pytest.mark.parametrize("action", [button("x", "approve"), button("x", None), button(None), button(7), {}])
def test_what_is_no_button_of_ours_is_none(action: dict[str, Any]) -> None:
    assert press_of(pressed(action)) is None


@pytest.mark.parametrize("value", ["", "{", "{}", "[]", '["prod"]', '["prod", 1]', '["prod", "e1", "more"]'])
def test_a_button_that_names_no_episode_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match=r"^the button names no episode$"):
        press_of(pressed(button(value)))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "holds no payload of Slack's: KeyError$"),
        (b"\xff", "holds no payload"),
        (b"payload=%7B", "holds no payload"),
        (b"payload=" + b"[" * 100_000, "holds no payload"),
        (b"payload=7", "^the payload is not about a button$"),
        (pressed(button("x"), type="view_submission"), "not about a button"),
        (pressed(button("x"), user={}), "not about a button"),
        (pressed("x"), "not about a button"),
    ],
)
def test_anything_else_is_refused_with_its_reason(body: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        press_of(body)
