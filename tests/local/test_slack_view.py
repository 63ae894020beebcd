"""A message in the terminal shows what Slack would show."""

from io import StringIO

from rich.console import Console

from local.slack_view import message_view


def shown(payload: dict[str, object]) -> str:
    out = StringIO()
    Console(width=100, file=out).print(message_view(payload))
    return out.getvalue()


def test_blocks_are_shown_with_marks_and_escapes_resolved() -> None:
    text = shown(
        {
            "text": "fallback",
            "blocks": [
                {"type": "header", "text": {"type": "plain_text", "text": "GPU waste"}},
                {"type": "section", "text": {"type": "mrkdwn", "text": "*bu-a* &lt;b&gt; `pod` [x]"}},
                {"type": "section", "fields": [{"type": "mrkdwn", "text": "one"}, {"type": "mrkdwn", "text": "two"}]},
                {"type": "divider"},
                {"type": "context", "elements": [{"type": "mrkdwn", "text": "id _1_"}]},
            ],
        }
    )
    for part in ("GPU waste", "bu-a <b> pod [x]", "one", "two", "id 1"):
        assert part in text
    assert "fallback" not in text


def test_a_message_without_blocks_shows_its_text() -> None:
    assert "only text" in shown({"text": "only text"})
