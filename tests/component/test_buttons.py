"""What Slack's buttons do: only for whom Slack vouches, and each once."""

import base64
import json
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import pytest

from functions.interact.app import lambda_handler as interact
from gpucost.adapters.memory import MemoryTrackBook
from gpucost.domain.alerts.episodes import Observation, Verdict
from gpucost.domain.alerts.finding import Kind
from gpucost.domain.alerts.tracks import Told, Track
from gpucost.runtime.environment import InteractEnvironment
from gpucost.usecases.alerting.press_button import Answering
from tests.support.findings import HOUR
from tests.support.handlers import NOW, Context, FixedText, install
from tests.support.presses import EPISODE, SECRET, pressed, signed
from tests.support.slack_web import SlackWeb, slack_web


@pytest.fixture
def web() -> Iterator[SlackWeb]:
    with slack_web() as double:
        yield double


class Interacting:
    """interact, and one episode that goes on."""

    def __init__(self, patch: pytest.MonkeyPatch, secret: str = SECRET) -> None:
        self.book = MemoryTrackBook()
        told = Told(EPISODE, HOUR, HOUR, 0, 1, Decimal(12))
        seen = {HOUR: Observation(Verdict.BAD, Decimal(12))}
        self.book.save(Track(Kind.IDLE_SLICE, "gpu-cost-poc", "s", "bu-a", seen, (told,)))
        parts = install(patch, InteractEnvironment, tracks=self.book, _settings_parameter=FixedText())
        self.parts = parts
        patch.setattr(type(parts), "signing_secret", secret, raising=False)

    def press(self, event: dict[str, Any]) -> tuple[int, str]:
        answer = interact(event, Context())
        return answer["statusCode"], answer.get("body", "")

    @property
    def track(self) -> Track:
        (track,) = self.book.tracks("gpu-cost-poc")
        return track


def test_a_button_acknowledges(monkeypatch: pytest.MonkeyPatch) -> None:
    interacting = Interacting(monkeypatch)
    said = "Acknowledged: it escalates no more, and its end will be told."
    assert interacting.press(signed(pressed("acknowledge"), NOW.timestamp())) == (200, said)
    assert interacting.track.acknowledged == "U1"


def test_whoever_pressed_is_told_what_came_of_it_where_slack_says(
    monkeypatch: pytest.MonkeyPatch, web: SlackWeb
) -> None:
    interacting = Interacting(monkeypatch)
    for action, episode, said in (
        ("snooze:8h", EPISODE, "Snoozed until 2026-11-30 19:10 UTC. Its end will be told."),
        ("acknowledge", "e-gone", "there is no finding of this id that goes on"),
    ):
        body = pressed(action, episode, answer_to=f"{web.url}/actions/1")
        assert interacting.press(signed(body, NOW.timestamp()))[0] == 200
        assert web.told[-1]["text"].startswith(said)
        assert web.told[-1]["response_type"] == "ephemeral"


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/actions/1",
        "http://hooks.slack.com/actions/1",
        "https://hooks.slack.com@evil.example/",
        "x[",
    ],
)
def test_nobody_but_slack_is_told(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    interacting = Interacting(monkeypatch)

    def post(*_args: object, **_more: object) -> None:
        raise AssertionError("a request was sent")

    monkeypatch.setattr("requests.post", post)
    body = pressed("acknowledge", answer_to=url)
    assert interacting.press(signed(body, NOW.timestamp()))[0] == 200
    assert interacting.track.acknowledged == "U1"


def test_an_answer_that_cannot_be_given_does_not_undo_what_was_pressed(monkeypatch: pytest.MonkeyPatch) -> None:
    interacting = Interacting(monkeypatch)
    body = pressed("acknowledge", answer_to="http://127.0.0.1:9/actions/1")
    assert interacting.press(signed(body, NOW.timestamp()))[0] == 200
    assert interacting.track.acknowledged == "U1"


def test_the_same_press_again_does_not_snooze_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    interacting = Interacting(monkeypatch)
    event = signed(pressed("snooze:1h"), NOW.timestamp() - 290)
    interacting.press(event)
    assert interacting.track.snoozed_until == NOW + timedelta(seconds=3600 - 290)


@pytest.mark.parametrize(
    ("span", "until"),
    [
        ("1h", NOW + timedelta(hours=1)),
        ("8h", NOW + timedelta(hours=8)),
        ("24h", NOW + timedelta(hours=24)),
        ("monday", NOW.replace(day=7, month=12, hour=8, minute=0, second=0)),
    ],
)
def test_a_button_snoozes(monkeypatch: pytest.MonkeyPatch, span: str, until: object) -> None:
    interacting = Interacting(monkeypatch)
    event = signed(pressed(f"snooze:{span}"), NOW.timestamp())
    event["body"] = base64.b64encode(event["body"].encode()).decode()
    assert interacting.press({**event, "isBase64Encoded": True})[0] == 200
    assert interacting.track.snoozed_until == until


@pytest.mark.parametrize(
    "event",
    [
        signed(pressed("acknowledge"), NOW.timestamp(), "f" * 32),
        signed(pressed("acknowledge"), NOW.timestamp() - 301),
        signed(pressed("acknowledge"), NOW.timestamp() + 301),
        {**signed(pressed("acknowledge"), NOW.timestamp()), "body": pressed("snooze:1h")},
        {"headers": {}, "body": pressed("acknowledge")},
        {"headers": None, "body": None},
    ],
)
def test_what_slack_did_not_sign_lately_is_refused_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, event: dict[str, Any]
) -> None:
    interacting = Interacting(monkeypatch)
    assert interacting.press(event) == (401, "")
    assert interacting.track.acknowledged == ""


def test_without_a_signing_secret_nobody_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    interacting = Interacting(monkeypatch, "")
    assert interacting.press(signed(pressed("acknowledge"), NOW.timestamp(), "")) == (401, "")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (pressed("acknowledge", "e-gone"), "no finding of this id that goes on"),
        (pressed("acknowledge", cluster="other"), "not watched here any more"),
        (pressed("explode"), "of a version that is not known here"),
        (pressed("snooze:9y"), "can be snoozed for 1h, 8h, 24h, monday"),
        ("payload=%7B", "no payload of Slack's"),
        ("hello", "no payload of Slack's"),
        (urlencode({"payload": "{}"}), "not about a button"),
    ],
)
def test_a_button_that_means_nothing_says_so_to_whoever_pressed(
    monkeypatch: pytest.MonkeyPatch, body: str, said: str
) -> None:
    status, text = Interacting(monkeypatch).press(signed(body, NOW.timestamp()))
    assert status == 200
    assert said in text


def test_somebody_elses_button_is_none_of_our_business(monkeypatch: pytest.MonkeyPatch) -> None:
    payload = {"type": "block_actions", "user": {"id": "U1"}, "actions": [{"action_id": "other", "value": "x"}]}
    body = urlencode({"payload": json.dumps(payload)})
    assert Interacting(monkeypatch).press(signed(body, NOW.timestamp())) == (200, "")


def test_the_answering_parts_are_the_containers(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(Interacting(monkeypatch).parts.answering, Answering)
