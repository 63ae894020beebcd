"""When a reading replaces another, and what changed."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucost.domain.ledger.revisions import CapacityChange, capacity_change, diff, is_worse, row_changes
from gpucost.domain.report import Coverage, Status
from tests.support.hours import pod, report

ZERO = Decimal(0)


def coverage(seen: int) -> Coverage:
    return Coverage(seen, 60, Decimal(seen) / 60, None)


@pytest.mark.parametrize("seen", [0, 59, 60])
@pytest.mark.parametrize("than_seen", [0, 59, 60])
def test_the_verdict_counts_before_what_was_seen(seen: int, than_seen: int) -> None:
    order = [Status.COMPLETE, Status.NO_UTILIZATION, Status.PARTIAL, Status.FAILED]
    for rank, status in enumerate(order):
        for other_rank, other in enumerate(order):
            expected = rank > other_rank or (rank == other_rank and seen < than_seen)
            assert is_worse(status, coverage(seen), other, coverage(than_seen)) is expected


def test_only_rows_that_differ_are_changes() -> None:
    before = report(pod("a", "1"), pod("b", "2"), pod("gone", "3", used=None)).namespaces
    after = report(pod("a", "1"), pod("b", "1"), pod("new", "4")).namespaces
    changes = {row.namespace: row.change for row in row_changes(before, after)}
    assert {name: change.allocated_usd for name, change in changes.items()} == {"b": -1, "gone": -3, "new": 4}
    assert (changes["gone"].unknown_usd, changes["gone"].effective_usd) == (Decimal(-3), ZERO)
    assert (changes["new"].effective_usd, changes["new"].waste_usd, changes["new"].slice_hours) == (
        Decimal(1),
        Decimal(3),
        Decimal(1),
    )


def test_a_figure_that_becomes_known_moves_out_of_the_unknown() -> None:
    before = report(pod("a", "4", used=None)).namespaces
    (change,) = [row.change for row in row_changes(before, report(pod("a", "4")).namespaces)]
    assert (change.allocated_usd, change.unknown_usd, change.effective_usd, change.waste_usd) == (
        ZERO,
        Decimal(-4),
        Decimal(1),
        Decimal(3),
    )


def test_changes_of_amounts_stay_exact() -> None:
    told = report(pod("a", "0.000000003", used=None)).namespaces
    (change,) = [row.change for row in row_changes(report(pod("a", "0.000000001", used=None)).namespaces, told)]
    assert change.allocated_usd == Decimal("0.000000002")


def test_capacity_is_new_where_there_was_none() -> None:
    totals = report(pod("a", "16")).totals
    whole = CapacityChange(Decimal(8), Decimal(96), Decimal(7), Decimal(84))
    assert capacity_change(None, totals) == whole
    assert capacity_change(totals, totals) == CapacityChange()
    assert capacity_change(report(pod("a", "32")).totals, totals).unallocated_usd == 12


def test_a_diff_names_what_came_what_went_and_what_changed() -> None:
    before = report(pod("a", "1"), pod("b", "2"), pod("c", "3"), status=Status.PARTIAL)
    dearer = pod("c", "3")
    after = report(
        pod("b", "9"), replace(dearer, price=replace(dearer.price, usd_per_gpu_hour=Decimal(13))), pod("d", "1")
    )
    found = diff(before, after)
    assert (found.before, found.after) == (Status.PARTIAL, Status.COMPLETE)
    resource = "nvidia.com/mig-1g.5gb"
    assert found.pods_added == (f"d/train-0/{resource}",)
    assert found.pods_removed == (f"a/train-0/{resource}",)
    assert found.pods_changed == (f"b/train-0/{resource}", f"c/train-0/{resource}")


def test_a_report_has_no_diff_with_itself() -> None:
    found = diff(report(), report())
    assert (found.rows, found.pods_added, found.pods_removed, found.pods_changed) == ((), (), (), ())
    assert found.capacity == CapacityChange()
