"""The ledger on both of its tables: the in-memory twin and DynamoDB Local. Each test has a cluster of its own."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from gpucost.adapters.dynamodb import DynamoAlertLog, DynamoLedger, DynamoStore
from gpucost.adapters.ledger.store import Store
from gpucost.adapters.memory import MemoryAlertLog, MemoryLedger, MemoryStore
from gpucost.books import Books
from gpucost.ports import AlertLog
from tests.support.tables import create_table, dynamodb_client

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class Table:
    """One table, as the test wants it: ledgers made by `ledger` share it as several workers would."""

    store: Store
    ledger: Callable[..., Books]
    alerts: Callable[[], AlertLog]


@pytest.fixture(scope="session")
def ddb(dynamodb_local: str) -> "DynamoDBClient":
    return dynamodb_client(dynamodb_local)


@pytest.fixture(scope="session")
def ddb_table(ddb: "DynamoDBClient", worker_id: str) -> str:
    return create_table(ddb, f"ledger-contract-{worker_id}")


def _dynamodb(client: "DynamoDBClient", name: str) -> Table:
    def ledger(keep_days: int | None = None) -> Books:
        return DynamoLedger(client, name, keep_days)

    return Table(DynamoStore(client, name), ledger, lambda: DynamoAlertLog(client, name))


def _memory() -> Table:
    store = MemoryStore()

    def ledger(keep_days: int | None = None) -> Books:
        return MemoryLedger(store, keep_days)

    return Table(store, ledger, lambda: MemoryAlertLog(store))


@pytest.fixture(params=["memory", pytest.param("dynamodb", marks=pytest.mark.real)])
def table(request: pytest.FixtureRequest) -> Table:
    if request.param == "memory":
        return _memory()
    return _dynamodb(request.getfixturevalue("ddb"), request.getfixturevalue("ddb_table"))


@pytest.fixture
def ledger(table: Table) -> Books:
    return table.ledger()


@pytest.fixture
def cluster(request: pytest.FixtureRequest) -> str:
    """A name that no other test has."""
    return "c-" + hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:12]
