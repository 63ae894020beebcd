"""A world: schedule, queue, workers, stream and clock around one table, run to its end from one seed."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gpucost.adapters.ledger.alert_log import StoreAlertLog
from gpucost.adapters.ledger.ledger import StoreLedger
from gpucost.adapters.ledger.store import Item, Store
from gpucost.adapters.memory import MemoryStore
from gpucost.domain.hours import Hour
from gpucost.domain.policy import AlertRules
from gpucost.domain.report import Status
from gpucost.ports import GpucostError, HourJob, ServiceUnavailable
from gpucost.usecases.detect import detect
from gpucost.usecases.published import published_hour
from gpucost.usecases.record_hour import record_hour
from gpucost.usecases.upkeep import Upkeep, hourly_run
from tests.simulation.chance import Chance, Fault
from tests.simulation.outside import Source, Topic
from tests.simulation.table import StormyTable
from tests.support.faults import Killed

CLUSTER = "prod"
FIRST = Hour.parse("2026-11-29T06:00:00Z")
"""So that a month ends, and is closed, in the middle of the storm."""
STORM_HOURS = 72
CALM_HOURS = 32
UPKEEP = Upkeep(heal_limit=6, close_after=timedelta(hours=8), quiet_for=timedelta(hours=2))
MOST_RECEIVES = 5
MOST_TICK_TRIES = 3
DEEPEST = 2


@dataclass(frozen=True, slots=True)
class Message:
    """A job in the queue, and how often it was received."""

    job: HourJob
    receives: int = 0


class World:
    """Runs `STORM_HOURS` in which things go wrong, and `CALM_HOURS` in which they do not, and says what became of it.

    `store` is the table; the in-memory twin unless another is given.
    """

    def __init__(self, seed: int, store: Store | None = None, chance: Chance | None = None) -> None:
        self.store = store or MemoryStore()
        self.chance = chance or Chance(seed)
        self.source = Source(CLUSTER, self.chance)
        self.topic = Topic(self.chance)
        self.dead: list[Message] = []
        self.recorded: dict[Hour, datetime] = {}
        """When a complete reading of an hour was last recorded, and the collector lived to say so."""
        table = StormyTable(self.store, self.chance, self._overtake, self._stream)
        self._ledger = StoreLedger(table, pause=lambda _: None)
        self._log = StoreAlertLog(table)
        self._now = FIRST.start
        self._events: list[tuple[datetime, int, Callable[[], None]]] = []
        self._waiting: dict[int, Message] = {}
        self._counter = 0
        self._depth = 0

    @property
    def end(self) -> Hour:
        """The end of the hours that the world's schedule asks for."""
        return FIRST.plus(STORM_HOURS + CALM_HOURS)

    def run(self) -> "World":
        for number in range(STORM_HOURS + CALM_HOURS):
            self._schedule(FIRST.plus(number))
        storm_end = FIRST.plus(STORM_HOURS).start
        while self._events:
            self._now, number, event = heapq.heappop(self._events)
            if self._now >= storm_end:
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
        if self._now == FIRST.start and hour.start < FIRST.plus(STORM_HOURS).start:
            if self.chance.happens(Fault.TICK_DROPPED):
                return
            if self.chance.happens(Fault.TICK_LATE):
                after += timedelta(minutes=self.chance.random.randrange(200))
            if self.chance.happens(Fault.TICK_DOUBLED):
                self._at(after, lambda: self._tick(hour))
        self._at(after, lambda: self._tick(hour))

    def _tick(self, hour: Hour, tries: int = 1) -> None:
        """The planner, which its service calls again when it fails, and then gives up."""
        try:
            hourly_run([CLUSTER], hour, self, self._ledger, UPKEEP, self._now)
        except (GpucostError, Killed):
            if tries < MOST_TICK_TRIES:
                self._at(timedelta(minutes=tries), lambda: self._tick(hour, tries + 1))
        if hour.start.hour % 6 == 0:
            for message in self.dead:
                self._enqueue(replace(message, receives=0), timedelta(minutes=1))
            self.dead.clear()

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
            again = replace(message, receives=message.receives + 1)
            if again.receives < MOST_RECEIVES:
                self._enqueue(again, timedelta(minutes=5))
            else:
                self.dead.append(again)
        else:
            if self.chance.happens(Fault.ACK_LOST):
                self._enqueue(message, timedelta(minutes=5))

    def _overtake(self) -> None:
        """Some other collector does a job that is waiting, or one for the same hour, between two calls of this one."""
        if self._waiting and self._depth < DEEPEST:
            self._depth += 1
            self._deliver(self.chance.random.choice(sorted(self._waiting)))
            self._depth -= 1

    def _stream(self, item: Item) -> None:
        announced = published_hour(item)
        if announced is not None:
            for _ in range(1 + self.chance.happens(Fault.STREAM_DOUBLED)):
                self._at(timedelta(seconds=1), lambda: self._detect(announced[1]))

    def _detect(self, hour: Hour) -> None:
        """The detector, which its stream calls until it succeeds."""
        parts = {"ledger": self._ledger, "rules": AlertRules(), "log": self._log, "publisher": self.topic}
        try:
            detect(CLUSTER, hour, **parts, now=self._now)
        except (GpucostError, Killed):
            self._at(timedelta(minutes=1), lambda: self._detect(hour))
