"""What BUs may spend in a month, what they have spent, and where that is heading."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from gpucost.domain.alerts.budgets import project
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO
from gpucost.domain.periods import Day, Month
from gpucost.domain.report import CURRENCY
from gpucost.ports import RequestError
from gpucost.usecases.answers.visible import VisibleLedger

type Answer = dict[str, Any]


def budgets(
    month_text: str | None, bu: str | None, by_bu: Mapping[str, Decimal], now: Hour, ledger: VisibleLedger
) -> Answer:
    """The budgets of the BUs that the caller may see, with projections as of the last hour that is over.

    One query for every cluster. RequestError for a month that is none, or has not begun.
    """
    month = _month(month_text, now)
    if bu is not None:
        ledger.check_bu(bu)
    mine = {name: usd for name, usd in by_bu.items() if ledger.scope.may_see(name) and bu in (None, name)}
    end = min(now, month.end)
    spent: dict[str, dict[Day, Decimal]] = {name: {} for name in mine}
    for cluster in ledger.clusters if mine else ():
        last = Day.of(end.plus(-1)).next() if end > month.first else Day.of(month.first)
        for one in ledger.by_day(cluster, Day.of(month.first), last):
            for row in one.rows:
                if row.bu in spent:
                    day = Day.of(one.first)
                    spent[row.bu][day] = spent[row.bu].get(day, ZERO) + row.figures.allocated_usd
    rows = [_row(name, project(spent[name], month, mine[name], end)) for name in sorted(mine)]
    return {"month": month.key, "as_of": end.key, "currency": CURRENCY, "rows": rows}


def _row(bu: str, projection: Any) -> Answer:
    return {
        "bu": bu,
        "budget_usd": projection.budget_usd,
        "spent_usd": projection.spent_usd,
        "expected_usd": projection.expected_usd,
        "low_usd": projection.low_usd,
        "high_usd": projection.high_usd,
        "runs_out_on": projection.runs_out_on.key if projection.runs_out_on else None,
        "at_risk": projection.is_at_risk,
    }


def _month(text: str | None, now: Hour) -> Month:
    current = Month.of(now.plus(-1))
    try:
        month = Month.parse(text) if text else current
    except ValueError as error:
        raise RequestError(f"month: {error}") from None
    if month > current:
        raise RequestError(f"the month {month.key} has not begun")
    return month
