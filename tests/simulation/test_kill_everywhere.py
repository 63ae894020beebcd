"""One hour from the schedule to its finding, killed before and after every call of every port, and made good."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

import pytest

from gpucost.adapters.ledger.alert_log import StoreAlertLog
from gpucost.adapters.ledger.ledger import StoreLedger
from gpucost.adapters.ledger.store import Equals, Item, Put
from gpucost.adapters.ledger.tracks import StoreTrackBook
from gpucost.adapters.memory import MemoryStore
from gpucost.domain.alerts.finding import Finding
from gpucost.domain.hours import Hour
from gpucost.domain.report import HourReport
from gpucost.ports import HourJob
from gpucost.usecases.alerting.take import Alerting
from gpucost.usecases.alerting.watch import watch
from gpucost.usecases.recording.record_hour import record_hour
from gpucost.usecases.recording.upkeep import Upkeep, hourly_run
from gpucost.usecases.recording.verify import verify
from tests.simulation.world import RULES
from tests.support.faults import Killed
from tests.support.hours import pod, report

CLUSTER = "prod"
HOUR = Hour.parse("2026-11-30T10:00:00Z")
NOW = HOUR.end + timedelta(minutes=10)


class Moments:
    """Counts the calls of all ports, and kills the process at one moment: 2k is before call k, 2k + 1 after it."""

    def __init__(self, kill_at: int | None = None) -> None:
        self.calls = 0
        self._kill_at = kill_at

    def around[T](self, call: Callable[[], T]) -> T:
        moment = 2 * self.calls
        self.calls += 1
        if moment == self._kill_at:
            raise Killed
        answer = call()
        if moment + 1 == self._kill_at:
            raise Killed
        return answer


class House:
    """Every port of one hour's line: table, metrics, queue and topic."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.queue: list[HourJob] = []
        self.told: Counter[str] = Counter()
        self.moments = Moments()
        self._ledger = StoreLedger(self, pause=lambda _: None)
        self._log = StoreAlertLog(self)
        self._tracks = StoreTrackBook(self)

    def get(self, pk: str, sk: str) -> Item | None:
        return self.moments.around(lambda: self.store.get(pk, sk))

    def query(self, pk: str, first: str, last: str) -> list[Item]:
        return self.moments.around(lambda: self.store.query(pk, first, last))

    def newest(self, pk: str, first: str, last: str) -> Item | None:
        return self.moments.around(lambda: self.store.newest(pk, first, last))

    def put_all(self, items: Sequence[Item]) -> None:
        for item in items:
            self.moments.around(partial(self.store.put_all, [item]))

    def write(self, puts: Sequence[Put]) -> None:
        self.moments.around(lambda: self.store.write(puts))

    def delete(self, pk: str, sk: str, condition: Equals) -> None:
        self.moments.around(lambda: self.store.delete(pk, sk, condition))

    def send(self, jobs: Sequence[HourJob]) -> None:
        for job in jobs:
            self.moments.around(partial(self.queue.append, job))

    def publish(self, finding: Finding) -> None:
        self.moments.around(lambda: self.told.update([finding.id]))

    def read_hour(self, hour: Hour) -> HourReport:
        pods = pod("bu-a", "8"), pod("bu-b", "4", used="0.75")
        return self.moments.around(lambda: report(*pods, cluster=CLUSTER, hour=hour))

    def plan(self) -> None:
        hourly_run([CLUSTER], HOUR, self, self._ledger, Upkeep(), NOW)

    def collect(self) -> None:
        for job in list(self.queue):
            record_hour(self.read_hour(job.hour), self._ledger, NOW)
            self.moments.around(partial(self.queue.remove, job))

    def tell(self) -> None:
        for head in StoreLedger(self.store).heads(CLUSTER, HOUR.plus(-30), HOUR.plus(1)):
            watch(
                CLUSTER,
                head.hour,
                Alerting(self._ledger, self._tracks, self._log, self, RULES, news=timedelta(days=9)),
                NOW,
            )

    def run(self, kill_at: int | None) -> None:
        """The three stages; one that is killed is looked at by a reader and then run again, as its trigger would."""
        self.moments = Moments(kill_at)
        for stage in (self.plan, self.collect, self.tell):
            try:
                stage()
            except Killed:
                self.check()
                stage()

    def check(self) -> None:
        """Readers see whole hours, and the chain holds."""
        ledger = StoreLedger(self.store)
        for check in verify(CLUSTER, HOUR.plus(-30), HOUR.plus(1), ledger):
            assert check.faults == ()

    def books(self) -> object:
        """What readers can learn, and what was told."""
        ledger, window = StoreLedger(self.store), (CLUSTER, HOUR.plus(-30), HOUR.plus(1))
        heads = [(head.hour, head.revision, head.digest) for head in ledger.heads(*window)]
        return heads, ledger.namespaces(*window), sorted(self.told)


@pytest.fixture(scope="module")
def whole() -> House:
    house = House()
    house.run(kill_at=None)
    return house


def test_the_line_is_whole_without_a_kill(whole: House) -> None:
    assert [head.hour for head in StoreLedger(whole.store).heads(CLUSTER, HOUR.plus(-30), HOUR.plus(1))] == [
        HOUR.plus(-25),
        HOUR.plus(-1),
        HOUR,
    ]
    assert whole.told.total() == len(whole.told) == 3
    assert whole.moments.calls > 60


def test_killed_at_every_moment_the_line_ends_as_if_it_had_not_been(whole: House) -> None:
    for moment in range(2 * whole.moments.calls):
        house = House()
        house.run(kill_at=moment)
        house.check()
        assert house.books() == whole.books(), f"killed at moment {moment}"
        assert house.told.total() <= len(house.told) + 1, f"killed at moment {moment}"
        assert house.queue == []
