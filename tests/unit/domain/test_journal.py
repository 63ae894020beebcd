"""The hash chain of a month."""

from dataclasses import replace
from typing import Any

import pytest

from gpucost.domain.ledger.journal import Entry, EntryKind, StoredEntry, chain_faults, heads_digest, is_closed, tip
from gpucost.domain.periods import Month
from gpucost.domain.report import Status
from tests.support.hours import HOUR, NOW, later

MONTH = Month(2026, 11)


def chain(*kinds: EntryKind) -> list[StoredEntry]:
    entries: list[StoredEntry] = []
    for kind in kinds:
        number, previous = tip("prod", MONTH, entries[-1] if entries else None)
        entry = Entry(
            cluster="prod",
            month=MONTH,
            number=number + 1,
            kind=kind,
            at=later(number),
            revision=1,
            digest="d" * 64,
            previous=previous,
            hour=None if kind is EntryKind.CLOSE else HOUR.plus(number),
            status=None if kind is EntryKind.CLOSE else Status.COMPLETE,
            attempt="a" * 32,
        )
        entries.append(StoredEntry(entry, entry.hash))
    return entries


PUBLISH, CLOSE, ADJUST = EntryKind.PUBLISH, EntryKind.CLOSE, EntryKind.ADJUST


def faults(entries: list[StoredEntry]) -> list[str]:
    return list(chain_faults("prod", MONTH, entries))


@pytest.mark.parametrize(
    "kinds", [(), (PUBLISH,), (PUBLISH, PUBLISH, CLOSE), (PUBLISH, CLOSE, ADJUST, ADJUST), (CLOSE,)]
)
def test_a_chain_as_it_was_written_holds(kinds: tuple[EntryKind, ...]) -> None:
    assert faults(chain(*kinds)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"cluster": "other"},
        {"month": Month(2026, 10)},
        {"kind": ADJUST},
        {"at": NOW.replace(year=2025)},
        {"revision": 2},
        {"digest": "e" * 64},
        {"hour": HOUR.plus(7)},
        {"status": Status.PARTIAL},
        {"attempt": "b" * 32},
    ],
)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_changed_entry_shows_whether_its_hash_is_renewed_or_not(change: dict[str, Any], at: int) -> None:
    entries = chain(PUBLISH, PUBLISH, PUBLISH)
    changed: Entry = replace(entries[at].entry, **change)
    kept = [*entries[:at], StoredEntry(changed, entries[at].hash), *entries[at + 1 :]]
    assert any("was changed" in fault for fault in faults(kept))
    renewed = [*entries[:at], StoredEntry(changed, changed.hash), *entries[at + 1 :]]
    # Whoever can renew the last hash has rewritten the end of the chain: what shows that is a tip noted elsewhere.
    assert bool(faults(renewed)) is (at < 2)


@pytest.mark.parametrize("at", [0, 1])
def test_a_removed_entry_shows(at: int) -> None:
    entries = chain(PUBLISH, PUBLISH, PUBLISH)
    del entries[at]
    assert any("missing or were added" in fault for fault in faults(entries))


def test_an_entry_of_another_cluster_or_month_does_not_fit() -> None:
    entries = chain(PUBLISH)
    assert list(chain_faults("other", MONTH, entries))
    assert list(chain_faults("prod", Month(2026, 12), entries))


def test_entries_that_change_places_show() -> None:
    first, second = chain(PUBLISH, PUBLISH)
    assert faults([second, first])


@pytest.mark.parametrize("kind", [PUBLISH, CLOSE])
def test_after_closing_there_are_adjustments_only(kind: EntryKind) -> None:
    assert any("after the month was closed" in fault for fault in faults(chain(PUBLISH, CLOSE, ADJUST, kind)))


@pytest.mark.parametrize(
    ("kinds", "closed"), [((), False), ((PUBLISH,), False), ((CLOSE,), True), ((CLOSE, ADJUST), True)]
)
def test_a_month_is_closed_from_its_closing_entry_on(kinds: tuple[EntryKind, ...], closed: bool) -> None:
    entries = chain(*kinds)
    assert is_closed(entries[-1] if entries else None) is closed


def test_the_digest_over_heads_has_no_order_and_forgets_nothing() -> None:
    heads = [(HOUR, 1, "x"), (HOUR.plus(1), 2, "y")]
    assert heads_digest(heads) == heads_digest(reversed(heads))
    others = [heads[:1], [(HOUR, 2, "x"), heads[1]], [(HOUR, 1, "z"), heads[1]], [(HOUR.plus(2), 1, "x"), heads[1]]]
    assert len({heads_digest(one) for one in [heads, *others]}) == 5
