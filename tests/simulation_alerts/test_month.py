"""A month of alerts through a Slack that throttles, answers unclearly and loses answers: nothing is lost."""

import json
import random
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from gpucost.adapters.memory import MemoryAlertLog, MemoryLedger, MemoryStore, MemoryTrackBook
from gpucost.domain.alert_rules import AlertRules
from gpucost.domain.alerts import Finding, Step
from gpucost.domain.blocks import NO_REPLY
from gpucost.domain.hours import Hour
from gpucost.domain.messages import finding_of, notification
from gpucost.domain.report import Status
from gpucost.ports import DeliveryAmbiguous, DeliveryUnavailable
from gpucost.tracking import Posted
from gpucost.usecases.deliver_batch import deliver_batch
from gpucost.usecases.tell_episode import tell_batch
from gpucost.usecases.watch import Alerting, watch
from tests.support.findings import Held, report

FIRST = Hour.parse("2026-11-01T00:00:00Z")
HOURS = 720
THROTTLED, UNCLEAR, LOST_ACK = 0.30, 0.10, 0.05
BATCH = 10


@dataclass
class Slack:
    """Takes what it takes. Of unclear answers, half were carried out."""

    chance: random.Random
    posts: list[dict[str, Any]] = field(default_factory=list)
    updates: int = 0
    unclear: int = 0

    def post(self, payload: Mapping[str, object], _channel: str = "") -> Posted | None:
        self._chance(lambda: self.posts.append(dict(payload)))
        return Posted("C1", f"{len(self.posts)}.0")

    def update(self, _posted: Posted, payload: Mapping[str, object]) -> None:
        self._chance(lambda: self._change(dict(payload)))

    def _change(self, payload: dict[str, Any]) -> None:
        self.updates += 1
        self.posts.append({**payload, "changed": True})

    def _chance(self, act: Any) -> None:
        fate = self.chance.random()
        if fate < THROTTLED:
            raise DeliveryUnavailable("429", 30)
        if fate < THROTTLED + UNCLEAR:
            self.unclear += 1
            if self.chance.random() < 0.5:
                act()
            raise DeliveryAmbiguous("500")
        act()

    def all_that_was_shown(self) -> str:
        return json.dumps(self.posts)

    def posted(self) -> Counter[str]:
        """How often each new message was posted, by what it shows of its findings' ids."""
        return Counter(json.dumps(post["blocks"]) for post in self.posts if "changed" not in post)


@dataclass
class Topic:
    """SNS and SQS: what was published waits for notify."""

    queue: deque[Finding] = field(default_factory=deque)
    published: list[Finding] = field(default_factory=list)

    def publish(self, finding: Finding) -> None:
        # Through the message and back, as subscribers get it.
        told = finding_of(json.loads(json.dumps(notification(finding))))
        assert told == finding
        self.published.append(told)
        self.queue.append(told)


def hour_of(chance: random.Random, troubles: dict[str, int], hour: Hour) -> Any:
    """An hour of five BUs whose troubles begin by chance, and last some hours; some hours are read badly."""
    held = []
    for index in range(5):
        bu = f"bu-{index}"
        if not troubles.get(bu) and chance.random() < 0.05:
            troubles[bu] = chance.randint(1, 30)
        bad = troubles.get(bu, 0) > 0
        troubles[bu] = max(troubles.get(bu, 0) - 1, 0)
        held.append(Held(bu, "12", "11.9" if bad else "1", pod=f"{bu}-0"))
    return report(held, Status.PARTIAL if chance.random() < 0.02 else Status.COMPLETE, hour)


@dataclass
class Month:
    """A cluster, its alerting, and notify, which gets a batch again as SQS would deliver it."""

    way: str
    chance: random.Random
    slack: Slack
    store: MemoryStore = field(default_factory=MemoryStore)
    topic: Topic = field(default_factory=Topic)
    settled: set[str] = field(default_factory=set)
    unclear_twice: set[str] = field(default_factory=set)
    troubles: dict[str, int] = field(default_factory=dict)

    @property
    def book(self) -> MemoryTrackBook:
        return MemoryTrackBook(self.store)

    def hour(self, hour: Hour) -> None:
        now = hour.end + timedelta(minutes=10)
        ledger = MemoryLedger(self.store)
        ledger.publish(hour_of(self.chance, self.troubles, hour), now)
        its = Alerting(ledger, self.book, MemoryAlertLog(self.store), self.topic, AlertRules())
        watch("prod", hour, its, now)
        for _ in range(40):
            batch = [self.topic.queue.popleft() for _ in range(min(BATCH, len(self.topic.queue)))]
            self.settle(batch, self.deliver(batch, now))

    def deliver(self, batch: list[Finding], now: datetime) -> dict[str, Exception]:
        def pause(_seconds: float) -> None:
            """Time is nothing here."""

        if self.way == "bot":
            return tell_batch(batch, self.slack, self.book, NO_REPLY, pause)
        return deliver_batch(batch, self.slack, self.book, pause, now)  # type: ignore[arg-type]

    def settle(self, batch: list[Finding], failures: Mapping[str, Exception]) -> None:
        for finding in batch:
            failure = failures.get(finding.id)
            if isinstance(failure, DeliveryUnavailable):
                self.topic.queue.append(finding)
            elif failure is not None:
                # A dead letter that says: look for this id in the channel, and send it again if it is not there.
                assert finding.id in str(failure)
                self.unclear_twice.add(finding.id)
            elif self.chance.random() < LOST_ACK:
                self.topic.queue.append(finding)
            else:
                self.settled.add(finding.id)


@pytest.mark.parametrize("way", ["bot", "webhook"])
def test_a_month_loses_nothing_and_doubles_are_those_that_nobody_could_know(way: str) -> None:
    chance = random.Random(1)
    month = Month(way, chance, Slack(chance))
    for number in range(HOURS):
        month.hour(FIRST.plus(number))
    slack, topic = month.slack, month.topic
    assert not topic.queue
    assert {finding.id for finding in topic.published} == month.settled | month.unclear_twice
    big = [one for one in topic.published if one.step is not Step.UPDATE]
    assert len(big) > 100
    shown = slack.all_that_was_shown()
    lost = [one for one in big if one.id not in month.unclear_twice and one.id[:12] not in shown]
    assert lost == []
    doubles = sum(times - 1 for times in slack.posted().values())
    assert 0 < doubles <= slack.unclear
    if way == "bot":
        assert slack.posted().total() - doubles <= len({one.episode for one in big}) + len(month.unclear_twice)
