"""A ledger, and whoever watches it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

from gpucost.adapters.memory import MemoryAlertLog, MemoryLedger, MemoryStore, MemoryTrackBook
from gpucost.adapters.memory_chat import MemoryPublisher
from gpucost.domain.alerts.alert_rules import DEFAULT_WATCHES, AlertRules, Watch
from gpucost.domain.alerts.finding import Finding, Kind, Step
from gpucost.domain.hours import Hour
from gpucost.domain.report import HourReport, Status
from gpucost.usecases.alerting.take import Alerting
from gpucost.usecases.alerting.watch import watch
from gpucost.usecases.recording.record_hour import record_hour
from tests.support.findings import HOUR, Held, report

QUIET: Mapping[Kind, Watch] = {kind: replace(one, enabled=False) for kind, one in DEFAULT_WATCHES.items()}


def only(kind: Kind, **changes: object) -> AlertRules:
    """The rules with one kind on."""
    return AlertRules(watches={**QUIET, kind: replace(DEFAULT_WATCHES[kind], **changes)})  # type: ignore[arg-type]


@dataclass
class House:
    """A ledger, and whoever watches it."""

    rules: AlertRules = field(default_factory=lambda: only(Kind.BU_WASTE))
    store: MemoryStore = field(default_factory=MemoryStore)
    log: MemoryAlertLog = field(default_factory=MemoryAlertLog)
    topic: MemoryPublisher = field(default_factory=MemoryPublisher)
    clusters: Sequence[str] = ()

    @property
    def ledger(self) -> MemoryLedger:
        return MemoryLedger(self.store)

    @property
    def tracks(self) -> MemoryTrackBook:
        return MemoryTrackBook(self.store)

    def publish(self, told: HourReport) -> None:
        record_hour(told, self.ledger, told.hour.end + timedelta(minutes=10))

    def look(self, hour: Hour = HOUR, now: datetime | None = None, cluster: str = "prod") -> list[tuple[Step, str]]:
        """What is told about the hour now."""
        its = Alerting(self.ledger, self.tracks, self.log, self.topic, self.rules, self.clusters)
        found = watch(cluster, hour, its, now or hour.end + timedelta(minutes=10))
        return [(one.step, one.bu) for one in found]

    def hear(self, *held: Held, hour: Hour = HOUR, status: Status = Status.COMPLETE) -> list[tuple[Step, str]]:
        self.publish(report(list(held), status, hour))
        return self.look(hour)

    @property
    def told(self) -> list[Finding]:
        return self.topic.published


def with_budget(usd: int) -> AlertRules:
    """Only bu-a's budget is watched."""
    rules = only(Kind.BUDGET)
    return replace(rules, by_bu={"bu-a": replace(rules, budget_usd=Decimal(usd))})


IDLE, BUSY = Held("bu-a", "12", "12"), Held("bu-a", "12", "1")
