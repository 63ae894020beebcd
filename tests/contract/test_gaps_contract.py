"""What was queued again and what was left behind, on both tables."""

from datetime import timedelta

import pytest

from gpucost.adapters.ledger.store import Store
from gpucost.books import Books
from gpucost.domain.ledger.healing import Requeue
from gpucost.domain.report import HourReport
from gpucost.ports import LedgerUnavailable
from tests.contract.conftest import Table
from tests.support.faults import FaultyStore
from tests.support.hours import HOUR, NOW, later, pod, report


def test_requeues_are_kept_by_hour(ledger: Books, cluster: str) -> None:
    first, second = {HOUR: Requeue(1, NOW), HOUR.plus(30): Requeue(3, NOW)}, {HOUR: Requeue(2, later(1))}
    ledger.note_requeued(cluster, first)
    ledger.note_requeued(cluster, second)
    assert ledger.requeues(cluster, HOUR, HOUR.plus(31)) == {**first, **second}
    assert ledger.requeues(cluster, HOUR.plus(1), HOUR.plus(30)) == {}


def test_requeueing_nothing_is_no_error(ledger: Books, cluster: str) -> None:
    ledger.note_requeued(cluster, {})
    assert ledger.requeues(cluster, HOUR, HOUR.plus(1)) == {}


def rows(store: Store, cluster: str) -> int:
    whole = store.query(f"C#{cluster}#H#{HOUR.key}", "A#", "A#~")
    return len(whole) + len(store.query(f"C#{cluster}#M#2026-11", "N#", "N#~"))


def abandon(table: Table, told: HourReport) -> None:
    """A publisher that dies when its rows are written and its head is not."""
    faulty = FaultyStore(table.store)
    faulty.fail_before("write", LedgerUnavailable("killed"))
    with pytest.raises(LedgerUnavailable):
        faulty.ledger().publish(told, NOW)


def test_rows_that_nobody_published_are_swept_and_the_others_stay(table: Table, cluster: str) -> None:
    ledger = table.ledger()
    ledger.publish(report(pod("a", "8"), cluster=cluster), NOW)
    ledger.publish(report(pod("a", "9"), cluster=cluster), NOW)
    abandon(table, report(pod("a", "7"), cluster=cluster))
    assert rows(table.store, cluster) == 6
    assert ledger.sweep(cluster, HOUR, later(25)) == 2
    assert rows(table.store, cluster) == 4
    assert ledger.revision(cluster, HOUR, 1) is not None
    assert ledger.report(cluster, HOUR) is not None


def test_rows_of_a_publisher_that_may_still_live_are_left_alone(table: Table, cluster: str) -> None:
    abandon(table, report(cluster=cluster))
    assert table.ledger().sweep(cluster, HOUR, later(0.5)) == 0
    assert rows(table.store, cluster) == 2


def test_rows_that_are_being_written_again_are_left_alone(table: Table, cluster: str) -> None:
    told = report(cluster=cluster)
    abandon(table, told)
    faulty = FaultyStore(table.store)
    # The publisher comes back between the sweeper's look and its hand.
    faulty.before("delete", lambda: table.ledger().publish(told, later(30)))
    assert faulty.ledger().sweep(cluster, HOUR, NOW + timedelta(hours=29)) == 0
    assert table.ledger().report(cluster, HOUR) is not None


def test_sweeping_an_hour_without_anything_is_no_error(ledger: Books, cluster: str) -> None:
    assert ledger.sweep(cluster, HOUR, later(30)) == 0
