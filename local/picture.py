"""`python -m local.picture`: draws docs/slack-message.svg, the message about an idle slice as it looks."""

from dataclasses import replace
from decimal import Decimal
from io import StringIO
from pathlib import Path

from rich.console import Console

from gpucost.domain.alerts.blocks import Reply, slack_message
from gpucost.domain.alerts.finding import Finding, Kind, PodWaste, Severity, Step
from gpucost.domain.hours import Hour
from gpucost.domain.report import Basis
from local.slack_view import message_view

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "slack-message.svg"
WIDTH = 112
FIRST = Hour.parse("2026-11-30T07:00:00Z")

OPENED = Finding(
    id="5b2e8c1f0a3d4e6f9b7c2d1e0f3a4b5c",
    kind=Kind.IDLE_SLICE,
    severity=Severity.WARNING,
    cluster="gpu-cost-poc",
    hour=FIRST.plus(3),
    bu="bu-c",
    allocated_usd=Decimal("8.232923"),
    waste_usd=Decimal("8.109429"),
    utilization=Decimal("0.015"),
    pods=tuple(
        PodWaste(
            namespace="bu-c",
            pod=f"notebook-{index}",
            node="ip-192-168-41-17.us-west-2.compute.internal",
            resource="nvidia.com/mig-3g.20gb",
            workload="StatefulSet/notebook",
            held_minutes=60,
            waste_usd=waste,
            utilization=used,
            basis=Basis.POD,
            vram_used_mib=Decimal(18_432),
            allocated_usd=Decimal("4.116461"),
            slice_hours=Decimal(3),
            samples_seen=60,
            samples_expected=60,
        )
        for index, (waste, used) in enumerate(
            ((Decimal("4.116461"), Decimal(0)), (Decimal("3.992968"), Decimal("0.03")))
        )
    ),
    step=Step.OPEN,
    episode="0c7d1f5e9a2b4c6d8e0f1a3b5c7d9e1f",
    subject="bu-c/StatefulSet/notebook nvidia.com/mig-3g.20gb",
    since=FIRST,
    hours=4,
    so_far_usd=Decimal("31.92"),
    facts=("Meanwhile bu-a waits for 1 (1 pod).",),
)
CLOSED = replace(
    OPENED, step=Step.CLOSE, hour=FIRST.plus(9), hours=9, so_far_usd=Decimal("72.14"), pods=(), facts=(), id="9f" * 16
)


def draw() -> str:
    """The picture as SVG; the same every time."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor")
    for finding in (OPENED, CLOSED):
        console.print(message_view(slack_message([finding], Reply(interactive=True))))
    return console.export_svg(title="#gpu-costs", unique_id="slack-message")


if __name__ == "__main__":
    PICTURE.write_text(draw())
