"""What a caller should get, worked out the long way: from every pod of every hour, with no index and no sum."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucost.adapters.memory import MemoryLedger
from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.report import PodRow
from tests.access.callers import Caller
from tests.support.house import CLUSTERS, END, FIRST


@dataclass(frozen=True, slots=True)
class Known:
    """A pod's hour."""

    cluster: str
    hour: Hour
    row: PodRow


def everything(ledger: MemoryLedger) -> list[Known]:
    return list(_known(ledger))


def _known(ledger: MemoryLedger) -> Iterator[Known]:
    for cluster in CLUSTERS:
        for hour in hours_between(FIRST, END):
            report = ledger.report(cluster, hour)
            for row in report.pods if report else ():
                yield Known(cluster, hour, row)


def allocated(known: list[Known], caller: Caller, query: Mapping[str, str], bu: str | None = None) -> Decimal:
    """What a caller's own pods were allocated in a window, under the filters."""
    first, end = Hour.parse(query["from"]), Hour.parse(query["to"])
    filters = {name: query[name] for name in ("bu", "namespace", "pod") if name in query}
    filters |= {"bu": bu} if bu else {}
    return sum(
        (
            one.row.figures.allocated_usd
            for one in known
            if first <= one.hour < end
            and caller.may_see(one.row.bu)
            and query.get("cluster") in (None, one.cluster)
            and all(getattr(one.row, name) == value for name, value in filters.items())
        ),
        Decimal(0),
    )
