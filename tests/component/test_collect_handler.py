"""collect: a published hour, or a message that is tried again, or a dead letter with its reason. Nothing in between."""

import json
from decimal import Decimal
from typing import Any

import pytest

from functions.collect.app import lambda_handler
from gpucost.adapters.memory import MemoryLedger
from gpucost.adapters.memory_queue import MemoryDeadLetters
from gpucost.domain.hours import Hour
from gpucost.domain.readings import Readings
from gpucost.ports import LedgerUnavailable, MetricsError, MetricsUnavailable, ServiceUnavailable
from gpucost.runtime.environment import CollectEnvironment
from gpucost.runtime.settings import Settings
from tests.support.engine import FixedMetrics, one_gpu_held
from tests.support.handlers import Context, FixedText, install, received, sample

HOUR = Hour.parse("2026-11-30T10:00:00Z")
DONE: dict[str, list[Any]] = {"batchItemFailures": []}


class Collecting:
    """collect with twins around it."""

    def __init__(self, patch: pytest.MonkeyPatch, answer: Readings | Exception, settings: str = "{}") -> None:
        self.metrics, self.ledger, self.dead = FixedMetrics(answer), MemoryLedger(), MemoryDeadLetters()
        install(
            patch,
            CollectEnvironment,
            ledger=self.ledger,
            dead_letters=self.dead,
            metrics=lambda _settings: self.metrics,
            price_sources=lambda _settings: None,
            _settings_parameter=FixedText(settings),
        )

    def run(self, event: dict[str, Any]) -> Any:
        return lambda_handler(event, Context())


def test_a_job_becomes_a_published_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    collecting = Collecting(monkeypatch, one_gpu_held(), '{"usd_per_gpu_hour": 10}')
    assert collecting.run(sample("collect-job")) == DONE
    report = collecting.ledger.report("gpu-cost-poc", HOUR)
    assert report is not None
    assert report.totals.allocated_usd == Decimal(10)
    assert report.totals.unallocated_usd == Decimal(70)
    assert report.settings_digest == Settings(usd_per_gpu_hour=Decimal(10)).digest()
    assert collecting.dead.letters == []


def test_the_same_message_twice_leaves_one_revision(monkeypatch: pytest.MonkeyPatch) -> None:
    collecting = Collecting(monkeypatch, one_gpu_held())
    assert [collecting.run(sample("collect-job")) for _ in range(2)] == [DONE, DONE]
    head = collecting.ledger.head("gpu-cost-poc", HOUR)
    assert head is not None
    assert head.revision == 1


def test_poison_goes_to_the_dead_letters_and_the_good_message_beside_it_is_worked_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collecting = Collecting(monkeypatch, one_gpu_held())
    event = sample("collect-poison")
    bad = [record["body"] for record in event["Records"][:-1]]
    assert collecting.run(event) == DONE
    assert [letter.body for letter in collecting.dead.letters] == bad
    assert all(letter.reason and letter.error == "MessageError" for letter in collecting.dead.letters)
    assert collecting.ledger.head("gpu-cost-poc", HOUR) is not None


LASTING = [
    MetricsError("https://… answered 413: response larger than the max (181673024 vs 52428800)"),
    MetricsError("https://… answered 403: check the role"),
]


@pytest.mark.parametrize("error", LASTING, ids=str)
def test_an_error_for_good_is_a_dead_letter_at_once_and_writes_nothing(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    collecting = Collecting(monkeypatch, error)
    assert collecting.run(sample("collect-job")) == DONE
    (letter,) = collecting.dead.letters
    assert (letter.body, letter.reason) == (sample("collect-job")["Records"][0]["body"], str(error))
    assert letter.attributes == {"message_id": sample("collect-job")["Records"][0]["messageId"]}
    assert collecting.ledger.head("gpu-cost-poc", HOUR) is None


@pytest.mark.parametrize("reason", ["recheck", "gap", "backfill"])
def test_an_old_hour_of_which_nothing_was_reported_is_left_alone(monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    """A look back at the time before the cluster was there is no failure: nobody has to act on it."""
    collecting = Collecting(monkeypatch, Readings(seen=0))
    event = sample("collect-job")
    body = json.loads(event["Records"][0]["body"])
    event["Records"][0]["body"] = json.dumps({**body, "reason": reason})
    assert collecting.run(event) == DONE
    assert collecting.dead.letters == []
    assert collecting.ledger.head("gpu-cost-poc", HOUR) is None


def test_an_empty_hour_is_a_dead_letter_and_not_a_free_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    collecting = Collecting(monkeypatch, Readings(seen=0))
    assert collecting.run(sample("collect-job")) == DONE
    assert "nothing was reported of cluster gpu-cost-poc" in collecting.dead.letters[0].reason
    assert collecting.ledger.head("gpu-cost-poc", HOUR) is None


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ('{"usd_per_gpu_hour": 0}', "usd_per_gpu_hour"),
        ("{", "not JSON"),
        ("[]", "mapping"),
        ('{"slices": 7}', "slices"),
    ],
)
def test_wrong_settings_are_named_in_the_dead_letter(
    settings: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    collecting = Collecting(monkeypatch, one_gpu_held(), settings)
    assert collecting.run(sample("collect-job")) == DONE
    assert named in collecting.dead.letters[0].reason
    assert collecting.dead.letters[0].error == "SettingsError"


PASSING = [
    MetricsUnavailable("answered 503"),
    LedgerUnavailable("throttled"),
    ServiceUnavailable("no answer"),
    KeyError("x"),
]


@pytest.mark.parametrize("error", PASSING, ids=repr)
def test_an_error_that_may_pass_is_tried_again_and_the_last_time_becomes_a_dead_letter_with_its_reason(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    collecting = Collecting(monkeypatch, error)
    again = {"batchItemFailures": [{"itemIdentifier": sample("collect-job")["Records"][0]["messageId"]}]}
    assert [collecting.run(received(sample("collect-job"), times)) for times in (1, 2)] == [again, again]
    assert collecting.dead.letters == []
    assert collecting.run(received(sample("collect-job"), 3)) == DONE
    assert collecting.dead.letters[0].reason == str(error)


def test_a_dead_letter_that_cannot_be_kept_leaves_the_message_in_its_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    collecting = Collecting(monkeypatch, MetricsError("answered 403"))

    def refuse(*_args: object) -> None:
        raise ServiceUnavailable("the dead-letter queue is throttled")

    monkeypatch.setattr(MemoryDeadLetters, "put", refuse)
    answer = collecting.run(sample("collect-job"))
    assert [failure["itemIdentifier"] for failure in answer["batchItemFailures"]] == [
        sample("collect-job")["Records"][0]["messageId"]
    ]


def test_the_metric_for_the_alarm_counts_published_hours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    collecting = Collecting(monkeypatch, one_gpu_held())
    collecting.run(sample("collect-job"))
    collecting.run(sample("collect-job"))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line]
    assert [line["HoursPublished"] for line in lines] == [[1.0]]
    assert lines[0]["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "gpucost"
