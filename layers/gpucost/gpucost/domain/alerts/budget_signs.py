"""What a month's costs say of a BU's budget: where it is heading, and, once it is over, what it cost."""

from collections.abc import Sequence
from decimal import Decimal

from gpucost.domain.alerts.budgets import Projection
from gpucost.domain.alerts.episodes import Observation, Verdict
from gpucost.domain.alerts.finding import Kind
from gpucost.domain.alerts.signs import Sign
from gpucost.domain.money import ZERO, plain
from gpucost.domain.periods import Month
from gpucost.domain.wording import cents

SAFE = Decimal("0.95")
"""Below this part of its budget a month is safe again. A projection moves with every hour of the day."""


def budget_sign(bu: str, projection: Projection, clusters: Sequence[str] = ()) -> Sign:
    """What a month's projection says. `clusters` are those that it adds up."""
    low, high = projection.low_usd, projection.high_usd
    bounds = f" (between {cents(low)} and {cents(high)})" if low is not None and high is not None else ""
    facts = [
        f"{cents(projection.spent_usd)} of {cents(projection.budget_usd)} are spent; "
        f"the month is heading for {cents(projection.expected_usd)}{bounds}."
    ]
    if projection.runs_out_on:
        facts.append(f"The budget runs out on {projection.runs_out_on.key}.")
    if len(clusters) > 1:
        facts.append(f"That is of the clusters {', '.join(clusters)} together.")
    over = max(projection.expected_usd - projection.budget_usd, ZERO)
    seen = Observation(_verdict(projection), plain(over))
    return Sign(Kind.BUDGET, projection.month.key, bu, seen, projection.spent_usd, facts=tuple(facts))


def spent_sign(bu: str, month: Month, spent_usd: Decimal, budget_usd: Decimal) -> Sign:
    """The sign of a month that is over: nothing of it is at risk any more."""
    fact = f"The month cost {cents(spent_usd)} of {cents(budget_usd)}."
    return Sign(Kind.BUDGET, month.key, bu, Observation(Verdict.GOOD), plain(spent_usd), facts=(fact,))


def _verdict(projection: Projection) -> Verdict:
    if projection.spent_usd > projection.budget_usd:
        return Verdict.BAD
    if not projection.whole_days:
        # An hour or two say nothing of a month.
        return Verdict.UNKNOWN
    if projection.is_at_risk:
        return Verdict.BAD
    return Verdict.GOOD if projection.expected_usd <= projection.budget_usd * SAFE else Verdict.BETWEEN
