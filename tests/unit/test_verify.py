"""Tampering, silent restatement and loss show. Every case starts from a ledger in which all is well."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from gpucost.adapters.ledger.packing import pack, unpack
from gpucost.adapters.memory import MemoryLedger, MemoryStore
from gpucost.domain.hours import Hour
from gpucost.domain.ledger.journal import Entry
from gpucost.domain.periods import Month
from gpucost.usecases.recording.roll_up import roll_up
from gpucost.usecases.recording.verify import verify
from tests.support.hours import HOUR, NOW, later, pod, report

NOVEMBER = Month(2026, 11)
MONTH_PK = "C#prod#M#2026-11"
HOUR_PK = f"C#prod#H#{HOUR.key}"
CLOSING = datetime(2026, 12, 12, tzinfo=UTC)

type Tamper = Callable[[MemoryStore], None]


@pytest.fixture
def store() -> MemoryStore:
    """Three hours, one of them in two revisions, in a month that was closed and adjusted since."""
    store = MemoryStore()
    ledger = MemoryLedger(store)
    for offset in range(3):
        ledger.publish(report(pod("a", "8"), pod("b", "1"), hour=HOUR.plus(offset)), later(offset))
    ledger.publish(report(pod("a", "7"), hour=HOUR), later(4))
    roll_up("prod", HOUR, ledger)
    ledger.close_month("prod", NOVEMBER, CLOSING)
    ledger.publish(report(pod("a", "6"), hour=HOUR.plus(1)), CLOSING.replace(day=20))
    return store


def faults(store: MemoryStore, first: Hour = NOVEMBER.first, end: Hour = NOVEMBER.end, **more: Any) -> list[str]:
    (check,) = verify("prod", first, end, MemoryLedger(store), **more)
    return list(check.faults)


def test_a_ledger_as_it_was_written_holds(store: MemoryStore) -> None:
    (check,) = verify("prod", NOVEMBER.first, NOVEMBER.end, MemoryLedger(store))
    assert check.faults == ()
    assert (check.hours, check.entries, check.reports, check.closed_at) == (3, 6, 5, CLOSING)
    assert check.tip == MemoryLedger(store).journal("prod", NOVEMBER)[-1].hash


def test_a_month_without_anything_holds(store: MemoryStore) -> None:
    (check,) = verify("prod", Hour.parse("2026-10-05T00:00:00Z"), Month(2026, 10).end, MemoryLedger(store))
    assert (check.faults, check.hours, check.tip, check.closed_at) == ((), 0, "", None)


def test_a_window_is_checked_month_by_month(store: MemoryStore) -> None:
    MemoryLedger(store).publish(report(hour=NOVEMBER.end), CLOSING)
    checks = verify("prod", HOUR, NOVEMBER.end.plus(1), MemoryLedger(store))
    assert [(check.month.key, check.hours, check.faults) for check in checks] == [
        ("2026-11", 3, ()),
        ("2026-12", 1, ()),
    ]


def change(pk: str, sk: str, **values: Any) -> Tamper:
    def tamper(store: MemoryStore) -> None:
        store.partitions[pk][sk] |= values

    return tamper


def remove(pk: str, prefix: str) -> Tamper:
    def tamper(store: MemoryStore) -> None:
        keys = [sk for sk in store.partitions[pk] if sk.startswith(prefix)]
        assert keys
        for sk in keys:
            del store.partitions[pk][sk]

    return tamper


def rewrite_report(store: MemoryStore) -> None:
    """Someone lowers a figure in the stored report of the revision in force."""
    head = MemoryLedger(store).head("prod", HOUR)
    assert head is not None
    item = store.partitions[HOUR_PK][f"A#{head.attempt}#0000"]
    document = unpack([item["body"]])
    document["namespaces"][0]["waste_usd"] = 0
    (item["body"],) = pack(document)


def rewrite_rows(store: MemoryStore) -> None:
    """Someone lowers a figure only in the rows that the API reads."""
    head = MemoryLedger(store).head("prod", HOUR)
    assert head is not None
    item = store.partitions[MONTH_PK][f"N#{HOUR.key}#{head.attempt}#0000"]
    rows = unpack([item["body"]])
    rows[0]["waste_usd"] = 0
    (item["body"],) = pack(rows)


def rewrite_everything_but_the_chain(store: MemoryStore) -> None:
    """A silent restatement by the book: the hour is published again, and its new entry taken out."""
    own = MemoryStore()
    MemoryLedger(own).publish(report(pod("a", "1"), hour=HOUR), later(4))
    store.partitions[HOUR_PK] |= own.partitions[HOUR_PK]
    for sk, item in own.partitions[MONTH_PK].items():
        if not sk.startswith("L#"):
            store.partitions[MONTH_PK][sk] = item


def renew_the_last_hash(store: MemoryStore) -> None:
    item = store.partitions[MONTH_PK]["L#00000006"]
    item["revision"] = 9
    item["hash"] = _entry_of(item).hash


def _entry_of(item: dict[str, Any]) -> Entry:
    from gpucost.adapters.ledger.items import entry_of

    return entry_of(item).entry


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        (rewrite_report, "2026-11-30T10:00:00Z revision 2 has rows that are not what was published"),
        (rewrite_rows, "2026-11-30T10:00:00Z has namespace rows that are not those of its report"),
        (rewrite_everything_but_the_chain, "2026-11-30T10:00:00Z has a head that is not what entry 4 published"),
        (renew_the_last_hash, "2026-11-30T11:00:00Z has a head that is not what entry 6 published"),
        (change(MONTH_PK, f"H#{HOUR.key}", revision=3), "a head that is not what entry 4 published"),
        (change(MONTH_PK, f"H#{HOUR.key}", published_at=NOW.isoformat()), "a head that is not what entry 4 published"),
        (change(MONTH_PK, "L#00000002", digest="0" * 64), "entry 2 of prod 2026-11 was changed"),
        (change(MONTH_PK, "L#00000002", at=NOW.isoformat()), "entry 2 of prod 2026-11 was changed"),
        (remove(MONTH_PK, "L#00000003"), "entries are missing or were added"),
        (remove(MONTH_PK, "L#00000005"), "entries are missing or were added"),
        (remove(MONTH_PK, "L#00000006"), "2026-11-30T11:00:00Z has a head that is not in the journal (adjust)"),
        (remove(MONTH_PK, f"H#{HOUR.plus(2).key}"), "2026-11-30T12:00:00Z is in the journal (publish) but has no head"),
        (
            remove(MONTH_PK, f"H#{HOUR.plus(1).key}#X"),
            "2026-11-30T11:00:00Z is in the journal (adjust) but has no head",
        ),
        (
            remove(MONTH_PK, f"H#{HOUR.plus(2).key}"),
            "heads of prod 2026-11 are not those that the month was closed with",
        ),
        (remove(HOUR_PK, "A#"), "rows of prod 2026-11-30T10:00:00Z, revision 1, are missing"),
        (remove(MONTH_PK, f"N#{HOUR.key}"), "namespace rows of prod 2026-11-30T10:00:00Z are not there"),
        (change("C#prod#Y#2026", "D#2026-11-30", hours={"complete": 24}), "roll-up of 2026-11-30 is not the sum"),
    ],
)
def test_tampering_shows(store: MemoryStore, tamper: Tamper, said: str) -> None:
    tamper(store)
    found = faults(store)
    assert any(said in fault for fault in found), found


def test_totals_that_were_changed_in_a_head_show(store: MemoryStore) -> None:
    totals = store.partitions[MONTH_PK][f"H#{HOUR.key}"]["totals"]
    totals["waste_usd"] = totals["waste_usd"] - 1
    assert "2026-11-30T10:00:00Z has a head whose totals are not those of its report" in faults(store)


def test_a_chain_that_was_cut_at_its_end_shows_by_a_tip_that_was_noted(store: MemoryStore) -> None:
    tip = MemoryLedger(store).journal("prod", NOVEMBER)[-1].hash
    assert faults(store, noted_tips={NOVEMBER: tip}) == []
    for sk in ("L#00000006", f"H#{HOUR.plus(1).key}#X"):
        del store.partitions[MONTH_PK][sk]
    assert faults(store) == []
    assert faults(store, noted_tips={NOVEMBER: tip}) == [
        f"entry {tip} is not in the chain of prod 2026-11 now: it was rewritten or cut"
    ]


def test_a_tip_that_was_noted_stays_in_a_chain_that_goes_on(store: MemoryStore) -> None:
    tip = MemoryLedger(store).journal("prod", NOVEMBER)[-1].hash
    MemoryLedger(store).publish(report(pod("a", "5"), hour=HOUR), CLOSING.replace(day=21))
    assert faults(store, noted_tips={NOVEMBER: tip}) == []


def test_only_the_reports_of_the_window_are_opened(store: MemoryStore) -> None:
    rewrite_report(store)
    assert faults(store, first=HOUR.plus(1)) == []
    assert faults(store, end=HOUR.plus(1)) != []


def test_hours_that_were_kept_long_enough_may_be_gone(store: MemoryStore) -> None:
    remove(MONTH_PK, f"H#{HOUR.key}")(store)
    remove(MONTH_PK, f"N#{HOUR.key}")(store)
    remove(HOUR_PK, "A#")(store)
    assert faults(store, kept_since=HOUR.plus(1)) == []
    assert faults(store) != []


def test_a_sum_that_is_behind_is_late_and_not_wrong(store: MemoryStore) -> None:
    MemoryLedger(store).publish(report(hour=NOVEMBER.end), CLOSING)
    roll_up("prod", NOVEMBER.end, MemoryLedger(store))
    MemoryLedger(store).publish(report(hour=NOVEMBER.end.plus(1)), CLOSING)
    (check,) = verify("prod", NOVEMBER.end, NOVEMBER.end.plus(2), MemoryLedger(store))
    assert check.faults == ()
