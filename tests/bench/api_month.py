"""What the API adds to the ledger's queries, for a month by day and 50 BUs, on DynamoDB Local: ratios, in one run.

Of every request the time in the ledger's own calls is taken: those queries, and reading the rows out of what they
bring. The rest is the handler's. Beside it stands boto3's bare call for the month's sums, which brings packed rows.
"""

import statistics
import sys
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from gpucost.adapters.dynamodb import DynamoLedger
from gpucost.adapters.ledger import keys
from gpucost.domain.hours import Hour
from gpucost.runtime.environment import ApiEnvironment
from gpucost.usecases.recording.roll_up import roll_up
from local.stack.aws import credentials_environment
from local.stack.dynamodb_local import dynamodb_local
from tests.support.api import ask
from tests.support.handlers import install
from tests.support.hours import pod, report
from tests.support.tables import create_table, dynamodb_client

CLUSTER, TABLE = "prod", "bench"
FIRST = Hour.parse("2026-10-01T00:00:00Z")
DAYS, BUS, ROUNDS = 31, 50, 30
QUERY = {"from": FIRST.key, "to": FIRST.plus(24 * DAYS).key, "step": "day", "limit": "5000"}
NOW = datetime.fromisoformat("2026-12-05T00:00:00Z")
CALLS = {"published": 2, "day_rollups": 1, "adjustments": 1, "last_entry": 1}
"""What one request asks of the ledger: sums, what was booked late, and whether the month is closed. Of hours that are
published it asks for none, which costs no query.
"""
MOST = 1.5
"""The whole request, in times of its ledger's calls."""


class Timed:
    """A ledger that counts its calls, and the seconds that they take."""

    def __init__(self, ledger: DynamoLedger) -> None:
        self._ledger = ledger
        self.seconds = 0.0
        self.calls: dict[str, int] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._ledger, name)

        def timed(*given: Any) -> Any:
            started = time.perf_counter()
            try:
                return call(*given)
            finally:
                self.seconds += time.perf_counter() - started
                self.calls[name] = self.calls.get(name, 0) + 1

        return timed


def fill(ledger: DynamoLedger) -> None:
    """One published hour a day, with every BU in it, and its sums."""
    for day in range(DAYS):
        hour = FIRST.plus(24 * day)
        rows = [
            pod(f"ns-{index:02}", f"{index + 1}.{day:02}", f"pod-{index}", f"bu-{index:02}") for index in range(BUS)
        ]
        ledger.publish(report(*rows, cluster=CLUSTER, hour=hour), hour.end)
        roll_up(CLUSTER, hour, ledger)


def measure(ledger: Timed) -> tuple[float, float]:
    """(the ledger's seconds, the request's seconds) of one request."""
    ledger.seconds, ledger.calls = 0.0, {}
    started = time.perf_counter()
    reply = ask("/v1/costs", QUERY, now=NOW)
    taken = time.perf_counter() - started
    assert reply.status == 200
    assert len(reply.json["rows"]) == DAYS * BUS
    assert ledger.calls == CALLS
    return ledger.seconds, taken


def bare(client: Any) -> float:
    """The seconds of boto3's own call for the month's sums."""
    names = {":pk": {"S": keys.year_pk(CLUSTER, FIRST.start.year)}, ":a": {"S": "D#"}, ":b": {"S": "D#~"}}
    started = time.perf_counter()
    client.query(
        TableName=TABLE,
        KeyConditionExpression="pk = :pk AND sk BETWEEN :a AND :b",
        ExpressionAttributeValues=names,
        ConsistentRead=True,
    )
    return time.perf_counter() - started


def main() -> int:
    with pytest.MonkeyPatch.context() as patch, dynamodb_local() as url:
        for name, value in credentials_environment().items():
            patch.setenv(name, value)
        client = dynamodb_client(url)
        create_table(client, TABLE)
        ledger = DynamoLedger(client, TABLE)
        fill(ledger)
        timed = Timed(ledger)
        install(patch, ApiEnvironment, ledger=timed, clusters=(CLUSTER,))
        measure(timed), bare(client)
        rounds = [(*measure(timed), bare(client)) for _ in range(ROUNDS)]
    read, answered, raw = (1000 * statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(whole / own for own, whole, _ in rounds)
    sys.stdout.write(f"a month by day for {BUS} BUs, {DAYS * BUS} rows: {answered:.1f} ms, ")
    sys.stdout.write(f"{ratio:.2f} times the ledger's calls of {read:.1f} ms (at most {MOST}); ")
    sys.stdout.write(f"the bare query of the sums: {raw:.1f} ms\n")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
