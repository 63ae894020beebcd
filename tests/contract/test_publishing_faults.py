"""Publishing under faults, on both tables: nothing lost, nothing doubled, nothing half visible."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from gpucost.adapters.ledger import packing
from gpucost.adapters.ledger.store import Conflict
from gpucost.books import Books
from gpucost.domain.ledger.journal import chain_faults
from gpucost.domain.periods import Month
from gpucost.ports import LedgerUnavailable, Outcome
from tests.contract.conftest import Table
from tests.support.faults import FaultyStore, Killed
from tests.support.hours import HOUR, NOW, later, pod, report, scattered

NOVEMBER = Month(2026, 11)
AFTER = datetime(2026, 12, 20, tzinfo=UTC)
LOST = LedgerUnavailable("the answer did not arrive")


def revisions(ledger: Books, cluster: str) -> list[int]:
    """The revisions of the hour, after checking that its whole history can be read and its chain holds."""
    entries = ledger.journal(cluster, NOVEMBER)
    assert list(chain_faults(cluster, NOVEMBER, entries)) == []
    found = [one.entry.revision for one in entries if one.entry.hour == HOUR]
    assert all(ledger.revision(cluster, HOUR, revision) for revision in found)
    head = ledger.head(cluster, HOUR)
    assert (head is None) == (found == [])
    assert ledger.report(cluster, HOUR) == (ledger.revision(cluster, HOUR, head.revision) if head else None)
    return found


def test_a_lost_answer_to_the_publishing_write_is_no_second_revision(table: Table, cluster: str) -> None:
    faulty = FaultyStore(table.store)
    faulty.fail_after("write", LOST)
    done = faulty.ledger().publish(report(cluster=cluster), NOW)
    assert (done.outcome, done.head) == (Outcome.PUBLISHED, table.ledger().head(cluster, HOUR))
    assert revisions(table.ledger(), cluster) == [1]


def test_a_write_that_did_not_happen_is_said_to_be_worth_another_try(table: Table, cluster: str) -> None:
    faulty = FaultyStore(table.store)
    faulty.fail_before("write", LOST)
    with pytest.raises(LedgerUnavailable) as raised:
        faulty.ledger().publish(report(cluster=cluster), NOW)
    assert raised.value.retryable
    assert revisions(table.ledger(), cluster) == []


def test_a_refusal_that_hides_an_own_success_is_recognised(table: Table, cluster: str) -> None:
    """The first answer got lost below us, the write was repeated there, and met its own item."""
    faulty = FaultyStore(table.store)
    faulty.fail_after("write", Conflict())
    done = faulty.ledger().publish(report(cluster=cluster), NOW)
    assert (done.outcome, done.head.revision) == (Outcome.PUBLISHED, 1)
    assert revisions(table.ledger(), cluster) == [1]


def test_a_lost_answer_to_an_adjustment_books_it_once(table: Table, cluster: str) -> None:
    table.ledger().publish(report(cluster=cluster), NOW)
    table.ledger().close_month(cluster, NOVEMBER, later(300))
    faulty = FaultyStore(table.store)
    faulty.fail_after("write", LOST)
    done = faulty.ledger().publish(report(pod("a", "5"), cluster=cluster), AFTER)
    assert done.outcome is Outcome.ADJUSTED
    again = table.ledger().publish(report(pod("a", "5"), cluster=cluster), AFTER)
    assert again.outcome is Outcome.UNCHANGED
    assert len(table.ledger().adjustments(cluster, Month(2026, 12))) == 1


@pytest.mark.parametrize("overtaken_at", ["newest", "query", "put_all", "write"])
@pytest.mark.parametrize("amount", ["8", "9"])
def test_a_collector_that_is_overtaken_by_another(table: Table, cluster: str, overtaken_at: str, amount: str) -> None:
    faulty = FaultyStore(table.store)
    faulty.before(overtaken_at, lambda: table.ledger().publish(report(pod("a", amount), cluster=cluster), NOW))
    done = faulty.ledger().publish(report(pod("a", "8"), cluster=cluster), later(0.1))
    same = amount == "8"
    assert done.outcome is (Outcome.UNCHANGED if same else Outcome.PUBLISHED)
    assert revisions(table.ledger(), cluster) == ([1] if same else [1, 2])


def test_a_journal_that_stays_busy_is_given_up_and_named(table: Table, cluster: str) -> None:
    faulty = FaultyStore(table.store)

    def refuse() -> None:
        faulty.before("write", refuse)
        raise Conflict

    faulty.before("write", refuse)
    with pytest.raises(LedgerUnavailable, match=f"the journal of {cluster} 2026-11 is too busy: try again"):
        faulty.ledger().publish(report(cluster=cluster), NOW)
    assert revisions(table.ledger(), cluster) == []


def test_a_month_that_is_closed_under_a_publisher_makes_it_an_adjustment(table: Table, cluster: str) -> None:
    table.ledger().publish(report(pod("a", "8"), cluster=cluster), NOW)
    faulty = FaultyStore(table.store)

    def close() -> None:
        table.ledger().publish(report(pod("a", "7"), cluster=cluster), NOW)
        table.ledger().close_month(cluster, NOVEMBER, AFTER)

    faulty.before("write", close)
    done = faulty.ledger().publish(report(pod("a", "5"), cluster=cluster), AFTER)
    assert (done.outcome, done.head.revision) == (Outcome.ADJUSTED, 3)
    (booked,) = table.ledger().adjustments(cluster, Month(2026, 12))
    assert booked.rows[0].change.allocated_usd == Decimal(-2)
    head = table.ledger().head(cluster, HOUR)
    assert head is not None
    assert head.revision == 2


def test_an_hour_published_while_its_month_is_being_closed_is_in_the_closing(table: Table, cluster: str) -> None:
    table.ledger().publish(report(cluster=cluster), NOW)
    faulty = FaultyStore(table.store)
    faulty.before("write", lambda: table.ledger().publish(report(cluster=cluster, hour=HOUR.plus(1)), NOW))
    assert faulty.ledger().close_month(cluster, NOVEMBER, AFTER).entry.revision == 2


def prepare(name: str, ledger: Books, cluster: str) -> list[int]:
    """What is there before; and the revisions that are there once the publisher has succeeded."""
    if name in ("changed", "late"):
        ledger.publish(report(cluster=cluster), NOW)
    if name == "late":
        ledger.close_month(cluster, NOVEMBER, later(300))
    return [1] if name == "first" else [1, 2]


def publish(ledger: Books, cluster: str) -> Outcome:
    """As a collector does that reads an hour late."""
    pods = [pod(scattered(index), f"0.0{index + 1}") for index in range(12)]
    return ledger.publish(report(*pods, cluster=cluster), AFTER).outcome


@pytest.mark.parametrize("name", ["first", "changed", "late"])
def test_a_publisher_that_dies_at_any_moment_is_made_good_by_the_next(
    table: Table, cluster: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Small parts, so that rows and adjustments have several.
    monkeypatch.setattr(packing, "PART_BYTES", 200)
    whole = FaultyStore(table.store)
    prepare(name, table.ledger(), cluster)
    publish(whole.ledger(), cluster)
    for moment in range(2 * len(whole.calls)):
        own = f"{cluster}-{moment}"
        expected = prepare(name, table.ledger(), own)
        with pytest.raises(Killed):
            publish(FaultyStore(table.store, kill_at=moment).ledger(), own)
        assert revisions(table.ledger(), own) in (expected[:-1], expected)
        publish(table.ledger(), own)
        assert revisions(table.ledger(), own) == expected
        assert publish(table.ledger(), own) is Outcome.UNCHANGED
    assert len(whole.calls) >= 4


def test_two_collectors_at_once_leave_one_revision(table: Table, cluster: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        for offset in range(12):
            told = report(cluster=cluster, hour=HOUR.plus(offset))
            done = list(pool.map(lambda now, told=told: table.ledger().publish(told, now), [NOW, later(0.1)]))
            assert sorted(one.outcome for one in done) == [Outcome.PUBLISHED, Outcome.UNCHANGED]
            assert done[0].head == done[1].head
    entries = table.ledger().journal(cluster, NOVEMBER)
    assert [one.entry.revision for one in entries] == [1] * 12
    assert list(chain_faults(cluster, NOVEMBER, entries)) == []


def test_two_collectors_with_different_readings_leave_a_revision_each(table: Table, cluster: str) -> None:
    reports = [report(pod("a", "8"), cluster=cluster), report(pod("a", "9"), cluster=cluster)]
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda told: table.ledger().publish(told, NOW), reports))
    assert sorted(one.head.revision for one in done) == [1, 2]
    assert revisions(table.ledger(), cluster) == [1, 2]
