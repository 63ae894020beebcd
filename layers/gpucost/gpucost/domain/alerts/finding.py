"""Findings: what is worth telling somebody about an hour, with a name that is the same however often it is found."""

import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from gpucost.domain.hours import Hour
from gpucost.domain.report import Basis


class Kind(StrEnum):
    """What was found."""

    BU_WASTE = "bu_waste"
    IDLE_SLICE = "idle_slice"
    UNALLOCATED = "unallocated"
    STRANDED = "stranded"
    BUDGET = "budget"
    ANOMALY = "anomaly"
    DATA_LOSS = "data_loss"


WITHOUT_COST = frozenset({Kind.BUDGET, Kind.DATA_LOSS})
"""Kinds whose hours cost nothing that could be added up."""


class Step(StrEnum):
    """Where an episode stands. `update` changes a message that is there; whoever cannot do that leaves it out."""

    OPEN = "open"
    ESCALATE = "escalate"
    UPDATE = "update"
    CLOSE = "close"
    DIGEST = "digest"


class Severity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class PodWaste:
    """What one pod wasted in the hour by holding one resource on one node.

    held_minutes (0..60) are those of this hour, utilization is a ratio 0..1, vram_used_mib is None when not measured.
    allocated_usd and slice_hours are what it held; None in messages that were queued before they were told. utilization
    stands on samples_seen of samples_expected device-minutes.
    """

    namespace: str
    pod: str
    node: str
    resource: str
    workload: str | None
    held_minutes: int
    waste_usd: Decimal
    utilization: Decimal | None
    basis: Basis
    vram_used_mib: Decimal | None
    allocated_usd: Decimal | None = None
    slice_hours: Decimal | None = None
    samples_seen: int = 0
    samples_expected: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell. `id` is derived from what was found, so the same hour read twice finds the same findings.

    allocated_usd is everything the BU held. unknown_usd is the part of it whose utilisation is unknown: it was not
    judged, and utilization (0..1, None when there is none to speak of) and waste_usd speak of the rest. `pods` are the
    worst, worst first; more_pods counts those left out, and more_pods_usd is what these wasted.

    `episode` names the story that it is a step of: `hours` bad hours from `since` to `last` have cost so_far_usd;
    waste_usd is the last one's. Of a story that a revision took back, there are 0. `subject` is what it is about,
    besides the BU ("" for the BU or the cluster itself), and `facts` are further sentences. `bu` is "" for what is the
    cluster's own. `channel` and `mention` are Slack's ids. The step of an episode with the greatest `number` says how
    it stands; 0 is of before steps were numbered.
    """

    id: str
    kind: Kind
    severity: Severity
    cluster: str
    hour: Hour
    bu: str
    allocated_usd: Decimal
    waste_usd: Decimal
    utilization: Decimal | None
    unknown_usd: Decimal = Decimal(0)
    pods: tuple[PodWaste, ...] = ()
    more_pods: int = 0
    more_pods_usd: Decimal = Decimal(0)
    step: Step = Step.OPEN
    episode: str = ""
    subject: str = ""
    since: Hour | None = None
    hours: int = 1
    so_far_usd: Decimal = Decimal(0)
    facts: tuple[str, ...] = ()
    channel: str = ""
    mention: str = ""
    number: int = 0
    last: Hour | None = None


def stable_id(*parts: str) -> str:
    """32 hexadecimal digits that name these parts in this order, today and after any restart."""
    # JSON keeps the parts apart whatever characters they hold; joining them by a separator would not.
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def finding_id(kind: Kind, cluster: str, hour: Hour, bu: str) -> str:
    """The name of what was found: the same for every reading and every revision of the hour."""
    return stable_id(kind, cluster, hour.key, bu)
