"""Slack's Web API: messages of a bot, which can be changed when there is news. The token never leaves this module."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import requests
from urllib3.exceptions import NewConnectionError

from gpucost.adapters import redaction
from gpucost.ports import DeliveryAmbiguous, DeliveryError, DeliveryGone, DeliveryUnavailable, Secrets, ServiceError
from gpucost.tracking import Posted

TIMEOUT = (3.0, 10.0)
"""Seconds to connect, and to wait for the answer."""
API = "https://slack.com/api"
_TOO_MANY, _SERVER_ERROR, _OK = 429, 500, 200
# Slack says why in its answer; what stands between may only refuse.
_FORBIDDEN = {401, 403}
_TOKEN_GONE = {"401", "403", "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"}
_LATER = {"ratelimited", "rate_limited", "service_unavailable", "team_added_to_org"}
_MAYBE = {"internal_error", "fatal_error", "request_timeout"}
_GONE = {"message_not_found", "cant_update_message", "edit_window_closed"}


@dataclass(frozen=True, slots=True)
class SlackBot:
    """A bot with a token that is a secret. An empty secret means that Slack is off.

    `channel` is where messages go that name none.
    """

    secrets: Secrets
    secret_name: str
    channel: str
    api: str = API

    def post(self, payload: Mapping[str, object], channel: str = "") -> Posted | None:
        """Post a message. None while Slack is off; DeliveryError and its kinds as `ports.Chat` has them."""
        answer = self._call("chat.postMessage", {**payload, "channel": channel or self.channel})
        return Posted(str(answer["channel"]), str(answer["ts"])) if answer else None

    def update(self, posted: Posted, payload: Mapping[str, object]) -> None:
        """Change a message. DeliveryGone when it is not there any more."""
        self._call("chat.update", {**payload, "channel": posted.channel, "ts": posted.timestamp})

    def _call(self, method: str, payload: Mapping[str, object]) -> Mapping[str, Any]:
        token = self._token(refresh=False)
        if not token:
            return {}
        answer = self._send(method, payload, token)
        if answer.get("error") in _TOKEN_GONE:
            rotated = self._token(refresh=True)
            if rotated and rotated != token:
                answer = self._send(method, payload, rotated)
        _raise_for(method, answer)
        return answer

    def _token(self, refresh: bool) -> str:
        redaction.install()
        try:
            return self.secrets.get(self.secret_name, refresh=refresh).strip()
        except ServiceError as error:
            raise DeliveryUnavailable(f"not posted to Slack: {error}") from error

    def _send(self, method: str, payload: Mapping[str, object], token: str) -> Mapping[str, Any]:
        try:
            response = requests.post(
                f"{self.api}/{method}",
                data=json.dumps(payload).encode(),
                headers={"Content-Type": "application/json; charset=utf-8", "Authorization": f"Bearer {token}"},
                timeout=TIMEOUT,
                allow_redirects=False,
            )
        except requests.RequestException as error:
            failure = _failure(method, error)
        else:
            return _answer(method, response)
        # Raised outside of the except block: the library's error holds the request with its token.
        raise failure


def _answer(method: str, response: requests.Response) -> Mapping[str, Any]:
    if response.status_code == _TOO_MANY:
        wait = response.headers.get("Retry-After", "")
        known = re.fullmatch(r"[0-9]{1,6}", wait)
        raise DeliveryUnavailable(f"Slack's {method} answered 429", float(wait) if known else None)
    if response.status_code >= _SERVER_ERROR:
        raise DeliveryAmbiguous(f"Slack's {method} answered {response.status_code}: it may or may not have been done")
    if response.status_code in _FORBIDDEN:
        return {"ok": False, "error": str(response.status_code)}
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if response.status_code != _OK or not isinstance(answer, dict):
        raise DeliveryError(f"Slack's {method} answered {response.status_code}, and not with JSON")
    return answer


def _raise_for(method: str, answer: Mapping[str, Any]) -> None:
    if answer.get("ok") is True:
        return
    error = redaction.without_secrets(str(answer.get("error", "no reason")))[:100]
    said = f"Slack's {method} answered {error}"
    if error in _LATER:
        raise DeliveryUnavailable(said)
    if error in _MAYBE:
        raise DeliveryAmbiguous(f"{said}: it may or may not have been done")
    if error in _GONE:
        raise DeliveryGone(said)
    raise DeliveryError(f"{said}: check the token, its scopes (chat:write), the channel and the payload")


def _failure(method: str, error: requests.RequestException) -> DeliveryError:
    what = type(error).__name__
    reason = getattr(error.args[0], "reason", None) if error.args else None
    never = isinstance(error, (requests.ConnectTimeout, requests.exceptions.SSLError, requests.exceptions.ProxyError))
    if never or isinstance(reason, NewConnectionError):
        return DeliveryUnavailable(f"Slack's {method} could not be reached ({what})")
    return DeliveryAmbiguous(f"Slack's {method} did not answer ({what}): it may or may not have been done")
