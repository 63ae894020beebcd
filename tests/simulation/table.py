"""The table as the workers of a world see it: its calls fail, half happen, or are overtaken."""

from collections.abc import Callable, Sequence

from gpucost.adapters.ledger.store import Busy, Equals, Item, Put, Store
from gpucost.ports import LedgerUnavailable
from tests.simulation.chance import Chance, Fault
from tests.support.faults import Killed

type Committed = Callable[[Item], None]


class OvertakenTable:
    """A table around a table. `overtake` lets another worker do all of its work between two calls of this one."""

    def __init__(self, inner: Store, chance: Chance, overtake: Callable[[], None]) -> None:
        self._inner = inner
        self._chance = chance
        self._overtake = overtake

    def get(self, pk: str, sk: str) -> Item | None:
        self._before()
        return self._inner.get(pk, sk)

    def query(self, pk: str, first: str, last: str) -> list[Item]:
        self._before()
        return self._inner.query(pk, first, last)

    def newest(self, pk: str, first: str, last: str) -> Item | None:
        self._before()
        return self._inner.newest(pk, first, last)

    def put_all(self, items: Sequence[Item]) -> None:
        self._before()
        self._inner.put_all(items)

    def write(self, puts: Sequence[Put]) -> None:
        self._before()
        self._inner.write(puts)

    def delete(self, pk: str, sk: str, condition: Equals) -> None:
        self._before()
        self._inner.delete(pk, sk, condition)

    def _before(self) -> None:
        if self._chance.happens(Fault.OVERTAKEN):
            self._overtake()


class StormyTable(OvertakenTable):
    """Its calls fail, or half happen, too. `committed` hears of every item that a `write` wrote."""

    def __init__(self, inner: Store, chance: Chance, overtake: Callable[[], None], committed: Committed) -> None:
        super().__init__(inner, chance, overtake)
        self._committed = committed

    def put_all(self, items: Sequence[Item]) -> None:
        if items and self._chance.happens(Fault.HALF_BATCH):
            shuffled = self._chance.random.sample(items, len(items))
            self._inner.put_all(shuffled[: self._chance.random.randrange(len(items))])
            raise LedgerUnavailable("the table left items unwritten")
        super().put_all(items)
        self._after()

    def write(self, puts: Sequence[Put]) -> None:
        if self._chance.happens(Fault.CONFLICT):
            raise Busy("another writer is at these items")
        super().write(puts)
        for put in puts:
            self._committed(put.item)
        self._after()

    def delete(self, pk: str, sk: str, condition: Equals) -> None:
        super().delete(pk, sk, condition)
        self._after()

    def _after(self) -> None:
        if self._chance.happens(Fault.LOST_ACK):
            raise LedgerUnavailable("the answer did not arrive")
        if self._chance.happens(Fault.KILLED_AFTER):
            raise Killed

    def _before(self) -> None:
        if self._chance.happens(Fault.KILLED_BEFORE):
            raise Killed
        if self._chance.happens(Fault.THROTTLED):
            raise LedgerUnavailable("throttled")
        super()._before()
