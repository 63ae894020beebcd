"""Watch what BUs may spend in a month: all clusters together, one story a month."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial

from gpucost.domain.alerts.budget_signs import budget_sign, spent_sign
from gpucost.domain.alerts.budgets import project
from gpucost.domain.alerts.finding import Finding, Kind
from gpucost.domain.alerts.tracks import Track
from gpucost.domain.hours import Hour
from gpucost.domain.periods import Month
from gpucost.usecases.alerting.spending import Spending
from gpucost.usecases.alerting.take import TRIES, Alerting, all_of, busy, take, try_to_take

AHEAD = 24
"""How many hours one cluster may be behind another."""


def home(cluster: str, its: Alerting) -> str:
    """The cluster that budgets' stories are kept with, in whatever order the settings name the clusters."""
    return min(its.clusters or [cluster])


def watch_budgets(cluster: str, hour: Hour, its: Alerting, now: datetime) -> list[Finding]:
    """Take in where months are heading, and end the stories of months that are over, whichever cluster the hour is of.

    A month is judged as of its last published hour: one that comes late, or is revised, changes what that one says.
    """
    budgets = {bu: own.budget_usd for bu, own in its.rules.by_bu.items() if own.budget_usd}
    budgets = {bu: usd for bu, usd in budgets.items() if its.rules.of(bu).watch(Kind.BUDGET).enabled}
    if not budgets:
        return []
    place, month = home(cluster, its), Month.of(hour)
    clusters = sorted(its.clusters or [cluster])
    known = {(one.subject, one.bu): one for one in its.tracks.tracks(place) if one.kind is Kind.BUDGET}
    # Read after the tracks: whoever saves a track last has then seen at least as much as those before.
    spending = Spending(clusters, its.ledger)
    parts = []
    last = _last_published(hour, month, clusters, its)
    for bu, usd in sorted(budgets.items()):
        track = known.get((month.key, bu)) or Track(Kind.BUDGET, place, month.key, bu)
        if track.current or now - hour.end <= its.news:
            parts.append(partial(_judged, track, last, usd, spending, its, now))
    for (key, bu), track in sorted(known.items()):
        if track.current and bu in budgets and key < month.key:
            whole = spending.in_month(Month.parse(key), bu)
            parts.append(partial(take, track, hour, spent_sign(bu, Month.parse(key), whole, budgets[bu]), its, now))
    return all_of(parts)


def _judged(
    track: Track, last: Hour, budget_usd: Decimal, spending: Spending, its: Alerting, now: datetime
) -> list[Finding]:
    month = Month.parse(track.subject)
    for _ in range(TRIES):
        as_of = max([last, *(one for one in track.seen if one < month.end)])
        projection = project(spending.until(as_of, track.bu), month, budget_usd, as_of.plus(1))
        told = try_to_take(track, as_of, budget_sign(track.bu, projection, spending.clusters), its, now)
        if told is not None:
            return told
        track = its.tracks.track(track.cluster, track.kind, track.subject, track.bu)
        spending = spending.anew()
    raise busy(track)


def _last_published(hour: Hour, month: Month, clusters: Sequence[str], its: Alerting) -> Hour:
    """The month's last hour that any cluster has published, as far as it is not long after this one."""
    end = min(hour.plus(1 + AHEAD), month.end)
    heads = [head.hour for one in clusters for head in its.ledger.heads(one, hour.plus(1), end)]
    return max(heads, default=hour)
