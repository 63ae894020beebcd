"""Findings as one Slack message in Block Kit, within Slack's limits however many there are.

Limits, from docs.slack.dev/reference/block-kit/blocks: 50 blocks a message, 3000 characters a section, 150 a header,
no empty text. All blocks together may hold about 13,000 characters, which is not documented: Slack answers
msg_blocks_too_long (github.com/slackapi/bolt-js/issues/2509).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from gpucost.domain.alerts.finding import Finding, Kind, Step
from gpucost.domain.alerts.finding_text import described, headline, plain_name, pod_lines, text_length, title
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO
from gpucost.domain.wording import cents, code, count, shortened, span

SECTION_LENGTH = 3000
HEADER_LENGTH = 150
LINES_LENGTH = 11_000
SHORT_ID = 12
_WASTES = (Step.OPEN, Step.ESCALATE, Step.UPDATE)
# The pods of one BU are what lets its owner act; of many BUs at once, the list of BUs is.
_PODS_OF_FEW = 3
_FEW = 5


def by_hour(findings: Iterable[Finding]) -> list[tuple[Finding, ...]]:
    """The findings that belong in one message each: those of one cluster-hour, every one once, the worst first."""

    def cluster_hour(finding: Finding) -> tuple[Hour, str]:
        return (finding.hour, finding.cluster)

    once = {finding.id: finding for finding in findings}.values()
    ordered = sorted(once, key=lambda finding: (cluster_hour(finding), -finding.waste_usd, finding.id))
    return [tuple(group) for _, group in groupby(ordered, key=cluster_hour)]


@dataclass(frozen=True, slots=True)
class Reply:
    """How people can answer a message: by buttons, where Slack can reach us, or by a link to the API."""

    interactive: bool = False
    api_url: str = ""


NO_REPLY = Reply()


def slack_message(findings: Sequence[Finding], reply: Reply = NO_REPLY) -> dict[str, object]:
    """One message about the findings of one cluster-hour (at least one), in the order given.

    What does not fit is counted and added up in a last line; no line is cut. Every finding that is shown carries its
    id, so that a message that arrives twice is recognised.
    """
    first = findings[0]
    lead, head = _lead(findings)
    lines = _alone(first) if len(findings) == 1 else _several(findings)
    ids = f"finding {first.id}" if len(findings) == 1 else "the number before each finding is its id"
    return {
        "text": lead,
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": shortened(head, HEADER_LENGTH)}},
            _section(lead),
            *(_section(text) for text in packed(lines)),
            *_answers(findings, reply),
            {"type": "context", "elements": [_mrkdwn(f"gpucost: {ids}")]},
        ],
    }


def _lead(findings: Sequence[Finding]) -> tuple[str, str]:
    """The first line, and the heading."""
    first = findings[0]
    where = f"{code(first.cluster)}, {span(first.hour)}"
    mentions = "".join(f"{mention} " for mention in sorted({one.mention for one in findings if one.mention}))
    if all(one.kind is Kind.BU_WASTE and one.step in _WASTES for one in findings):
        total = sum((finding.waste_usd for finding in findings), ZERO)
        lead = f"{mentions}{count(len(findings), 'BU')} wasted {cents(total)} on {where}"
        return lead, f"GPU waste: {cents(total)} in one hour"
    if len(findings) == 1:
        return f"{mentions}{headline(first)} ({where})", title(first, plain_name)
    return f"{mentions}{count(len(findings), 'GPU finding')} on {where}", count(len(findings), "GPU finding")


SNOOZES = (("1h", "1 hour"), ("8h", "8 hours"), ("24h", "24 hours"), ("monday", "Until Monday"))
"""What the buttons can snooze for, and how they say it."""


def _answers(findings: Sequence[Finding], reply: Reply) -> list[dict[str, Any]]:
    """Buttons, or links, under a message about one episode that goes on."""
    first = findings[0]
    if len(findings) > 1 or not first.episode or first.step in (Step.CLOSE, Step.DIGEST):
        return []
    if reply.interactive:
        value = json.dumps([first.cluster, first.episode])
        buttons = [_button("acknowledge", "Acknowledge", value)]
        buttons += [_button(f"snooze:{name}", f"Snooze {text.lower()}", value) for name, text in SNOOZES]
        return [{"type": "actions", "block_id": f"gpucost-{first.episode}", "elements": buttons}]
    if reply.api_url:
        where = f"{reply.api_url}/v1/findings/{first.episode}"
        return [_section(f"Acknowledge or snooze: <{where}>")]
    return []


def _button(action: str, text: str, value: str) -> dict[str, Any]:
    label = {"type": "plain_text", "text": text}
    return {"type": "button", "action_id": f"gpucost:{action}", "text": label, "value": value}


def packed(lines: Iterable[str], length: int = SECTION_LENGTH) -> list[str]:
    """Lines joined to as few texts as hold them, none longer than `length`. No line may be longer than that itself."""
    texts: list[str] = []
    for line in lines:
        if texts and len(texts[-1]) + 1 + len(line) <= length:
            texts[-1] += f"\n{line}"
        else:
            texts.append(line)
    return texts


def _alone(finding: Finding) -> list[str]:
    """What is said below the first line, which for most kinds is the headline already."""
    lines = described(finding, LINES_LENGTH)
    return lines if finding.kind is Kind.BU_WASTE and finding.step in _WASTES else lines[1:]


def _several(findings: Sequence[Finding]) -> list[str]:
    limit = _PODS_OF_FEW if len(findings) <= _FEW else 0
    lines: list[str] = []
    for index, finding in enumerate(findings):
        own = [f"`{finding.id[:SHORT_ID]}` {headline(finding)}"]
        own += pod_lines(finding, limit=limit) if limit else []
        if text_length((*lines, *own)) > LINES_LENGTH:
            rest = findings[index:]
            wasted = sum((left.waste_usd for left in rest), ZERO)
            what = "more BU" if all(left.kind is Kind.BU_WASTE for left in rest) else "more finding"
            return [*lines, f"and {count(len(rest), what)}, wasting {cents(wasted)}"]
        lines += own
    return lines


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": _mrkdwn(text)}


def _mrkdwn(text: str) -> dict[str, Any]:
    # verbatim: Slack adds no links and no mentions of its own to what looks like some.
    return {"type": "mrkdwn", "text": text, "verbatim": True}
