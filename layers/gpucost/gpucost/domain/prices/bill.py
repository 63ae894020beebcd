"""AWS' bill, read: what an hour of each accelerated EC2 instance really cost.

Rows are those of a CUR 2.0 export (the table COST_AND_USAGE_REPORT of AWS Data Exports, hourly, with resource ids).
The amortised cost of an instance-hour is, by kind of its line items: Usage: the unblended cost;
SavingsPlanCoveredUsage: the effective cost under the plan; DiscountedUsage: the reservation's effective cost.
Everything else on the bill (negations, fees, taxes, credits) is not the cost of running the instance in that hour.
(AWS Data Exports guide, CUR 2.0 columns.)
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from gpucost.domain.hours import Hour, parse_instant
from gpucost.domain.money import EXACT, plain

COST_COLUMNS: Mapping[str, tuple[str, str]] = {
    "Usage": ("line_item_unblended_cost", "line_item_net_unblended_cost"),
    "SavingsPlanCoveredUsage": (
        "savings_plan_savings_plan_effective_cost",
        "savings_plan_net_savings_plan_effective_cost",
    ),
    "DiscountedUsage": ("reservation_effective_cost", "reservation_net_effective_cost"),
}
"""Kind of line item: the columns of its amortised and of its net cost."""

NET_COLUMNS = tuple(net for _, net in COST_COLUMNS.values())
"""There only in the bills of accounts with private discounts."""

REQUIRED = (
    "line_item_usage_start_date",
    "line_item_usage_end_date",
    "line_item_product_code",
    "line_item_resource_id",
    "line_item_line_item_type",
    "line_item_usage_type",
    "line_item_operation",
    "line_item_usage_amount",
    "line_item_currency_code",
    *(gross for gross, _ in COST_COLUMNS.values()),
)
SPLIT = (
    "split_line_item_parent_resource_id",
    "split_line_item_split_cost",
    "split_line_item_unused_cost",
)
"""There only in exports with split cost allocation data."""

POD_OPERATIONS = ("EKSPod-EC2", "ECSTask-EC2")
_INSTANCE = re.compile(r"i-[0-9a-f]{8,17}")
_INSTANCE_USAGE = re.compile(r"(?:^|-)(?:BoxUsage|SpotUsage|DedicatedUsage|HostBoxUsage|ReservedUsage):(?P<type>.+)$")
_ACCELERATED = re.compile(r"(?:p|g|gr|trn|inf)\d")
_POD = re.compile(r"arn:aws[a-z-]*:eks:[a-z0-9-]+:\d+:pod/(?P<cluster>[^/]+)/(?P<namespace>[^/]+)/(?P<pod>[^/]+)")
_ACCELERATOR_HOURS = "EKS-EC2-Accelerator-Hours"


@dataclass(frozen=True, slots=True)
class BilledHour:
    """What the bill says of one instance in one hour; USD. `usage_hours` is the part of the hour that was charged.

    `net_usd` is after private discounts, None where the bill has no such column.
    """

    instance_id: str
    hour: Hour
    usage_hours: Decimal
    amortized_usd: Decimal
    net_usd: Decimal | None

    def usd_per_hour(self, net: bool) -> Decimal | None:
        """What an hour of the instance cost, by the part that was charged; None when nothing was charged, or known."""
        usd = self.net_usd if net else self.amortized_usd
        if usd is None or self.usage_hours <= 0:
            return None
        return plain(EXACT.divide(usd, self.usage_hours))


@dataclass(frozen=True, slots=True)
class SplitHour:
    """What AWS' split cost allocation says of one pod's accelerators in one hour, with its part of what was idle."""

    cluster: str
    namespace: str
    pod: str
    hour: Hour
    usd: Decimal


class BillReader:
    """Adds up a bill row by row. Split-cost rows are kept apart: they are parts of instance rows, not more cost."""

    def __init__(self, columns: Iterable[str]) -> None:
        """ValueError names every column that is missing."""
        self._columns = frozenset(columns)
        missing = [name for name in REQUIRED if name not in self._columns]
        if missing:
            raise ValueError(f"the export lacks the columns {', '.join(missing)}: add them to its query")
        self._net = all(name in self._columns for name in NET_COLUMNS)
        self._hours: dict[tuple[Hour, str], list[Decimal]] = {}
        self._split: dict[tuple[Hour, str, str, str], Decimal] = {}

    def add(self, row: Mapping[str, str]) -> None:
        """Take one row. ValueError says what is wrong with it."""
        if row["line_item_operation"] in POD_OPERATIONS:
            self._add_split(row)
            return
        usage = _INSTANCE_USAGE.search(row["line_item_usage_type"])
        if row["line_item_product_code"] != "AmazonEC2" or usage is None or not _ACCELERATED.match(usage["type"]):
            return
        columns = COST_COLUMNS.get(row["line_item_line_item_type"])
        if columns is None or not _INSTANCE.fullmatch(row["line_item_resource_id"]):
            return
        gross, net = columns
        sums = self._hours.setdefault((_hour(row), row["line_item_resource_id"]), [Decimal(0), Decimal(0), Decimal(0)])
        sums[0] += _number(row, "line_item_usage_amount")
        sums[1] += _money(row, gross)
        sums[2] += _money(row, net) if self._net else 0

    def billed(self) -> list[BilledHour]:
        """Every instance-hour, sorted."""
        return [
            BilledHour(instance, hour, plain(usage), plain(gross), plain(net) if self._net else None)
            for (hour, instance), (usage, gross, net) in sorted(self._hours.items())
        ]

    def split(self) -> list[SplitHour]:
        """What AWS' split says of accelerators, sorted."""
        return [
            SplitHour(cluster, namespace, pod, hour, plain(usd))
            for (hour, cluster, namespace, pod), usd in sorted(self._split.items())
        ]

    def _add_split(self, row: Mapping[str, str]) -> None:
        pod = _POD.match(row["line_item_resource_id"])
        if pod is None or not row["line_item_usage_type"].endswith(_ACCELERATOR_HOURS):
            return
        if any(name not in self._columns for name in SPLIT):
            return
        key = (_hour(row), pod["cluster"], pod["namespace"], pod["pod"])
        usd = _money(row, "split_line_item_split_cost") + _money(row, "split_line_item_unused_cost")
        self._split[key] = self._split.get(key, Decimal(0)) + usd


def _hour(row: Mapping[str, str]) -> Hour:
    start = Hour(parse_instant(row["line_item_usage_start_date"]))
    if parse_instant(row["line_item_usage_end_date"]) != start.end:
        raise ValueError(f"a line item from {start} is not of one hour: the export has to be hourly (TIME_GRANULARITY)")
    return start


def _money(row: Mapping[str, str], column: str) -> Decimal:
    currency = row["line_item_currency_code"]
    if currency != "USD":
        raise ValueError(f"the cost is in {currency or 'no currency'}, not in USD")
    return _number(row, column)


def _number(row: Mapping[str, str], column: str) -> Decimal:
    """A figure of the row; an empty cell is zero, as the bill writes it."""
    text = row[column]
    try:
        value = Decimal(text or "0")
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite():
        raise ValueError(f"{column} is {text!r}, not a number")
    return value
