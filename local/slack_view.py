"""A Slack message in the terminal, about as Slack shows it."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

type Block = Mapping[str, Any]

_MARKS = re.compile(r"```(?P<pre>.+?)```|`(?P<code>[^`\n]+)`|\*(?P<bold>[^*\n]+)\*|_(?P<italic>[^_\n]+)_", re.DOTALL)
_STYLES = {"pre": "cyan", "code": "cyan", "bold": "bold", "italic": "italic"}


def message_view(payload: Mapping[str, Any]) -> RenderableType:
    """A message with its blocks; one without blocks shows its text."""
    blocks = payload.get("blocks") or [{"type": "section", "text": {"type": "mrkdwn", "text": payload["text"]}}]
    return Panel(Group(*(part for block in blocks for part in _parts(block))), title="Slack", title_align="left")


def _parts(block: Block) -> Iterator[RenderableType]:
    match block["type"]:
        case "header":
            yield Text(html.unescape(block["text"]["text"]), style="bold")
        case "divider":
            yield Rule(style="dim")
        case "context":
            for element in block["elements"]:
                yield _text(element, "dim")
        case "actions":
            labels = (html.unescape(element["text"]["text"]) for element in block["elements"])
            yield Text("  ".join(f"[ {label} ]" for label in labels), style="bold green")
        case _:
            if "text" in block:
                yield _text(block["text"])
            if block.get("fields"):
                yield _fields(block["fields"])


def _fields(fields: list[Mapping[str, Any]]) -> Table:
    """Slack puts fields side by side, two to a line."""
    table = Table.grid(padding=(0, 4, 0, 0))
    for start in range(0, len(fields), 2):
        table.add_row(*(_text(field) for field in fields[start : start + 2]))
    return table


def _text(element: Mapping[str, Any], style: str = "") -> Text:
    if element["type"] != "mrkdwn":
        return Text(html.unescape(element["text"]), style=style)
    source, out, end = element["text"], Text(style=style), 0
    for mark in _MARKS.finditer(source):
        out.append(html.unescape(source[end : mark.start()]))
        out.append(html.unescape(mark[mark.lastgroup or 0]), style=_STYLES[mark.lastgroup or "code"])
        end = mark.end()
    return out.append(html.unescape(source[end:]))
