"""A world: schedule, queue, workers, stream and clock around one table, run to its end from one seed."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gpucost.adapters.ledger.alert_log import StoreAlertLog
from gpucost.adapters.ledger.ledger import StoreLedger
from gpucost.adapters.ledger.store import Item, Store
from gpucost.adapters.ledger.tracks import StoreTrackBook
from gpucost.adapters.memory import MemoryStore
from gpucost.domain.alerts.alert_rules import DEFAULT_WATCHES, AlertRules
from gpucost.domain.alerts.finding import Kind
from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.periods import Day, Period
from gpucost.domain.report import Status
from gpucost.ports import GpucostError, HourJob, LedgerError, ServiceUnavailable
from gpucost.usecases.alerting.take import Alerting
from gpucost.usecases.alerting.watch import watch
from gpucost.usecases.recording.published import published_hour
from gpucost.usecases.recording.record_hour import record_hour
from gpucost.usecases.recording.upkeep import Upkeep, hourly_run
from tests.simulation.chance import Chance, Fault
from tests.simulation.outside import Source, Topic
from tests.simulation.table import StormyTable
from tests.support.faults import Killed

CLUSTER = "prod"
FIRST = Hour.parse("2026-11-29T18:00:00Z")
"""So that a month ends, and is closed, in the middle of the storm."""
STORM_HOURS = 48
CALM_HOURS = 26
"""Long enough for the longest rest of an hour that was tried in vain."""
UPKEEP = Upkeep(
    reach_days=6,
    heal_limit=6,
    close_after=timedelta(hours=8),
    with_gaps_after=timedelta(hours=40),
    quiet_for=timedelta(hours=2),
)
MOST_RECEIVES = 5
MOST_TICK_TRIES = 3
MOST_STREAM_TRIES = 50
DEEPEST = 2


@dataclass(frozen=True, slots=True)
class Message:
    """A job in the queue, and how often it was received."""

    job: HourJob
    receives: int = 0


def stormy(world: "World") -> Store:
    """The world's table as its workers see it."""
    return StormyTable(world.store, world.chance, world.overtake, world.announce)


RULES = AlertRules(watches={kind: replace(one, enabled=kind is Kind.BU_WASTE) for kind, one in DEFAULT_WATCHES.items()})
"""One kind of finding is enough to see whether any is lost or told twice."""


class World:
    """Hours in which things go wrong, and then hours in which they do not.

    `store` is the table, the in-memory twin unless another is given, and `seen_by_workers` makes what the workers see
    of it. `broken` are promises that were seen broken on the way: there must be none.
    """

    def __init__(
        self,
        chance: Chance,
        store: Store | None = None,
        seen_by_workers: Callable[["World"], Store] = stormy,
        storm_hours: int = STORM_HOURS,
        calm_hours: int = CALM_HOURS,
    ) -> None:
        self.store = store or MemoryStore()
        self.chance = chance
        self.storm_end = FIRST.plus(storm_hours)
        self.end = self.storm_end.plus(calm_hours)
        self.broken: list[str] = []
        self.source = Source(CLUSTER, self.chance)
        self.topic = Topic(self.chance)
        self.dead: list[Message] = []
        self.recorded: dict[Hour, datetime] = {}
        """When a complete reading of an hour was last recorded, and the collector lived to say so."""
        table = seen_by_workers(self)
        self._ledger = StoreLedger(table, pause=lambda _: None)
        self._log = StoreAlertLog(table)
        self._tracks = StoreTrackBook(table)
        self._now = FIRST.start
        self._silent_until = FIRST
        self._events: list[tuple[datetime, int, Callable[[], None]]] = []
        self._waiting: dict[int, Message] = {}
        self._counter = 0
        self._depth = 0

    def run(self) -> "World":
        for hour in hours_between(FIRST, self.end):
            self._schedule(hour)
        while self._events:
            self._now, number, event = heapq.heappop(self._events)
            if self._now >= self.storm_end.start:
                self.chance.calm_down()
            self.chance.note(number, self._now.isoformat())
            event()
        return self

    def _at(self, delay: timedelta, event: Callable[[], None]) -> int:
        self._counter += 1
        heapq.heappush(self._events, (self._now + delay, self._counter, event))
        return self._counter

    def _schedule(self, hour: Hour) -> None:
        after = hour.end - self._now + timedelta(minutes=10)
        # The first hour comes to pass: a cluster of which nothing was ever published has no gaps.
        if FIRST < hour < self.storm_end:
            if self.chance.happens(Fault.OUTAGE):
                self._silent_until = hour.plus(self.chance.random.randrange(3, 36))
            if hour < min(self._silent_until, self.storm_end) or self.chance.happens(Fault.TICK_DROPPED):
                return
            if self.chance.happens(Fault.TICK_LATE):
                after += timedelta(minutes=self.chance.random.randrange(200))
            if self.chance.happens(Fault.TICK_DOUBLED):
                self._at(after, lambda: self._tick(hour))
        self._at(after, lambda: self._tick(hour))

    def _tick(self, hour: Hour, tries: int = 1) -> None:
        """The planner, which its service calls again when it fails, and then gives up."""
        expected = self._versions() if hour.start.hour % 6 == 0 else {}
        try:
            hourly_run([CLUSTER], hour, self, self._ledger, UPKEEP, self._now)
            self._check_sums(expected)
        except (GpucostError, Killed):
            if tries < MOST_TICK_TRIES:
                self._at(timedelta(minutes=tries), lambda: self._tick(hour, tries + 1))
        if hour.start.hour % 6 == 0:
            for message in self.dead:
                self._enqueue(replace(message, receives=0), timedelta(minutes=1))
            self.dead.clear()

    def _versions(self) -> dict[Day, int]:
        """What the sum of each day has to stand on, by the revisions that are published."""
        versions: dict[Day, int] = {}
        for head in StoreLedger(self.store).heads(CLUSTER, Day.of(FIRST).first, self.end):
            versions[Day.of(head.hour)] = versions.get(Day.of(head.hour), 0) + head.revision
        return versions

    def _check_sums(self, expected: dict[Day, int]) -> None:
        """A run that went through has made the sums that dead collectors left out."""
        sums = StoreLedger(self.store).day_rollups(CLUSTER, Day.of(FIRST), Day.of(self.end).next())
        known: dict[Period, int] = {one.period: one.version for one in sums}
        self.broken += [
            f"the sum of {day.key} is late" for day, version in expected.items() if known.get(day, 0) < version
        ]

    def send(self, jobs: Sequence[HourJob]) -> None:
        """`ports.Jobs`."""
        for job in jobs:
            if self.chance.happens(Fault.SEND_FAILED):
                raise ServiceUnavailable("the queue took only some")
            for _ in range(1 + self.chance.happens(Fault.JOB_DOUBLED)):
                late = self.chance.happens(Fault.JOB_DELAYED)
                delay = self.chance.random.randrange(180) if late else self.chance.random.randrange(3)
                self._enqueue(Message(job), timedelta(minutes=delay))

    def _enqueue(self, message: Message, delay: timedelta) -> None:
        number = self._at(delay, lambda: self._deliver(number))
        self._waiting[number] = message

    def _deliver(self, number: int) -> None:
        """A collector; what it does not acknowledge comes back, and after some times goes to the dead letters."""
        message = self._waiting.pop(number, None)
        if message is None:
            return
        now = self._now
        if self.chance.happens(Fault.CLOCK_SKEW):
            now += timedelta(seconds=self.chance.random.randrange(-300, 300))
        try:
            reading = self.source.read(message.job.hour, self._now)
            record_hour(reading, self._ledger, now)
            if reading.status is Status.COMPLETE:
                self.recorded[reading.hour] = self._now
        except (GpucostError, Killed) as error:
            self.chance.note(message.job.hour.key, type(error).__name__)
            self._read(message.job.hour)
            again = replace(message, receives=message.receives + 1)
            if again.receives < MOST_RECEIVES:
                self._enqueue(again, timedelta(minutes=5))
            else:
                self.dead.append(again)
        else:
            if self.chance.happens(Fault.ACK_LOST):
                self._enqueue(message, timedelta(minutes=5))

    def _read(self, hour: Hour) -> None:
        """A reader that comes just when a worker has fallen over: it sees a whole hour or none."""
        ledger = StoreLedger(self.store)
        try:
            report, published = ledger.report(CLUSTER, hour), ledger.published(CLUSTER, hour, hour.plus(1))
        except LedgerError as error:
            self.broken.append(str(error))
        else:
            if [one.namespaces for one in published] != ([report.namespaces] if report else []):
                self.broken.append(f"the rows of {hour} are not those of its report")

    def overtake(self) -> None:
        """Some other collector does a job that is waiting, or one for the same hour, between two calls of this one."""
        if self._waiting and self._depth < DEEPEST:
            self._depth += 1
            self._deliver(self.chance.random.choice(sorted(self._waiting)))
            self._depth -= 1

    def announce(self, item: Item) -> None:
        """The stream: it carries every item that was written."""
        announced = published_hour(item)
        if announced is not None:
            for _ in range(1 + self.chance.happens(Fault.STREAM_DOUBLED)):
                self._at(timedelta(seconds=1), lambda: self._detect(announced[1]))

    def _detect(self, hour: Hour, tries: int = 1) -> None:
        """The detector, which its stream calls until it succeeds, within reason."""
        its = Alerting(self._ledger, self._tracks, self._log, self.topic, RULES, news=timedelta(days=999))
        try:
            watch(CLUSTER, hour, its, self._now)
        except (GpucostError, Killed):
            if tries < MOST_STREAM_TRIES:
                self._at(timedelta(minutes=1), lambda: self._detect(hour, tries + 1))
