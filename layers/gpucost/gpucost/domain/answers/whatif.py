"""What would have been: other ways to share what nobody held, other GPUs, another MIG geometry.

Demand is what was held, hour by hour: so many units of a certain size, for so long. It is set against the slots that
the GPUs would have offered, the largest first, each unit into the smallest slot that holds it. Within an hour a slot
counts by the time that it is taken, not by its place on a timeline, so what fits here fits on average. Pods that waited
are no demand here: for how long they would have held something is not known.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from gpucost.domain.gpus.geometry import Geometry, Slot
from gpucost.domain.gpus.mig import profile_share
from gpucost.domain.gpus.resources import parse_resource
from gpucost.domain.money import from_units, plain, round_fraction, split_units, to_units
from gpucost.domain.policy import WeightBasis
from gpucost.domain.report import HourReport, PodRow

SLICES = 7
"""Compute slices of a GPU where neither its name nor the profile's tells."""
UNIT_PLACES = 9
"""Hours of units are rounded to so many places: what was split to the last digit must not overflow a slot by it."""


class Sharing(StrEnum):
    """How the cost of what nobody held is laid on the BUs."""

    NONE = "none"
    EVEN = "even"
    PROPORTIONAL = "proportional"


@dataclass(frozen=True, slots=True)
class Share:
    """USD of one BU: what it was allocated, and its part of what nobody held."""

    bu: str
    allocated_usd: Decimal
    shared_usd: Decimal


def share_unallocated(allocated: Mapping[str, Decimal], unallocated_usd: Decimal, sharing: Sharing) -> list[Share]:
    """Lay the cost of what nobody held on the BUs, to the last digit. Without any BU, or with `none`, it stays."""
    names = sorted(allocated)
    parts = [0] * len(names)
    weights = [Fraction(1) if sharing is Sharing.EVEN else Fraction(allocated[name]) for name in names]
    if sharing is not Sharing.NONE and any(weights):
        parts = split_units(to_units(unallocated_usd), weights)
    return [Share(name, allocated[name], from_units(part)) for name, part in zip(names, parts, strict=True)]


@dataclass(frozen=True, slots=True)
class Fit:
    """What of the recorded demand would have fitted, in GPU-hours; what each BU would have gone without."""

    demand_gpu_hours: Decimal
    fitting_gpu_hours: Decimal
    without: Mapping[str, Decimal]


def fit(reports: Iterable[HourReport], gpus: int, cut: Geometry) -> Fit:
    """Set the demand of every hour against so many GPUs, each cut so."""
    demand = fitting = Fraction(0)
    without: dict[str, Fraction] = {}
    for report in reports:
        for bu, asked, got in _hour(report, gpus, cut):
            demand, fitting = demand + asked, fitting + got
            if asked > got:
                without[bu] = without.get(bu, Fraction(0)) + asked - got
    lacking = {bu: round_fraction(hours) for bu, hours in sorted(without.items())}
    return Fit(round_fraction(demand), round_fraction(fitting), lacking)


def _hour(report: HourReport, gpus: int, cut: Geometry) -> Sequence[tuple[str, Fraction, Fraction]]:
    """(BU, GPU-hours asked for, GPU-hours that fit) of every row, the largest units first."""
    models = {node.node: node.gpu_model or "" for node in report.nodes}
    rows = [(_unit(row, models.get(row.node, "")), row) for row in report.pods if Fraction(row.share) > 0]
    room = {slot: Fraction(gpus * cut.slots.count(slot)) for slot in set(cut.slots)}
    free = Fraction(0 if cut.slots else gpus)
    out = []
    for unit, row in sorted(rows, key=lambda pair: (*(-part for part in pair[0].size), pair[1].key)):
        asked = Fraction(row.figures.gpu_hours)
        units = left = round(asked / Fraction(row.share), UNIT_PLACES)
        for slot in sorted((one for one in room if one.holds(unit)), key=lambda slot: slot.size):
            taken = min(left, room[slot])
            room[slot] -= taken
            left -= taken
        if not cut.slots:
            taken = min(left, free / unit.share)
            free -= taken * unit.share
            left -= taken
        # Of what does not fit into one slot, several can be the parts: two GPUs are one pod's two units.
        out.append((row.bu, asked, asked * (units - left) / units if units else asked))
    return out


def _unit(row: PodRow, model: str) -> Slot:
    """The size of one unit of what the row holds: a MIG instance, however its cost was weighed, or a share."""
    resource = parse_resource(row.resource)
    if resource.profile is None or resource.shared:
        return Slot(Fraction(row.share))
    profile = resource.profile
    share = profile_share(profile, model, WeightBasis.COMPUTE, SLICES)
    return Slot(share, profile.memory_gb * profile.compute_instances // profile.slices)


def capacity_cost(reports: Iterable[HourReport], gpus: int) -> Decimal | None:
    """What so many GPUs would have cost at each hour's mean price; None when no hour has any capacity."""
    total, priced = Decimal(0), False
    for report in reports:
        hours = report.totals.capacity_gpu_hours
        if hours > 0:
            rate = Fraction(report.totals.capacity_usd) / Fraction(hours)
            total += round_fraction(rate * gpus)
            priced = True
    return plain(total) if priced else None
