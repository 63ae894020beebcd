"""detect: what the stream announces is told once, and what cannot be judged is kept with its reason."""

import json
from typing import Any

import pytest

from functions.detect.app import lambda_handler
from gpucost.adapters.memory import MemoryAlertLog, MemoryLedger, MemoryTrackBook
from gpucost.adapters.memory_chat import MemoryPublisher
from gpucost.adapters.memory_queue import MemoryDeadLetters
from gpucost.domain.hours import Hour
from gpucost.ports import LedgerUnavailable
from gpucost.runtime.batches import STREAM_PATIENCE
from gpucost.runtime.environment import DetectEnvironment
from tests.support.findings import Held, report
from tests.support.handlers import NOW, Context, FixedText, install, sample

DONE: dict[str, list[Any]] = {"batchItemFailures": []}


class Detecting:
    """detect with twins around it, and one wasteful hour in the ledger."""

    def __init__(self, patch: pytest.MonkeyPatch, settings: str = "{}") -> None:
        self.ledger, self.topic, self.dead = MemoryLedger(), MemoryPublisher(), MemoryDeadLetters()
        self.ledger.publish(report([Held("bu-a", "12", "9")], cluster="gpu-cost-poc"), NOW)
        install(
            patch,
            DetectEnvironment,
            ledger=self.ledger,
            alert_log=MemoryAlertLog(),
            tracks=MemoryTrackBook(),
            publisher=self.topic,
            dead_letters=self.dead,
            _settings_parameter=FixedText(settings),
        )

    def run(self, event: dict[str, Any]) -> Any:
        return lambda_handler(event, Context())


def written(seconds_ago: float) -> dict[str, Any]:
    """The sample event as if its record had been written so long ago."""
    event: dict[str, Any] = sample("detect-published")
    event["Records"][0]["dynamodb"]["ApproximateCreationDateTime"] = NOW.timestamp() - seconds_ago
    return event


def test_a_published_hour_is_told_once_however_often_it_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    detecting = Detecting(monkeypatch)
    assert [detecting.run(sample("detect-published")) for _ in range(3)] == [DONE] * 3
    assert [(finding.bu, finding.cluster) for finding in detecting.topic.published] == [("bu-a", "gpu-cost-poc")]


def test_the_thresholds_are_those_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    detecting = Detecting(monkeypatch, '{"alerts": {"min_waste_usd": 9.5}}')
    assert detecting.run(sample("detect-published")) == DONE
    assert detecting.topic.published == []


def test_poison_is_kept_with_its_reason_other_items_are_passed_over_and_the_good_record_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    detecting = Detecting(monkeypatch)
    event = sample("detect-poison")
    unreadable, unpublished = event["Records"][:3], event["Records"][5]
    assert detecting.run(event) == DONE
    letters = detecting.dead.letters
    assert [json.loads(letter.body) for letter in letters] == [*unreadable, unpublished]
    assert [letter.error for letter in letters] == ["MessageError"] * 3 + ["LedgerError"]
    assert len(detecting.topic.published) == 1


class Outage(MemoryLedger):
    """Cannot be read."""

    def report(self, cluster: str, hour: Hour) -> None:
        raise LedgerUnavailable(f"throttled at {cluster} {hour}")


def test_an_outage_is_tried_again_for_an_hour_and_then_kept_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    detecting = Detecting(monkeypatch)
    detecting.ledger.__class__ = Outage
    patience = STREAM_PATIENCE.total_seconds()
    again = {"batchItemFailures": [{"itemIdentifier": written(0)["Records"][0]["dynamodb"]["SequenceNumber"]}]}
    assert [detecting.run(written(age)) for age in (0, patience - 1)] == [again, again]
    assert detecting.dead.letters == []
    assert detecting.run(written(patience)) == DONE
    assert "throttled at gpu-cost-poc" in detecting.dead.letters[0].reason
    assert json.loads(detecting.dead.letters[0].body) == written(patience)["Records"][0]
