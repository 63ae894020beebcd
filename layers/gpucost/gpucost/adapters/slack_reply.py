"""Slack takes an answer to whoever pressed a button at a URL that came with the press. The URL is a credential."""

import json
from urllib.parse import urlsplit

import requests

from gpucost.adapters import redaction
from gpucost.adapters.webhook_url import LOOPBACK_HOSTS, SLACK_HOSTS

TIMEOUT = 1.0
"""Seconds. Slack waits three for the whole of it."""
_OK = 200


def tell_whoever_pressed(url: str, text: str) -> str:
    """Show them a text that nobody else sees. Gives back why that failed, without the URL; "" when it did not."""
    redaction.install()
    if not _is_slacks(url):
        return "the URL to answer at is not Slack's"
    payload = {"response_type": "ephemeral", "replace_original": False, "text": text}
    try:
        answer = requests.post(
            url,
            data=json.dumps(payload).encode(),
            headers={"Content-Type": "application/json; charset=utf-8"},
            timeout=TIMEOUT,
            allow_redirects=False,
        )
    except requests.RequestException as error:
        return f"Slack did not take the answer ({type(error).__name__})"
    return "" if answer.status_code == _OK else f"Slack answered {answer.status_code}"


def _is_slacks(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    local = parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS
    return local or (parts.scheme == "https" and parts.netloc in SLACK_HOSTS)
