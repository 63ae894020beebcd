"""The same storms over DynamoDB Local, through botocore's hooks: short worlds, and a heavier storm."""

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from gpucost.adapters.dynamodb import DynamoStore
from gpucost.adapters.ledger.store import Store
from tests.simulation.chance import Chance, Fault
from tests.simulation.checks import faults_of
from tests.simulation.table import OvertakenTable
from tests.simulation.wire import StormyWire
from tests.simulation.world import World
from tests.support.tables import create_table, dynamodb_client

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.real

SEEDS = 50
BLOCK = 10
STORM_HOURS, CALM_HOURS = 3, 5
STORMY = 6
ON_THE_WIRE = {
    Fault.THROTTLED,
    Fault.LOST_ACK,
    Fault.CONFLICT,
    Fault.HALF_BATCH,
    Fault.KILLED_BEFORE,
    Fault.KILLED_AFTER,
}


@pytest.fixture(scope="session")
def calm_client(dynamodb_local: str) -> "DynamoDBClient":
    return dynamodb_client(dynamodb_local)


def run(seed: int, client: "DynamoDBClient", endpoint: str, name: str) -> World:
    table = create_table(client, f"storm-{name}-{seed}")
    stormy_client = dynamodb_client(endpoint)

    def seen_by_workers(world: World) -> Store:
        StormyWire(stormy_client, world.chance, world.announce)
        store = DynamoStore(stormy_client, table, sleep=lambda _: None)
        return OvertakenTable(store, world.chance, world.overtake)

    chance = Chance(seed, STORMY)
    world = World(chance, DynamoStore(client, table), seen_by_workers, STORM_HOURS, CALM_HOURS)
    return world.run()


@pytest.mark.parametrize("first", range(0, SEEDS, BLOCK))
def test_nothing_is_lost_doubled_or_half_visible(
    first: int, calm_client: "DynamoDBClient", dynamodb_local: str, worker_id: str
) -> None:
    counts: Counter[Fault] = Counter()
    for seed in range(first, first + BLOCK):
        world = run(seed, calm_client, dynamodb_local, worker_id)
        assert faults_of(world) == [], f"seed {seed}"
        counts += world.chance.counts
    assert {kind for kind in ON_THE_WIRE if not counts[kind]} == set()


def test_a_storm_on_the_wire_replays_bit_for_bit(
    calm_client: "DynamoDBClient", dynamodb_local: str, worker_id: str
) -> None:
    first, second = (run(3, calm_client, dynamodb_local, f"{worker_id}-replay-{number}") for number in (1, 2))
    assert first.chance.trace == second.chance.trace
    assert all(first.chance.counts[kind] == second.chance.counts[kind] for kind in Fault)
