"""What has to hold of a world's ledger, whatever happened in it."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal

from gpucost.adapters.ledger.ledger import StoreLedger
from gpucost.adapters.ledger.tracks import StoreTrackBook
from gpucost.adapters.memory import MemoryStore
from gpucost.domain.alerts.episodes import Observation, episodes
from gpucost.domain.alerts.finding import Kind, Step, stable_id
from gpucost.domain.alerts.signs import signs_of
from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.ledger.journal import StoredEntry
from gpucost.domain.ledger.rollups import Rollup
from gpucost.domain.periods import Day, Month, hours_in, months_between
from gpucost.domain.report import HourReport, Status
from gpucost.ports import LedgerError
from gpucost.usecases.recording.verify import verify
from tests.simulation.chance import Fault
from tests.simulation.world import CLUSTER, FIRST, RULES, World

BEFORE = FIRST.plus(-26)
"""The first run looks at earlier hours again, which makes them known."""


def faults_of(world: World) -> list[str]:
    """Everything that is wrong at the end of a world, one line each."""
    ledger = StoreLedger(world.store)
    entries = [one for month in months_between(FIRST, world.end) for one in ledger.journal(CLUSTER, month)]
    checks = (
        lambda: iter(world.broken),
        lambda: _lost(world, ledger),
        lambda: _doubled(entries),
        lambda: _invented(world, entries),
        lambda: _worse_over_better(entries),
        lambda: _wrong_sums(world, ledger),
        lambda: _wrong_adjustments(world, ledger),
        lambda: _untold(world, ledger),
        lambda: _left_behind(world, ledger),
        lambda: (fault for check in verify(CLUSTER, BEFORE, world.end, ledger) for fault in check.faults),
    )
    return [fault for check in checks for fault in _found(check)]


def _found(check: Callable[[], Iterator[str]]) -> list[str]:
    """What a check finds; that it cannot read the ledger is a finding too."""
    try:
        return list(check())
    except LedgerError as error:
        return [str(error)]


def _lost(world: World, ledger: StoreLedger) -> Iterator[str]:
    """Every hour is there, with what was read of it last, or with what a collector read later and died over."""
    window = CLUSTER, FIRST, world.end
    published, adjusted = ledger.both_heads(*window)
    heads = {head.hour: head for head in [*published, *adjusted]}
    for hour in hours_between(FIRST, world.end):
        if hour not in heads:
            yield f"{hour} is lost"
        elif hour in world.recorded:
            given = [one for one in world.source.given[hour] if one.at >= world.recorded[hour]]
            latest = {one.digest for one in given if one.status is Status.COMPLETE}
            if heads[hour].digest not in latest:
                yield f"{hour} is not what was read of it last"


def _doubled(entries: list[StoredEntry]) -> Iterator[str]:
    """An hour's revisions count from 1, and each says something else than the one before."""
    for entry, before in _with_predecessor(entries):
        if entry.entry.revision != (before.entry.revision + 1 if before else 1):
            yield f"{entry.entry.hour} has revision {entry.entry.revision} out of turn"
        if before and before.entry.digest == entry.entry.digest:
            yield f"{entry.entry.hour} was published twice, as revision {entry.entry.revision} too"


def _worse_over_better(entries: list[StoredEntry]) -> Iterator[str]:
    for entry, before in _with_predecessor(entries):
        statuses = entry.entry.status, before.entry.status if before else None
        if statuses == (Status.PARTIAL, Status.COMPLETE):
            yield f"{entry.entry.hour} was complete and became partial"


def _with_predecessor(entries: list[StoredEntry]) -> Iterator[tuple[StoredEntry, StoredEntry | None]]:
    last: dict[object, StoredEntry] = {}
    for entry in entries:
        if entry.entry.hour is not None:
            yield entry, last.get(entry.entry.hour)
            last[entry.entry.hour] = entry


def _invented(world: World, entries: list[StoredEntry]) -> Iterator[str]:
    """Whatever was published is, to the last figure, one of the readings that a collector was given."""
    for stored in entries:
        entry = stored.entry
        given = {one.digest for one in world.source.given[entry.hour]} if entry.hour else None
        if given is not None and entry.digest not in given:
            yield f"{entry.hour} revision {entry.revision} is no reading of it"


def _wrong_sums(world: World, ledger: StoreLedger) -> Iterator[str]:
    """Days and months are their hours added up here, from the reports, in another way than the ledger does it."""
    days = ledger.day_rollups(CLUSTER, Day.of(FIRST), Day.of(world.end).next())
    months = ledger.month_rollups(CLUSTER, Month.of(FIRST), Month.of(world.end).next())
    seen = 0
    for rollup in [*days, *months]:
        heads = ledger.heads(CLUSTER, rollup.period.first, rollup.period.end)
        reports = [ledger.report(CLUSTER, head.hour) for head in heads]
        seen += len(reports) if hours_in(rollup.period) == 24 else 0
        yield from _wrong_sum(rollup, [one for one in reports if one])
    published = len(ledger.heads(CLUSTER, Day.of(FIRST).first, world.end))
    if seen != published:
        yield f"the days stand on {seen} hours, and {published} are published"


def _wrong_sum(rollup: Rollup, reports: list[HourReport]) -> Iterator[str]:
    allocated = sum((row.figures.allocated_usd for one in reports for row in one.pods), Decimal(0))
    wastes = [row.figures.waste_usd for one in reports for row in one.pods if row.figures.waste_usd is not None]
    waste = sum(wastes, Decimal(0)) if wastes else None
    kept = sum((row.figures.allocated_usd for row in rollup.namespaces), Decimal(0))
    figures = rollup.hours_counted, kept, rollup.totals.waste_usd
    if figures != (len(reports), allocated, waste):
        yield f"{rollup.period.key} is {figures}, and its hours are {(len(reports), allocated, waste)}"


def _wrong_adjustments(world: World, ledger: StoreLedger) -> Iterator[str]:
    """What was published and what was booked later add up to what is known now."""
    booked: dict[object, Decimal] = {}
    for month in months_between(FIRST, world.end):
        for one in ledger.adjustments(CLUSTER, month):
            change = sum((row.change.allocated_usd for row in one.rows), Decimal(0))
            booked[one.hour] = booked.get(one.hour, Decimal(0)) + change
    adjusted = {head.hour: head for head in ledger.both_heads(CLUSTER, BEFORE, world.end)[1]}
    if booked.keys() != adjusted.keys():
        yield f"adjustments were booked of {sorted(map(str, booked))}, and {sorted(map(str, adjusted))} are adjusted"
    for hour, head in adjusted.items():
        published = ledger.report(CLUSTER, hour)
        before = sum((row.figures.allocated_usd for row in published.pods), Decimal(0)) if published else Decimal(0)
        now = ledger.revision(CLUSTER, hour, head.revision)
        after = sum((row.figures.allocated_usd for row in now.pods), Decimal(0)) if now else None
        if before + booked.get(hour, Decimal(0)) != after:
            yield f"{hour} was {before} and {booked.get(hour)} was booked, and it is {after}"


def _untold(world: World, ledger: StoreLedger) -> Iterator[str]:
    """Every episode that goes on is known, what is known was told, and twice only where something was lost."""
    rules, book = RULES, StoreTrackBook(world.store)
    seen: dict[tuple[Kind, str, str], dict[Hour, Observation]] = {}
    for head in ledger.heads(CLUSTER, BEFORE, world.end):
        report = ledger.report(CLUSTER, head.hour)
        for sign in signs_of(report, rules, {}) if report else ():
            seen.setdefault((sign.kind, sign.subject, sign.bu), {})[head.hour] = sign.seen
    for (kind, subject, bu), hours in seen.items():
        going_on = [one for one in episodes(hours, rules.watch(kind)) if one.closed is None]
        if going_on and book.track(CLUSTER, kind, subject, bu).current is None:
            yield f"the finding {kind} of {bu} since {going_on[0].first} was never told"
    for track in book.tracks(CLUSTER):
        for told in track.told:
            if stable_id("step", told.id, Step.OPEN, "") not in world.topic.told:
                yield f"the finding {track.kind} of {track.bu} since {told.first} was never told"
    doubles = world.topic.told.total() - len(world.topic.told)
    causes = (
        Fault.TOPIC_UNACKED,
        Fault.CONFLICT,
        Fault.KILLED_AFTER,
        Fault.KILLED_BEFORE,
        Fault.THROTTLED,
        Fault.LOST_ACK,
    )
    lost = sum(world.chance.counts[kind] for kind in causes)
    if doubles > lost:
        yield f"{doubles} findings were told again, and only {lost} answers or processes were lost"


def _left_behind(world: World, ledger: StoreLedger) -> Iterator[str]:
    """After a sweep there are no rows but those of published revisions, and these are all there."""
    attempts: dict[str, set[str]] = {}
    for month in months_between(FIRST, world.end):
        for stored in ledger.journal(CLUSTER, month):
            if stored.entry.hour:
                attempts.setdefault(stored.entry.hour.key, set()).add(stored.entry.attempt)
    for hour in hours_between(FIRST, world.end):
        ledger.sweep(CLUSTER, hour, world.end.start + timedelta(days=2))
        rows = world.store.query(f"C#{CLUSTER}#H#{hour.key}", "A#", "A#~")
        if {item["attempt"] for item in rows} != attempts.get(hour.key, set()):
            yield f"{hour} has rows of attempts that were not published, or lacks some that were"


def fingerprint(store: MemoryStore) -> str:
    """A digest of everything in the table."""
    items = [item for partition in store.partitions.values() for item in partition.values()]
    lines = sorted(repr(sorted(item.items())) for item in items)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
