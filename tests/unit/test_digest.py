"""Digests come once a day or a week, whatever the clocks do, and whichever hour was lost."""

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from gpucost.domain.alerts.alert_rules import Voice
from gpucost.domain.alerts.finding import Kind, Step
from gpucost.domain.answers.access import EVERYTHING
from gpucost.domain.hours import Hour, hours_between
from gpucost.usecases.alerting.digest import is_due
from gpucost.usecases.answers.finding_answers import VisibleTracks, findings
from tests.support.findings import report
from tests.support.watching import BUSY, IDLE, House, only, with_budget

DUE = Hour.parse("2026-11-30T07:00:00Z")
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata")


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("at", [0, 1, 2, 3, 8, 23])
def test_once_a_day_also_when_the_clocks_are_changed(zone: str, at: int) -> None:
    voice = Voice(digest="daily", digest_hour=at, zone=zone)
    first = Hour.parse("2026-01-01T12:00:00Z")
    due = [hour for hour in hours_between(first, first.plus(24 * 360)) if is_due(voice, hour)]
    days = [hour.end.astimezone(ZoneInfo(zone)).date() for hour in due]
    assert len(due) == len(set(days)) == 360


def test_once_a_week_on_mondays() -> None:
    voice = Voice(digest="weekly", digest_hour=8, zone="America/New_York")
    first = Hour.parse("2026-10-20T00:00:00Z")
    due = [hour.end.isoformat()[:16] for hour in hours_between(first, first.plus(24 * 21)) if is_due(voice, hour)]
    assert due == ["2026-10-26T12:00", "2026-11-02T13:00", "2026-11-09T13:00"]


def test_a_budget_that_is_at_risk_is_named_without_a_cost() -> None:
    rules = with_budget(1)
    own = replace(rules.by_bu["bu-a"], voice=Voice(digest="daily", digest_hour=8))
    house = House(replace(rules, by_bu={"bu-a": own}))
    assert house.hear(BUSY, hour=DUE) == [(Step.OPEN, "bu-a"), (Step.DIGEST, "bu-a")]
    assert house.told[-1].facts[-1] == "Going on: budget 2026-11, 1 hour."
    answer = findings(None, None, None, VisibleTracks(house.tracks, ["prod"], EVERYTHING))
    assert [row["cost_usd"] for row in answer["rows"]] == [None]


def test_a_digest_whose_hour_was_lost_comes_with_a_later_one_and_once() -> None:
    house = House(replace(only(Kind.BU_WASTE), voice=Voice(digest="daily", digest_hour=8)))
    assert house.hear(BUSY, hour=DUE.plus(-1)) == []
    assert house.hear(BUSY, hour=DUE.plus(1)) == []
    assert house.hear(BUSY, hour=DUE.plus(2)) == [(Step.DIGEST, "bu-a")]
    assert house.hear(BUSY, hour=DUE.plus(3)) == []
    house.publish(report([IDLE], hour=DUE))
    assert Step.DIGEST not in [step for step, _ in house.look(DUE)]
    assert house.told[0].facts[0].startswith("$12.00 allocated")
