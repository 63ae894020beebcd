"""The webhook adapter on a network that fails, with a secret that changes, and with a URL that must never show."""

import logging
import socket
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field

import boto3
import pytest

from gpucost.adapters.memory_chat import MemorySecrets
from gpucost.adapters.secrets import SecretsManager
from gpucost.adapters.slack import SlackWebhook
from gpucost.domain.alerts.blocks import slack_message
from gpucost.ports import DeliveryAmbiguous, DeliveryError, DeliveryUnavailable
from tests.support.faulty_webhook import PATH, FaultyWebhook, faulty_webhook
from tests.support.findings import finding

MESSAGE = slack_message([finding()])
QUICK = (0.5, 0.3)
CANARY = "CANARY"


@pytest.fixture
def webhook() -> Iterator[FaultyWebhook]:
    with faulty_webhook() as running:
        yield running


@dataclass
class CountingSecrets(MemorySecrets):
    """Counts how often it was read anew."""

    texts: dict[str, str]
    refreshed: int = 0
    _cache: dict[str, str] = field(default_factory=dict)

    def get(self, name: str, refresh: bool = False) -> str:
        self.refreshed += refresh
        return super().get(name, refresh)


def chat_at(url: str) -> SlackWebhook:
    return SlackWebhook(MemorySecrets({"hook": url}), "hook", timeout=QUICK)


def closed_port_url() -> str:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{reserved.getsockname()[1]}{PATH}"


def test_a_refused_connection_means_that_nothing_was_posted() -> None:
    with pytest.raises(DeliveryUnavailable, match="could not be reached") as caught:
        chat_at(closed_port_url()).post(MESSAGE)
    assert not isinstance(caught.value, DeliveryAmbiguous)


@pytest.mark.parametrize("fault", ["drop", "garbage", "hang"])
def test_a_post_without_an_answer_is_ambiguous_and_not_repeated_by_the_adapter(
    webhook: FaultyWebhook, fault: str
) -> None:
    webhook.fault, webhook.delay = fault, QUICK[1] * 2
    with pytest.raises(DeliveryAmbiguous, match="may or may not have been posted"):
        chat_at(webhook.url).post(MESSAGE)
    assert len(webhook.received) == 1


def test_an_answer_whose_body_breaks_off_counts_by_its_status(webhook: FaultyWebhook) -> None:
    webhook.fault = "half"
    chat_at(webhook.url).post(MESSAGE)
    assert len(webhook.received) == 1


def test_a_redirect_is_not_followed(webhook: FaultyWebhook) -> None:
    webhook.status, webhook.headers = 307, {"Location": webhook.url}
    with pytest.raises(DeliveryError, match="Slack answered 307"):
        chat_at(webhook.url).post(MESSAGE)
    assert len(webhook.received) == 1


@pytest.mark.parametrize(
    ("header", "seconds"), [("30", 30.0), ("0", 0.0), ("soon", None), ("-1", None), ("1e9", None), ("", None)]
)
def test_retry_after_is_seconds_or_nothing(webhook: FaultyWebhook, header: str, seconds: float | None) -> None:
    webhook.status, webhook.body, webhook.headers = 429, "rate_limited", {"Retry-After": header}
    with pytest.raises(DeliveryUnavailable) as caught:
        chat_at(webhook.url).post(MESSAGE)
    assert caught.value.retry_after == seconds


def test_the_body_is_text_of_any_kind_and_only_its_beginning_is_told(webhook: FaultyWebhook) -> None:
    webhook.status, webhook.body = 400, "invalid\n{" + "x" * 100_000
    with pytest.raises(DeliveryError, match=r"Slack answered 400 invalid \{xxx") as caught:
        chat_at(webhook.url).post(MESSAGE)
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_secret_switches_slack_off(text: str) -> None:
    secrets = CountingSecrets({"hook": text})
    SlackWebhook(secrets, "hook").post(MESSAGE)
    assert secrets.refreshed == 0


def test_a_secret_that_cannot_be_read_leaves_the_message_to_the_queue() -> None:
    with pytest.raises(DeliveryUnavailable, match="not posted to Slack: reading the secret nowhere failed"):
        SlackWebhook(MemorySecrets({}), "nowhere").post(MESSAGE)


def test_a_url_that_is_not_slacks_is_refused_by_the_name_of_its_secret() -> None:
    with pytest.raises(DeliveryError, match="the secret hook does not hold a Slack webhook's URL: its host") as caught:
        chat_at("https://evil.example/services/CANARY").post(MESSAGE)
    assert not caught.value.retryable
    assert CANARY not in str(caught.value)
    assert "evil" not in str(caught.value)


@pytest.mark.parametrize("status", [403, 404, 410])
def test_a_rotated_webhook_is_used_at_once(webhook: FaultyWebhook, status: int) -> None:
    with faulty_webhook() as replaced:
        replaced.status = status
        secrets = CountingSecrets({"hook": replaced.url})
        chat = SlackWebhook(secrets, "hook")
        secrets.get("hook")
        secrets.texts["hook"] = webhook.url
        chat.post(MESSAGE)
        assert (len(replaced.received), len(webhook.received), secrets.refreshed) == (1, 1, 1)
        chat.post(MESSAGE)
        assert (len(replaced.received), len(webhook.received), secrets.refreshed) == (1, 2, 1)


@pytest.mark.parametrize("status", [403, 404, 410])
def test_a_refusal_with_an_unchanged_secret_is_not_repeated(webhook: FaultyWebhook, status: int) -> None:
    webhook.status = status
    secrets = CountingSecrets({"hook": webhook.url})
    with pytest.raises(DeliveryError):
        SlackWebhook(secrets, "hook").post(MESSAGE)
    assert (len(webhook.received), secrets.refreshed) == (1, 1)


def test_a_webhook_that_was_switched_off_meanwhile_is_let_go(webhook: FaultyWebhook) -> None:
    webhook.status = 404
    secrets = MemorySecrets({"hook": webhook.url})
    secrets.get("hook")
    secrets.texts["hook"] = ""
    SlackWebhook(secrets, "hook").post(MESSAGE)
    assert len(webhook.received) == 1


@pytest.mark.parametrize(
    ("fault", "status"),
    [("", 200), ("", 400), ("", 403), ("", 429), ("", 500), ("", 307), ("drop", 200), ("garbage", 200), ("hang", 200)],
)
def test_the_url_shows_in_no_log_at_any_level_and_in_no_error(
    clean_moto: str, webhook: FaultyWebhook, caplog: pytest.LogCaptureFixture, fault: str, status: int
) -> None:
    caplog.set_level(logging.DEBUG)
    client = boto3.client("secretsmanager", endpoint_url=clean_moto)
    client.create_secret(Name="hook", SecretString=webhook.url)
    caplog.clear()
    webhook.fault, webhook.status, webhook.delay = fault, status, QUICK[1] * 2
    webhook.body, webhook.headers = f"no such hook: {PATH}", {"Location": webhook.url}
    shown = _failure_of(SlackWebhook(SecretsManager(client), "hook", timeout=QUICK))
    logged = "\n".join(f"{record.getMessage()} {record.args}" for record in caplog.records)
    assert len(webhook.received) == 1
    assert "botocore" in {record.name.split(".")[0] for record in caplog.records}
    assert "urllib3" in {record.name.split(".")[0] for record in caplog.records}
    assert CANARY not in logged
    assert CANARY not in shown


def test_the_url_shows_in_no_error_when_nobody_listens() -> None:
    assert CANARY not in _failure_of(chat_at(closed_port_url()))


def _failure_of(chat: SlackWebhook) -> str:
    """Everything that a failed post would show: the error and whatever hangs on it, rendered and as representations."""
    try:
        chat.post(MESSAGE)
    except DeliveryError as error:
        chain: list[str] = []
        link: BaseException | None = error
        while link is not None:
            chain += [repr(link), *traceback.format_exception(link)]
            link = link.__cause__ or link.__context__
        return "\n".join(chain)
    return ""
