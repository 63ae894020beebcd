"""Published hours become steps of episodes: told once, told again after a crash, changed by revisions, never lost."""

from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import permutations

import pytest

from gpucost.adapters.memory import MemoryAlertLog, MemoryStore, MemoryTrackBook
from gpucost.domain.alerts.finding import Kind, Severity, Step
from gpucost.domain.alerts.finding_text import story
from gpucost.domain.alerts.tracks import Track
from gpucost.domain.report import Status
from gpucost.ports import LedgerError, LedgerUnavailable, ServiceUnavailable
from gpucost.usecases.alerting.take import Alerting
from gpucost.usecases.alerting.watch import watch
from tests.support.findings import HOUR, Held, report
from tests.support.watching import BUSY, IDLE, House, only


def test_wasteful_bus_are_told_and_others_are_not() -> None:
    house = House()
    rows = [Held("bu-a", "12", "9"), Held("bu-b", "12", "1", pod="b"), Held("bu-c", "12", "8", pod="c")]
    assert house.hear(*rows) == [(Step.OPEN, "bu-a"), (Step.OPEN, "bu-c")]
    first = house.told[0]
    assert (first.waste_usd, first.allocated_usd, first.hours, first.so_far_usd) == (9, 12, 1, 9)
    assert (first.since, first.severity) == (HOUR, Severity.WARNING)


def test_one_trouble_is_one_story_with_an_end_and_what_it_cost() -> None:
    house = House()
    heard = [house.hear(IDLE, hour=HOUR.plus(number)) for number in range(3)]
    heard.append(house.hear(BUSY, hour=HOUR.plus(3)))
    heard.append(house.hear(IDLE, hour=HOUR.plus(4)))
    assert [steps[0][0] for steps in heard] == [Step.OPEN, Step.UPDATE, Step.UPDATE, Step.CLOSE, Step.OPEN]
    story = house.told[:4]
    assert len({one.episode for one in story}) == 1
    assert len({one.id for one in story}) == 4
    assert (story[3].hours, story[3].so_far_usd, story[3].since) == (3, 36, HOUR)
    assert house.told[4].episode != story[0].episode


def test_an_end_tells_from_when_to_when_it_was_and_how_many_of_these_hours_were_bad() -> None:
    house = House()
    house.hear(IDLE, hour=HOUR)
    house.hear(Held("bu-a", "12", None), hour=HOUR.plus(1))
    house.hear(IDLE, hour=HOUR.plus(2))
    house.hear(BUSY, hour=HOUR.plus(3))
    when = "from 2026-11-30 10:00 to 2026-11-30 13:00 UTC"
    assert story(house.told[-1]) == f"It lasted 3 hours (2 of them bad) and cost $24.00, {when}."
    assert story(replace(house.told[-1], kind=Kind.DATA_LOSS)) == f"It lasted 3 hours (2 of them bad), {when}."
    assert story(replace(house.told[-1], last=None)).startswith("It lasted 2 hours and cost $24.00, from")


def test_what_people_said_to_it_is_in_the_message_until_it_is_over() -> None:
    house = House(only(Kind.BU_WASTE, escalate_usd=(Decimal(20),)))
    house.hear(IDLE)
    (track,) = house.tracks.tracks("prod")
    until = datetime.fromisoformat("2026-11-30T13:30:00Z")
    house.tracks.save(replace(track, acknowledged="U1", snoozed_until=until))
    assert house.hear(IDLE, hour=HOUR.plus(1)) == [(Step.UPDATE, "bu-a")]
    assert house.told[-1].facts == (
        "Acknowledged by U1: it escalates no more.",
        "Snoozed until 2026-11-30 13:30 UTC.",
    )
    house.hear(IDLE, hour=HOUR.plus(3))
    assert house.told[-1].facts == ("Acknowledged by U1: it escalates no more.",)
    house.hear(BUSY, hour=HOUR.plus(4))
    assert (house.told[-1].step, house.told[-1].facts) == (Step.CLOSE, ())


def test_money_escalates_it() -> None:
    house = House(only(Kind.BU_WASTE, escalate_usd=(Decimal(20), Decimal(45))))
    heard = [house.hear(IDLE, hour=HOUR.plus(number))[0][0] for number in range(4)]
    assert heard == [Step.OPEN, Step.ESCALATE, Step.UPDATE, Step.ESCALATE]
    assert [one.severity for one in house.told] == ["warning", "warning", "warning", "critical"]


@pytest.mark.parametrize(("age", "told"), [(timedelta(hours=6), 1), (timedelta(hours=6, seconds=1), 0)])
def test_what_a_backfill_shows_is_history_and_alerts_nobody(age: timedelta, told: int) -> None:
    house = House()
    house.publish(report([IDLE]))
    assert len(house.look(now=HOUR.end + age)) == told


def test_the_same_record_three_times_tells_once() -> None:
    house = House()
    assert [len(house.hear(IDLE)) for _ in range(3)] == [1, 0, 0]


def test_in_whatever_order_hours_come_the_story_is_the_same() -> None:
    ends = set()
    for order in permutations(range(4)):
        house = House()
        for number in order:
            house.hear(BUSY if number == 3 else IDLE, hour=HOUR.plus(number))
        (track,) = house.tracks.tracks("prod")
        assert track.current is None
        ends |= {(one.hours, one.usd, one.closed) for one in track.told}
    assert ends == {(3, Decimal(36), HOUR.plus(3))}


def test_a_revision_changes_the_story_and_keeps_its_name() -> None:
    house = House()
    for number in range(3):
        house.hear(IDLE, hour=HOUR.plus(number))
    assert house.hear(Held("bu-a", "12", "8"), hour=HOUR.plus(1)) == [(Step.UPDATE, "bu-a")]
    assert house.told[-1].so_far_usd == 32
    house.hear(BUSY)
    assert house.told[-1].since == HOUR.plus(1)
    assert len({one.episode for one in house.told}) == 1


def test_a_revision_that_leaves_no_trouble_takes_it_back() -> None:
    house = House()
    house.hear(IDLE)
    assert house.hear(BUSY) == [(Step.CLOSE, "bu-a")]
    assert house.told[-1].facts == ("Figures or settings were revised: it is no trouble any more.",)
    assert story(house.told[-1]) == ""
    assert house.look() == []


def test_a_clock_that_goes_back_changes_nothing() -> None:
    house = House()
    house.hear(IDLE)
    assert house.look(now=HOUR.end - timedelta(hours=3)) == []


def test_unknown_use_opens_nothing_and_closes_nothing() -> None:
    house = House()
    unknown = Held("bu-a", "12", None)
    assert house.hear(unknown) == []
    house.hear(IDLE, hour=HOUR.plus(1))
    assert house.hear(unknown, hour=HOUR.plus(2)) == []
    assert house.hear(IDLE, hour=HOUR.plus(3)) == [(Step.UPDATE, "bu-a")]


def test_what_is_gone_is_over() -> None:
    house = House()
    house.hear(IDLE)
    assert house.hear(Held("bu-b", "1", "0"), hour=HOUR.plus(1)) == [(Step.CLOSE, "bu-a")]
    assert house.told[-1].facts == ("It holds nothing any more.",)


def test_an_hour_that_was_not_read_well_says_nothing_of_waste() -> None:
    house = House()
    house.hear(IDLE)
    assert house.hear(BUSY, hour=HOUR.plus(1), status=Status.PARTIAL) == []
    assert house.hear(IDLE, hour=HOUR.plus(2)) == [(Step.UPDATE, "bu-a")]


class Crash(BaseException):
    """The function is killed."""


class CrashingLog(MemoryAlertLog):
    """Is killed between publishing and noting, once."""

    crashed = False

    def done(self, finding_id: str, now: datetime) -> None:
        if not self.crashed:
            self.crashed = True
            raise Crash
        super().done(finding_id, now)


def test_a_crash_between_publishing_and_noting_tells_again_under_the_same_id() -> None:
    house = House(log=CrashingLog())
    house.publish(report([IDLE]))
    with pytest.raises(Crash):
        house.look()
    house.look()
    assert len(house.told) == 2
    assert house.told[0].id == house.told[1].id


def test_one_subject_that_cannot_be_told_does_not_keep_back_the_others() -> None:
    house = House()
    house.publish(report([IDLE, Held("bu-b", "12", "11", pod="b")]))
    trial = House(store=MemoryStore())
    trial.publish(report([IDLE, Held("bu-b", "12", "11", pod="b")]))
    trial.look()
    house.topic.refusals[trial.told[0].id] = ServiceUnavailable("throttled")
    with pytest.raises(ServiceUnavailable, match="throttled"):
        house.look()
    assert [one.bu for one in house.told] == ["bu-b"]
    house.topic.refusals.clear()
    assert house.look() == [(Step.OPEN, "bu-a")]


def test_an_hour_that_the_ledger_does_not_have_is_an_error_and_not_an_hour_without_findings() -> None:
    with pytest.raises(LedgerError, match=r"prod 2026-11-30T10:00:00Z was announced as published"):
        House().look()


def test_two_who_watch_at_once_tell_once() -> None:
    house = House()
    house.publish(report([IDLE]))

    class Racing(MemoryTrackBook):
        raced = False

        def save(self, track: Track) -> bool:
            if not Racing.raced:
                Racing.raced = True
                house.look()
            return super().save(track)

    its = Alerting(house.ledger, Racing(house.store), house.log, house.topic, house.rules)
    watch("prod", HOUR, its, HOUR.end)
    assert len(house.told) == 1
    (track,) = house.tracks.tracks("prod")
    assert len(track.told) == 1


def test_a_track_that_is_always_busy_is_tried_again_later() -> None:
    house = House()
    house.publish(report([IDLE]))

    class Busy(MemoryTrackBook):
        def save(self, track: Track) -> bool:
            return False

    its = Alerting(house.ledger, Busy(house.store), house.log, house.topic, house.rules)
    with pytest.raises(LedgerUnavailable, match="busy"):
        watch("prod", HOUR, its, HOUR.end)
