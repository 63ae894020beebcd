"""The prices that published hours were worked out with."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from gpucost.domain.hours import Hour
from gpucost.domain.money import plain
from gpucost.domain.report import CURRENCY, PodRow, Price
from gpucost.usecases.answers.answer import Answer, count_hours
from gpucost.usecases.answers.reading import read
from gpucost.usecases.answers.visible import Slice, VisibleLedger
from gpucost.usecases.answers.window import Window

type Key = tuple[str, str, str, Decimal, str, str, str]


def prices(window: Window, cluster: str | None, ledger: VisibleLedger) -> Answer:
    """Every price that was in use in the window, with its source and date, when, and for how many GPU-hours.

    By instance type and GPU model for those who may see nodes; for the others, the prices of what they held.
    """
    clusters = ledger.named(cluster)
    slices = list(read(clusters, window, None, True, ledger))
    uses: dict[Key, list[tuple[Hour, Decimal]]] = {}
    for one in slices:
        for key, gpu_hours in _priced(one):
            uses.setdefault(key, []).append((one.first, gpu_hours))
    return {
        "from": window.first.key,
        "to": window.end.key,
        "clusters": list(clusters),
        "currency": CURRENCY,
        "hours": count_hours(window.hours * len(clusters), slices),
        "rows": [_row(key, used) for key, used in sorted(uses.items())],
    }


def _priced(one: Slice) -> Iterable[tuple[Key, Decimal]]:
    for node in one.nodes:
        names = (one.cluster, node.instance_type or "", node.gpu_model or "")
        yield (*names, *_papers(node.price)), node.capacity_gpu_hours
    if not one.nodes:
        for row in one.rows:
            if isinstance(row, PodRow):
                yield (one.cluster, "", "", *_papers(row.price)), row.figures.gpu_hours


def _papers(price: Price) -> tuple[Decimal, str, str, str]:
    return price.usd_per_gpu_hour, price.source, price.as_of or "", price.flag or ""


def _row(key: Key, used: list[tuple[Hour, Decimal]]) -> dict[str, Any]:
    cluster, instance_type, gpu_model, usd, source, as_of, flag = key
    return {
        "cluster": cluster,
        "instance_type": instance_type or None,
        "gpu_model": gpu_model or None,
        "usd_per_gpu_hour": usd,
        "source": source,
        "as_of": as_of or None,
        "flag": flag or None,
        "gpu_hours": plain(sum((hours for _, hours in used), Decimal(0))),
        "first_hour": min(hour for hour, _ in used).key,
        "last_hour": max(hour for hour, _ in used).key,
    }
