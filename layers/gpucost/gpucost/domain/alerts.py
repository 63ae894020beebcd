"""Findings: what is worth telling somebody about an hour, with a name that is the same however often it is found."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from gpucost.domain.hours import Hour


class Kind(StrEnum):
    """What was found."""

    BU_WASTE = "bu_waste"


class Severity(StrEnum):
    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to tell. `id` is derived from what was found, so the same hour read twice finds the same findings."""

    id: str
    kind: Kind
    severity: Severity
    cluster: str
    hour: Hour
    bu: str
    allocated_usd: Decimal
    waste_usd: Decimal
    utilization: Decimal
    lines: tuple[str, ...] = ()
