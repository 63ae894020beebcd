"""Adjustments: what was learned of an hour after its month was closed, booked where it was learned."""

from dataclasses import dataclass
from datetime import datetime

from gpucost.domain.hours import Hour
from gpucost.domain.ledger.revisions import CapacityChange, RowChange


@dataclass(frozen=True, slots=True)
class Adjustment:
    """The difference that one late reading makes to an hour of a closed month.

    It belongs to the month of `booked_at`; the hour's published figures stay as they are. Adjustments of one hour add
    up: `revision` counts on from the published one.
    """

    cluster: str
    hour: Hour
    booked_at: datetime
    revision: int
    capacity: CapacityChange
    rows: tuple[RowChange, ...]
