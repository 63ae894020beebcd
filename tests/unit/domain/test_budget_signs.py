"""What a month's projection says of a budget."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucost.domain.alerts.budget_signs import budget_sign, spent_sign
from gpucost.domain.alerts.budgets import Projection
from gpucost.domain.alerts.episodes import Observation, Verdict
from gpucost.domain.alerts.finding import Kind
from gpucost.domain.alerts.signs import Sign
from gpucost.domain.periods import Day, Month

MONTH = Month.parse("2026-11")
HEADING = Projection(MONTH, Decimal(100), Decimal(40), Decimal(120), None, None, None, 10)


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({"spent_usd": Decimal(100), "expected_usd": Decimal(100)}, Verdict.BETWEEN),
        ({"spent_usd": Decimal("100.01"), "expected_usd": Decimal(0), "whole_days": 0}, Verdict.BAD),
        ({"whole_days": 0}, Verdict.UNKNOWN),
        ({}, Verdict.BAD),
        ({"expected_usd": Decimal("95.01")}, Verdict.BETWEEN),
        ({"expected_usd": Decimal(95)}, Verdict.GOOD),
    ],
)
def test_a_budget_is_at_risk_when_the_month_is_heading_for_more_and_safe_well_under_it(
    changes: dict[str, Decimal], verdict: Verdict
) -> None:
    assert budget_sign("a", replace(HEADING, **changes)).seen.verdict is verdict  # type: ignore[arg-type]


def test_it_says_what_is_spent_where_that_leads_and_when_it_is_gone() -> None:
    sure = replace(HEADING, low_usd=Decimal(110), high_usd=Decimal(130), runs_out_on=Day.parse("2026-11-25"))
    assert budget_sign("a", sure, ["dev", "prod"]) == Sign(
        Kind.BUDGET,
        "2026-11",
        "a",
        Observation(Verdict.BAD, Decimal(20)),
        Decimal(40),
        facts=(
            "$40.00 of $100.00 are spent; the month is heading for $120.00 (between $110.00 and $130.00).",
            "The budget runs out on 2026-11-25.",
            "That is of the clusters dev, prod together.",
        ),
    )


def test_what_is_not_known_is_not_said() -> None:
    told = budget_sign("a", replace(HEADING, low_usd=Decimal(1)), ["prod"])
    assert told.facts == ("$40.00 of $100.00 are spent; the month is heading for $120.00.",)
    under = budget_sign("a", replace(HEADING, expected_usd=Decimal(60)))
    assert under.seen == Observation(Verdict.GOOD)


def test_a_month_that_is_over_puts_nothing_at_risk() -> None:
    assert spent_sign("a", MONTH, Decimal("120.50"), Decimal(100)) == Sign(
        Kind.BUDGET,
        "2026-11",
        "a",
        Observation(Verdict.GOOD),
        Decimal("120.5"),
        facts=("The month cost $120.50 of $100.00.",),
    )
