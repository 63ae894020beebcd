"""The message that a finding travels in: Amazon Q Developer's custom notification, which chat channels show as it is.

https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html describes the shape. Its `additionalContext`
may only hold strings; it carries the whole finding, so that any subscriber can have it back.
"""

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from gpucost.domain.alerts import Finding, Kind, PodWaste, Severity, stable_id
from gpucost.domain.finding_text import described, plain_name, pod_lines, summary
from gpucost.domain.hours import Hour
from gpucost.domain.money import plain
from gpucost.domain.report import Basis
from gpucost.domain.wording import cents, code, one_line, shortened, span, subject

NEXT_STEPS = {
    Kind.BU_WASTE: (
        "Scale down or delete the pods that hold GPUs without using them.",
        "Ask for a smaller MIG slice where a pod uses only part of what it holds.",
    )
}
_BU_IN_SUBJECT = 40
# Amazon Q Developer documents no limit; what it forwards has to fit into one section of a Slack message.
_DESCRIPTION_LENGTH = 3000


def finding_subject(finding: Finding) -> str:
    """The subject line of the e-mail about a finding, within Amazon SNS's limits."""
    bu = shortened(one_line(finding.bu), _BU_IN_SUBJECT)
    return subject(f"GPU waste {cents(finding.waste_usd)}: {bu}, {span(finding.hour)}, {finding.cluster}")


def notification(finding: Finding) -> dict[str, Any]:
    """The finding as a custom notification. Findings of the same kind, cluster and BU share a thread."""
    where = f"{code(finding.cluster)}, {span(finding.hour)}"
    return {
        "version": "1.0",
        "source": "custom",
        "id": finding.id,
        "content": {
            "textType": "client-markdown",
            "title": f"GPU waste: {code(finding.bu)} wasted {cents(finding.waste_usd)} in one hour",
            "description": "\n".join((where, *described(finding, _DESCRIPTION_LENGTH - len(where)))),
            "nextSteps": list(NEXT_STEPS[finding.kind]),
            "keywords": ["GPU", "cost", finding.kind.value],
        },
        "metadata": {
            "threadId": stable_id(finding.kind, finding.cluster, finding.bu),
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
        "utilization": str(finding.utilization),
        "pods": json.dumps([_pod_context(pod) for pod in finding.pods], ensure_ascii=False),
        "more_pods": str(finding.more_pods),
        "more_pods_usd": str(finding.more_pods_usd),
    }


def _finding(name: str, held: Mapping[str, Any]) -> Finding:
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
        utilization=_number(held, "utilization"),
        pods=tuple(_pod(pod) for pod in json.loads(_text(held, "pods"))),
        more_pods=int(_text(held, "more_pods")),
        more_pods_usd=_number(held, "more_pods_usd"),
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
