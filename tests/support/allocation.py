"""Shortcuts for tests of the allocation: a report out of a handful of facts, and its rows by what they are about."""

from collections.abc import Mapping
from decimal import Decimal

from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.policy import Policy, RateCard
from gpucost.domain.readings import NodeFacts
from gpucost.domain.report import HourReport, NodeRow, PodRow
from gpucost.domain.timeline import FULL, Mask
from tests.support.readings import HOUR, node, readings


def report_of(*facts: object, policy: Policy | None = None, seen: Mask = FULL, **more: object) -> HourReport:
    """The hour that the facts make, by the default policy ($12 per GPU-hour)."""
    return allocate(readings(*facts, seen=seen, **more), policy or Policy(), "prod", HOUR)


def rate(usd: str) -> RateCard:
    return RateCard(Decimal(usd))


def instance(
    kind: str, name: str = "node-a", minutes: Mask = FULL, labels: Mapping[str, str] | None = None
) -> NodeFacts:
    """A node of an EC2 instance type."""
    return node(name, minutes, {"node_kubernetes_io_instance_type": kind, **(labels or {})})


def row_of(report: HourReport, name: str) -> PodRow:
    """The only row of a pod."""
    (row,) = (row for row in report.pods if row.pod == name)
    return row


def node_of(report: HourReport, name: str = "node-a") -> NodeRow:
    (row,) = (row for row in report.nodes if row.node == name)
    return row


def codes(report: HourReport) -> list[str]:
    return [warning.code for warning in report.warnings]
