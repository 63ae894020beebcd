"""Buttons of a Slack message, pressed and signed as Slack does it."""

import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from gpucost.domain.alerts.finding import stable_id

EPISODE = stable_id("episode", "a")
SECRET = "0123456789abcdef0123456789abcdef"


def signed(body: str, at: float, secret: str = SECRET) -> dict[str, Any]:
    base = f"v0:{int(at)}:{body}".encode()
    signature = "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    headers = {"X-Slack-Request-Timestamp": str(int(at)), "X-Slack-Signature": signature}
    return {"headers": headers, "body": body, "isBase64Encoded": False}


def pressed(action: str, episode: str = EPISODE, cluster: str = "gpu-cost-poc", answer_to: str = "") -> str:
    value = json.dumps([cluster, episode])
    actions: Sequence[dict[str, str]] = [{"action_id": f"gpucost:{action}", "value": value}]
    payload = {"type": "block_actions", "user": {"id": "U1"}, "actions": actions, "response_url": answer_to}
    return urlencode({"payload": json.dumps(payload)})
