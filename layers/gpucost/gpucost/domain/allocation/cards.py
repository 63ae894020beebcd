"""What a node's exporter says of its cards: how many there are at once, and how they are cut in some minutes."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from gpucost.domain.hours import MINUTES
from gpucost.domain.readings import DeviceSeries, Samples
from gpucost.domain.timeline import FULL, Mask


@dataclass(frozen=True, slots=True)
class Cards:
    """A node's devices by minute: `stretches` are the minutes in which the same (uuid, profile) pairs reported."""

    stretches: tuple[tuple[frozenset[tuple[str, str]], Mask], ...] = ()
    model: str = ""

    def count(self, mask: Mask) -> int:
        """The most cards that reported at once in some minutes, or else in the hour.

        A name that another machine took over has not the cards of both.
        """
        counts = [(len({uuid for uuid, _ in seen if uuid}), minutes) for seen, minutes in self.stretches]
        within = max((count for count, minutes in counts if minutes & mask), default=0)
        return within or max((count for count, _ in counts), default=0)

    def profiles(self, mask: Mask) -> frozenset[str]:
        """The profiles that devices had for the longest part of some minutes ("" for a whole card).

        An exporter may report a card beside its instances: then it is cut, whatever its own series says. Without any
        report in these minutes, those of the rest of the hour stand.
        """
        lasted: Counter[tuple[str, ...]] = Counter()
        for seen, minutes in self.stretches:
            parts = tuple(sorted({profile for _, profile in seen if profile}))
            lasted[parts or ("",)] += (minutes & mask).bit_count()
        if not any(lasted.values()) and mask != FULL:
            return self.profiles(FULL)
        longest = max(((minutes, names) for names, minutes in lasted.items()), default=(0, ()))
        return frozenset(longest[1])


NO_CARDS = Cards()


def cards_of(series: Iterable[DeviceSeries]) -> Cards:
    """The cards of one node. A series that never has a usable sample still names its card, all the time."""
    by_mask: dict[Mask, set[tuple[str, str]]] = defaultdict(set)
    model = ""
    for one in series:
        by_mask[sampled(one.samples) or FULL].add((one.uuid, one.profile))
        model = max(model, one.model)
    stretches: dict[frozenset[tuple[str, str]], Mask] = defaultdict(int)
    if by_mask.keys() <= {FULL}:
        return Cards(tuple((frozenset(seen), mask) for mask, seen in by_mask.items()), model)
    for minute in range(MINUTES):
        present = [seen for mask, seen in by_mask.items() if mask >> minute & 1]
        if present:
            stretches[frozenset().union(*present)] |= 1 << minute
    return Cards(tuple(stretches.items()), model)


def sampled(samples: Samples) -> Mask:
    """The minutes that have a sample."""
    if None not in samples:
        return FULL
    return sum(1 << minute for minute, sample in enumerate(samples) if sample is not None)
