"""What reading costs in requests to the table, for 50 BUs with two namespaces each: what docs/ledger.md states."""

import random
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from gpucost.adapters.dynamodb import DynamoLedger
from gpucost.books import Books
from gpucost.domain.hours import Hour
from gpucost.domain.periods import Day, Month
from gpucost.domain.report import HourReport
from gpucost.usecases.recording.roll_up import day_of_hours, roll_up
from tests.support.hours import NOW, pod, report, scattered
from tests.support.tables import create_table, dynamodb_client

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.real

FIRST = Hour.parse("2026-10-01T00:00:00Z")
OCTOBER = Month(2026, 10)
CLUSTER = "prod"


def busy_hour(hour: Hour) -> HourReport:
    """100 namespaces whose names and figures do not compress."""
    draw = random.Random(hour.epoch)
    pods = [
        pod(scattered(index), str(Decimal(draw.randrange(10**12)).scaleb(-9)), bu=f"bu-{index // 2}")
        for index in range(100)
    ]
    return report(*pods, cluster=CLUSTER, hour=hour)


@pytest.fixture(scope="module")
def client(dynamodb_local: str) -> "DynamoDBClient":
    return dynamodb_client(dynamodb_local)


@pytest.fixture(scope="module")
def ledger(client: "DynamoDBClient", worker_id: str) -> Books:
    """A day of hours, and the sums of a month and a year: the days are that day, again and again."""
    ledger = DynamoLedger(client, create_table(client, f"read-costs-{worker_id}"))
    for offset in range(24):
        ledger.publish(busy_hour(FIRST.plus(offset)), NOW)
    roll_up(CLUSTER, FIRST, ledger)
    template = day_of_hours(CLUSTER, Day.of(FIRST), ledger)
    for day in OCTOBER.days():
        ledger.put_rollup(type(template)(CLUSTER, day, 24, template.hours, template.totals, template.namespaces))
    for number in range(1, 13):
        month = Month(2026, number)
        ledger.put_rollup(type(template)(CLUSTER, month, 744, template.hours, template.totals, template.namespaces))
    return ledger


QUESTIONS: dict[str, tuple[Callable[[Books], Any], int, int]] = {
    "a year by month": (lambda books: books.month_rollups(CLUSTER, Month(2026, 1), Month(2027, 1)), 12, 1),
    "a month by day": (lambda books: books.day_rollups(CLUSTER, Day(date(2026, 10, 1)), Day(date(2026, 11, 1))), 31, 1),
    "a day by hour": (lambda books: books.published(CLUSTER, FIRST, FIRST.plus(24)), 24, 2),
    "a day by hour for one BU": (lambda books: books.namespaces(CLUSTER, FIRST, FIRST.plus(24), "bu-7"), 48, 2),
    "a month's verdicts": (lambda books: books.heads(CLUSTER, OCTOBER.first, OCTOBER.end), 24, 1),
    "a month's journal": (lambda books: books.journal(CLUSTER, OCTOBER), 24, 1),
    "a month's adjustments": (lambda books: books.adjustments(CLUSTER, OCTOBER), 0, 1),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_reading_costs_a_bounded_number_of_requests(question: str, ledger: Books, client: "DynamoDBClient") -> None:
    read, expected, requests = QUESTIONS[question]
    sent: list[str] = []

    def count(event_name: str, **_: Any) -> None:
        sent.append(event_name)

    client.meta.events.register("before-send.dynamodb", count)
    try:
        found = read(ledger)
    finally:
        client.meta.events.unregister("before-send.dynamodb", count)
    assert len(found) == expected
    assert sent == ["before-send.dynamodb.Query"] * requests
