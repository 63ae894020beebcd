"""A published hour is told once, told again after a crash, and never lost."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from gpucost.adapters.memory import MemoryAlertLog, MemoryLedger
from gpucost.adapters.memory_chat import MemoryPublisher
from gpucost.domain.alerts import Finding
from gpucost.domain.policy import AlertRules
from gpucost.domain.report import HourReport, Status
from gpucost.ports import LedgerError, ServiceError, ServiceUnavailable
from gpucost.usecases.detect import NEWS, detect, findings_of, tell
from tests.support.findings import HOUR, Held, finding, report

NOW = datetime(2026, 11, 30, 11, 10, tzinfo=UTC)
RULES = AlertRules()
WASTEFUL = report([Held("bu-a", "12", "9"), Held("bu-b", "12", "1", pod="pod-1"), Held("bu-c", "12", "8", pod="pod-2")])


def ledger_with(published: HourReport) -> MemoryLedger:
    ledger = MemoryLedger()
    ledger.publish(published, NOW)
    return ledger


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


def test_wasteful_bus_are_told_and_others_are_not() -> None:
    publisher = MemoryPublisher()
    told = detect(
        "prod", HOUR, ledger=ledger_with(WASTEFUL), rules=RULES, log=MemoryAlertLog(), publisher=publisher, now=NOW
    )
    assert [(found.bu, found.waste_usd) for found in told] == [("bu-a", Decimal(9)), ("bu-c", Decimal(8))]
    assert publisher.published == list(told)


@pytest.mark.parametrize(("age", "told"), [(timedelta(hours=6), 2), (timedelta(hours=6, seconds=1), 0)])
def test_what_a_backfill_shows_is_history_and_alerts_nobody(age: timedelta, told: int) -> None:
    publisher, log = MemoryPublisher(), MemoryAlertLog()
    now = HOUR.end + age
    detect("prod", HOUR, ledger=ledger_with(WASTEFUL), rules=RULES, log=log, publisher=publisher, now=now, news=NEWS)
    assert len(publisher.published) == told


def test_the_same_record_three_times_tells_once() -> None:
    ledger, log, publisher = ledger_with(WASTEFUL), MemoryAlertLog(), MemoryPublisher()
    told = [detect("prod", HOUR, ledger=ledger, rules=RULES, log=log, publisher=publisher, now=NOW) for _ in range(3)]
    assert [len(found) for found in told] == [2, 0, 0]
    assert len(publisher.published) == 2


def test_a_revision_of_an_hour_tells_only_what_is_new() -> None:
    ledger, log, publisher = ledger_with(report([Held("bu-a", "12", "9")])), MemoryAlertLog(), MemoryPublisher()
    detect("prod", HOUR, ledger=ledger, rules=RULES, log=log, publisher=publisher, now=NOW)
    ledger.publish(WASTEFUL, NOW)
    told = detect("prod", HOUR, ledger=ledger, rules=RULES, log=log, publisher=publisher, now=NOW)
    assert [found.bu for found in told] == ["bu-c"]
    assert [found.bu for found in publisher.published] == ["bu-a", "bu-c"]


def test_a_crash_between_publishing_and_noting_tells_again_under_the_same_id() -> None:
    ledger, log, publisher = ledger_with(WASTEFUL), CrashingLog(), MemoryPublisher()
    with pytest.raises(Crash):
        detect("prod", HOUR, ledger=ledger, rules=RULES, log=log, publisher=publisher, now=NOW)
    detect("prod", HOUR, ledger=ledger, rules=RULES, log=log, publisher=publisher, now=NOW)
    assert [found.bu for found in publisher.published] == ["bu-a", "bu-a", "bu-c"]
    assert publisher.published[0].id == publisher.published[1].id


@pytest.mark.parametrize("status", [Status.PARTIAL, Status.NO_UTILIZATION])
def test_an_hour_that_is_not_complete_tells_nothing(status: Status) -> None:
    published = report([Held("bu-a", "12", "9")], status)
    assert findings_of(ledger_with(published), "prod", HOUR, RULES) == ()


def test_an_hour_that_the_ledger_does_not_have_is_an_error_and_not_an_hour_without_findings() -> None:
    with pytest.raises(LedgerError, match=r"prod 2026-11-30T10:00:00Z was announced as published"):
        findings_of(MemoryLedger(), "prod", HOUR, RULES)


def tell_all(findings: list[Finding], publisher: MemoryPublisher, log: MemoryAlertLog) -> list[str]:
    return [found.bu for found in tell(findings, log, publisher, NOW)]


def test_one_finding_that_cannot_be_published_does_not_keep_back_the_others() -> None:
    findings = [finding("bu-a"), finding("bu-b"), finding("bu-c")]
    log, publisher = MemoryAlertLog(), MemoryPublisher({findings[1].id: ServiceUnavailable("throttled")})
    with pytest.raises(ServiceUnavailable, match=rf"1 of 3 findings were not published: {findings[1].id}: throttled"):
        tell_all(findings, publisher, log)
    assert [found.bu for found in publisher.published] == ["bu-a", "bu-c"]
    publisher.refusals.clear()
    assert tell_all(findings, publisher, log) == ["bu-b"]


def test_refusals_for_good_are_not_called_passing_and_one_that_passes_makes_it_worth_another_try() -> None:
    findings = [finding("bu-a"), finding("bu-b")]
    for_good = {found.id: ServiceError("no such topic") for found in findings}
    with pytest.raises(ServiceError) as caught:
        tell_all(findings, MemoryPublisher(for_good), MemoryAlertLog())
    assert not caught.value.retryable
    with pytest.raises(ServiceUnavailable, match="2 of 2"):
        tell_all(findings, MemoryPublisher(for_good | {findings[0].id: ServiceUnavailable("busy")}), MemoryAlertLog())
