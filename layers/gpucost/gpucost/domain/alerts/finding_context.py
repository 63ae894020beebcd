"""A finding as texts by name, which is all that a custom notification has room for, and back again."""

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from gpucost.domain.alerts.finding import Finding, Kind, PodWaste, Severity, Step
from gpucost.domain.hours import Hour
from gpucost.domain.money import plain
from gpucost.domain.report import Basis


def context_of(finding: Finding) -> dict[str, str]:
    """All of a finding but its id, as texts by name."""
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
        "last": finding.last.key if finding.last else "",
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
    "last": "",
}
"""What messages lacked that were queued before an update of the stack."""


def finding_in(name: str, held: Mapping[str, Any]) -> Finding:
    """What `context_of` was given. KeyError, TypeError or ValueError when it is anything else."""
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
        last=Hour.parse(_text(told, "last")) if told["last"] else None,
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
        "allocated_usd": None if pod.allocated_usd is None else str(pod.allocated_usd),
        "slice_hours": None if pod.slice_hours is None else str(pod.slice_hours),
        "samples_seen": str(pod.samples_seen),
        "samples_expected": str(pod.samples_expected),
    }


_PODS_BEFORE = {"allocated_usd": None, "slice_hours": None, "samples_seen": "0", "samples_expected": "0"}


def _pod(held: Mapping[str, Any]) -> PodWaste:
    told = {**_PODS_BEFORE, **held}
    return PodWaste(
        namespace=_text(held, "namespace"),
        pod=_text(held, "pod"),
        node=_text(held, "node"),
        resource=_text(held, "resource"),
        workload=None if held["workload"] is None else _text(held, "workload"),
        held_minutes=int(_text(held, "held_minutes")),
        waste_usd=_number(held, "waste_usd"),
        utilization=_known(held, "utilization"),
        basis=Basis(held["basis"]),
        vram_used_mib=_known(held, "vram_used_mib"),
        allocated_usd=_known(told, "allocated_usd"),
        slice_hours=_known(told, "slice_hours"),
        samples_seen=int(_text(told, "samples_seen")),
        samples_expected=int(_text(told, "samples_expected")),
    )


def _text(held: Mapping[str, Any], key: str) -> str:
    value = held[key]
    if not isinstance(value, str):
        raise ValueError(f"{key} is {type(value).__name__}, not text")
    return value


def _known(held: Mapping[str, Any], key: str) -> Decimal | None:
    return None if held[key] is None else _number(held, key)


def _number(held: Mapping[str, Any], key: str) -> Decimal:
    text = _text(held, key)
    try:
        return plain(Decimal(text))
    except (InvalidOperation, ValueError):
        raise ValueError(f"{key} is {text!r}, not a figure") from None
