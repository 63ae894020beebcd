"""A cluster's month of alerts, a queue as SQS is, and a Slack that throttles and answers unclearly."""

import heapq
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from gpucost.adapters.memory import MemoryAlertLog, MemoryLedger, MemoryStore, MemoryTrackBook
from gpucost.domain.alerts.alert_rules import AlertRules
from gpucost.domain.alerts.blocks import NO_REPLY
from gpucost.domain.alerts.finding import Finding
from gpucost.domain.alerts.messages import finding_of, notification
from gpucost.domain.hours import Hour
from gpucost.domain.report import HourReport, Status
from gpucost.ports import DeliveryAmbiguous, DeliveryUnavailable, GpucostError
from gpucost.tracking import Posted
from gpucost.usecases.alerting.deliver_batch import deliver_batch
from gpucost.usecases.alerting.take import Alerting
from gpucost.usecases.alerting.tell_episode import Teller, tell_batch
from gpucost.usecases.alerting.watch import watch
from tests.support.findings import Held, report

FIRST = Hour.parse("2026-11-01T00:00:00Z")
HOURS = 720
BUS = 3
THROTTLED, UNCLEAR, LOST_ACK = 0.30, 0.10, 0.05
RETRY_AFTER = 10.0
BATCH, RECEIVES = 10, 10
VISIBILITY = timedelta(minutes=7)


class Cluster:
    """Publishes hours, and sees them watched. `told` are the findings, with the time at which they were published."""

    def __init__(self, seed: int) -> None:
        self.told: list[tuple[datetime, Finding]] = []
        self._chance = random.Random(seed)
        self._store = MemoryStore()
        self._troubles: dict[str, int] = {}
        self._now = FIRST.start

    def month(self) -> list[tuple[datetime, Finding]]:
        """Now and then, an earlier hour is revised."""
        for number in range(HOURS):
            hour = FIRST.plus(number)
            self._now = hour.end + timedelta(minutes=10)
            self._publish(self._made(hour))
            if number > 5 and self._chance.random() < 0.05:
                self._publish(self._made(hour.plus(-self._chance.randint(1, 5))))
        return self.told

    def publish(self, finding: Finding) -> None:
        """The topic: the finding as subscribers get it."""
        told = finding_of(json.loads(json.dumps(notification(finding))))
        assert told == finding
        self.told.append((self._now, told))

    def _publish(self, made: HourReport) -> None:
        ledger, book = MemoryLedger(self._store), MemoryTrackBook(self._store)
        ledger.publish(made, self._now)
        watch("prod", made.hour, Alerting(ledger, book, MemoryAlertLog(self._store), self, AlertRules()), self._now)

    def _made(self, hour: Hour) -> HourReport:
        """BUs whose troubles begin by chance, and last some hours; some hours are read badly."""
        held = []
        for index in range(BUS):
            bu = f"bu-{index}"
            if not self._troubles.get(bu) and self._chance.random() < 0.05:
                self._troubles[bu] = self._chance.randint(1, 30)
            bad = self._troubles.get(bu, 0) > 0
            self._troubles[bu] = max(self._troubles.get(bu, 0) - 1, 0)
            held.append(Held(bu, "12", "11.9" if bad else "1", pod=f"{bu}-0"))
        return report(held, Status.PARTIAL if self._chance.random() < 0.02 else Status.COMPLETE, hour)


@cache
def findings_of(seed: int) -> list[tuple[datetime, Finding]]:
    return Cluster(seed).month()


@dataclass
class Slack:
    """Takes what it takes. Of unclear answers, half were carried out. `posts` are as they were posted."""

    chance: random.Random
    posts: list[dict[str, Any]] = field(default_factory=list)
    versions: list[list[dict[str, Any]]] = field(default_factory=list)
    unclear: int = 0

    def post(self, payload: Mapping[str, object], _channel: str = "") -> Posted | None:
        def act() -> None:
            self.posts.append(dict(payload))
            self.versions.append([dict(payload)])

        self._chance(act)
        return Posted("C1", f"{len(self.posts)}.0")

    def update(self, posted: Posted, payload: Mapping[str, object]) -> None:
        self._chance(lambda: self.versions[int(float(posted.timestamp)) - 1].append(dict(payload)))

    def shown(self, posted: Posted) -> str:
        """What is in the channel now."""
        return json.dumps(self.versions[int(float(posted.timestamp)) - 1][-1])

    def _chance(self, act: Any) -> None:
        fate = self.chance.random()
        if fate < THROTTLED:
            raise DeliveryUnavailable("429", RETRY_AFTER)
        if fate < THROTTLED + UNCLEAR:
            self.unclear += 1
            if self.chance.random() < 0.5:
                act()
            raise DeliveryAmbiguous("500")
        act()


@dataclass(order=True)
class Message:
    """A finding in the queue, and when it may be received."""

    at: datetime
    number: int
    finding: Finding = field(compare=False)
    receives: int = field(default=0, compare=False)


class Delivery:
    """notify and its queue. `settled` and `dead` are ids of findings; what is dead has its reason."""

    def __init__(self, way: str, seed: int) -> None:
        self.way = way
        self.published = [finding for _, finding in findings_of(seed)]
        self.settled: set[str] = set()
        self.dead: dict[str, str] = {}
        self.overtaken: set[str] = set()
        """Steps that came after a later one of their episode."""
        self._chance = random.Random(seed)
        self.slack = Slack(self._chance)
        self._book = MemoryTrackBook()
        self._queue: list[Message] = []
        self._now = FIRST.start
        for number, (at, finding) in enumerate(findings_of(seed)):
            # A queue keeps no order, and is slow at times.
            slow = timedelta(seconds=self._chance.choice((1, 20, 4000)))
            self._queue.append(Message(at + slow, number, finding))
        heapq.heapify(self._queue)

    def run(self) -> "Delivery":
        while self._queue:
            self._now = max(self._now, self._queue[0].at)
            batch: list[Message] = []
            while self._queue and self._queue[0].at <= self._now and len(batch) < BATCH:
                batch.append(heapq.heappop(self._queue))
            self._settle(batch, self._told([message.finding for message in batch]))
        return self

    def stand(self, episode: str) -> Posted | None:
        """Where the message of an episode is."""
        held = self._book.take(episode, self._now + timedelta(days=1))
        return held.posted if held else None

    def _told(self, findings: list[Finding]) -> dict[str, Exception]:
        def pause(seconds: float) -> None:
            self._now += timedelta(seconds=seconds)

        if self.way == "webhook":
            return deliver_batch(findings, self.slack, self._book, pause, self._now)  # type: ignore[arg-type]
        self._note_overtaken(findings)
        return tell_batch(findings, Teller(self.slack, self._book, NO_REPLY, pause, lambda: self._now))

    def _note_overtaken(self, findings: list[Finding]) -> None:
        for finding in findings:
            held = self._book.take(finding.episode, self._now)
            assert held is not None
            self._book.put_back(held, self._now)
            if finding.number < held.number:
                self.overtaken.add(finding.id)

    def _settle(self, batch: list[Message], failures: Mapping[str, Exception]) -> None:
        """As notify and SQS do: what may succeed comes back, so often; what may not is a dead letter."""
        for message in batch:
            name = message.finding.id
            failure = failures.get(name)
            again = replace(message, at=self._now + VISIBILITY, receives=message.receives + 1)
            if failure is None and self._chance.random() >= LOST_ACK:
                self.settled.add(name)
            elif failure is not None and (again.receives >= RECEIVES or _is_hopeless(failure)):
                self.dead[name] = str(failure)
            else:
                heapq.heappush(self._queue, again)


def _is_hopeless(failure: Exception) -> bool:
    return isinstance(failure, GpucostError) and not failure.retryable
