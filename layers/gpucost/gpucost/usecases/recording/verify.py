"""Check that the ledger says what was once published: the chain, the heads, the rows under them and their sums."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from gpucost.books import Books
from gpucost.domain.canonical import content_digest, content_of
from gpucost.domain.hours import Hour
from gpucost.domain.ledger.journal import Entry, EntryKind, StoredEntry, chain_faults, heads_digest
from gpucost.domain.periods import Day, Month, months_between
from gpucost.domain.report import HourReport, NamespaceRow
from gpucost.ports import Head, LedgerError
from gpucost.usecases.recording.roll_up import day_of_hours


@dataclass(frozen=True, slots=True)
class MonthCheck:
    """What one month's check looked at. `tip` is the hash of its last entry: note it elsewhere to pin the past.

    `closed_at` is None while the month is open. `faults` are one line each; there are none when all is well.
    """

    cluster: str
    month: Month
    hours: int
    entries: int
    reports: int
    tip: str
    closed_at: datetime | None
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Month:
    """Everything that the checks of one month compare."""

    cluster: str
    month: Month
    entries: Sequence[StoredEntry]
    heads: Mapping[Hour, Head]
    adjusted: Mapping[Hour, Head]
    kept_since: Hour


def verify(
    cluster: str,
    first: Hour,
    end: Hour,
    ledger: Books,
    noted_tips: Mapping[Month, str] | None = None,
    kept_since: Hour | None = None,
) -> list[MonthCheck]:
    """Check every month that [first, end) touches: its whole chain, and the reports of the hours in the window.

    `noted_tips` are hashes that were noted before: each has to be in its month's chain still. Hours before `kept_since`
    have reached the end of the time that the ledger keeps them for: only their entries are expected. Writes nothing.
    """
    tips = noted_tips or {}
    checks = []
    for month in months_between(first, end):
        found = _read(cluster, month, ledger, max(kept_since or month.first, month.first))
        window = max(first, month.first, found.kept_since), min(end, month.end)
        checks.append(_checked(found, window, ledger, tips.get(month)))
    return checks


def _read(cluster: str, month: Month, ledger: Books, kept_since: Hour) -> _Month:
    heads, adjusted = ledger.both_heads(cluster, month.first, month.end)
    return _Month(
        cluster=cluster,
        month=month,
        entries=ledger.journal(cluster, month),
        heads={head.hour: head for head in heads},
        adjusted={head.hour: head for head in adjusted},
        kept_since=kept_since,
    )


def _checked(found: _Month, window: tuple[Hour, Hour], ledger: Books, noted_tip: str | None) -> MonthCheck:
    entries = [one.entry for one in found.entries]
    in_window = [one for one in entries if one.hour is not None and window[0] <= one.hour < window[1]]
    faults = [
        *chain_faults(found.cluster, found.month, found.entries),
        *_tip_faults(found, noted_tip),
        *_head_faults(found, EntryKind.PUBLISH, found.heads),
        *_head_faults(found, EntryKind.ADJUST, found.adjusted),
        *_closing_faults(found),
        *_report_faults(found, in_window, window, ledger),
        *_rollup_faults(found, window, ledger),
    ]
    return MonthCheck(
        cluster=found.cluster,
        month=found.month,
        hours=len(found.heads),
        entries=len(entries),
        reports=len(in_window),
        tip=found.entries[-1].hash if entries else "",
        closed_at=next((one.at for one in entries if one.kind is EntryKind.CLOSE), None),
        faults=tuple(dict.fromkeys(faults)),
    )


def _tip_faults(found: _Month, noted: str | None) -> Iterator[str]:
    if noted is not None and noted not in {one.hash for one in found.entries}:
        yield f"entry {noted} is not in the chain of {found.cluster} {found.month.key} now: it was rewritten or cut"


def _head_faults(found: _Month, kind: EntryKind, heads: Mapping[Hour, Head]) -> Iterator[str]:
    """Every hour's head is what its last entry says, and every entry has its head."""
    last = {one.entry.hour: one for one in found.entries if one.entry.kind is kind and one.entry.hour is not None}
    for hour in sorted(last.keys() - heads.keys()):
        if hour >= found.kept_since:
            yield f"{hour} is in the journal ({kind.value}) but has no head"
    for hour, head in heads.items():
        stored = last.get(hour)
        if stored is None:
            yield f"{hour} has a head that is not in the journal ({kind.value})"
        elif _claimed(head) != (*_entered(stored.entry), stored.hash):
            yield f"{hour} has a head that is not what entry {stored.entry.number} published"


def _claimed(head: Head) -> tuple[object, ...]:
    return (head.entry, head.published_at, head.revision, head.digest, head.attempt, head.status, head.link)


def _entered(entry: Entry) -> tuple[object, ...]:
    return (entry.number, entry.at, entry.revision, entry.digest, entry.attempt, entry.status)


def _closing_faults(found: _Month) -> Iterator[str]:
    digest = heads_digest((head.hour, head.revision, head.digest) for head in found.heads.values())
    for stored in found.entries:
        entry = stored.entry
        if entry.kind is EntryKind.CLOSE and entry.digest != digest and found.kept_since == found.month.first:
            yield f"the heads of {found.cluster} {found.month.key} are not those that the month was closed with"


def _report_faults(found: _Month, entries: Sequence[Entry], window: tuple[Hour, Hour], ledger: Books) -> Iterator[str]:
    """The rows of every revision, older ones and adjustments too, have the digest that was published."""
    try:
        copies = {one.head.hour: one.namespaces for one in ledger.published(found.cluster, *window)}
    except LedgerError as error:
        copies = {}
        yield str(error)
    for entry in entries:
        try:
            report = ledger.report_of(entry)
        except LedgerError as error:
            yield str(error)
            continue
        if content_digest(content_of(report)) != entry.digest:
            yield f"{entry.hour} revision {entry.revision} has rows that are not what was published"
        head = found.heads.get(report.hour)
        if head is not None and head.entry == entry.number:
            yield from _copy_faults(head, report, copies)


def _copy_faults(head: Head, report: HourReport, copies: Mapping[Hour, tuple[NamespaceRow, ...]]) -> Iterator[str]:
    """What is kept beside a report, to be read without opening it, says what the report says."""
    if copies.get(head.hour, report.namespaces) != report.namespaces:
        yield f"{head.hour} has namespace rows that are not those of its report"
    if (report.totals, report.coverage) != (head.totals, head.coverage):
        yield f"{head.hour} has a head whose totals are not those of its report"


def _rollup_faults(found: _Month, window: tuple[Hour, Hour], ledger: Books) -> Iterator[str]:
    """A sum that claims to stand on all of its hours is their sum. One that is behind is not wrong, only late."""
    for day in sorted({Day.of(hour) for hour in found.heads if window[0] <= hour < window[1]}):
        try:
            expected = day_of_hours(found.cluster, day, ledger)
            kept = ledger.day_rollups(found.cluster, day, day.next())
        except LedgerError as error:
            yield str(error)
            continue
        if kept and kept[0].version == expected.version and kept[0] != expected:
            yield f"the roll-up of {day.key} is not the sum of its hours"
