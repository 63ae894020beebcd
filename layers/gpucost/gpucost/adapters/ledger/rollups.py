"""Roll-ups in the table: a year of days and months in one partition, the rows of each beside its sums.

Rows that need more room than one item has go into items of their own, under the version they belong to, before the
item that names this version. Those of older versions are removed once they are not needed.
"""

from collections.abc import Callable, Sequence
from datetime import date

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.packing import pack, unpack
from gpucost.adapters.ledger.reading import StoreReading
from gpucost.adapters.ledger.store import AbsentOrBelow, Conflict, Equals, Item, Put
from gpucost.domain.documents import flat, namespace_document, namespace_row, totals_of
from gpucost.domain.ledger.rollups import Rollup
from gpucost.domain.periods import Day, Month, Period
from gpucost.domain.report import Status
from gpucost.ports import LedgerError

ROLLUP = "rollup"
MORE_ROWS = "rows"


class StoreRollups(StoreReading):
    """`books.Rollups` over a table."""

    def day_rollups(self, cluster: str, first: Day, end: Day) -> Sequence[Rollup]:
        if not first < end:
            return []
        last = Day.of(end.first.plus(-1))
        return self._rollups(cluster, first, last, range(first.date.year, last.date.year + 1), Day.parse)

    def month_rollups(self, cluster: str, first: Month, end: Month) -> Sequence[Rollup]:
        if not first < end:
            return []
        last = end.plus(-1)
        return self._rollups(cluster, first, last, range(first.year, last.year + 1), Month.parse)

    def put_rollup(self, rollup: Rollup) -> bool:
        first, more = _items(rollup)
        self._store.put_all(more)
        try:
            self._store.write([Put(first, AbsentOrBelow("version", rollup.version))])
        except Conflict:
            return False
        self._drop_older(rollup)
        return True

    def _rollups(
        self, cluster: str, first: Period, last: Period, years: range, parse: Callable[[str], Period]
    ) -> list[Rollup]:
        bounds = keys.rollup_sk(first), keys.rollup_sk(last) + keys.LAST
        found: list[Rollup] = []
        for year in years:
            items = self._store.query(keys.year_pk(cluster, year), *bounds)
            found += [_rollup(item, parse(item["period"]), items) for item in items if item["type"] == ROLLUP]
        return found

    def _drop_older(self, rollup: Rollup) -> None:
        pk, sk = _key(rollup)
        for item in self._store.query(pk, f"{sk}#", f"{sk}#{keys.LAST}"):
            if int(item["version"]) < rollup.version:
                try:
                    self._store.delete(pk, item["sk"], Equals("version", int(item["version"])))
                except Conflict:
                    continue


def _key(rollup: Rollup) -> tuple[str, str]:
    start: date = rollup.period.first.start.date()
    return keys.year_pk(rollup.cluster, start.year), keys.rollup_sk(rollup.period)


def _items(rollup: Rollup) -> tuple[Item, list[Item]]:
    pk, sk = _key(rollup)
    parts = pack([namespace_document(row) for row in rollup.namespaces])
    first = {
        "pk": pk,
        "sk": sk,
        "type": ROLLUP,
        "cluster": rollup.cluster,
        "period": rollup.period.key,
        "version": rollup.version,
        "hours": {status.value: count for status, count in rollup.hours.items()},
        "totals": flat(rollup.totals),
        "body": parts[0],
        "parts": len(parts),
    }
    more = [
        {
            "pk": pk,
            "sk": f"{sk}#{rollup.version:08}#{part:04}",
            "type": MORE_ROWS,
            "version": rollup.version,
            "body": body,
        }
        for part, body in enumerate(parts[1:], start=1)
    ]
    return first, more


def _rollup(item: Item, period: Period, items: Sequence[Item]) -> Rollup:
    prefix = f"{item['sk']}#{int(item['version']):08}#"
    more = [other["body"] for other in items if other["sk"].startswith(prefix)]
    if len(more) + 1 != int(item["parts"]):
        raise LedgerError(f"the roll-up of {item['cluster']} {period.key} was being replaced: read it again")
    return Rollup(
        cluster=item["cluster"],
        period=period,
        version=int(item["version"]),
        hours={Status(status): int(count) for status, count in item["hours"].items()},
        totals=totals_of(item["totals"]),
        namespaces=tuple(namespace_row(row) for row in unpack([item["body"], *more])),
    )
