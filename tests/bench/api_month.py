"""What the API adds to the ledger's queries, for a month by day and 50 BUs, on DynamoDB Local: ratios, in one run.

The bare query is what any answer has to wait for: boto3's own call for the month's sums, as DynamoDB returns them.
"""

import statistics
import sys
import time
from collections.abc import Callable
from datetime import datetime

import pytest

from gpucost.adapters.dynamodb import DynamoLedger
from gpucost.adapters.ledger import keys
from gpucost.domain.hours import Hour
from gpucost.domain.periods import Day
from gpucost.runtime.environment import ApiEnvironment
from gpucost.usecases.roll_up import roll_up
from local.stack.aws import credentials_environment
from local.stack.dynamodb_local import dynamodb_local
from tests.support.api import ask
from tests.support.handlers import install
from tests.support.hours import pod, report
from tests.support.tables import create_table, dynamodb_client

CLUSTER, TABLE = "prod", "bench"
FIRST = Hour.parse("2026-10-01T00:00:00Z")
DAYS, BUS, ROUNDS = 31, 50, 15
QUERY = {"from": FIRST.key, "to": FIRST.plus(24 * DAYS).key, "step": "day", "limit": "5000"}
NOW = datetime.fromisoformat("2026-12-05T00:00:00Z")


def fill(ledger: DynamoLedger) -> None:
    """One published hour a day, with every BU in it, and its sums."""
    for day in range(DAYS):
        hour = FIRST.plus(24 * day)
        rows = [
            pod(f"ns-{index:02}", f"{index + 1}.{day:02}", f"pod-{index}", f"bu-{index:02}") for index in range(BUS)
        ]
        ledger.publish(report(*rows, cluster=CLUSTER, hour=hour), hour.end)
        roll_up(CLUSTER, hour, ledger)


def seconds(act: Callable[[], object]) -> float:
    """The median of some rounds, after one to warm up."""
    act()
    taken = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        act()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def main() -> int:
    with pytest.MonkeyPatch.context() as patch, dynamodb_local() as url:
        for name, value in credentials_environment().items():
            patch.setenv(name, value)
        client = dynamodb_client(url)
        create_table(client, TABLE)
        ledger = DynamoLedger(client, TABLE)
        fill(ledger)
        install(patch, ApiEnvironment, ledger=ledger, clusters=(CLUSTER,))
        assert len(ask("/v1/costs", QUERY, now=NOW).json["rows"]) == DAYS * BUS
        names = {":pk": {"S": keys.year_pk(CLUSTER, 2026)}, ":a": {"S": "D#"}, ":b": {"S": "D#~"}}

        def bare() -> object:
            return client.query(
                TableName=TABLE,
                KeyConditionExpression="pk = :pk AND sk BETWEEN :a AND :b",
                ExpressionAttributeValues=names,
                ConsistentRead=True,
            )

        def whole() -> object:
            reply = ask("/v1/costs", QUERY, now=NOW)
            assert reply.status == 200
            return reply

        first, end = Day.of(FIRST), Day.of(FIRST.plus(24 * DAYS))
        times = [seconds(act) for act in (bare, lambda: ledger.day_rollups(CLUSTER, first, end), whole)]
    raw, read, answered = (1000 * one for one in times)
    sys.stdout.write(f"a month by day for {BUS} BUs: bare query {raw:.1f} ms, sums read {read:.1f} ms, ")
    sys.stdout.write(
        f"{DAYS * BUS} rows answered {answered:.1f} ms: {answered / raw:.1f} and {answered / read:.1f} times\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
