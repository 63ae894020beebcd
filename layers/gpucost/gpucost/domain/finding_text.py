"""A finding in words, one line a fact. `name` is how names are shown: Slack's code spans, or plain for an e-mail."""

from collections.abc import Callable, Iterable

from gpucost.domain.alerts import Finding, PodWaste
from gpucost.domain.report import Basis
from gpucost.domain.wording import cents, code, count, gibibytes, one_line, percent, shortened, span

type Show = Callable[[str], str]

_MEASURED = {Basis.POD, Basis.SHARED_DEVICE}


def headline(finding: Finding, name: Show = code) -> str:
    """What the BU wasted, and of how much: all that a list of several BUs has room for."""
    judged = finding.allocated_usd - finding.unknown_usd
    text = (
        f"{name(finding.bu)} wasted {cents(finding.waste_usd)} of {cents(judged)}: {percent(finding.utilization)} used"
    )
    if finding.unknown_usd:
        text += f"; {cents(finding.unknown_usd)} more has unknown utilization and was not judged"
    return text


def pod_lines(finding: Finding, name: Show = code, limit: int | None = None) -> list[str]:
    """The worst pods, at most `limit` of them, and a last line with the count and the waste of all the others."""
    shown = finding.pods[:limit]
    lines = [f"• {_pod(pod, name)}" for pod in shown]
    others = len(finding.pods) - len(shown) + finding.more_pods
    if others:
        rest = sum((pod.waste_usd for pod in finding.pods[len(shown) :]), finding.more_pods_usd)
        lines.append(f"• and {others:,} more, wasting {cents(rest)}")
    return lines


def described(finding: Finding, length: int, name: Show = code) -> list[str]:
    """The headline and as many of the worst pods as fit into `length` characters; the others are added up."""
    for limit in range(len(finding.pods), -1, -1):
        lines = [headline(finding, name), *pod_lines(finding, name, limit)]
        if text_length(lines) <= length:
            return lines
    return [headline(finding, name)]


def text_length(lines: Iterable[str]) -> int:
    """Characters of the lines, each with its line break."""
    return sum(len(line) + 1 for line in lines)


def summary(finding: Finding) -> str:
    """The finding in one plain line."""
    return f"{headline(finding, plain_name)}, on {plain_name(finding.cluster)}, {span(finding.hour)}"


def plain_name(name: str) -> str:
    """A name for plain text: on one line and not too long."""
    return shortened(one_line(name)) or "(no name)"


def _pod(pod: PodWaste, name: Show) -> str:
    used = f"{percent(pod.utilization)} used"
    if pod.basis not in _MEASURED:
        used += f" (estimated by {pod.basis.value})"
    facts = [f"{name(pod.resource)} for {count(pod.held_minutes, 'minute')}", f"wasted {cents(pod.waste_usd)}", used]
    if pod.vram_used_mib is not None:
        facts.append(f"{gibibytes(pod.vram_used_mib)} of VRAM held")
    return f"{name(f'{pod.namespace}/{pod.pod}')} on {name(pod.node)}: {', '.join(facts)}"
