"""Budgets: one story a month over all clusters, in whatever order their hours come."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from itertools import permutations

from gpucost.adapters.memory import MemoryTrackBook
from gpucost.domain.alerts.finding import Kind, Step
from gpucost.domain.alerts.finding_text import title
from gpucost.domain.alerts.tracks import Track
from gpucost.domain.hours import Hour
from gpucost.usecases.alerting.take import Alerting
from gpucost.usecases.alerting.watch import watch
from tests.support.findings import Held, report
from tests.support.watching import House, only, with_budget

FIRST = Hour.parse("2026-11-01T00:00:00Z")
LAST = Hour.parse("2026-11-30T23:00:00Z")
DECEMBER = LAST.plus(1)


def test_a_budget_at_risk_is_told_with_the_day_it_runs_out() -> None:
    rules = only(Kind.BUDGET)
    house = House(replace(rules, by_bu={"bu-a": replace(rules, budget_usd=Decimal(500))}))
    for day in range(4):
        house.publish(report([Held("bu-a", "24", "0")], hour=FIRST.plus(24 * day)))
    hour = FIRST.plus(24 * 4)
    assert house.hear(Held("bu-a", "24", "0"), hour=hour) == [(Step.OPEN, "bu-a")]
    told = house.told[0]
    assert (told.kind, told.subject) == (Kind.BUDGET, "2026-11")
    assert told.facts[0].startswith("$120.00 of $500.00 are spent; the month is heading for $7")
    assert told.facts[1].startswith("The budget runs out on 2026-11-")


def test_when_the_month_is_over_so_is_its_story_with_what_the_month_cost() -> None:
    house = House(with_budget(500))
    for back in range(4, 0, -1):
        house.publish(report([Held("bu-a", "200", "0")], hour=LAST.plus(-back)))
    assert house.hear(Held("bu-a", "24", "0"), hour=LAST) == [(Step.OPEN, "bu-a")]
    assert house.hear(Held("bu-a", "0.1", "0"), hour=LAST.plus(1)) == [(Step.CLOSE, "bu-a")]
    told = house.told[-1]
    assert told.subject == "2026-11"
    assert title(told) == "The month is over: the GPU budget of `bu-a` for `2026-11`"
    assert told.facts == ("The month cost $824.00 of $500.00.",)
    assert house.hear(Held("bu-a", "0.1", "0"), hour=LAST.plus(2)) == []


def test_a_budget_over_two_clusters_is_one_story() -> None:
    house = House(with_budget(500), clusters=("prod", "test"))
    house.publish(report([Held("bu-a", "20", "0")], hour=FIRST))
    for number in range(24, 27):
        for cluster in ("test", "prod"):
            house.publish(report([Held("bu-a", "1", "0")], hour=FIRST.plus(number), cluster=cluster))
            house.look(FIRST.plus(number), cluster=cluster)
    assert [one.step for one in house.told] == [Step.OPEN, *[Step.UPDATE] * (len(house.told) - 1)]
    assert len({one.episode for one in house.told}) == 1
    assert house.told[-1].allocated_usd == 26
    assert house.told[-1].facts[-1] == "That is of the clusters prod, test together."


def test_the_first_hours_of_a_month_say_nothing_of_it_unless_the_budget_is_spent() -> None:
    house = House(with_budget(500))
    assert house.hear(Held("bu-a", "300", "0"), hour=FIRST) == []
    assert house.hear(Held("bu-a", "201", "0"), hour=FIRST.plus(1)) == [(Step.OPEN, "bu-a")]


def test_a_projection_that_hovers_about_the_budget_does_not_flap() -> None:
    house = House(with_budget(500))
    house.publish(report([Held("bu-a", "16.4", "0")], hour=FIRST))
    assert house.hear(Held("bu-a", "0", "0"), hour=FIRST.plus(24)) == []
    house.publish(report([Held("bu-a", "12", "0")], hour=FIRST.plus(25)))
    heard = [house.look(FIRST.plus(25)), *(house.hear(hour=FIRST.plus(hour)) for hour in range(26, 47))]
    assert [step for told in heard for step, _ in told].count(Step.OPEN) == 1
    assert [step for told in heard for step, _ in told].count(Step.CLOSE) == 0


def test_the_hour_itself_counts_though_the_sum_of_its_day_is_not_written_yet() -> None:
    house = House(with_budget(500))
    house.ledger.publish(report([Held("bu-a", "501", "0")], hour=FIRST), FIRST.end)
    assert house.look(FIRST) == [(Step.OPEN, "bu-a")]
    assert house.told[0].allocated_usd == 501


def spent_by_two(house: House) -> None:
    """400 of 500 are spent, and two hours before the month's end."""
    for cluster in ("prod", "test"):
        house.publish(report([Held("bu-a", "200", "0")], hour=LAST.plus(-2), cluster=cluster))
        house.look(LAST.plus(-2), cluster=cluster)


def test_in_whatever_order_the_hours_about_a_months_end_come_its_story_is_told_once() -> None:
    hours = [(cluster, LAST.plus(number)) for cluster in ("prod", "test") for number in (0, 1)]
    for order in permutations(hours):
        house = House(with_budget(500), clusters=("test", "prod"))
        spent_by_two(house)
        for cluster, hour in order:
            house.publish(report([Held("bu-a", "60", "0")], hour=hour, cluster=cluster))
            house.look(hour, now=LAST.end + timedelta(hours=2), cluster=cluster)
        house.publish(report([Held("bu-a", "0.1", "0")], hour=LAST.plus(2)))
        house.look(LAST.plus(2))
        for cluster, hour in order:
            house.look(hour, now=LAST.end + timedelta(hours=4), cluster=cluster)
        told = [one for one in house.told if one.subject == "2026-11"]
        assert len({one.episode for one in told}) == 1, order
        assert [one.step for one in told if one.step is not Step.UPDATE] == [Step.OPEN, Step.CLOSE], order


def test_an_old_hour_of_last_month_opens_nothing_and_changes_no_story_that_is_over() -> None:
    house = House(with_budget(500))
    house.publish(report([Held("bu-a", "400", "0")], hour=LAST.plus(-48)))
    house.hear(Held("bu-a", "1", "0"), hour=LAST.plus(-24))
    house.hear(Held("bu-a", "1", "0"), hour=DECEMBER)
    assert house.told == []
    house.publish(report([Held("bu-a", "999", "0")], hour=LAST.plus(-48)))
    assert house.look(LAST.plus(-48), now=DECEMBER.end + timedelta(hours=1)) == []
    assert house.tracks.tracks("prod") == []


def test_a_revised_hour_changes_what_the_last_one_says_and_not_the_past() -> None:
    house = House(with_budget(500))
    house.publish(report([Held("bu-a", "400", "0")], hour=FIRST))
    for number in range(24, 60):
        house.hear(Held("bu-a", "1", "0"), hour=FIRST.plus(number))
    house.publish(report([Held("bu-a", "2", "0")], hour=FIRST))
    assert house.look(FIRST, now=FIRST.plus(60).start) == [(Step.CLOSE, "bu-a")]
    assert [one.step for one in house.told].count(Step.OPEN) == 1
    assert house.told[-1].hour == FIRST.plus(59)
    assert house.told[-1].facts[0].startswith("$38.00 of $500.00 are spent")


def test_a_cluster_that_is_behind_speaks_of_the_last_hour_too() -> None:
    house = House(with_budget(500), clusters=("prod", "test"))
    house.publish(report([Held("bu-a", "400", "0")], hour=FIRST))
    house.hear(Held("bu-a", "5", "0"), hour=FIRST.plus(30))
    house.publish(report([Held("bu-a", "3", "0")], hour=FIRST.plus(28), cluster="test"))
    assert house.look(FIRST.plus(28), cluster="test") == [(Step.UPDATE, "bu-a")]
    assert (house.told[-1].hour, house.told[-1].allocated_usd) == (FIRST.plus(30), 408)


@dataclass
class Racing(MemoryTrackBook):
    """Before anything is saved for the first time, something else happens."""

    house: House
    meanwhile: Callable[[], object]
    raced: bool = False

    def __post_init__(self) -> None:
        super().__init__(self.house.store)

    def save(self, track: Track) -> bool:
        if not self.raced:
            self.raced = True
            self.meanwhile()
        return super().save(track)

    def look(self, hour: Hour) -> None:
        house = self.house
        watch("prod", hour, Alerting(house.ledger, self, house.log, house.topic, house.rules, house.clusters), hour.end)


def test_two_clusters_at_once_leave_what_the_later_one_saw() -> None:
    house, alone = (House(with_budget(500), clusters=("prod", "test")) for _ in range(2))
    hour = FIRST.plus(30)
    for one in (house, alone):
        one.publish(report([Held("bu-a", "400", "0")], hour=FIRST))
    house.publish(report([Held("bu-a", "100", "0")], hour=hour))

    def other() -> None:
        house.publish(report([Held("bu-a", "70", "0")], hour=hour, cluster="test"))
        house.look(hour, cluster="test")

    Racing(house, other).look(hour)
    alone.hear(Held("bu-a", "170", "0"), hour=hour)
    assert [one.seen for one in house.tracks.tracks("prod")] == [one.seen for one in alone.tracks.tracks("prod")]
    assert [one.step for one in house.told].count(Step.OPEN) == 1


def test_an_end_that_one_of_two_told_too_early_is_told_again_and_of_two_at_once_the_weightier_is_shown() -> None:
    house = House(with_budget(500), clusters=("prod", "test"))
    house.publish(report([Held("bu-a", "400", "0")], hour=FIRST))
    house.hear(Held("bu-a", "0", "0"), hour=FIRST.plus(24))
    house.publish(report([Held("bu-a", "1", "0")], hour=FIRST))
    hour = FIRST.plus(25)
    house.publish(report([Held("bu-a", "0", "0")], hour=hour))

    def other() -> None:
        house.publish(report([Held("bu-a", "501", "0")], hour=hour, cluster="test"))
        house.look(hour, cluster="test")

    Racing(house, other).look(hour)
    house.publish(report([Held("bu-a", "1", "0")], hour=hour, cluster="test"))
    house.hear(Held("bu-a", "0", "0"), hour=hour.plus(1))
    shown = sorted(house.told, key=lambda one: one.number)
    assert [one.step for one in shown] == [Step.OPEN, Step.UPDATE, Step.CLOSE, Step.CLOSE]
    assert len({one.id for one in shown}) == len({one.number for one in shown}) == 4
    assert shown[-1].hour == hour.plus(1)


def test_the_order_in_which_the_settings_name_the_clusters_does_not_matter() -> None:
    house = House(with_budget(1), clusters=("test", "prod"))
    house.hear(Held("bu-a", "12", "0"), hour=FIRST)
    house.clusters = ("prod", "test")
    assert house.hear(Held("bu-a", "12", "0"), hour=FIRST.plus(1)) == [(Step.UPDATE, "bu-a")]


def test_a_story_that_is_kept_with_another_cluster_by_now_ends_here() -> None:
    house = House(with_budget(1), clusters=("prod",))
    house.hear(Held("bu-a", "12", "0"), hour=FIRST)
    house.clusters = ("aaa", "prod")
    heard = house.hear(Held("bu-a", "12", "0"), hour=FIRST.plus(1))
    assert heard == [(Step.CLOSE, "bu-a"), (Step.OPEN, "bu-a")]
    assert [one.cluster for one in house.told] == ["prod", "prod", "aaa"]
