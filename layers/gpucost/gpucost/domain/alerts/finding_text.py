"""A finding in words, one line a fact. `name` is how names are shown: Slack's code spans, or plain for an e-mail."""

from collections.abc import Callable, Iterable

from gpucost.domain.alerts.finding import WITHOUT_COST, Finding, Kind, PodWaste, Step
from gpucost.domain.hours import Hour
from gpucost.domain.money import plain
from gpucost.domain.periods import Month
from gpucost.domain.report import Basis
from gpucost.domain.wording import cents, code, count, escaped, gibibytes, one_line, percent, shortened, span

type Show = Callable[[str], str]

_FACT_LENGTH = 400
_MEASURED = {Basis.POD, Basis.SHARED_DEVICE}


def title(finding: Finding, name: Show = code) -> str:
    """What it is about, in a few words."""
    bu, what = name(finding.bu), name(finding.subject)
    texts = {
        Kind.BU_WASTE: f"GPU waste: {bu} wasted {cents(finding.waste_usd)} in one hour",
        Kind.IDLE_SLICE: f"Idle GPU slice: {what} of {bu}",
        Kind.UNALLOCATED: f"Nobody holds {cents(finding.waste_usd)} of GPUs an hour",
        Kind.STRANDED: f"GPU slices worth {cents(finding.waste_usd)} an hour are stranded",
        Kind.BUDGET: f"The GPU budget of {bu} for {what} is at risk",
        Kind.ANOMALY: f"Unusual GPU cost of {bu}: {cents(finding.allocated_usd)} in one hour",
        Kind.DATA_LOSS: f"GPU cost data of {name(finding.cluster)} is lost",
    }
    over = {
        Kind.BU_WASTE: f"Over: GPU waste of {bu}",
        Kind.IDLE_SLICE: f"Over: idle GPU slice {what} of {bu}",
        Kind.UNALLOCATED: "Over: GPUs that nobody held",
        Kind.STRANDED: "Over: stranded GPU slices",
        Kind.BUDGET: _budget_is_over(finding, bu, what),
        Kind.ANOMALY: f"Over: unusual GPU cost of {bu}",
        Kind.DATA_LOSS: f"GPU cost data of {name(finding.cluster)} is whole again",
    }
    if finding.step is Step.DIGEST:
        return f"GPU costs of {bu}: {finding.subject}"
    return (over if finding.step is Step.CLOSE else texts)[finding.kind]


def _budget_is_over(finding: Finding, bu: str, what: str) -> str:
    if Month.of(finding.hour).key > finding.subject:
        return f"The month is over: the GPU budget of {bu} for {what}"
    return f"The GPU budget of {bu} for {what} is safe again"


def story(finding: Finding) -> str:
    """How long it has gone on and what it has cost; "" for a first hour, of which everything is said already."""
    if finding.since is None or finding.step is Step.DIGEST or not finding.hours:
        return ""
    cost = "" if finding.kind in WITHOUT_COST else cents(finding.so_far_usd)
    if finding.step is Step.CLOSE:
        return _ended(finding, finding.since, cost)
    so_far = f"{count(finding.hours, 'hour')}{cost and ', '}{cost} so far"
    return f"Since {span(finding.since)}: {so_far}." if finding.hours > 1 else ""


def _ended(finding: Finding, since: Hour, cost: str) -> str:
    last = finding.last or since.plus(finding.hours - 1)
    lasted = (last.epoch - since.epoch) // 3600 + 1
    bad = "" if lasted == finding.hours else f" ({finding.hours:,} of them bad)"
    cost = cost and f" and cost {cost}"
    when = f"{since.start:%Y-%m-%d %H:%M} to {last.end:%Y-%m-%d %H:%M} UTC"
    return f"It lasted {count(lasted, 'hour')}{bad}{cost}, from {when}."


def headline(finding: Finding, name: Show = code) -> str:
    """What it is and of how much: all that a list of several findings has room for."""
    if finding.kind is not Kind.BU_WASTE or finding.step in (Step.CLOSE, Step.DIGEST):
        return _other_headline(finding, name)
    judged = finding.allocated_usd - finding.unknown_usd
    text = (
        f"{name(finding.bu)} wasted {cents(finding.waste_usd)} of {cents(judged)}: {percent(finding.utilization)} used"
    )
    if finding.unknown_usd:
        text += f"; {cents(finding.unknown_usd)} more has unknown utilization and was not judged"
    return text


def _other_headline(finding: Finding, name: Show) -> str:
    text = title(finding, name)
    if finding.kind is Kind.IDLE_SLICE and finding.step is not Step.CLOSE:
        text += f": {percent(finding.utilization)} used, {cents(finding.waste_usd)} wasted in the hour"
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
    told = [headline(finding, name), *(line for line in (story(finding), *map(name_free, finding.facts)) if line)]
    for limit in range(len(finding.pods), -1, -1):
        lines = [*told, *pod_lines(finding, name, limit)]
        if text_length(lines) <= length:
            return lines
    return told if text_length(told) <= length else [headline(finding, name)]


def name_free(fact: str) -> str:
    """A sentence that may hold names, safe for mrkdwn: nothing in it becomes a link, a mention or a broadcast."""
    return escaped(shortened(one_line(fact), _FACT_LENGTH))


def text_length(lines: Iterable[str]) -> int:
    """Characters of the lines, each with its line break."""
    return sum(len(line) + 1 for line in lines)


def summary(finding: Finding) -> str:
    """The finding in one plain line."""
    told = " ".join(line for line in (story(finding), *map(plain_fact, finding.facts)) if line)
    text = f"{headline(finding, plain_name)}, on {plain_name(finding.cluster)}, {span(finding.hour)}"
    return f"{text}. {told}" if told else text


def plain_fact(fact: str) -> str:
    """A sentence for plain text: on one line and not too long."""
    return shortened(one_line(fact), _FACT_LENGTH)


def plain_name(name: str) -> str:
    """A name for plain text: on one line and not too long."""
    return shortened(one_line(name)) or "(no name)"


def _pod(pod: PodWaste, name: Show) -> str:
    used = f"{percent(pod.utilization)} used"
    if pod.basis not in _MEASURED:
        used += f" (estimated by {pod.basis.value})"
    elif pod.samples_seen < pod.samples_expected:
        used += f" (by {pod.samples_seen:,} of {pod.samples_expected:,} samples)"
    held = f"{name(pod.resource)} for {count(pod.held_minutes, 'minute')}"
    if pod.slice_hours is not None:
        slices = plain(round(pod.slice_hours, 2))
        held += f" ({slices:f} slice-hour{'' if slices == 1 else 's'})"
    of = "" if pod.allocated_usd is None else f" of {cents(pod.allocated_usd)}"
    facts = [held, f"wasted {cents(pod.waste_usd)}{of}", used]
    if pod.vram_used_mib is not None:
        facts.append(f"{gibibytes(pod.vram_used_mib)} of VRAM held")
    owner = f" of {name(pod.workload)}" if pod.workload else ""
    return f"{name(f'{pod.namespace}/{pod.pod}')}{owner} on {name(pod.node)}: {', '.join(facts)}"
