"""What surrounds the ledger: the metrics engine with its late samples, and the topic that findings go out on."""

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gpucost.domain.alerts.finding import Finding
from gpucost.domain.canonical import content_digest, content_of
from gpucost.domain.hours import Hour
from gpucost.domain.report import HourReport, Status
from gpucost.ports import MetricsUnavailable, ServiceUnavailable
from tests.simulation.chance import Chance, Fault
from tests.support.faults import Killed
from tests.support.hours import pod, report


@dataclass(frozen=True, slots=True)
class Truth:
    """How one hour shows itself: in part until `whole_at`, and at another price from `repriced_at` on (ages)."""

    usd: int
    whole_at: timedelta
    repriced_at: timedelta


@dataclass(frozen=True, slots=True)
class Reading:
    """What a collector was given of an hour, and when."""

    at: datetime
    status: Status
    digest: str


class Source:
    """The reports that a collector would work out, by hour and moment. It remembers every one that it gave."""

    def __init__(self, cluster: str, chance: Chance) -> None:
        self.given: dict[Hour, list[Reading]] = defaultdict(list)
        self._cluster = cluster
        self._chance = chance
        self._truths: dict[Hour, Truth] = {}
        self._made: dict[tuple[Hour, int, int], tuple[HourReport, str]] = {}

    def read(self, hour: Hour, now: datetime) -> HourReport:
        """The report of the hour as the samples of this moment make it. MetricsUnavailable when there are none."""
        if self._chance.happens(Fault.METRICS_DOWN):
            raise MetricsUnavailable("the engine does not answer")
        truth, age = self._truth(hour), now - hour.end
        seen = 60 if age >= truth.whole_at else 40
        if self._chance.happens(Fault.WORSE_READING):
            seen = 20
        made, digest = self._report(hour, truth.usd + (1 if age >= truth.repriced_at else 0), seen)
        self.given[hour].append(Reading(now, made.status, digest))
        return made

    def _truth(self, hour: Hour) -> Truth:
        if hour not in self._truths:
            draw = self._chance.random
            whole_at = timedelta(hours=draw.choice((0, 0, 0.2, 0.5, 5, 24)))
            self._truths[hour] = Truth(draw.randrange(1, 50), whole_at, timedelta(hours=draw.choice((20, 1000, 1000))))
        return self._truths[hour]

    def _report(self, hour: Hour, usd: int, seen: int) -> tuple[HourReport, str]:
        key = (hour, usd, seen)
        if key not in self._made:
            status = Status.COMPLETE if seen == 60 else Status.PARTIAL
            held = pod("bu-a", f"{usd}.{seen:02}", used="0.125" if usd % 4 else None)
            made = report(held, cluster=self._cluster, hour=hour, status=status, minutes_seen=seen)
            made = replace(made, nodes=(), unpriced=(), warnings=(), queries=())
            self._made[key] = made, content_digest(content_of(made))
        return self._made[key]


class Topic:
    """`ports.Publisher` that loses answers. `told` counts how often each finding got through."""

    def __init__(self, chance: Chance) -> None:
        self.told: Counter[str] = Counter()
        self._chance = chance

    def publish(self, finding: Finding) -> None:
        if self._chance.happens(Fault.TOPIC_DOWN):
            raise ServiceUnavailable("the topic takes nothing")
        self.told[finding.id] += 1
        if self._chance.happens(Fault.TOPIC_UNACKED):
            raise ServiceUnavailable("the answer did not arrive")
        if self._chance.happens(Fault.KILLED_AFTER):
            raise Killed
