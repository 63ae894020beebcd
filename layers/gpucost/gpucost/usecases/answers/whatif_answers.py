"""What would have been, as an answer of the API."""

from decimal import Decimal
from typing import Any

from gpucost.domain.answers.whatif import Sharing, capacity_cost, fit, share_unallocated
from gpucost.domain.gpus.geometry import ANY, geometry
from gpucost.domain.money import ZERO, plain
from gpucost.domain.report import CURRENCY, HourReport
from gpucost.ports import RequestError
from gpucost.usecases.answers.answer import count_hours
from gpucost.usecases.answers.reading import read
from gpucost.usecases.answers.visible import VisibleLedger
from gpucost.usecases.answers.window import Window

type Answer = dict[str, Any]
MAX_HOURS = 168


def what_if(
    window: Window, cluster: str | None, sharing: Sharing, gpus: int | None, cut: str | None, ledger: VisibleLedger
) -> Answer:
    """Recorded demand under another sharing, and, if they are named, on other GPUs in another geometry.

    ForbiddenError for callers who may see BUs only; RequestError for a geometry that is none, or too long a window.
    """
    ledger.need_everything("what would have been")
    clusters = ledger.named(cluster)
    if window.hours * len(clusters) > MAX_HOURS:
        raise RequestError(f"at most {MAX_HOURS} cluster-hours can be replayed at once: shorten the window")
    slices = list(read(clusters, window, None, True, ledger))
    reports = [report for one in slices if (report := ledger.report(one.cluster, one.first)) is not None]
    allocated: dict[str, Decimal] = {}
    for report in reports:
        for row in report.namespaces:
            allocated[row.bu] = allocated.get(row.bu, ZERO) + row.figures.allocated_usd
    unallocated = plain(sum((report.totals.unallocated_usd for report in reports), ZERO))
    shares = share_unallocated({bu: plain(usd) for bu, usd in allocated.items()}, unallocated, sharing)
    left = unallocated - sum((one.shared_usd for one in shares), ZERO)
    return {
        "from": window.first.key,
        "to": window.end.key,
        "clusters": list(clusters),
        "currency": CURRENCY,
        "hours": count_hours(window.hours * len(clusters), slices),
        "sharing": sharing.value,
        "unallocated_usd": unallocated,
        "unshared_usd": plain(left),
        "rows": [
            {
                "bu": one.bu,
                "allocated_usd": one.allocated_usd,
                "shared_usd": one.shared_usd,
                "total_usd": plain(one.allocated_usd + one.shared_usd),
            }
            for one in shares
        ],
        "fit": None if gpus is None and cut is None else _fit(reports, gpus, cut),
    }


def _fit(reports: list[HourReport], gpus: int | None, cut: str | None) -> Answer:
    try:
        shape = geometry(cut) if cut else ANY
    except ValueError as error:
        raise RequestError(str(error)) from None
    number = gpus if gpus is not None else _gpus(reports)
    found = fit(reports, number, shape)
    recorded = plain(sum((report.totals.capacity_usd for report in reports), ZERO))
    return {
        "gpus": number,
        "geometry": shape.text,
        "demand_gpu_hours": found.demand_gpu_hours,
        "fitting_gpu_hours": found.fitting_gpu_hours,
        "lacking_gpu_hours": plain(found.demand_gpu_hours - found.fitting_gpu_hours),
        "lacking": [{"bu": bu, "gpu_hours": hours} for bu, hours in found.without.items()],
        "cost_usd": capacity_cost(reports, number),
        "recorded_cost_usd": recorded,
    }


def _gpus(reports: list[HourReport]) -> int:
    """As many GPUs as there were at most."""
    most = max((sum(row.physical_gpus for row in report.nodes) for report in reports), default=Decimal(0))
    return int(most)
