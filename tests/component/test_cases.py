"""The worked examples that are not about series: storage, delivery, events and answers, each from its own files."""

import json
from decimal import Decimal
from typing import Any

import pytest
import simplejson

from functions.api.app import lambda_handler as api
from functions.plan.app import lambda_handler as plan
from gpucost.adapters.dynamodb import DynamoStore
from gpucost.adapters.memory import MemoryLedger
from gpucost.adapters.memory_chat import MemorySecrets
from gpucost.adapters.memory_queue import MemoryJobs
from gpucost.adapters.metrics.matrix import decimal_of
from gpucost.adapters.slack import SlackWebhook
from gpucost.domain.alerts.blocks import by_hour, slack_message
from gpucost.domain.hours import Hour
from gpucost.domain.money import plain
from gpucost.domain.wording import subject
from gpucost.ports import DeliveryError, DeliveryUnavailable
from gpucost.runtime.environment import ApiEnvironment, PlanEnvironment
from gpucost.runtime.json_text import json_text
from local.stack.slack import SlackDouble
from local.stack.slack_limits import fault_of
from tests.support.cases import CASES, load
from tests.support.findings import Held, finding, report
from tests.support.handlers import NOW, Context, install

SIX = Decimal("0.000001")


def test_52_floats_become_plain_decimals_and_what_is_not_a_number_nothing() -> None:
    values = json.loads((CASES / "52-float-inexact-nan" / "values.json").read_text(encoding="utf-8"))
    stored = load(CASES / "52-float-inexact-nan" / "expected.json")["stored"]
    for name, text in values.items():
        found = decimal_of(repr(float(text)))
        expected = stored[name]
        if expected is None:
            assert found is None, name
        else:
            assert found is not None, name
            assert plain(found).quantize(SIX) == Decimal(expected), name


def test_53_a_bu_of_two_namespaces_loses_neither() -> None:
    records = load(CASES / "53-duplicate-keys-in-batch" / "records.json")
    expected = load(CASES / "53-duplicate-keys-in-batch" / "expected.json")
    hour = Hour.parse(records[0]["hour"])
    ledger = MemoryLedger()
    held = [
        Held(row["bu"], row["allocated"], row["waste"], pod=row["namespace"], namespace=row["namespace"])
        for row in records
    ]
    ledger.publish(report(held, hour=hour), NOW)
    rows = [row for _, row in ledger.namespaces("prod", hour, hour.plus(1), "ml")]
    assert len(rows) in expected["items"]
    for name in ("allocated", "effective", "waste"):
        total = sum(getattr(row.figures, f"{name}_usd") for row in rows)
        assert total == Decimal(expected[f"sum_{name}"]), name


class Pages:
    """A table that answers from recorded pages."""

    def __init__(self, pages: list[Any]) -> None:
        self.pages, self.starts = list(pages), list[Any]()

    def query(self, **request: Any) -> Any:
        self.starts.append(request.get("ExclusiveStartKey"))
        return self.pages.pop(0)


def test_55_pages_are_read_to_the_end() -> None:
    pages = json.loads((CASES / "55-query-pagination" / "pages.json").read_text(encoding="utf-8"))
    expected = load(CASES / "55-query-pagination" / "expected.json")
    table = Pages(pages)
    items = DynamoStore(table, "ledger").query("cluster-1#bu-a", "2026", "2027")  # type: ignore[arg-type]
    assert len(items) == expected["items"]
    assert sum(item["allocated_usd"] for item in items) == expected["sum_allocated_usd"]
    assert [start and start["sk"]["S"] for start in table.starts] == expected["exclusive_start_keys"]


def test_57_sixty_teams_fit_into_what_slack_takes() -> None:
    alerts = load(CASES / "57-slack-3000-chars-50-blocks" / "alerts.json")
    expected = load(CASES / "57-slack-3000-chars-50-blocks" / "expected.json")
    told = [finding(alert["bu"], str(alert["waste_usd"])) for alert in alerts]
    assert len(told) == expected["teams"]
    assert sum(one.waste_usd for one in told) == expected["sum_waste_usd"]
    messages = [slack_message(group) for group in by_hour(told)]
    for message in messages:
        assert fault_of(message) is None
        assert len(message["blocks"]) <= expected["max_blocks"]  # type: ignore[arg-type]
    shown = json.dumps(messages)
    assert all(alert["bu"] in shown for alert in alerts)


def test_59_what_will_not_heal_is_not_tried_again(slack: SlackDouble) -> None:
    expected = load(CASES / "59-slack-permanent-errors" / "expected.json")["retry"]
    for response in load(CASES / "59-slack-permanent-errors" / "responses.json"):
        chat = SlackWebhook(MemorySecrets({"hook": slack.webhook_url}), "hook")
        slack.answers = [(int(response["status"]), response["body"])] * 3
        with pytest.raises(DeliveryError) as refused:
            chat.post(slack_message([finding()]))
        assert isinstance(refused.value, DeliveryUnavailable) is expected[response["body"]], response["body"]
        assert response["body"] in str(refused.value)


def test_61_subjects_are_what_sns_accepts() -> None:
    subjects = json.loads((CASES / "61-sns-subject-limits" / "subjects.json").read_text(encoding="utf-8"))
    expected = load(CASES / "61-sns-subject-limits" / "expected.json")
    for index, text in enumerate(subjects):
        shown = subject(text)
        assert 0 < len(shown) <= expected["max_length"]
        assert shown.isascii()
        assert "\n" not in shown
        assert (shown == text) or Decimal(index) not in expected["unchanged"]


@pytest.mark.parametrize("event", ["http_v2_absent", "rest_v1_null", "rest_v1_console_test"])
def test_62_absent_and_null_parameters_are_no_parameters(event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorded events name a path of their own; here they ask for ours."""
    install(monkeypatch, ApiEnvironment, ledger=MemoryLedger())
    folder = CASES / "62-null-or-absent-query-parameters"
    recorded = (folder / f"event_{event}.json").read_text(encoding="utf-8").replace("/costs", "/v1/costs")
    expected = load(folder / "expected.json")
    answer = api(json.loads(recorded), Context())
    assert answer["statusCode"] == expected["status_in"][0]
    headers = {**(answer.get("headers") or {}), **(answer.get("multiValueHeaders") or {})}
    assert expected["content_type"] in str(headers)


def test_64_decimals_are_exact_numbers_in_json() -> None:
    item = json.loads((CASES / "64-decimal-in-api-json" / "item.json").read_text(encoding="utf-8"))
    expected = load(CASES / "64-decimal-in-api-json" / "expected.json")
    stored = {name: Decimal(value["N"]) if "N" in value else value.get("S") for name, value in item.items()}
    text = json_text(stored)
    assert simplejson.loads(text, use_decimal=True) == expected["body"]
    assert not any(wrong in text for wrong in expected["must_not"])


def test_65_the_window_follows_from_the_events_time(monkeypatch: pytest.MonkeyPatch) -> None:
    events = json.loads((CASES / "65-event-time-defines-window" / "events.json").read_text(encoding="utf-8"))
    for event, (start, end) in zip(
        events, load(CASES / "65-event-time-defines-window" / "expected.json")["windows"], strict=True
    ):
        jobs = MemoryJobs()
        install(monkeypatch, PlanEnvironment, jobs=jobs, ledger=MemoryLedger())
        plan(event, Context())
        (due,) = (job.hour for job in jobs.sent if job.reason == "schedule")
        assert (due.key, due.plus(1).key) == (start, end)


def test_every_case_has_a_test() -> None:
    tests = "\n".join(path.read_text(encoding="utf-8") for path in CASES.parent.glob("**/test_*.py"))
    by_series = {folder.name for folder in CASES.iterdir() if (folder / "series.yaml").exists()}
    others = {folder.name for folder in CASES.iterdir()} - by_series
    assert len(by_series) + len(others) == 40
    assert [name for name in sorted(others) if f'"{name}"' not in tests] == []
