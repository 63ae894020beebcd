"""A finding as it travels: text by text, so that a subscriber and an older message are both understood."""

import json
from decimal import Decimal

from gpucost.domain.alerts.finding import Finding, Kind, PodWaste, Severity, Step
from gpucost.domain.alerts.finding_context import context_of, finding_in
from gpucost.domain.report import Basis
from tests.support.findings import HOUR

POD = PodWaste(
    namespace="ml",
    pod="train-0",
    node="node-a",
    resource="nvidia.com/gpu",
    workload="Job/train",
    held_minutes=60,
    waste_usd=Decimal("2.5"),
    utilization=Decimal("0.25"),
    basis=Basis.POD,
    vram_used_mib=Decimal(39000),
    allocated_usd=Decimal("10.125"),
    slice_hours=Decimal(7),
    samples_seen=58,
    samples_expected=60,
)
POD_TEXTS = {
    "namespace": "ml",
    "pod": "train-0",
    "node": "node-a",
    "resource": "nvidia.com/gpu",
    "workload": "Job/train",
    "held_minutes": "60",
    "waste_usd": "2.5",
    "utilization": "0.25",
    "basis": "pod",
    "vram_used_mib": "39000",
    "allocated_usd": "10.125",
    "slice_hours": "7",
    "samples_seen": "58",
    "samples_expected": "60",
}
FINDING = Finding(
    id="f1",
    kind=Kind.IDLE_SLICE,
    severity=Severity.WARNING,
    cluster="prod",
    hour=HOUR,
    bu="비전",
    allocated_usd=Decimal("10.125"),
    waste_usd=Decimal("2.5"),
    unknown_usd=Decimal("0.5"),
    utilization=Decimal("0.25"),
    pods=(POD,),
    more_pods=3,
    more_pods_usd=Decimal("1.75"),
    step=Step.ESCALATE,
    episode="e1",
    subject="ml/Job/train nvidia.com/gpu",
    since=HOUR.plus(-4),
    hours=5,
    so_far_usd=Decimal("12.5"),
    facts=("Meanwhile 비전 waits.",),
    channel="C1",
    mention="<!here>",
    number=2,
    last=HOUR,
)
TEXTS = {
    "kind": "idle_slice",
    "severity": "warning",
    "cluster": "prod",
    "hour": "2026-11-30T10:00:00Z",
    "bu": "비전",
    "allocated_usd": "10.125",
    "waste_usd": "2.5",
    "unknown_usd": "0.5",
    "utilization": "0.25",
    "pods": json.dumps([POD_TEXTS], ensure_ascii=False),
    "more_pods": "3",
    "more_pods_usd": "1.75",
    "step": "escalate",
    "episode": "e1",
    "subject": "ml/Job/train nvidia.com/gpu",
    "since": "2026-11-30T06:00:00Z",
    "hours": "5",
    "so_far_usd": "12.5",
    "facts": '["Meanwhile 비전 waits."]',
    "channel": "C1",
    "mention": "<!here>",
    "number": "2",
    "last": "2026-11-30T10:00:00Z",
}


def test_every_field_has_its_text_and_comes_back_from_it() -> None:
    assert context_of(FINDING) == TEXTS
    assert finding_in("f1", TEXTS) == FINDING


def test_what_is_unknown_or_none_is_said_so() -> None:
    pod = {**POD_TEXTS, **dict.fromkeys(("workload", "utilization", "vram_used_mib", "allocated_usd", "slice_hours"))}
    texts = {**TEXTS, "utilization": "", "since": "", "last": "", "pods": json.dumps([pod])}
    told = finding_in("f1", texts)
    assert (told.utilization, told.since, told.last) == (None, None, None)
    (known,) = told.pods
    assert (known.workload, known.utilization, known.vram_used_mib) == (None, None, None)
    assert (known.allocated_usd, known.slice_hours) == (None, None)
    assert context_of(told) == texts


def test_a_message_from_before_there_were_episodes_is_about_a_first_hour() -> None:
    since_then = {"allocated_usd", "slice_hours", "samples_seen", "samples_expected"}
    pod = {name: text for name, text in POD_TEXTS.items() if name not in since_then}
    old = {name: TEXTS[name] for name in list(TEXTS)[:12]} | {"pods": json.dumps([pod])}
    told = finding_in("f1", old)
    assert (told.step, told.episode, told.subject, told.since, told.hours) == (Step.OPEN, "", "", None, 1)
    assert (told.so_far_usd, told.facts, told.channel, told.mention, told.number) == (0, (), "", "", 0)
    assert told.last is None
    (known,) = told.pods
    assert (known.allocated_usd, known.slice_hours, known.samples_seen, known.samples_expected) == (None, None, 0, 0)
