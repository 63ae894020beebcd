"""How a GPU can be cut, as somebody writes it, and which units fit into which of its slots."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from gpucost.domain.gpus.mig import parse_profile
from gpucost.domain.gpus.mig_gpus import MIG_GPUS, MigGpu

MOST = 8
"""No GPU has more instances than this."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A part of a GPU that is held as one: its share of the compute slices, and its memory.

    `memory_gb` None is all the memory of a GPU in an offer, and no wish in a demand.
    """

    share: Fraction
    memory_gb: int | None = None

    def holds(self, unit: "Slot") -> bool:
        """Whether the unit can be in this slot."""
        enough = self.memory_gb is None or unit.memory_gb is None or self.memory_gb >= unit.memory_gb
        return enough and self.share >= unit.share

    @property
    def size(self) -> tuple[Fraction, float]:
        return self.share, float("inf") if self.memory_gb is None else self.memory_gb


@dataclass(frozen=True, slots=True)
class Geometry:
    """How each GPU is cut: its slots. Without any, it is cut as those who hold it need it."""

    text: str
    slots: tuple[Slot, ...] = ()


ANY = Geometry("any")
WHOLE = Geometry("whole", (Slot(Fraction(1)),))


def geometry(text: str) -> Geometry:
    """A geometry such as `3g.20gb:1,1g.5gb:4`, `whole` or `any`.

    ValueError when it is none, or when no GPU that can be cut has all these instances at once.
    """
    for known in (ANY, WHOLE):
        if text == known.text:
            return known
    wanted = Counter[str]()
    for part in text.split(","):
        name, number = _instances(part)
        wanted[name] += number
    offering = [gpu for gpu in MIG_GPUS.values() if gpu.profiles.keys() >= wanted.keys()]
    if not offering:
        raise ValueError(f"no GPU offers {', '.join(sorted(wanted))} together")
    for gpu in offering:
        if _fits(wanted, gpu):
            slots = [slot for name, number in wanted.items() for slot in [_slot(name, gpu)] * number]
            return Geometry(text, tuple(sorted(slots, key=lambda slot: slot.size, reverse=True)))
    compute, memory = _needs(wanted, offering[0])
    raise ValueError(
        f"{text!r} needs {compute} compute and {memory} memory slices; a GPU has {offering[0].compute_slices} and "
        f"{offering[0].memory_slices}, and of some profiles fewer instances"
    )


def _instances(part: str) -> tuple[str, int]:
    name, _, number = (text.strip() for text in part.partition(":"))
    profile = parse_profile(name)
    whole = profile is not None and profile.compute_instances == profile.slices
    if profile is None or not whole or not (number or "1").isdecimal() or len(number) > 2 or not int(number or "1"):
        raise ValueError(f"{part!r} is not a MIG profile with a number, such as 3g.20gb:2 (nor 'whole' nor 'any')")
    return profile.name, min(int(number or "1"), MOST)


def _fits(wanted: Counter[str], gpu: MigGpu) -> bool:
    compute, memory = _needs(wanted, gpu)
    most = all(number <= gpu.profiles[name][2] for name, number in wanted.items())
    return most and compute <= gpu.compute_slices and memory <= gpu.memory_slices


def _needs(wanted: Counter[str], gpu: MigGpu) -> tuple[int, int]:
    counts = [(gpu.profiles[name], number) for name, number in wanted.items()]
    return sum(each[0] * number for each, number in counts), sum(each[1] * number for each, number in counts)


def _slot(name: str, gpu: MigGpu) -> Slot:
    memory_gb = int(name.partition(".")[2].removesuffix("gb"))
    return Slot(Fraction(gpu.profiles[name][0], gpu.compute_slices), memory_gb)
