"""When something is worth telling, whom, and when not: the choices behind alerts, for everybody and by BU."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time
from decimal import Decimal
from zoneinfo import ZoneInfo

from gpucost.domain.alerts.finding import Kind

ESCALATE_USD = (Decimal(50), Decimal(250), Decimal(1000))


@dataclass(frozen=True, slots=True)
class Watch:
    """When an episode of one kind opens, escalates and closes.

    It opens after `hours` bad hours that cost `floor_usd` together, escalates each time that what it cost so far passes
    one of `escalate_usd`, and closes after `close_hours` good hours. An hour is bad at `threshold` and good again at
    `good_threshold`; what these measure depends on the kind, and between them nothing changes (hysteresis).
    """

    hours: int = 1
    floor_usd: Decimal = Decimal(0)
    close_hours: int = 1
    threshold: Decimal = Decimal(0)
    good_threshold: Decimal = Decimal(0)
    min_usd: Decimal = Decimal(0)
    escalate_usd: tuple[Decimal, ...] = ESCALATE_USD
    enabled: bool = True


DEFAULT_WATCHES: Mapping[Kind, Watch] = {
    Kind.BU_WASTE: Watch(),
    Kind.IDLE_SLICE: Watch(hours=3, floor_usd=Decimal(5), threshold=Decimal("0.05"), good_threshold=Decimal("0.1")),
    Kind.UNALLOCATED: Watch(
        hours=6,
        floor_usd=Decimal(50),
        close_hours=2,
        threshold=Decimal("0.5"),
        good_threshold=Decimal("0.4"),
        min_usd=Decimal(5),
        escalate_usd=(Decimal(500), Decimal(2500), Decimal(10_000)),
    ),
    Kind.STRANDED: Watch(hours=3, floor_usd=Decimal(10), close_hours=2, min_usd=Decimal(1)),
    Kind.BUDGET: Watch(escalate_usd=()),
    Kind.ANOMALY: Watch(hours=2, threshold=Decimal(2), good_threshold=Decimal("1.5"), min_usd=Decimal(10)),
    Kind.DATA_LOSS: Watch(hours=2, escalate_usd=()),
}
"""Thresholds: utilisation of an idle slice; unallocated share of the cluster; times the usual cost for an anomaly.
`min_usd` is of one hour. BU_WASTE and BUDGET have thresholds of their own in `AlertRules`."""


@dataclass(frozen=True, slots=True)
class QuietHours:
    """Hours of the day in which nothing is told; what is still true afterwards is told then."""

    begin: time
    end: time
    zone: str = "UTC"

    def holds(self, moment: datetime) -> bool:
        """Whether it is quiet at the moment. From 22:00 to 07:00 goes over midnight."""
        local = moment.astimezone(ZoneInfo(self.zone)).time()
        if self.begin <= self.end:
            return self.begin <= local < self.end
        return local >= self.begin or local < self.end


@dataclass(frozen=True, slots=True)
class Voice:
    """How a BU is told. `channel` and `mention` are Slack's ids; `digest` is "", "daily" or "weekly".

    The digest comes at `digest_hour` (0-23, in the zone of `zone`), on Mondays if it is weekly. Without `episodes` it
    is all that comes. `cool_down_hours` keep a subject quiet after its episode has closed.
    """

    channel: str = ""
    mention: str = ""
    quiet: QuietHours | None = None
    cool_down_hours: int = 0
    episodes: bool = True
    digest: str = ""
    digest_hour: int = 8
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class AlertRules:
    """All of it. A BU's hour is wasteful when it reaches min_allocated_usd, min_waste_usd and min_waste_share.

    `budget_usd` is for a calendar month. `by_bu` holds the rules of the BUs that differ.
    """

    min_allocated_usd: Decimal = Decimal(1)
    min_waste_usd: Decimal = Decimal(1)
    min_waste_share: Decimal = Decimal("0.5")
    budget_usd: Decimal | None = None
    watches: Mapping[Kind, Watch] = field(default_factory=lambda: DEFAULT_WATCHES)
    voice: Voice = field(default_factory=Voice)
    by_bu: Mapping[str, "AlertRules"] = field(default_factory=dict)

    def of(self, bu: str) -> "AlertRules":
        """The rules of a BU; the cluster's own findings ("") go by the general ones."""
        return self.by_bu.get(bu, self)

    def watch(self, kind: Kind) -> Watch:
        return self.watches.get(kind, DEFAULT_WATCHES[kind])
