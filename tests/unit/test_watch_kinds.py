"""What is watched: every kind of trouble, and what each one says."""

from dataclasses import replace
from decimal import Decimal

from gpucost.domain.alerts.alert_rules import AlertRules, Voice, Watch
from gpucost.domain.alerts.finding import Kind, Step
from gpucost.domain.hours import Hour
from gpucost.domain.report import Pending, Status
from tests.support.findings import HOUR, Held, report
from tests.support.watching import BUSY, IDLE, QUIET, House, only, with_budget


def test_an_idle_slice_is_told_after_three_hours_with_who_waits_for_it() -> None:
    house = House(only(Kind.IDLE_SLICE))
    waiting = Pending("bu-x", "ns-x", "nvidia.com/mig-3g.40gb", 1, Decimal(1))
    heard = []
    for number in range(4):
        told = replace(report([IDLE, Held("bu-b", "12", "2", pod="b")], hour=HOUR.plus(number)), pending=(waiting,))
        house.publish(told)
        heard.append(house.look(HOUR.plus(number)))
    assert heard == [[], [], [(Step.OPEN, "bu-a")], [(Step.UPDATE, "bu-a")]]
    first = house.told[0]
    assert first.subject == "ns/Job/train nvidia.com/mig-3g.40gb"
    assert (first.utilization, first.so_far_usd, first.since) == (0, 36, HOUR)
    assert first.facts == ("Meanwhile bu-x waits for 1 (1 pod).",)
    assert [pod.vram_used_mib for pod in first.pods] == [Decimal(39000)]


def test_between_idle_and_busy_nothing_changes() -> None:
    house = House(only(Kind.IDLE_SLICE, hours=1))
    house.hear(IDLE)
    assert house.hear(Held("bu-a", "100", "93"), hour=HOUR.plus(1)) == []
    assert house.hear(Held("bu-a", "100", "90"), hour=HOUR.plus(2)) == [(Step.CLOSE, "bu-a")]


def test_lost_data_is_told_as_such_and_never_as_waste() -> None:
    house = House(AlertRules())
    heard = [house.hear(IDLE, hour=HOUR.plus(number), status=Status.NO_UTILIZATION) for number in range(2)]
    assert heard == [[], [(Step.OPEN, "")]]
    assert (house.told[0].kind, house.told[0].waste_usd) == (Kind.DATA_LOSS, 0)
    assert "it is no waste" in house.told[0].facts[0]
    assert (Step.CLOSE, "") in house.hear(BUSY, hour=HOUR.plus(2))


def test_hours_that_were_never_published_are_lost_data() -> None:
    house = House(only(Kind.DATA_LOSS))
    house.hear(BUSY)
    assert house.hear(BUSY, hour=HOUR.plus(4)) == [(Step.OPEN, "")]
    (track,) = house.tracks.tracks("prod")
    assert [hour for hour, seen in track.seen.items() if seen.verdict == "bad"] == [HOUR.plus(1), HOUR.plus(2)]


def test_capacity_that_nobody_holds_goes_to_the_platform() -> None:
    house = House(only(Kind.UNALLOCATED, hours=1, floor_usd=Decimal(1)))
    told = report([BUSY])
    free = replace(told, totals=replace(told.totals, capacity_usd=Decimal(48), unallocated_usd=Decimal(36)))
    house.publish(free)
    assert house.look() == [(Step.OPEN, "")]
    assert house.told[0].facts[0] == "75 % of the cluster's $48.00 is held by nobody."


def test_stranded_slices_are_told() -> None:
    house = House(only(Kind.STRANDED, hours=1, floor_usd=Decimal(1)))
    told = report([BUSY])
    house.publish(replace(told, totals=replace(told.totals, stranded_usd=Decimal(3), unallocated_usd=Decimal(3))))
    assert house.look() == [(Step.OPEN, "")]
    assert house.told[0].kind is Kind.STRANDED


def test_stranded_slices_that_get_a_little_cheaper_change_nothing() -> None:
    house = House(only(Kind.STRANDED, hours=1, floor_usd=Decimal(1), close_hours=1))
    heard = []
    for number, usd in enumerate(("1", "0.8", "0.79")):
        told = report([BUSY], hour=HOUR.plus(number))
        house.publish(replace(told, totals=replace(told.totals, stranded_usd=Decimal(usd))))
        heard.append(house.look(HOUR.plus(number)))
    assert heard == [[(Step.OPEN, "")], [], [(Step.CLOSE, "")]]


def test_a_cost_that_is_unusual_for_this_hour_of_the_week_is_told() -> None:
    house = House(only(Kind.ANOMALY, hours=1))
    for week, cost in ((4, "10"), (3, "14"), (2, "12"), (1, "90")):
        house.publish(report([Held("bu-a", cost, "0")], hour=HOUR.plus(-168 * week)))
    assert house.hear(Held("bu-a", "25", "0")) == []
    house = House(only(Kind.ANOMALY, hours=1))
    for week, cost in ((4, "10"), (3, "14"), (2, "12"), (1, "12")):
        house.publish(report([Held("bu-a", cost, "0")], hour=HOUR.plus(-168 * week)))
    assert house.hear(Held("bu-a", "25", "0")) == [(Step.OPEN, "bu-a")]
    assert house.told[0].facts == ("$25.00 in this hour; $12.00 is usual at this time of the week.",)


def test_a_past_hour_that_was_not_read_whole_says_nothing_of_what_is_usual() -> None:
    house = House(only(Kind.ANOMALY, hours=1))
    for week in (1, 2, 3):
        status = Status.PARTIAL if week == 3 else Status.NO_UTILIZATION
        house.publish(report([Held("bu-a", "1", "0")], status, HOUR.plus(-168 * week)))
    assert house.hear(Held("bu-a", "99", "0")) == []
    house.publish(report([Held("bu-a", "1", "0")], hour=HOUR.plus(-168 * 3)))
    assert house.look() == [(Step.OPEN, "bu-a")]


def test_a_bu_may_have_what_nobody_else_watches() -> None:
    house = House(AlertRules(watches=QUIET, by_bu={"bu-a": only(Kind.ANOMALY, hours=1)}))
    for week in (1, 2, 3):
        house.publish(report([Held("bu-a", "1", "0"), Held("bu-b", "1", "0")], hour=HOUR.plus(-168 * week)))
    assert house.hear(Held("bu-a", "99", "0"), Held("bu-b", "99", "0")) == [(Step.OPEN, "bu-a")]


def test_a_bu_that_holds_hardly_anything_any_more_is_no_story() -> None:
    house = House(replace(only(Kind.BU_WASTE), min_allocated_usd=Decimal(100)))
    assert house.hear(Held("bu-a", "100", "100")) == [(Step.OPEN, "bu-a")]
    assert house.hear(Held("bu-a", "80", "80"), hour=HOUR.plus(1)) == []
    assert house.hear(Held("bu-a", "79", "79"), hour=HOUR.plus(2)) == [(Step.CLOSE, "bu-a")]


def test_a_week_or_two_say_nothing_of_what_is_usual() -> None:
    house = House(only(Kind.ANOMALY, hours=1))
    for week in (1, 2):
        house.publish(report([Held("bu-a", "1", "0")], hour=HOUR.plus(-168 * week)))
    assert house.hear(Held("bu-a", "99", "0")) == []


def test_what_is_not_watched_any_more_is_over() -> None:
    house = House(with_budget(1))
    house.rules = replace(house.rules, watches={**QUIET, Kind.DATA_LOSS: Watch()})
    heard = house.hear(IDLE, status=Status.PARTIAL)
    assert sorted(heard) == [(Step.OPEN, ""), (Step.OPEN, "bu-a")]
    house.rules = AlertRules(watches={**QUIET, Kind.DATA_LOSS: Watch(enabled=False)})
    heard = house.hear(IDLE, hour=HOUR.plus(1), status=Status.PARTIAL)
    assert sorted(heard) == [(Step.CLOSE, ""), (Step.CLOSE, "bu-a")]
    assert {one.facts for one in house.told[2:]} == {("By the settings, it is not watched here any more.",)}
    assert house.hear(IDLE, hour=HOUR.plus(2)) == []


def test_a_bus_own_rules_and_voice_are_used() -> None:
    general = only(Kind.BU_WASTE)
    voice = Voice(channel="C0123ABCD", mention="<@U0123ABCD>")
    own = replace(general, min_waste_usd=Decimal(100), voice=voice)
    loud = replace(general, voice=voice)
    house = House(replace(general, by_bu={"bu-a": own, "bu-b": loud}))
    assert house.hear(IDLE, Held("bu-b", "12", "12", pod="b")) == [(Step.OPEN, "bu-b")]
    assert (house.told[0].channel, house.told[0].mention) == ("C0123ABCD", "<@U0123ABCD>")
    house.hear(IDLE, Held("bu-b", "12", "12", pod="b"), hour=HOUR.plus(1))
    assert house.told[1].mention == ""


def test_a_daily_digest_says_what_the_day_cost_and_what_goes_on() -> None:
    hour = Hour.parse("2026-11-30T07:00:00Z")
    rules = replace(only(Kind.BU_WASTE), voice=Voice(digest="daily", digest_hour=8))
    house = House(rules)
    for back in range(1, 30):
        house.publish(report([IDLE], hour=hour.plus(-back)))
    house.look(hour.plus(-1))
    assert house.hear(IDLE, hour=hour) == [(Step.UPDATE, "bu-a"), (Step.DIGEST, "bu-a")]
    told = house.told[-1]
    assert told.facts == (
        "$288.00 allocated, 0 % used, $288.00 wasted.",
        "Going on: bu waste, 2 hours, $24.00.",
    )
    assert house.look(hour) == []


def test_a_weekly_digest_comes_on_mondays_and_without_episodes_it_is_all() -> None:
    monday = Hour.parse("2026-11-30T07:00:00Z")
    house = House(replace(only(Kind.BU_WASTE), voice=Voice(digest="weekly", episodes=False)))
    assert house.hear(IDLE, hour=monday.plus(-24)) == []
    assert house.hear(IDLE, hour=monday) == [(Step.DIGEST, "bu-a")]
    assert house.told[0].subject == "the last 7 days"
