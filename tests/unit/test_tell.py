"""Findings are published once, and one that fails does not keep back the others."""

import pytest

from gpucost.adapters.memory import MemoryAlertLog
from gpucost.adapters.memory_chat import MemoryPublisher
from gpucost.domain.alerts.finding import Finding
from gpucost.ports import ServiceError, ServiceUnavailable
from gpucost.usecases.alerting.tell import tell
from tests.support.findings import finding
from tests.support.hours import NOW


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
