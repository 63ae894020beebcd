"""Timelines: a value over the 60 minutes of an hour, kept as value -> set of minutes (a 60-bit mask).

Nearly everything the cluster reports is constant for long stretches, so this is compact, exact, and independent of the
order in which samples arrive.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping

from gpucost.domain.hours import MINUTES

FULL = (1 << MINUTES) - 1

type Mask = int
type Timeline[V: Hashable] = Mapping[V, Mask]


def minutes(mask: Mask) -> int:
    """How many minutes the mask holds."""
    return mask.bit_count()


def present[V: Hashable](timeline: Timeline[V]) -> Mask:
    """The minutes that have a value."""
    mask = 0
    for part in timeline.values():
        mask |= part
    return mask


def hull(mask: Mask) -> Mask:
    """All minutes from the first to the last of the mask: what was there before a gap and after it was there in it."""
    return (1 << mask.bit_length()) - (mask & -mask) if mask else 0


def since(mask: Mask) -> Mask:
    """All minutes of the hour from the first of the mask on."""
    return FULL & -(mask & -mask)


def within[V: Hashable](timeline: Timeline[V], mask: Mask) -> dict[V, Mask]:
    """The timeline cut down to some minutes."""
    return {value: part & mask for value, part in timeline.items() if part & mask}


def combine[A: Hashable, B: Hashable, C: Hashable](
    left: Timeline[A], right: Timeline[B], join: Callable[[A, B], C]
) -> dict[C, Mask]:
    """Join two timelines minute by minute, where both have a value."""
    out: dict[C, Mask] = {}
    for a, a_mask in left.items():
        for b, b_mask in right.items():
            both = a_mask & b_mask
            if both:
                value = join(a, b)
                out[value] = out.get(value, 0) | both
    return out


def merge[V: Hashable](left: Timeline[V], right: Timeline[V], join: Callable[[V, V], V]) -> dict[V, Mask]:
    """Join two timelines minute by minute; where only one has a value, that value stands."""
    out = combine(left, right, join)
    left_only, right_only = ~present(right), ~present(left)
    for timeline, mask in ((left, left_only), (right, right_only)):
        for value, part in timeline.items():
            if part & mask:
                out[value] = out.get(value, 0) | (part & mask)
    return out


def merge_all[V: Hashable](timelines: Iterable[Timeline[V]], join: Callable[[V, V], V]) -> dict[V, Mask]:
    """`merge` over any number of timelines. `join` must be associative and commutative (max, sum)."""
    out: dict[V, Mask] = {}
    for timeline in timelines:
        out = merge(out, timeline, join) if out else dict(timeline)
    return out


def carried[V: Hashable](timeline: Timeline[V], mask: Mask) -> dict[V, Mask]:
    """The timeline over exactly the minutes of the mask: a gap takes the value before it, a leading gap the one after.

    For facts that go on being true while nobody reports them, such as a node's labels during a scrape gap.
    """
    if not timeline or present(timeline) & mask == mask:
        return within(timeline, mask)
    by_minute = {minute: value for value, part in timeline.items() for minute in _minutes_of(part)}
    current = by_minute[min(by_minute)]
    out: dict[V, Mask] = {}
    for minute in range(MINUTES):
        current = by_minute.get(minute, current)
        if mask >> minute & 1:
            out[current] = out.get(current, 0) | 1 << minute
    return out


def _minutes_of(mask: Mask) -> list[int]:
    return [minute for minute in range(MINUTES) if mask >> minute & 1]
