"""The message that a finding travels in: Amazon Q Developer's custom notification, which chat channels show as it is.

https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html describes the shape. Its `additionalContext`
may only hold strings; it carries the whole finding, so that any subscriber can have it back.
"""

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from gpucost.domain.alerts import Finding, Kind, PodWaste, Severity, Step, stable_id
from gpucost.domain.finding_text import described, plain_name, pod_lines, summary, title
from gpucost.domain.hours import Hour
from gpucost.domain.money import plain
from gpucost.domain.report import Basis
from gpucost.domain.wording import cents, code, one_line, shortened, span, subject

NEXT_STEPS = {
    Kind.BU_WASTE: (
        "Scale down or delete the pods that hold GPUs without using them.",
        "Ask for a smaller MIG slice where a pod uses only part of what it holds.",
    ),
    Kind.IDLE_SLICE: (
        "Scale the workload down or delete it; others may be waiting for its slices.",
        "Ask for a smaller MIG slice if it needs only part of what it holds.",
    ),
    Kind.UNALLOCATED: (
        "Scale the GPU node group down, or let more teams use it.",
        "Look whether pending pods ask for another profile than the nodes offer.",
    ),
    Kind.STRANDED: ("Choose a MIG geometry that covers the whole GPU (nvidia.com/mig.config).",),
    Kind.BUDGET: ("Look at the most expensive workloads of the BU, or raise its budget in the settings.",),
    Kind.ANOMALY: ("Look at what the BU runs now and did not run in past weeks.",),
    Kind.DATA_LOSS: (
        "Look whether kube-state-metrics and the DCGM exporter are scraped, and at the dead letters of collect.",
    ),
}
_BU_IN_SUBJECT = 40
# Amazon Q Developer documents no limit; what it forwards has to fit into one section of a Slack message.
_DESCRIPTION_LENGTH = 3000


def finding_subject(finding: Finding) -> str:
    """The subject line of the e-mail about a finding, within Amazon SNS's limits."""
    if finding.kind is not Kind.BU_WASTE or finding.step is not Step.OPEN:
        return subject(f"{title(finding, _short)}, {finding.cluster}")
    bu = shortened(one_line(finding.bu), _BU_IN_SUBJECT)
    return subject(f"GPU waste {cents(finding.waste_usd)}: {bu}, {span(finding.hour)}, {finding.cluster}")


def _short(name: str) -> str:
    return shortened(one_line(name), _BU_IN_SUBJECT)


def notification(finding: Finding) -> dict[str, Any]:
    """The finding as a custom notification. The steps of an episode share a thread."""
    where = f"{code(finding.cluster)}, {span(finding.hour)}"
    return {
        "version": "1.0",
        "source": "custom",
        "id": finding.id,
        "content": {
            "textType": "client-markdown",
            "title": title(finding),
            "description": "\n".join((where, *described(finding, _DESCRIPTION_LENGTH - len(where)))),
            "nextSteps": list(NEXT_STEPS[finding.kind]),
            "keywords": ["GPU", "cost", finding.kind.value],
        },
        "metadata": {
            "threadId": finding.episode or stable_id(finding.kind, finding.cluster, finding.bu),
            "summary": summary(finding),
            "eventType": f"gpucost.{finding.kind.value}",
            "relatedResources": [plain_name(f"{pod.namespace}/{pod.pod}") for pod in finding.pods],
            "additionalContext": _context(finding),
        },
    }


def email_text(finding: Finding) -> str:
    """The finding as the text of an e-mail."""
    steps = (f"- {step}" for step in NEXT_STEPS[finding.kind])
    pods = pod_lines(finding, plain_name)
    return "\n".join((summary(finding), "", *pods, "", "What to do:", *steps, "", f"Finding {finding.id}", ""))


def finding_of(document: object) -> Finding:
    """The finding that `notification` was given. ValueError, saying what is wrong, when it is anything else."""
    match document:
        case {"version": "1.0", "source": "custom", "id": str(name), "metadata": {"additionalContext": dict(held)}}:
            try:
                return _finding(name, held)
            except KeyError as error:
                raise ValueError(f"the notification's additionalContext lacks {error}") from None
            except (TypeError, ValueError) as error:
                raise ValueError(f"the notification's additionalContext cannot be read: {error}") from None
    raise ValueError("not a notification of a finding: its version, source, id or additionalContext is missing")


def _context(finding: Finding) -> dict[str, str]:
    return {
        "kind": finding.kind.value,
        "severity": finding.severity.value,
        "cluster": finding.cluster,
        "hour": finding.hour.key,
        "bu": finding.bu,
        "allocated_usd": str(finding.allocated_usd),
        "waste_usd": str(finding.waste_usd),
        "unknown_usd": str(finding.unknown_usd),
        "utilization": _optional(finding.utilization),
        "pods": json.dumps([_pod_context(pod) for pod in finding.pods], ensure_ascii=False),
        "more_pods": str(finding.more_pods),
        "more_pods_usd": str(finding.more_pods_usd),
        "step": finding.step.value,
        "episode": finding.episode,
        "subject": finding.subject,
        "since": finding.since.key if finding.since else "",
        "hours": str(finding.hours),
        "so_far_usd": str(finding.so_far_usd),
        "facts": json.dumps(finding.facts, ensure_ascii=False),
        "channel": finding.channel,
        "mention": finding.mention,
        "number": str(finding.number),
    }


def _optional(figure: Decimal | None) -> str:
    """additionalContext holds texts only: what is unknown is an empty one."""
    return "" if figure is None else str(figure)


_BEFORE_EPISODES = {
    "step": "open",
    "episode": "",
    "subject": "",
    "since": "",
    "hours": "1",
    "so_far_usd": "0",
    "facts": "[]",
    "channel": "",
    "mention": "",
    "number": "0",
}
"""What messages lacked that were queued before an update of the stack."""


def _finding(name: str, held: Mapping[str, Any]) -> Finding:
    told = {**_BEFORE_EPISODES, **held}
    return Finding(
        id=name,
        kind=Kind(held["kind"]),
        severity=Severity(held["severity"]),
        cluster=_text(held, "cluster"),
        hour=Hour.parse(_text(held, "hour")),
        bu=_text(held, "bu"),
        allocated_usd=_number(held, "allocated_usd"),
        waste_usd=_number(held, "waste_usd"),
        unknown_usd=_number(held, "unknown_usd"),
        utilization=_number(held, "utilization") if held["utilization"] else None,
        pods=tuple(_pod(pod) for pod in json.loads(_text(held, "pods"))),
        more_pods=int(_text(held, "more_pods")),
        more_pods_usd=_number(held, "more_pods_usd"),
        step=Step(told["step"]),
        episode=_text(told, "episode"),
        subject=_text(told, "subject"),
        since=Hour.parse(_text(told, "since")) if told["since"] else None,
        hours=int(_text(told, "hours")),
        so_far_usd=_number(told, "so_far_usd"),
        facts=tuple(map(str, json.loads(_text(told, "facts")))),
        channel=_text(told, "channel"),
        mention=_text(told, "mention"),
        number=int(_text(told, "number")),
    )


def _pod_context(pod: PodWaste) -> dict[str, str | None]:
    return {
        "namespace": pod.namespace,
        "pod": pod.pod,
        "node": pod.node,
        "resource": pod.resource,
        "workload": pod.workload,
        "held_minutes": str(pod.held_minutes),
        "waste_usd": str(pod.waste_usd),
        "utilization": None if pod.utilization is None else str(pod.utilization),
        "basis": pod.basis.value,
        "vram_used_mib": None if pod.vram_used_mib is None else str(pod.vram_used_mib),
    }


def _pod(held: Mapping[str, Any]) -> PodWaste:
    return PodWaste(
        namespace=_text(held, "namespace"),
        pod=_text(held, "pod"),
        node=_text(held, "node"),
        resource=_text(held, "resource"),
        workload=None if held["workload"] is None else _text(held, "workload"),
        held_minutes=int(_text(held, "held_minutes")),
        waste_usd=_number(held, "waste_usd"),
        utilization=None if held["utilization"] is None else _number(held, "utilization"),
        basis=Basis(held["basis"]),
        vram_used_mib=None if held["vram_used_mib"] is None else _number(held, "vram_used_mib"),
    )


def _text(held: Mapping[str, Any], key: str) -> str:
    value = held[key]
    if not isinstance(value, str):
        raise ValueError(f"{key} is {type(value).__name__}, not text")
    return value


def _number(held: Mapping[str, Any], key: str) -> Decimal:
    text = _text(held, key)
    try:
        return plain(Decimal(text))
    except (InvalidOperation, ValueError):
        raise ValueError(f"{key} is {text!r}, not a figure") from None
