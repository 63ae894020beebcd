"""What BUs spent by day, over all clusters."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from decimal import Decimal

from gpucost.books import Books
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO
from gpucost.domain.periods import Day, Month

type Days = Mapping[Day, Decimal]


class Spending:
    """Reads the ledger once for every hour up to which it is asked for. USD."""

    def __init__(self, clusters: Sequence[str], ledger: Books) -> None:
        self.clusters = clusters
        self._ledger = ledger
        self._read: dict[Hour, Mapping[str, Days]] = {}

    def until(self, hour: Hour, bu: str) -> Days:
        """The days of the hour's month, up to this hour and with it."""
        if hour not in self._read:
            self._read[hour] = self._by_bu(hour)
        return self._read[hour].get(bu, {})

    def in_month(self, month: Month, bu: str) -> Decimal:
        return sum(self.until(month.end.plus(-1), bu).values(), ZERO)

    def anew(self) -> "Spending":
        """One that has read nothing yet."""
        return Spending(self.clusters, self._ledger)

    def _by_bu(self, hour: Hour) -> Mapping[str, Days]:
        spent: defaultdict[str, defaultdict[Day, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
        today = Day.of(hour)
        for cluster in self.clusters:
            for rollup in self._ledger.day_rollups(cluster, Day.of(Month.of(hour).first), today):
                for row in rollup.namespaces:
                    spent[row.bu][Day.of(rollup.period.first)] += row.figures.allocated_usd
            # The sum of a day is written after its hours are announced: that of today may lack this one.
            for _, row in self._ledger.namespaces(cluster, today.first, hour.plus(1)):
                spent[row.bu][today] += row.figures.allocated_usd
        return spent
