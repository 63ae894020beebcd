"""What Slack refuses in a message sent to an incoming webhook, with the answer it gives.

https://docs.slack.dev/reference/block-kit/blocks · https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
"""

from collections.abc import Callable
from typing import Any

MAX_TEXT = 40_000
MAX_BLOCKS = 50
MAX_SECTION = 3000
MAX_HEADER = 150
MAX_FIELD = 2000
MAX_FIELDS = 10
MAX_CONTEXT_ELEMENTS = 10
MAX_BUTTON = 75
MAX_ACTIONS = 25
NOTHING_SAID = "no_text"
BAD_BLOCKS = "invalid_blocks"
BAD_PAYLOAD = "invalid_payload"


def fault_of(payload: object) -> str | None:
    """Slack's error code for a payload that it would not post; None when it would."""
    if not isinstance(payload, dict):
        return BAD_PAYLOAD
    text, blocks = payload.get("text", ""), payload.get("blocks", [])
    if not isinstance(text, str) or not isinstance(blocks, list):
        return BAD_PAYLOAD
    if not text and not blocks:
        return NOTHING_SAID
    if len(text) > MAX_TEXT:
        return "msg_too_long"
    return None if len(blocks) <= MAX_BLOCKS and all(map(_block_fits, blocks)) else BAD_BLOCKS


def _block_fits(block: object) -> bool:
    if not isinstance(block, dict):
        return False
    rule = _RULES.get(str(block.get("type")))
    return rule is not None and rule(block)


def _text_fits(text: object, limit: int, kinds: tuple[str, ...] = ("mrkdwn", "plain_text")) -> bool:
    if not isinstance(text, dict) or text.get("type") not in kinds:
        return False
    value = text.get("text")
    return isinstance(value, str) and 0 < len(value) <= limit


def _section(block: dict[str, Any]) -> bool:
    fields = block.get("fields")
    if "text" not in block and not fields:
        return False
    text_fits = "text" not in block or _text_fits(block["text"], MAX_SECTION)
    fields_fit = fields is None or (
        isinstance(fields, list)
        and 0 < len(fields) <= MAX_FIELDS
        and all(_text_fits(field, MAX_FIELD) for field in fields)
    )
    return text_fits and fields_fit


def _header(block: dict[str, Any]) -> bool:
    return _text_fits(block.get("text"), MAX_HEADER, ("plain_text",))


def _context(block: dict[str, Any]) -> bool:
    elements = block.get("elements")
    return (
        isinstance(elements, list)
        and 0 < len(elements) <= MAX_CONTEXT_ELEMENTS
        and all(_text_fits(element, MAX_SECTION) for element in elements)
    )


def _actions(block: dict[str, Any]) -> bool:
    elements = block.get("elements")
    return isinstance(elements, list) and 0 < len(elements) <= MAX_ACTIONS and all(map(_button, elements))


def _button(element: object) -> bool:
    return (
        isinstance(element, dict)
        and element.get("type") == "button"
        and _text_fits(element.get("text"), MAX_BUTTON, ("plain_text",))
    )


_RULES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "section": _section,
    "header": _header,
    "context": _context,
    "actions": _actions,
    "divider": lambda _: True,
}
