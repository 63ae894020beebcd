"""What there was, what of it was held, and what nobody held or ever could."""

from typing import Any

from gpucost.domain.report import CURRENCY
from gpucost.usecases.answers.answer import Answer, count_hours, whole
from gpucost.usecases.answers.cost_query import Step
from gpucost.usecases.answers.reading import bucket, read
from gpucost.usecases.answers.visible import Slice, VisibleLedger
from gpucost.usecases.answers.window import Window


def capacity(window: Window, step: Step | None, cluster: str | None, ledger: VisibleLedger) -> Answer:
    """Capacity, allocated, unallocated and stranded by cluster and stretch of time, in GPU-hours and dollars.

    ForbiddenError for a caller who may see BUs only: capacity is nobody's own.
    """
    ledger.need_everything("capacity")
    clusters = ledger.named(cluster)
    slices = list(read(clusters, window, step, False, ledger))
    groups: dict[tuple[Any, str], list[Slice]] = {}
    for one in slices:
        groups.setdefault((bucket(one.first, step, window), one.cluster), []).append(one)
    rows = [
        {
            **({} if step is None else {"from": span[0].key, "to": span[1].key}),
            "cluster": name,
            **whole([one.totals for one in parts if one.totals is not None]),
        }
        for (span, name), parts in sorted(groups.items())
    ]
    return {
        "from": window.first.key,
        "to": window.end.key,
        "clusters": list(clusters),
        "step": step.value if step else None,
        "currency": CURRENCY,
        "hours": count_hours(window.hours * len(clusters), slices),
        "rows": rows,
        "totals": whole([one.totals for one in slices if one.totals is not None]),
    }
