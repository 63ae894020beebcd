"""Findings as one Slack message in Block Kit, within Slack's limits however many there are.

Limits, from docs.slack.dev/reference/block-kit/blocks: 50 blocks a message, 3000 characters a section, 150 a header,
no empty text. All blocks together may hold about 13,000 characters, which is not documented: Slack answers
msg_blocks_too_long (github.com/slackapi/bolt-js/issues/2509).
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from gpucost.domain.alerts import Finding
from gpucost.domain.finding_text import described, headline, pod_lines, text_length
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO
from gpucost.domain.wording import cents, code, count, span

SECTION_LENGTH = 3000
LINES_LENGTH = 11_000
SHORT_ID = 12
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


def slack_message(findings: Sequence[Finding]) -> dict[str, object]:
    """One message about the findings of one cluster-hour (at least one), in the order given.

    What does not fit is counted and added up in a last line; no line is cut. Every finding that is shown carries its
    id, so that a message that arrives twice is recognised.
    """
    first = findings[0]
    total = sum((finding.waste_usd for finding in findings), ZERO)
    where = f"{code(first.cluster)}, {span(first.hour)}"
    lead = f"{count(len(findings), 'BU')} wasted {cents(total)} on {where}"
    lines = described(first, LINES_LENGTH) if len(findings) == 1 else _several(findings)
    ids = f"finding {first.id}" if len(findings) == 1 else "the number before each BU is its finding's id"
    return {
        "text": lead,
        "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": f"GPU waste: {cents(total)} in one hour"}},
            _section(lead),
            *(_section(text) for text in packed(lines)),
            {"type": "context", "elements": [_mrkdwn(f"gpucost: {ids}")]},
        ],
    }


def packed(lines: Iterable[str], length: int = SECTION_LENGTH) -> list[str]:
    """Lines joined to as few texts as hold them, none longer than `length`. No line may be longer than that itself."""
    texts: list[str] = []
    for line in lines:
        if texts and len(texts[-1]) + 1 + len(line) <= length:
            texts[-1] += f"\n{line}"
        else:
            texts.append(line)
    return texts


def _several(findings: Sequence[Finding]) -> list[str]:
    limit = _PODS_OF_FEW if len(findings) <= _FEW else 0
    lines: list[str] = []
    for index, finding in enumerate(findings):
        own = [f"`{finding.id[:SHORT_ID]}` {headline(finding)}"]
        own += pod_lines(finding, limit=limit) if limit else []
        if text_length((*lines, *own)) > LINES_LENGTH:
            rest = findings[index:]
            wasted = sum((left.waste_usd for left in rest), ZERO)
            return [*lines, f"and {count(len(rest), 'more BU')}, wasting {cents(wasted)}"]
        lines += own
    return lines


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": _mrkdwn(text)}


def _mrkdwn(text: str) -> dict[str, Any]:
    # verbatim: Slack adds no links and no mentions of its own to what looks like some.
    return {"type": "mrkdwn", "text": text, "verbatim": True}
