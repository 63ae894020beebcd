"""What Slack sends when somebody presses a button, and how it is known that Slack sent it."""

import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from urllib.parse import parse_qs

MAX_AGE = 300
"""Seconds that a signed request is good for: a recorded one cannot be played again later. (Slack's own advice.)"""


@dataclass(frozen=True, slots=True)
class Press:
    """A button of ours: its name (acknowledge, or snooze:8h), the episode, who pressed it, and where to answer them."""

    action: str
    cluster: str
    episode: str
    user: str
    answer_to: str = ""


def is_signed(secret: str, timestamp: str, body: bytes, signature: str, now: float) -> bool:
    """Whether the body was signed with the app's signing secret, not long ago (seconds since 1970)."""
    if not secret or not re.fullmatch(r"\d{1,12}", timestamp) or abs(now - int(timestamp)) > MAX_AGE:
        return False
    base = b"v0:" + timestamp.encode() + b":" + body
    wanted = "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted.encode(), signature.encode(errors="replace"))


def press_of(body: bytes) -> Press | None:
    """The button that a block_actions payload is about, None when it is none of ours. ValueError for anything else."""
    try:
        payload = json.loads(parse_qs(body.decode())["payload"][0])
    except (KeyError, ValueError, RecursionError) as error:
        raise ValueError(f"the body holds no payload of Slack's: {type(error).__name__}") from None
    match payload:
        case {"type": "block_actions", "user": {"id": str(user)}, "actions": [dict(action), *_]}:
            return _press(action, user, str(payload.get("response_url") or ""))
    raise ValueError("the payload is not about a button")


def _press(action: dict[str, object], user: str, answer_to: str) -> Press | None:
    name, value = action.get("action_id"), action.get("value")
    if not isinstance(name, str) or not name.startswith("gpucost:") or not isinstance(value, str):
        return None
    try:
        match json.loads(value):
            case [str(cluster), str(episode)]:
                return Press(name.removeprefix("gpucost:"), cluster, episode, user, answer_to)
    except ValueError:
        pass
    raise ValueError("the button names no episode")
