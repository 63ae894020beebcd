"""Costs in the dialect of OpenCost's allocation API, for clients and dashboards that speak it.

Only GPUs are accounted for, and they carry the whole price of their node: other costs are 0, other quantities null.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gpucost.domain.allocation.rows import sum_figures
from gpucost.domain.hours import Hour
from gpucost.domain.money import ZERO, from_units, plain, split_units, to_units
from gpucost.domain.report import Figures
from gpucost.ports import RequestError
from gpucost.usecases.answers.cost_query import Step
from gpucost.usecases.answers.reading import read
from gpucost.usecases.answers.visible import Slice, VisibleLedger
from gpucost.usecases.answers.window import Window
from gpucost.usecases.opencost.document import IDLE, UNALLOCATED, Idle, Span, allocation, idle_allocation
from gpucost.usecases.opencost.fields import needs_pods, properties_of, value_of
from gpucost.usecases.opencost.filters import Filter

type Key = tuple[str, ...]
type Pool = tuple[str, str]

DEFAULT_FIELDS = ("cluster", "node", "namespace", "pod")
MAX_SETS = 2300
_DAY = 24


@dataclass(frozen=True, slots=True)
class Dialect:
    """A question in OpenCost's terms. `step_hours` None is the whole window."""

    window: Window
    aggregate: Sequence[str]
    step_hours: int | None
    accumulate: bool
    filter: Filter
    include_idle: bool
    share_idle: bool
    idle_by_node: bool


@dataclass(slots=True)
class _Set:
    """The allocations of one step: figures and properties by name, and what was held and idle in every pool.

    A pool is a cluster, or a node where idle cost is kept by node. `held` also counts rows that the filter leaves out,
    under None.
    """

    figures: dict[Key, list[Figures]] = field(default_factory=dict)
    properties: dict[Key, dict[str, str]] = field(default_factory=dict)
    held: dict[Pool, dict[Key | None, Decimal]] = field(default_factory=dict)
    idle: dict[Pool, Idle] = field(default_factory=dict)


def allocations(asked: Dialect, ledger: VisibleLedger) -> list[dict[str, Any]]:
    """One set of allocations by name for every step, in order of time; one set in all when they are accumulated.

    What nobody held is `__idle__`, for callers who see everything; for others there is none. ForbiddenError where they
    ask for shares of it. RequestError for what cannot be answered.
    """
    if asked.share_idle:
        ledger.need_everything("sharing idle cost")
    spans = _spans(asked)
    sets: dict[Span, _Set] = {span: _Set() for span in spans}
    detail = asked.idle_by_node or any(needs_pods(field) for field in (*asked.aggregate, *asked.filter.fields))
    for one in read(ledger.clusters, asked.window, _reading_step(asked), detail, ledger):
        _add(one, sets[_span_of(one.first, spans)], asked)
    return [_document(one, span, asked) for span, one in sets.items()]


def _spans(asked: Dialect) -> list[Span]:
    window, step = asked.window, asked.step_hours
    if step is None or asked.accumulate:
        return [(window.first, window.end)]
    count = -(-window.hours // step)
    if count > MAX_SETS:
        raise RequestError(f"the window has {count} steps; ask for at most {MAX_SETS}, with a longer step")
    starts = [window.first.plus(number * step) for number in range(count)]
    return [(start, min(start.plus(step), window.end)) for start in starts]


def _span_of(hour: Hour, spans: Sequence[Span]) -> Span:
    step = (spans[0][1].epoch - spans[0][0].epoch) or 1
    return spans[(hour.epoch - spans[0][0].epoch) // step]


def _reading_step(asked: Dialect) -> Step | None:
    """Days are read by their sums where no step cuts one in two."""
    if asked.step_hours is None or asked.accumulate:
        return None
    whole_days = asked.step_hours % _DAY == 0 and asked.window.first.start.hour == 0
    return Step.DAY if whole_days else Step.HOUR


def _add(one: Slice, into: _Set, asked: Dialect) -> None:
    for row in one.rows:
        properties = properties_of(one.cluster, row)
        key = tuple(value_of(properties, field) or UNALLOCATED for field in asked.aggregate)
        passes = asked.filter.passes(properties)
        if passes:
            into.figures.setdefault(key, []).append(row.figures)
            into.properties[key] = _common(into.properties.get(key, properties), properties)
        pool = (one.cluster, properties.get("node", "")) if asked.idle_by_node else (one.cluster, "")
        held = into.held.setdefault(pool, {})
        holder = key if passes else None
        held[holder] = held.get(holder, ZERO) + row.figures.allocated_usd
    for pool, idle in _idle(one, asked.idle_by_node):
        into.idle[pool] = into.idle.get(pool, Idle(ZERO, ZERO)) + idle


def _common(known: Mapping[str, str], more: Mapping[str, str]) -> dict[str, str]:
    """What two rows of one allocation do not have in common becomes empty."""
    return {name: value if more.get(name) == value else "" for name, value in known.items()}


def _idle(one: Slice, by_node: bool) -> Iterator[tuple[Pool, Idle]]:
    if by_node:
        for node in one.nodes:
            yield (one.cluster, node.node), Idle(node.unallocated_gpu_hours, node.unallocated_usd)
    elif one.totals is not None:
        yield (one.cluster, ""), Idle(one.totals.unallocated_gpu_hours, one.totals.unallocated_usd)


def _document(one: _Set, span: Span, asked: Dialect) -> dict[str, Any]:
    shares = _shares(one) if asked.share_idle else {}
    found = {
        "/".join(key): allocation(
            "/".join(key), one.properties[key], sum_figures(figures), plain(shares.get(key, ZERO)), span
        )
        for key, figures in sorted(one.figures.items())
    }
    # Cost that is shared stays idle only where nobody held anything that it could be shared with.
    taken = {pool for pool, held in one.held.items() if asked.share_idle and any(held.values())}
    left = {pool: idle for pool, idle in one.idle.items() if pool not in taken}
    if asked.include_idle and left:
        found |= _idle_rows(left, span, asked.idle_by_node)
    return found


def _shares(one: _Set) -> dict[Key, Decimal]:
    """Each holder's part of the idle cost of its pools, by what it held; the parts add up exactly."""
    shares: dict[Key, Decimal] = {}
    for pool, held in one.held.items():
        idle = one.idle.get(pool)
        if idle is None or not any(held.values()):
            continue
        holders = sorted(held, key=lambda holder: (holder is None, holder or ()))
        parts = split_units(to_units(idle.usd), [Fraction(held[holder]) for holder in holders])
        for holder, part in zip(holders, parts, strict=True):
            if holder is not None:
                shares[holder] = shares.get(holder, ZERO) + from_units(part)
    return shares


def _idle_rows(idle: Mapping[Pool, Idle], span: Span, by_node: bool) -> dict[str, Any]:
    if not by_node:
        total = sum(idle.values(), Idle(ZERO, ZERO))
        return {IDLE: idle_allocation(IDLE, {}, total, span)}
    return {
        f"{cluster}/{node}/{IDLE}": idle_allocation(
            f"{cluster}/{node}/{IDLE}", {"cluster": cluster, "node": node}, amount, span
        )
        for (cluster, node), amount in sorted(idle.items())
    }
