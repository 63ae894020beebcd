"""Slack: one incoming webhook. Its URL is the credential, so no error and no log line ever holds it."""

import json
import re
from dataclasses import dataclass

import requests
from urllib3.exceptions import HTTPError, NewConnectionError

from gpucost.adapters import redaction
from gpucost.adapters.webhook_url import refusal
from gpucost.ports import DeliveryAmbiguous, DeliveryError, DeliveryUnavailable, Secrets, ServiceError

TIMEOUT = (3.0, 10.0)
"""Seconds to connect, and to wait for the answer."""
_BODY_LENGTH = 200
_SERVER_ERROR, _TOO_MANY, _OK_END = 500, 429, 300
# A webhook that was rotated away answers with one of these.
_REVOKED = {403, 404, 410}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the webhook said: the body is plain text such as `ok` or `channel_is_archived`."""

    status: int
    body: str
    retry_after: str | None = None


def raise_for(answer: Answer) -> None:
    """Nothing when the message was taken; else the DeliveryError that the answer stands for."""
    said = f"Slack answered {answer.status} {answer.body}".rstrip()
    if answer.status < _OK_END:
        return
    if answer.status == _TOO_MANY:
        wait = answer.retry_after if answer.retry_after and re.fullmatch(r"[0-9]{1,6}", answer.retry_after) else None
        raise DeliveryUnavailable(f"{said}: too many messages", None if wait is None else float(wait))
    if answer.status >= _SERVER_ERROR:
        raise DeliveryAmbiguous(f"{said}: the message may or may not have been posted")
    raise DeliveryError(f"{said}: it will not take this message; check the webhook, its channel and the payload")


class SlackWebhook:
    """`ports.Chat` on an incoming webhook whose URL is a secret. An empty secret means that Slack is off."""

    def __init__(self, secrets: Secrets, secret_name: str, timeout: tuple[float, float] = TIMEOUT) -> None:
        redaction.install()
        self._secrets = secrets
        self._secret_name = secret_name
        self._timeout = timeout

    def post(self, payload: dict[str, object]) -> None:
        """Post one message; nothing happens while the secret is empty.

        DeliveryError when it is refused for good, DeliveryUnavailable when it was not posted and may be later,
        DeliveryAmbiguous when nobody knows. When the webhook is gone, the secret is read anew, and used if it changed.
        """
        url = self._url(refresh=False)
        if not url:
            return
        answer = self._send(url, payload)
        if answer.status in _REVOKED:
            rotated = self._url(refresh=True)
            if not rotated:
                return
            if rotated != url:
                answer = self._send(rotated, payload)
        raise_for(answer)

    def _url(self, refresh: bool) -> str:
        try:
            url = self._secrets.get(self._secret_name, refresh=refresh).strip()
        except ServiceError as error:
            raise DeliveryUnavailable(f"not posted to Slack: {error}") from error
        fault = refusal(url) if url else None
        if fault:
            raise DeliveryError(
                f"the secret {self._secret_name} does not hold a Slack webhook's URL: {fault}; "
                "put https://hooks.slack.com/services/… there, or the word none to switch Slack off"
            )
        return url

    def _send(self, url: str, payload: dict[str, object]) -> Answer:
        try:
            return self._exchange(url, payload)
        except requests.RequestException as error:
            failure = _failure(error)
        # Raised outside of the except block: the library's error holds the URL, and must not hang on ours.
        raise failure

    def _exchange(self, url: str, payload: dict[str, object]) -> Answer:
        with requests.post(
            url,
            data=json.dumps(payload).encode(),
            headers={"Content-Type": "application/json; charset=utf-8"},
            timeout=self._timeout,
            allow_redirects=False,
            stream=True,
        ) as response:
            try:
                start = response.raw.read(_BODY_LENGTH * 4, decode_content=True)
            except (HTTPError, OSError):
                # The status line has arrived, and it is the status that counts.
                start = b""
            body = " ".join(redaction.without_secrets(start.decode(errors="replace")).split())
            return Answer(response.status_code, body[:_BODY_LENGTH], response.headers.get("Retry-After"))


def _failure(error: requests.RequestException) -> DeliveryError:
    what = type(error).__name__
    if isinstance(error, (requests.ConnectTimeout, requests.exceptions.SSLError, requests.exceptions.ProxyError)):
        return DeliveryUnavailable(f"Slack could not be reached ({what})")
    if isinstance(error, requests.ConnectionError) and _never_connected(error):
        return DeliveryUnavailable(f"Slack could not be reached ({what})")
    if isinstance(error, (requests.Timeout, requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        return DeliveryAmbiguous(f"Slack did not answer ({what}): the message may or may not have been posted")
    return DeliveryError(f"the message could not be sent to Slack ({what})")


def _never_connected(error: requests.ConnectionError) -> bool:
    reason = getattr(error.args[0], "reason", None) if error.args else None
    return isinstance(reason, NewConnectionError)
