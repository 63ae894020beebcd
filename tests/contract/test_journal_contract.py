"""The history of hours, the closing of months and what is booked later, on both tables."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from gpucost.books import Books
from gpucost.domain.hours import Hour
from gpucost.domain.ledger.journal import EntryKind, chain_faults, genesis, heads_digest
from gpucost.domain.ledger.revisions import diff
from gpucost.domain.periods import Month
from gpucost.domain.report import Status
from gpucost.ports import Outcome
from tests.contract.conftest import Table
from tests.support.hours import HOUR, NOW, hourly, later, pod, report, scattered

NOVEMBER = Month(2026, 11)
DECEMBER = Month(2026, 12)
CLOSING = datetime(2026, 12, 10, tzinfo=UTC)
AFTER = datetime(2026, 12, 20, 5, tzinfo=UTC)


def test_every_publication_is_an_entry_that_follows_from_the_one_before(ledger: Books, cluster: str) -> None:
    heads = [ledger.publish(told, NOW).head for told in hourly(cluster, HOUR, {0: "1", 1: "2", 2: "3"})]
    entries = ledger.journal(cluster, NOVEMBER)
    assert [one.entry.number for one in entries] == [1, 2, 3]
    assert entries[0].entry.previous == genesis(cluster, NOVEMBER)
    assert [one.entry.previous for one in entries[1:]] == [one.hash for one in entries[:-1]]
    assert [(head.entry, head.link) for head in heads] == [(one.entry.number, one.hash) for one in entries]
    assert list(chain_faults(cluster, NOVEMBER, entries)) == []


def test_what_changes_nothing_leaves_no_entry(ledger: Books, cluster: str) -> None:
    for told in (report(cluster=cluster), report(cluster=cluster), report(cluster=cluster, status=Status.PARTIAL)):
        ledger.publish(told, NOW)
    assert len(ledger.journal(cluster, NOVEMBER)) == 1


def test_the_last_entry_is_the_newest(ledger: Books, cluster: str) -> None:
    assert ledger.last_entry(cluster, NOVEMBER) is None
    for told in hourly(cluster, HOUR, dict.fromkeys(range(12), "1")):
        ledger.publish(told, NOW)
    last = ledger.last_entry(cluster, NOVEMBER)
    assert last == ledger.journal(cluster, NOVEMBER)[-1]


def test_each_month_has_a_chain_of_its_own(ledger: Books, cluster: str) -> None:
    for told in hourly(cluster, HOUR, {13: "1", 14: "1", 15: "1"}):
        ledger.publish(told, NOW)
    assert [len(ledger.journal(cluster, month)) for month in (NOVEMBER, DECEMBER)] == [1, 2]


def test_an_older_revision_can_be_read_and_compared(ledger: Books, cluster: str) -> None:
    first, second = report(pod("a", "8"), cluster=cluster), report(pod("a", "4"), pod("b", "4"), cluster=cluster)
    ledger.publish(first, NOW)
    ledger.publish(second, later(1))
    before, after = ledger.revision(cluster, HOUR, 1), ledger.revision(cluster, HOUR, 2)
    assert (before, after) == (replace(first, revision=1), replace(second, revision=2))
    assert before is not None
    assert after is not None
    changes = {row.namespace: row.change.allocated_usd for row in diff(before, after).rows}
    assert changes == {"a": Decimal(-4), "b": Decimal(4)}


def test_a_revision_that_never_was_is_not_there(ledger: Books, cluster: str) -> None:
    ledger.publish(report(cluster=cluster), NOW)
    assert ledger.revision(cluster, HOUR, 2) is None
    assert ledger.revision(cluster, HOUR.plus(1), 1) is None


def test_a_month_is_closed_over_all_its_heads(ledger: Books, cluster: str) -> None:
    for told in hourly(cluster, HOUR, {0: "1", 3: "2"}):
        ledger.publish(told, NOW)
    closing = ledger.close_month(cluster, NOVEMBER, CLOSING)
    heads = ledger.heads(cluster, NOVEMBER.first, NOVEMBER.end)
    assert (closing.entry.kind, closing.entry.revision, closing.entry.number) == (EntryKind.CLOSE, 2, 3)
    assert closing.entry.digest == heads_digest((head.hour, head.revision, head.digest) for head in heads)
    assert ledger.last_entry(cluster, NOVEMBER) == closing


def test_closing_again_gives_the_same_entry(ledger: Books, cluster: str) -> None:
    ledger.publish(report(cluster=cluster), NOW)
    closing = ledger.close_month(cluster, NOVEMBER, CLOSING)
    ledger.publish(report(pod("a", "3"), cluster=cluster), AFTER)
    assert ledger.close_month(cluster, NOVEMBER, AFTER) == closing


def closed(ledger: Books, cluster: str) -> Books:
    ledger.publish(report(pod("a", "8"), cluster=cluster), NOW)
    ledger.close_month(cluster, NOVEMBER, CLOSING)
    return ledger


def test_a_closed_hour_stays_as_it_is_and_the_difference_is_booked(ledger: Books, cluster: str) -> None:
    closed(ledger, cluster)
    before = ledger.report(cluster, HOUR)
    done = ledger.publish(report(pod("a", "6"), pod("b", "1", used=None), cluster=cluster), AFTER)
    assert (done.outcome, done.head.revision) == (Outcome.ADJUSTED, 2)
    assert ledger.report(cluster, HOUR) == before
    (booked,) = ledger.adjustments(cluster, DECEMBER)
    assert (booked.hour, booked.booked_at, booked.revision) == (HOUR, AFTER, 2)
    rows = {row.namespace: row.change for row in booked.rows}
    assert (rows["a"].allocated_usd, rows["a"].effective_usd) == (Decimal(-2), Decimal("-0.5"))
    assert (rows["b"].allocated_usd, rows["b"].unknown_usd) == (Decimal(1), Decimal(1))
    assert booked.capacity.unallocated_usd == Decimal("0.75")


def test_an_adjustment_counts_on_from_the_one_before(ledger: Books, cluster: str) -> None:
    closed(ledger, cluster)
    for number, amount in enumerate(["6", "7", "5"]):
        ledger.publish(report(pod("a", amount), cluster=cluster), AFTER.replace(hour=number))
    booked = ledger.adjustments(cluster, DECEMBER)
    assert [one.rows[0].change.allocated_usd for one in booked] == [Decimal(-2), Decimal(1), Decimal(-2)]
    assert [one.revision for one in booked] == [2, 3, 4]
    (latest,) = ledger.both_heads(cluster, HOUR, HOUR.plus(1))[1]
    assert (latest.revision, latest.totals.allocated_usd) == (4, Decimal("3.75"))


def test_the_same_late_reading_is_booked_once(ledger: Books, cluster: str) -> None:
    closed(ledger, cluster)
    ledger.publish(report(pod("a", "6"), cluster=cluster), AFTER)
    again = ledger.publish(report(pod("a", "6"), cluster=cluster), AFTER.replace(hour=9))
    assert again.outcome is Outcome.UNCHANGED
    assert len(ledger.adjustments(cluster, DECEMBER)) == 1


def test_a_closed_hour_read_as_published_needs_no_adjustment(ledger: Books, cluster: str) -> None:
    closed(ledger, cluster)
    assert ledger.publish(report(pod("a", "8"), cluster=cluster), AFTER).outcome is Outcome.UNCHANGED
    worse = report(pod("a", "1"), cluster=cluster, status=Status.PARTIAL)
    assert ledger.publish(worse, AFTER).outcome is Outcome.KEPT_BETTER
    assert ledger.adjustments(cluster, DECEMBER) == []
    assert ledger.both_heads(cluster, HOUR, HOUR.plus(1))[1] == []


def test_an_hour_that_is_found_after_closing_is_booked_whole(ledger: Books, cluster: str) -> None:
    closed(ledger, cluster)
    found = report(pod("a", "5"), cluster=cluster, hour=HOUR.plus(1))
    assert ledger.publish(found, AFTER).outcome is Outcome.ADJUSTED
    assert ledger.head(cluster, HOUR.plus(1)) is None
    (booked,) = ledger.adjustments(cluster, DECEMBER)
    assert booked.capacity.capacity_usd == Decimal(96)
    assert [row.change.allocated_usd for row in booked.rows] == [Decimal(5)]


def test_adjustments_are_in_the_chain_and_their_reports_can_be_read(ledger: Books, cluster: str) -> None:
    closed(ledger, cluster)
    late = report(pod("a", "6"), cluster=cluster)
    ledger.publish(late, AFTER)
    entries = ledger.journal(cluster, NOVEMBER)
    assert [one.entry.kind for one in entries] == [EntryKind.PUBLISH, EntryKind.CLOSE, EntryKind.ADJUST]
    assert list(chain_faults(cluster, NOVEMBER, entries)) == []
    assert ledger.revision(cluster, HOUR, 2) == replace(late, revision=2)


def test_an_adjustment_of_many_namespaces_is_whole(table: Table, cluster: str) -> None:
    ledger = closed(table.ledger(), cluster)
    pods = [pod(scattered(i), f"0.00{i + 1}") for i in range(8000)]
    ledger.publish(report(*pods, cluster=cluster), AFTER)
    ledger.publish(report(pod("a", "1"), cluster=cluster), AFTER.replace(hour=6))
    assert len(table.store.query(f"C#{cluster}#M#2026-12", "J#", "J#~")) > 2
    first, second = ledger.adjustments(cluster, DECEMBER)
    assert len(first.rows) == 8001
    assert len(second.rows) == 8001


@pytest.mark.parametrize("hour", ["2026-12-01T00:00:00Z", "2026-10-31T23:00:00Z"])
def test_the_months_beside_a_closed_one_stay_open(ledger: Books, cluster: str, hour: str) -> None:
    closed(ledger, cluster)
    done = ledger.publish(report(cluster=cluster, hour=Hour.parse(hour)), AFTER)
    assert done.outcome is Outcome.PUBLISHED


def test_a_month_without_hours_can_be_closed(ledger: Books, cluster: str) -> None:
    assert ledger.close_month(cluster, NOVEMBER, CLOSING).entry.revision == 0
    assert ledger.publish(report(cluster=cluster), AFTER).outcome is Outcome.ADJUSTED
