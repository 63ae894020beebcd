"""api: exact numbers, unknown stays null, and odd input is the caller's error, never the server's."""

from decimal import Decimal
from typing import Any

import pytest
import simplejson

from functions.api.app import lambda_handler
from gpucost.adapters.memory import MemoryLedger
from gpucost.domain.hours import Hour
from gpucost.domain.report import Status
from gpucost.ports import LedgerError, LedgerUnavailable
from gpucost.runtime.environment import ApiEnvironment
from tests.support.findings import HOUR, Held, report
from tests.support.handlers import NOW, Context, install, sample


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    ledger = MemoryLedger()
    cluster = "gpu-cost-poc"
    ledger.publish(
        report(
            [
                Held("bu-a", "5.142857", "4.909406", pod="a-0", namespace="a-1"),
                Held("bu-a", "1.5", None, pod="a-1", namespace="a-2"),
                Held("bu-b", "3.428571", None, pod="b-0"),
            ],
            cluster=cluster,
        ),
        NOW,
    )
    ledger.publish(report([Held("bu-a", "2", "1")], Status.PARTIAL, HOUR.plus(-1), cluster), NOW)
    install(monkeypatch, ApiEnvironment, ledger=ledger)
    return ledger


def asked(event: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
    """Status, document with Decimals, and headers (lower case, single values) of the answer."""
    answer = lambda_handler(event, Context())
    headers = {name.lower(): values for name, values in (answer.get("headers") or {}).items()}
    for name, values in (answer.get("multiValueHeaders") or {}).items():
        headers[name.lower()] = values[0]
    return answer["statusCode"], simplejson.loads(answer["body"], use_decimal=True), headers


def get(query: str) -> tuple[int, Any, dict[str, str]]:
    return asked(sample("api-v2-absent") | {"rawQueryString": query})


NO_PARAMETERS = ["api-v2-absent", "api-v1-null", "api-v1-console-test"]


@pytest.mark.parametrize("name", NO_PARAMETERS)
def test_without_parameters_the_last_day_is_answered(name: str, ledger: MemoryLedger) -> None:
    status, document, headers = asked(sample(name))
    assert status == 200
    assert headers["content-type"] == "application/json"
    assert (document["from"], document["to"]) == ("2026-11-29T11:00:00Z", "2026-11-30T11:00:00Z")
    assert document["hours"] == {
        "expected": 24,
        "complete": 1,
        "no_utilization": 0,
        "partial": 1,
        "failed": 0,
        "missing": 22,
    }


def test_rows_are_sums_by_bu_dearest_first_and_unknown_stays_null(ledger: MemoryLedger) -> None:
    _, document, _ = asked(sample("api-v2-absent"))
    by_bu = {row["bu"]: row for row in document["rows"]}
    assert list(by_bu) == ["bu-a", "bu-b"]
    assert by_bu["bu-a"]["allocated_usd"] == Decimal("8.642857")
    assert by_bu["bu-a"]["unknown_usd"] == Decimal("1.5")
    assert by_bu["bu-a"]["waste_usd"] == Decimal("5.909406")
    assert by_bu["bu-a"]["effective_usd"] == Decimal("1.233451")
    assert round(by_bu["bu-a"]["utilization"], 9) == Decimal("0.172683143")
    assert (by_bu["bu-b"]["effective_usd"], by_bu["bu-b"]["waste_usd"], by_bu["bu-b"]["utilization"]) == (None,) * 3
    assert document["currency"] == "USD"


def test_every_figure_adds_up_to_the_totals(ledger: MemoryLedger) -> None:
    _, document, _ = get("group_by=namespace")
    totals = document["totals"]
    assert [(row["bu"], row["namespace"]) for row in document["rows"]] == [
        ("bu-a", "a-1"),
        ("bu-b", "ns"),
        ("bu-a", "ns"),
        ("bu-a", "a-2"),
    ]
    assert sum(row["allocated_usd"] for row in document["rows"]) == totals["allocated_usd"] == Decimal("12.071428")
    assert totals["allocated_usd"] == totals["effective_usd"] + totals["waste_usd"] + totals["unknown_usd"]
    assert totals["capacity_usd"] == totals["allocated_usd"] + totals["unallocated_usd"]


def test_numbers_are_written_exactly(ledger: MemoryLedger) -> None:
    body = lambda_handler(sample("api-v2-query"), Context())["body"]
    assert '"waste_usd":4.909406,' in body
    assert "e-" not in body
    assert "000000" not in body


def test_a_window_and_a_bu_narrow_the_answer(ledger: MemoryLedger) -> None:
    _, document, _ = get("from=2026-11-30T09:00:00Z&to=2026-11-30T10:00:00Z&bu=bu-a")
    assert [row["allocated_usd"] for row in document["rows"]] == [Decimal(2)]
    assert document["totals"]["waste_usd"] == Decimal(1)
    assert "capacity_usd" not in document["totals"]


def test_hours_that_are_not_over_are_not_missed(ledger: MemoryLedger) -> None:
    _, document, _ = get("from=2026-11-30&to=2026-12-24")
    assert document["to"] == "2026-11-30T11:00:00Z"
    assert document["hours"]["expected"] == 11


def test_clusters_are_added_up_unless_one_is_named(monkeypatch: pytest.MonkeyPatch, ledger: MemoryLedger) -> None:
    ledger.publish(report([Held("bu-a", "7", "0")], cluster="prod"), NOW)
    install(monkeypatch, ApiEnvironment, ledger=ledger, clusters=("gpu-cost-poc", "prod"))
    assert get("")[1]["totals"]["allocated_usd"] == Decimal("19.071428")
    assert get("cluster=prod")[1]["totals"]["allocated_usd"] == Decimal(7)
    assert get("")[1]["hours"]["expected"] == 48


def test_an_empty_ledger_answers_with_no_rows_and_nulls(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, ApiEnvironment, ledger=MemoryLedger())
    status, document, _ = get("")
    assert (status, document["rows"], document["hours"]["missing"]) == (200, [], 24)
    assert document["totals"]["effective_usd"] is None


@pytest.mark.parametrize("event", sample("api-poison"), ids=range(len(sample("api-poison"))))
def test_odd_parameters_are_a_problem_of_the_caller(event: dict[str, Any], ledger: MemoryLedger) -> None:
    status, document, headers = asked(event)
    assert status == 400
    assert headers["content-type"] == "application/problem+json"
    assert document["status"] == 400
    assert document["title"] == "Bad Request"
    assert len(document["detail"]) > 20


def test_a_path_that_is_not_there_is_a_problem_too(ledger: MemoryLedger) -> None:
    event = sample("api-v2-absent") | {"rawPath": "/v1/nothing"}
    event["requestContext"]["http"]["path"] = "/v1/nothing"
    status, document, headers = asked(event)
    assert (status, document["status"], headers["content-type"]) == (404, 404, "application/problem+json")


FAULTS = [
    (LedgerUnavailable("throttled: arn:aws:dynamodb:secret"), 503),
    (LedgerError("a row is missing: secret"), 500),
    (ZeroDivisionError("secret"), 500),
]


@pytest.mark.parametrize(("error", "expected"), FAULTS, ids=repr)
def test_a_fault_of_ours_says_so_without_its_details(
    error: Exception, expected: int, ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_cluster: str, _first: Hour, _end: Hour) -> None:
        raise error

    monkeypatch.setattr(ledger, "heads", fail)
    status, document, headers = get("")
    assert (status, headers["content-type"]) == (expected, "application/problem+json")
    assert "secret" not in str(document)
    assert ("retry-after" in headers) == (expected == 503)
