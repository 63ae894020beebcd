"""What would have been: shares that add up, and demand against other slots."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from gpucost.domain.answers.whatif import Sharing, capacity_cost, fit, share_unallocated
from gpucost.domain.gpus.geometry import ANY, WHOLE, geometry
from gpucost.domain.money import round_fraction
from gpucost.domain.report import PodRow
from tests.support.hours import HOUR, pod, report

ALLOCATED = {"a": Decimal(30), "b": Decimal(10)}


@pytest.mark.parametrize(
    ("sharing", "shared"),
    [(Sharing.NONE, [0, 0]), (Sharing.EVEN, [5, 5]), (Sharing.PROPORTIONAL, [Decimal("7.5"), Decimal("2.5")])],
)
def test_what_nobody_held_is_shared(sharing: Sharing, shared: list[Decimal]) -> None:
    found = share_unallocated(ALLOCATED, Decimal(10), sharing)
    assert [(one.bu, one.allocated_usd, one.shared_usd) for one in found] == [
        ("a", 30, shared[0]),
        ("b", 10, shared[1]),
    ]


def test_shares_add_up_to_the_last_digit() -> None:
    usd = Decimal("10.000000000001")
    found = share_unallocated({"a": Decimal(1), "b": Decimal(1), "c": Decimal(1)}, usd, Sharing.PROPORTIONAL)
    assert sum(one.shared_usd for one in found) == usd
    assert share_unallocated({}, usd, Sharing.EVEN) == []
    assert [one.shared_usd for one in share_unallocated({"a": Decimal(0)}, usd, Sharing.PROPORTIONAL)] == [0]


def held(bu: str, resource: str, share: str, gpu_hours: str, name: str = "p") -> PodRow:
    row = pod(bu, "8", name)
    figures = replace(row.figures, gpu_hours=Decimal(gpu_hours))
    return replace(row, resource=resource, share=share, figures=figures)


def small(bu: str, name: str, gpu_hours: str = "0.142857142857") -> PodRow:
    return held(bu, "nvidia_com_mig_1g_5gb", "1/7", gpu_hours, name)


def test_each_unit_takes_the_smallest_slot_that_holds_it_the_largest_first() -> None:
    rows = [small("b", str(index)) for index in range(5)]
    told = [report(held("a", "nvidia_com_mig_3g_20gb", "3/7", "0.428571428571"), *rows)]
    assert fit(told, 1, geometry("3g.20gb,1g.5gb:4")).without == {"b": Decimal("0.142857142857")}
    assert fit(told, 1, geometry("3g.20gb:2")).without == {"b": 4 * Decimal("0.142857142857")}
    assert fit(told, 2, geometry("3g.20gb:1,1g.5gb:4")).without == {}


def test_an_instance_needs_its_memory_as_well_as_its_compute_slices() -> None:
    told = [report(held("a", "nvidia_com_mig_1g_10gb", "1/7", "0.142857142857"))]
    assert fit(told, 1, geometry("1g.5gb:7")).fitting_gpu_hours == 0
    for cut in ("1g.10gb:4", "2g.10gb:3", "3g.20gb", "whole"):
        assert fit(told, 1, geometry(cut)).without == {}, cut


@pytest.mark.parametrize("share", ["1/7", "1/8", "1/4"])
def test_sizes_are_the_same_whatever_costs_were_weighed_by(share: str) -> None:
    weighed = str(round_fraction(Fraction(share)))
    told = [report(held("a", "nvidia_com_mig_1g_5gb", share, weighed))]
    assert fit(told, 1, geometry("1g.5gb:7")).without == {}
    assert fit(told, 1, geometry("1g.5gb:7")).demand_gpu_hours == Decimal(weighed)


def test_without_a_geometry_gpus_are_cut_as_holders_need_it() -> None:
    told = [report(held("a", "nvidia_com_gpu", "1", "1"), *[small("b", str(index)) for index in range(7)])]
    assert fit(told, 2, ANY).without == {}
    assert fit(told, 1, ANY).without == {"b": 7 * Decimal("0.142857142857")}
    assert fit(told, 0, ANY).fitting_gpu_hours == 0


def test_the_last_digit_of_a_split_does_not_overflow_a_slot() -> None:
    parts = ["0.142857142858"] * 6 + ["0.142857142852"]
    told = [report(*[small("b", str(index), part) for index, part in enumerate(parts)])]
    for cut in ("1g.5gb:7", "any"):
        assert fit(told, 1, geometry(cut)).without == {}, cut
    assert fit([report(small("b", "0", "0.142857142858"))], 1, geometry("1g.5gb")).without == {}


def test_whole_gpus_hold_everything_one_unit_each() -> None:
    told = [report(held("a", "nvidia_com_gpu", "1", "2"), held("b", "nvidia_com_gpu", "1/7", "1", "q"))]
    assert fit(told, 9, WHOLE).without == {}
    assert fit(told, 3, WHOLE).without == {"b": Decimal("0.857142857143")}
    assert fit(told, 0, WHOLE).fitting_gpu_hours == 0


def test_a_slot_that_is_too_small_holds_nothing() -> None:
    told = [report(held("a", "nvidia_com_gpu", "1", "1"))]
    assert fit(told, 4, geometry("3g.20gb:2")).fitting_gpu_hours == 0


def test_other_gpus_cost_what_the_hours_gpus_did() -> None:
    told = [report(pod("a", "8")), report(pod("a", "8"), hour=HOUR.plus(1))]
    assert capacity_cost(told, 4) == 2 * 4 * 12
    assert capacity_cost([], 4) is None


def test_an_hour_in_which_there_was_no_gpu_costs_nothing_and_is_no_price() -> None:
    bare = report(pod("a", "8"), hour=HOUR.plus(1))
    bare = replace(bare, totals=replace(bare.totals, capacity_gpu_hours=Decimal(0)))
    assert capacity_cost([report(pod("a", "8")), bare], 4) == 4 * 12
    assert capacity_cost([bare], 4) is None


def test_an_hour_with_less_than_one_gpu_costs_as_its_part_does() -> None:
    part = report(pod("a", "8"))
    part = replace(part, totals=replace(part.totals, capacity_gpu_hours=Decimal("0.5"), capacity_usd=Decimal(6)))
    assert capacity_cost([part], 4) == 4 * 12
