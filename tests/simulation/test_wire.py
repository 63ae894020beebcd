"""The same storms over DynamoDB Local, through botocore's hooks: short worlds, and a heavier storm."""

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from gpucost.adapters.dynamodb import DynamoStore
from gpucost.adapters.ledger.store import Absent, Busy, Item, Put, Store
from gpucost.ports import LedgerUnavailable
from tests.simulation.chance import Chance, Fault
from tests.simulation.checks import faults_of
from tests.simulation.table import OvertakenTable
from tests.simulation.wire import StormyWire
from tests.simulation.world import World
from tests.support.faults import Killed
from tests.support.tables import create_table, dynamodb_client

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.real

SEEDS = 50
BLOCK = 5
STORM_HOURS, CALM_HOURS = 3, 5
"""A run at midnight, when the dead letters are sent again, lies in the calm."""
STORMY = 6


class Certain(Chance):
    """One kind of misfortune, once, at the first opportunity."""

    def __init__(self, kind: Fault) -> None:
        super().__init__(0)
        self._kind: Fault | None = kind

    def happens(self, kind: Fault) -> bool:
        if kind is not self._kind:
            return False
        self._kind = None
        return True


@pytest.fixture(scope="session")
def calm_client(dynamodb_local: str) -> "DynamoDBClient":
    return dynamodb_client(dynamodb_local)


@pytest.fixture(scope="session")
def wire_table(calm_client: "DynamoDBClient", worker_id: str) -> str:
    return create_table(calm_client, f"wire-{worker_id}")


@pytest.mark.parametrize(
    ("kind", "error", "written"),
    [
        (Fault.THROTTLED, LedgerUnavailable, False),
        (Fault.CONFLICT, Busy, False),
        (Fault.LOST_ACK, LedgerUnavailable, True),
        (Fault.KILLED_BEFORE, Killed, False),
        (Fault.KILLED_AFTER, Killed, True),
    ],
)
@pytest.mark.parametrize("puts", [1, 2])
def test_a_misfortune_on_the_wire_is_what_it_says(
    kind: Fault, error: type[BaseException], written: bool, puts: int, dynamodb_local: str, wire_table: str
) -> None:
    announced: list[Item] = []
    client = dynamodb_client(dynamodb_local)
    StormyWire(client, Certain(kind), announced.append)
    store, pk = DynamoStore(client, wire_table), f"{kind.name}-{puts}"
    items: list[Item] = [{"pk": pk, "sk": str(number), "type": "head"} for number in range(puts)]
    with pytest.raises(error):
        store.write([Put(item, Absent()) for item in items])
    assert store.query(pk, "0", "9") == (items if written else [])
    assert announced == ([{"type": "head"}] * puts if written else [])


def test_items_that_a_batch_left_out_are_written_after_all(dynamodb_local: str, wire_table: str) -> None:
    client, pauses = dynamodb_client(dynamodb_local), list[float]()
    StormyWire(client, Certain(Fault.HALF_BATCH), lambda _: None)
    store = DynamoStore(client, wire_table, sleep=pauses.append)
    items: list[Item] = [{"pk": "half", "sk": str(number)} for number in range(5)]
    store.put_all(items)
    assert store.query("half", "0", "9") == items
    assert len(pauses) == 1


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
    assert counts.total() > 0


def test_a_storm_on_the_wire_replays_bit_for_bit(
    calm_client: "DynamoDBClient", dynamodb_local: str, worker_id: str
) -> None:
    first, second = (run(3, calm_client, dynamodb_local, f"{worker_id}-replay-{number}") for number in (1, 2))
    assert first.chance.trace == second.chance.trace
    assert all(first.chance.counts[kind] == second.chance.counts[kind] for kind in Fault)
