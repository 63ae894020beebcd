"""Which rows of the bill are the cost of running an instance in an hour, and which are not."""

from collections.abc import Mapping
from decimal import Decimal

import pytest

from gpucost.domain.hours import Hour
from gpucost.domain.prices.bill import NET_COLUMNS, REQUIRED, SPLIT, BilledHour, BillReader, SplitHour
from tests.support.bills import ALL_COLUMNS, INSTANCE, line, pod_line

HOUR = Hour.parse("2026-11-30T10:00:00Z")
GROSS_ONLY = tuple(name for name in ALL_COLUMNS if name not in NET_COLUMNS)


def read(*rows: Mapping[str, str], columns: tuple[str, ...] = GROSS_ONLY) -> BillReader:
    reader = BillReader(columns)
    for row in rows:
        reader.add(row)
    return reader


def billed(usd: str, usage: str = "1", net: str | None = None, instance: str = INSTANCE) -> BilledHour:
    return BilledHour(instance, HOUR, Decimal(usage), Decimal(usd), None if net is None else Decimal(net))


@pytest.mark.parametrize("kind", ["Usage", "SavingsPlanCoveredUsage", "DiscountedUsage"])
def test_each_kind_of_usage_has_its_amortised_cost_in_a_column_of_its_own(kind: str) -> None:
    assert read(line(HOUR, "14.5", kind)).billed() == [billed("14.5")]


def test_line_items_of_one_hour_add_up() -> None:
    parts = [
        line(HOUR, "5.25", "Usage", line_item_usage_amount="0.25"),
        line(HOUR, "9.5", "SavingsPlanCoveredUsage", line_item_usage_amount="0.75"),
    ]
    assert read(*parts).billed() == read(*reversed(parts)).billed() == [billed("14.75")]


@pytest.mark.parametrize(
    "row",
    [
        line(HOUR, "-14.5", "SavingsPlanNegation"),
        line(HOUR, "14.5", "RIFee"),
        line(HOUR, "14.5", "SavingsPlanRecurringFee"),
        line(HOUR, "14.5", "Tax"),
        line(HOUR, "-3", "Credit"),
        line(HOUR, "-3", "EdpDiscount"),
        line(HOUR, "0.02", line_item_usage_type="USW2-DataTransfer-Out-Bytes"),
        line(HOUR, "0.02", line_item_usage_type="USW2-EBSOptimized:p4d.24xlarge"),
        line(HOUR, "21", line_item_usage_type="USW2-UnusedBox:p4d.24xlarge", line_item_resource_id="cr-0123456789"),
        line(HOUR, "0.1", line_item_resource_id="vol-0123456789abcdef0"),
        line(HOUR, "0.1", line_item_usage_type="USW2-BoxUsage:m5.large"),
        line(HOUR, "1", line_item_product_code="AmazonSageMaker"),
        pod_line(HOUR, "bu-a", "3.5", "1.5"),
        line(HOUR, "3", line_item_operation="ECSTask-EC2"),
    ],
)
def test_what_is_not_the_cost_of_running_an_instance_is_not_added(row: Mapping[str, str]) -> None:
    assert read(row, line(HOUR, "14.5")).billed() == [billed("14.5")]


@pytest.mark.parametrize(
    "usage",
    [
        "BoxUsage:p4d.24xlarge",
        "USW2-SpotUsage:g5.xlarge",
        "EUC1-DedicatedUsage:gr6.4xlarge",
        "APN1-BoxUsage:trn1.32xlarge",
        "BoxUsage:inf2.xlarge",
        "UGW1-HostBoxUsage:p5.48xlarge",
    ],
)
def test_accelerated_instances_are_kept_wherever_and_however_they_are_bought(usage: str) -> None:
    assert read(line(HOUR, "1.5", line_item_usage_type=usage)).billed() == [billed("1.5")]


def test_hours_and_instances_are_told_apart_and_sorted() -> None:
    other = "i-00000000000000001"
    rows = [
        line(HOUR.plus(1), "3"),
        line(HOUR, "1"),
        line(HOUR, "2", line_item_resource_id=other),
    ]
    found = [(one.hour, one.instance_id, one.amortized_usd) for one in read(*rows).billed()]
    assert found == [(HOUR, other, 2), (HOUR, INSTANCE, 1), (HOUR.plus(1), INSTANCE, 3)]


def test_net_cost_is_known_only_where_the_bill_has_it() -> None:
    row = line(HOUR, "20", line_item_net_unblended_cost="18")
    assert read(row).billed() == [billed("20")]
    assert read(row, columns=ALL_COLUMNS).billed() == [billed("20", net="18")]


def test_what_an_hour_costs_goes_by_the_part_that_was_charged() -> None:
    half = billed("7", usage="0.5", net="6")
    assert half.usd_per_hour(net=False) == 14
    assert half.usd_per_hour(net=True) == 12
    assert billed("7").usd_per_hour(net=True) is None
    assert billed("0", usage="0").usd_per_hour(net=False) is None
    assert billed("1", usage="3").usd_per_hour(net=False) == Decimal("0.333333333333")


def test_split_rows_are_kept_apart_by_pod_with_their_part_of_what_was_idle() -> None:
    rows = [
        pod_line(HOUR, "bu-a", "1.25", "0.25"),
        pod_line(HOUR, "bu-a", "1", "0"),
        pod_line(HOUR, "bu-b", "9", "9", line_item_usage_type="USW2-EKS-EC2-vCPU-Hours"),
        pod_line(HOUR, "bu-b", "9", "9", line_item_resource_id="arn:aws:eks:us-west-2:111122223333:cluster/prod"),
    ]
    assert read(*rows).split() == [SplitHour("prod", "bu-a", "train-0", HOUR, Decimal("2.5"))]
    without = tuple(name for name in ALL_COLUMNS if name not in SPLIT)
    assert read(*rows, columns=without).split() == []


def test_every_missing_column_is_named() -> None:
    with pytest.raises(ValueError, match="lacks the columns line_item_usage_amount, reservation_effective_cost: add"):
        BillReader(set(REQUIRED) - {"line_item_usage_amount", "reservation_effective_cost"})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"line_item_currency_code": "CNY"}, "the cost is in CNY, not in USD"),
        ({"line_item_currency_code": ""}, "the cost is in no currency, not in USD"),
        ({"line_item_unblended_cost": "12,5"}, "line_item_unblended_cost is '12,5', not a number"),
        ({"line_item_unblended_cost": "NaN"}, "line_item_unblended_cost is 'NaN', not a number"),
        ({"line_item_usage_amount": "x"}, "line_item_usage_amount is 'x', not a number"),
        ({"line_item_usage_start_date": "30/11/2026"}, "not an instant"),
        ({"line_item_usage_start_date": "2026-11-30T10:30:00.000Z"}, "on the hour"),
        ({"line_item_usage_end_date": "2026-12-01T00:00:00.000Z"}, r"is not of one hour: the export has to be hourly"),
    ],
)
def test_a_row_that_cannot_be_read_says_why(changes: dict[str, str], said: str) -> None:
    row = line(HOUR, "1") | changes
    with pytest.raises(ValueError, match=said):
        read(row)


def test_an_empty_cell_is_zero() -> None:
    assert read(line(HOUR, "")).billed() == [billed("0")]


def test_net_costs_of_one_hour_add_up_as_well() -> None:
    parts = [
        line(HOUR, "5.25", line_item_usage_amount="0.25", line_item_net_unblended_cost="4"),
        line(HOUR, "9.5", line_item_usage_amount="0.75", line_item_net_unblended_cost="7.5"),
    ]
    assert read(*parts, columns=ALL_COLUMNS).billed() == [billed("14.75", net="11.5")]
