"""Watch what BUs may spend in a month: all clusters together, one story a month."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from gpucost.domain.alerts import Finding, Kind
from gpucost.domain.budgets import project
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO
from gpucost.domain.periods import Day, Month
from gpucost.domain.signs import budget_sign, spent_sign
from gpucost.domain.tracks import Track
from gpucost.usecases.take import Alerting, take


def watch_budgets(cluster: str, hour: Hour, its: Alerting, now: datetime) -> list[Finding]:
    """Take in where the month is heading as of this hour, and end the stories of months that are over.

    Whichever cluster the hour is of, the stories belong to the first one: they are about all of them.
    """
    budgets = {bu: own.budget_usd for bu, own in its.rules.by_bu.items() if own.budget_usd}
    budgets = {bu: usd for bu, usd in budgets.items() if its.rules.of(bu).watch(Kind.BUDGET).enabled}
    if not budgets:
        return []
    clusters = its.clusters or [cluster]
    home, month = clusters[0], Month.of(hour)
    spent = _spent(month, budgets, clusters, hour, its)
    known = {(one.subject, one.bu): one for one in its.tracks.tracks(home) if one.kind is Kind.BUDGET}
    out: list[Finding] = []
    for bu, usd in sorted(budgets.items()):
        sign = budget_sign(bu, project(spent[bu], month, usd, hour.plus(1)), clusters)
        track = known.get((month.key, bu)) or Track(Kind.BUDGET, home, month.key, bu)
        out += take(track, hour, sign, its, now)
    for (key, bu), track in sorted(known.items()):
        if track.current and bu in budgets and key < month.key:
            before = Month.parse(key)
            whole = _spent(before, [bu], clusters, before.end.plus(-1), its)[bu]
            out += take(track, hour, spent_sign(bu, before, sum(whole.values(), ZERO), budgets[bu]), its, now)
    return out


def _spent(
    month: Month, bus: Iterable[str], clusters: Iterable[str], hour: Hour, its: Alerting
) -> dict[str, dict[Day, Decimal]]:
    """USD by BU and day, from the month's beginning to this hour, as the sums of days have it."""
    spent: dict[str, dict[Day, Decimal]] = {bu: {} for bu in bus}
    for cluster in clusters:
        for rollup in its.ledger.day_rollups(cluster, Day.of(month.first), Day.of(hour).next()):
            day = Day.of(rollup.period.first)
            for row in rollup.namespaces:
                if row.bu in spent:
                    spent[row.bu][day] = spent[row.bu].get(day, ZERO) + row.figures.allocated_usd
    return spent
