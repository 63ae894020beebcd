"""What would have been: other ways to share what nobody held, other GPUs, another MIG geometry.

Demand is what was recorded, hour by hour: so many units of a certain share of a GPU, for so long. It is set against the
slots that the GPUs would have offered, largest first, each unit into the smallest slot that holds it. Within an hour a
slot counts by the time that it is taken, not by its place on a timeline, so what fits here fits on average.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from gpucost.domain.mig import parse_profile
from gpucost.domain.money import from_units, plain, round_fraction, split_units, to_units
from gpucost.domain.report import HourReport

SLICES = 7
"""Compute slices of a GPU that can be cut."""


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
class Geometry:
    """How each GPU is cut: shares of a GPU, largest first. One share of 1 is a whole GPU."""

    text: str
    slots: tuple[Fraction, ...] = (Fraction(1),)


WHOLE = Geometry("whole")


def geometry(text: str) -> Geometry:
    """A geometry such as 3g.20gb:2,1g.5gb:1. ValueError when it is none, or does not fit on a GPU."""
    slots: list[Fraction] = []
    for part in text.split(","):
        name, _, number = part.partition(":")
        profile = parse_profile(name.strip())
        if profile is None or not (number or "1").strip().isdigit() or not int(number or "1"):
            raise ValueError(f"{part!r} is not a MIG profile with a number, such as 3g.20gb:2")
        slots += [Fraction(profile.slices, SLICES)] * min(int(number or "1"), SLICES + 1)
    if sum(slots) > 1:
        raise ValueError(f"{text!r} needs more than the {SLICES} slices of a GPU")
    return Geometry(text, tuple(sorted(slots, reverse=True)))


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
    """(BU, GPU-hours asked for, GPU-hours that fit) of every row, the largest shares first."""
    room = {slot: Fraction(gpus * cut.slots.count(slot)) for slot in set(cut.slots)}
    rows = [(Fraction(row.share), row) for row in report.pods if Fraction(row.share) > 0]
    out = []
    for share, row in sorted(rows, key=lambda pair: (-pair[0], pair[1].key)):
        asked = Fraction(row.figures.gpu_hours)
        left = asked / share
        for slot in sorted(one for one in room if one >= share):
            taken = min(left, room[slot])
            room[slot] -= taken
            left -= taken
        # Of what does not fit into one slot, several can be the parts: two GPUs are one pod's two units.
        out.append((row.bu, asked, asked - left * share))
    return out


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
