"""`gpucost verify`: check that the ledger still says what was once published."""

from gpucost.domain.periods import Month
from gpucost.ports import GpucostError
from gpucost.usecases.recording.verify import MonthCheck, verify
from local.commands.table import open_ledger, period
from local.errors import UsageError
from local.report_view import console


class TamperedError(GpucostError):
    """The ledger is not what was published."""


def run(table: str, region: str | None, cluster: str, first: str, end: str, tips: list[str]) -> None:
    """Check the chain, heads, rows and sums of every month of the period. TamperedError when something does not fit."""
    window = period(first, end)
    checks = verify(cluster, *window, open_ledger(table, region), _noted(tips))
    out = console()
    for check in checks:
        out.print(_line(check), markup=False, highlight=False)
        for fault in check.faults:
            out.print(f"  {fault}", markup=False, highlight=False)
    faults = sum(len(check.faults) for check in checks)
    if faults:
        raise TamperedError(f"{faults} faults in the ledger of {cluster}: see above what does not fit")


def _line(check: MonthCheck) -> str:
    verdict = "sound" if not check.faults else f"{len(check.faults)} FAULTS"
    closed = f", closed {check.closed_at:%Y-%m-%d}" if check.closed_at else ""
    looked = f"{check.hours} hours, {check.entries} entries, {check.reports} reports"
    return f"{check.cluster} {check.month.key}: {verdict} ({looked}{closed})  tip {check.tip or 'none'}"


def _noted(tips: list[str]) -> dict[Month, str]:
    """--tip 2026-11=<hash>, as an earlier run printed it."""
    noted = {}
    for tip in tips:
        month, _, value = tip.partition("=")
        if not value:
            raise UsageError(f"--tip is {tip!r}; write MONTH=HASH, as verify printed it")
        try:
            noted[Month.parse(month)] = value
        except ValueError as error:
            raise UsageError(f"--tip: {error}") from None
    return noted
