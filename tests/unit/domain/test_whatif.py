"""What would have been: shares that add up, and demand against other slots."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from gpucost.domain.whatif import WHOLE, Sharing, capacity_cost, fit, geometry, share_unallocated
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


def test_a_geometry_is_its_slots_the_largest_first() -> None:
    assert geometry("1g.5gb:1, 3g.20gb:2").slots == (Fraction(3, 7), Fraction(3, 7), Fraction(1, 7))
    assert geometry("7g.40gb").slots == (Fraction(1),)


@pytest.mark.parametrize(
    "text", ["", "whole", "3g.20gb:x", "3g.20gb:0", "3g.20gb:3", "1g.5gb:9999999999", "3g.20gb:2,"]
)
def test_what_is_no_geometry_says_so(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a MIG profile|needs more than the 7 slices"):
        geometry(text)


def held(bu: str, share: str, gpu_hours: str, name: str = "p") -> object:
    row = pod(bu, "8", name)
    return replace(row, share=share, figures=replace(row.figures, gpu_hours=Decimal(gpu_hours)))


def hour_of(*rows: object) -> object:
    return report(*rows)  # type: ignore[arg-type]


def test_each_unit_takes_the_smallest_slot_that_holds_it_the_largest_first() -> None:
    told = [hour_of(held("a", "3/7", "0.428571428571"), held("b", "1/7", "0.428571428571", "q"))]
    found = fit(told, 1, geometry("3g.20gb:2,1g.5gb"))  # type: ignore[arg-type]
    assert abs(found.fitting_gpu_hours - Decimal("0.714285714286")) < Decimal("1e-9")
    assert set(found.without) == {"b"}
    assert found.demand_gpu_hours == Decimal("0.857142857142")


def test_whole_gpus_hold_everything_one_unit_each() -> None:
    told = [hour_of(held("a", "1", "2"), held("b", "1/7", "1", "q"))]
    assert fit(told, 9, WHOLE).without == {}  # type: ignore[arg-type]
    assert fit(told, 3, WHOLE).without == {"b": Decimal("0.857142857143")}  # type: ignore[arg-type]
    assert fit(told, 0, WHOLE).fitting_gpu_hours == 0  # type: ignore[arg-type]


def test_a_slot_that_is_too_small_holds_nothing() -> None:
    told = [hour_of(held("a", "1", "1"))]
    assert fit(told, 4, geometry("3g.20gb:2")).fitting_gpu_hours == 0  # type: ignore[arg-type]


def test_other_gpus_cost_what_the_hours_gpus_did() -> None:
    told = [report(pod("a", "8")), report(pod("a", "8"), hour=HOUR.plus(1))]
    assert capacity_cost(told, 4) == 2 * 4 * 12
    assert capacity_cost([], 4) is None
