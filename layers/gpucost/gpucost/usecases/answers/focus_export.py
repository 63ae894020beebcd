"""A window's costs as FOCUS rows."""

from collections.abc import Iterator
from typing import Any

from gpucost.domain.answers.focus import Account, own_rows, split_rows
from gpucost.domain.report import PodRow
from gpucost.usecases.answers.reading import read
from gpucost.usecases.answers.visible import VisibleLedger
from gpucost.usecases.answers.window import Window


def focus_rows(
    window: Window, cluster: str | None, account: Account, ledger: VisibleLedger
) -> Iterator[dict[str, Any]]:
    """Every node's hour, split; for callers of some BUs, the rows of their pods. RequestError for too long a window."""
    for one in read(ledger.named(cluster), window, None, True, ledger):
        pods = [row for row in one.rows if isinstance(row, PodRow)]
        if ledger.scope.sees_everything:
            yield from split_rows(account, one.cluster, one.first, one.nodes, pods)
        else:
            yield from own_rows(account, one.cluster, one.first, pods)
