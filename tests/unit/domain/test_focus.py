"""FOCUS rows: a node's hour in parts that add up to it, with nothing unknown written as zero."""

from dataclasses import replace
from decimal import Decimal

import pytest
import simplejson

from gpucost.domain.answers.focus import COLUMNS, Account, own_rows, split_rows
from tests.support.hours import node, pod, report
from tests.support.house import FIRST

ACCOUNT = Account("111122223333", "us-west-2")
HELD = [pod("a", "8"), pod("b", "1.000000000001", used=None), pod("a", "0.1", "train-1", bu="c")]
COSTS = ("BilledCost", "ContractedCost", "EffectiveCost", "ListCost")


def rows(usd: str = "96", pods=HELD):  # type: ignore[no-untyped-def]
    held = sum((row.figures.allocated_usd for row in pods), Decimal(0))
    origin = replace(
        node(Decimal(1)), allocated_usd=held, unallocated_usd=Decimal(usd) - held, capacity_usd=Decimal(usd)
    )
    return list(split_rows(ACCOUNT, "prod", FIRST, [origin], pods)), origin


def test_the_parts_of_a_charge_add_up_to_it() -> None:
    found, origin = rows()
    for name in COSTS:
        assert sum(row[name] for row in found) == origin.capacity_usd


def test_ratios_add_up_to_one_exactly() -> None:
    for usd in ("96", "9.100000000001", "11.3"):
        found, _ = rows(usd)
        details = [simplejson.loads(row["AllocatedMethodDetails"], use_decimal=True) for row in found]
        assert sum(one["Elements"][0]["AllocatedRatio"] for one in details) == 1


def test_what_nobody_held_has_no_resource_and_comes_last() -> None:
    found, origin = rows()
    assert [row["AllocatedResourceName"] for row in found] == ["a/train-0", "b/train-0", "a/train-1", None]
    assert found[-1]["AllocatedResourceId"] is None
    assert found[-1]["EffectiveCost"] == origin.unallocated_usd
    assert all(row["AllocatedMethodId"] for row in found)


def test_unknown_use_is_null_and_known_use_is_not_in_focus_columns() -> None:
    found, _ = rows()
    assert (found[0]["EffectiveCost"], found[0]["x_GpuUtilizedCost"], found[0]["x_GpuWasteCost"]) == (8, 2, 6)
    assert (found[1]["x_GpuUtilizedCost"], found[1]["x_GpuWasteCost"], found[1]["x_GpuUtilization"]) == (None,) * 3


def test_dimensions_stay_those_of_the_origin_charge() -> None:
    found, _ = rows()
    for name in ("ResourceId", "ChargePeriodStart", "ChargePeriodEnd", "BillingPeriodStart", "Tags", "SkuMeter"):
        assert len({row[name] for row in found}) == 1
    assert found[0]["BillingPeriodEnd"] == "2026-11-01T00:00:00Z"


def test_every_row_has_every_column() -> None:
    mine = list(own_rows(ACCOUNT, "prod", FIRST, HELD))
    for row in [*rows()[0], *mine]:
        assert set(row) == set(COLUMNS)
    assert not {column for column in COLUMNS if column.startswith("x_") and not column[2].isupper()}


def test_own_rows_tell_nothing_of_the_rest_of_the_node() -> None:
    mine = list(own_rows(ACCOUNT, "prod", FIRST, HELD[:1]))
    assert [row["EffectiveCost"] for row in mine] == [8]
    assert "AllocatedRatio" not in mine[0]["AllocatedMethodDetails"]
    assert mine[0]["SkuMeter"] is None


@pytest.mark.parametrize("usd", ["0", "9.100000000001"])
def test_a_node_without_a_price_or_wholly_held_still_adds_up(usd: str) -> None:
    pods = [] if usd == "0" else HELD
    found, origin = rows(usd, pods)
    assert sum(row["BilledCost"] for row in found) == origin.capacity_usd
    assert len(found) == len(pods) + 1


def test_reports_of_the_ledger_split_without_rest() -> None:
    found = list(split_rows(ACCOUNT, "prod", FIRST, report().nodes, report().pods))
    assert {row["x_Cluster"] for row in found} == {"prod"}


def test_a_node_that_is_wholly_held_has_no_row_for_the_rest() -> None:
    whole = replace(node(Decimal(1)), unallocated_usd=Decimal(0), unallocated_gpu_hours=Decimal(0))
    found = list(split_rows(ACCOUNT, "prod", FIRST, [whole], HELD))
    assert [row["AllocatedResourceName"] for row in found] == ["a/train-0", "b/train-0", "a/train-1"]
