"""Secrets as canaries: whatever happens, none of them is in a log line, an error, an answer or a dead letter."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from functions.interact.app import lambda_handler as interact
from functions.notify.app import lambda_handler as notify
from gpucost.adapters.memory import MemoryTrackBook
from gpucost.adapters.memory_queue import MemoryDeadLetters
from gpucost.adapters.secrets import SecretsManager
from gpucost.adapters.slack import SlackWebhook
from gpucost.adapters.slack_bot import SlackBot
from gpucost.domain.alerts.finding import Step
from gpucost.ports import ServiceError
from gpucost.runtime.environment import InteractEnvironment, NotifyEnvironment
from local.stack.slack import slack_double
from tests.component.test_episode_messages import event_of, step
from tests.support.handlers import NOW, Context, FixedText, install, sample
from tests.support.presses import pressed, signed
from tests.support.slack_web import CHANNEL, TOKEN, SlackWeb, slack_web

pytestmark = pytest.mark.real
SIGNING = "c0ffee00c0ffee00c0ffee00c0ffee00"
HOOK_SECRET = "T00000000/B00000000/local"
CANARIES = (TOKEN, SIGNING, HOOK_SECRET)


@pytest.fixture
def web() -> Iterator[SlackWeb]:
    with slack_web() as double:
        yield double


def kept(endpoint: str, name: str, text: str) -> tuple[SecretsManager, str]:
    client = boto3.client("secretsmanager", endpoint_url=endpoint)
    return SecretsManager(client), client.create_secret(Name=name, SecretString=text)["ARN"]


ANSWERS: list[tuple[int | str, Any]] = [
    (200, {"ok": False, "error": "invalid_auth"}),
    (200, {"ok": False, "error": f"odd {TOKEN}"}),
    (403, {"token": TOKEN}),
    (429, {}),
    (500, {"token": TOKEN}),
    ("done", 500),
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_bots_token_is_nowhere(
    clean_moto: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    web: SlackWeb,
    answer: tuple[int | str, Any],
) -> None:
    secrets, arn = kept(clean_moto, "token", TOKEN)
    caplog.set_level(logging.DEBUG)
    dead = MemoryDeadLetters()
    bot = SlackBot(secrets, arn, CHANNEL, web.url)
    install(monkeypatch, NotifyEnvironment, bot=bot, messages=MemoryTrackBook(), dead_letters=dead)
    web.answers = [answer]
    result = notify(event_of(step(Step.OPEN)), Context())
    _nowhere(caplog.text, *capsys.readouterr(), json.dumps(result), repr(dead.letters), str(web.messages))


@pytest.mark.parametrize("answer", [(200, "ok"), (403, "no_token"), (429, ""), (500, ""), (410, "channel_is_archived")])
def test_a_webhooks_path_is_nowhere(
    clean_moto: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    answer: tuple[int, str],
) -> None:
    with slack_double() as slack:
        secrets, arn = kept(clean_moto, "hook", slack.webhook_url)
        caplog.set_level(logging.DEBUG)
        dead = MemoryDeadLetters()
        chat = SlackWebhook(secrets, arn)
        install(monkeypatch, NotifyEnvironment, chat=chat, messages=MemoryTrackBook(), dead_letters=dead)
        slack.answers = [answer, answer]
        result = notify(sample("notify-findings"), Context())
        _nowhere(caplog.text, *capsys.readouterr(), json.dumps(result), repr(dead.letters), str(slack.messages))


@pytest.mark.parametrize("secret", [SIGNING, "f" * 32])
def test_the_signing_secret_is_nowhere(
    clean_moto: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    secret: str,
) -> None:
    secrets, arn = kept(clean_moto, "signing", SIGNING)
    caplog.set_level(logging.DEBUG)
    parts = install(monkeypatch, InteractEnvironment, tracks=MemoryTrackBook(), _settings_parameter=FixedText())
    monkeypatch.setattr(type(parts), "signing_secret", property(lambda _self: secrets.get(arn)), raising=False)
    answer = interact(signed(pressed("acknowledge"), NOW.timestamp(), secret), Context())
    _nowhere(caplog.text, *capsys.readouterr(), json.dumps(answer))


def test_a_secret_that_cannot_be_read_names_itself_and_nothing_else(clean_moto: str) -> None:
    secrets, _ = kept(clean_moto, "other", TOKEN)
    with pytest.raises(ServiceError) as caught:
        secrets.get("arn:aws:secretsmanager:us-west-2:123456789012:secret:gone")
    _nowhere(str(caught.value), repr(caught.value.__cause__))


def _nowhere(*texts: str) -> None:
    for canary in CANARIES:
        for text in texts:
            assert canary not in text
