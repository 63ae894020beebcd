"""A ledger with some history: two clusters, four BUs, two months and a bit, one of the months closed."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from gpucost.adapters.memory import MemoryLedger
from gpucost.domain.allocation.rows import sum_figures, totals
from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.periods import Month
from gpucost.domain.report import HourReport, Status
from gpucost.usecases.recording.roll_up import roll_up
from tests.support.hours import failed, pod, report

CLUSTERS = ("prod", "dev")
BUS = ("alpha", "bravo", "charlie", "dorado")
FIRST = Hour.parse("2026-10-30T00:00:00Z")
END = Hour.parse("2026-11-02T12:00:00Z")
CLOSED = datetime(2026, 11, 25, tzinfo=UTC)
STRANDED_USD = Decimal("1.5")
MISSING = Hour.parse("2026-11-01T05:00:00Z")
FAILED = Hour.parse("2026-11-01T06:00:00Z")


def house(closed: bool = True) -> MemoryLedger:
    """The ledger, with its sums. In every hour, each BU has a namespace of its own, and all share `commons`."""
    ledger = MemoryLedger()
    for cluster in CLUSTERS:
        for hour in hours_between(FIRST, END):
            if hour != MISSING:
                ledger.publish(_report(cluster, hour), hour.end)
        for day in range(4):
            roll_up(cluster, FIRST.plus(24 * day), ledger)
        if closed:
            ledger.close_month(cluster, Month(2026, 10), CLOSED)
    return ledger


def _report(cluster: str, hour: Hour) -> HourReport:
    if hour == FAILED:
        return failed(cluster, hour)
    turn = hour.epoch // 3600 % 7
    pods = [
        pod(
            f"{bu}-jobs",
            f"{(index + 1) * (turn + 1)}.{index + 1:03}7",
            f"{bu}-{cluster}-0",
            bu,
            None if (index + turn) % 5 == 0 else "0.25",
        )
        for index, bu in enumerate(BUS)
    ]
    pods = [replace(row, labels=(("app.kubernetes.io/part-of", f"{row.bu}-suite"),)) for row in pods]
    shared = [pod("commons", f"0.0{index + 1}1", f"{bu}-side-0", bu) for index, bu in enumerate(BUS)]
    status = Status.PARTIAL if turn == 3 else Status.COMPLETE
    return _adding_up(report(*pods, *shared, cluster=cluster, hour=hour, status=status))


def _adding_up(draft: HourReport) -> HourReport:
    """The report with its node's money as that of its pods and a rest."""
    held = sum_figures([row.figures for row in draft.pods])
    (node,) = draft.nodes
    node = replace(
        node,
        allocated_usd=held.allocated_usd,
        unallocated_usd=node.capacity_usd - held.allocated_usd,
        stranded_usd=min(node.capacity_usd - held.allocated_usd, STRANDED_USD),
    )
    return replace(draft, nodes=(node,), totals=totals([node], held))
