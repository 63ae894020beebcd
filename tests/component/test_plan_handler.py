"""plan: whatever triggers it, the hour follows from the event."""

from typing import Any

import pytest

from functions.plan.app import lambda_handler
from gpucost.adapters.memory import MemoryLedger
from gpucost.adapters.memory_queue import MemoryJobs
from gpucost.ports import HourJob, MessageError
from gpucost.runtime.environment import PlanEnvironment
from tests.support.handlers import Context, install, sample

HOURS_BY_EVENT_TIME = {
    "2026-11-30T11:02:17Z": "2026-11-30T10:00:00Z",
    "2026-11-30T11:00:00Z": "2026-11-30T10:00:00Z",
    "2026-11-30T11:59:59Z": "2026-11-30T10:00:00Z",
    "2027-01-01T00:00:43Z": "2026-12-31T23:00:00Z",
    "2026-11-30T12:10:00+01:00": "2026-11-30T10:00:00Z",
}


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> MemoryJobs:
    queue = MemoryJobs()
    install(monkeypatch, PlanEnvironment, jobs=queue, ledger=MemoryLedger())
    return queue


def keys(jobs: list[HourJob]) -> list[tuple[str, str, str]]:
    return [(job.cluster, job.hour.key, job.reason) for job in jobs]


@pytest.mark.parametrize("name", ["plan-scheduler", "plan-rule"])
def test_each_schedule_queues_the_last_full_hour(name: str, jobs: MemoryJobs) -> None:
    assert lambda_handler(sample(name), Context()) == {"queued": 3}
    assert keys(jobs.sent)[-1] == ("gpu-cost-poc", "2026-11-30T10:00:00Z", "schedule")


def test_an_hour_is_looked_at_again_after_70_minutes_and_after_25_hours(jobs: MemoryJobs) -> None:
    lambda_handler(sample("plan-scheduler"), Context())
    assert keys(jobs.sent)[:-1] == [
        ("gpu-cost-poc", "2026-11-29T09:00:00Z", "recheck"),
        ("gpu-cost-poc", "2026-11-30T09:00:00Z", "recheck"),
    ]


@pytest.mark.parametrize(("time", "hour"), HOURS_BY_EVENT_TIME.items())
@pytest.mark.parametrize("form", ["scheduler", "rule"])
def test_the_hour_follows_from_the_events_time_however_late_it_is(
    form: str, time: str, hour: str, jobs: MemoryJobs
) -> None:
    event = sample(f"plan-{form}") | {"scheduled_time" if form == "scheduler" else "time": time}
    lambda_handler(event, Context())
    assert [job.hour.key for job in jobs.sent if job.reason == "schedule"] == [hour]


def test_a_repeated_event_queues_the_same_hour(jobs: MemoryJobs) -> None:
    for _ in range(2):
        lambda_handler(sample("plan-scheduler"), Context())
    assert jobs.sent[:3] == jobs.sent[3:]


def test_every_cluster_has_a_job_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = MemoryJobs()
    install(monkeypatch, PlanEnvironment, jobs=jobs, ledger=MemoryLedger(), clusters=("prod", "dev"))
    lambda_handler(sample("plan-scheduler"), Context())
    assert [job.cluster for job in jobs.sent if job.reason == "schedule"] == ["prod", "dev"]


def test_a_backfill_queues_its_hours_oldest_first(jobs: MemoryJobs) -> None:
    assert lambda_handler(sample("plan-backfill"), Context()) == {"queued": 24}
    hours = [job.hour.key for job in jobs.sent]
    assert hours == sorted(hours)
    assert (hours[0], hours[-1]) == ("2026-11-29T00:00:00Z", "2026-11-29T23:00:00Z")
    assert {job.reason for job in jobs.sent} == {"backfill"}


@pytest.mark.parametrize("event", sample("plan-poison"), ids=range(len(sample("plan-poison"))))
def test_poison_is_refused_with_its_reason_in_one_line_and_queues_nothing(event: Any, jobs: MemoryJobs) -> None:
    with pytest.raises(MessageError) as refused:
        lambda_handler(event, Context())
    assert len(str(refused.value)) > 20
    assert "\n" not in str(refused.value)
    assert jobs.sent == []
