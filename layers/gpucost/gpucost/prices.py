"""Where prices come from: the ports of pricing. Adapters implement them; twins pass the same contract tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gpucost.domain.allocation.machines import Lifecycle
from gpucost.domain.hours import Hour
from gpucost.domain.prices.bill import BilledHour
from gpucost.domain.prices.pricebook import PriceEntry, Quote
from gpucost.domain.prices.spot import SpotPrice
from gpucost.ports import GpucostError

type Pair = tuple[str, str]
"""(region, instance type)."""


class PriceError(GpucostError):
    """A price list answered, but not with one price in USD. Names the instance type, the region and what was wrong."""


class BillError(GpucostError):
    """A delivery of the bill cannot be read. Names the file, the row and what is wrong; nothing of it was kept."""


class PriceList(Protocol):
    """AWS' list of On-Demand prices."""

    def on_demand(self, region: str, instance_type: str) -> Quote:
        """The Linux On-Demand price of an hour.

        PriceError when there is not exactly one. ServiceError when it cannot be asked, ServiceUnavailable when it
        cannot be asked now.
        """
        ...


class SpotMarket(Protocol):
    """The history of Spot prices, which AWS keeps for 90 days."""

    def history(
        self, region: str, instance_type: str, zone: str, start: datetime, end: datetime
    ) -> Sequence[SpotPrice]:
        """The prices of [start, end), with the one that held at the start. ServiceError when it cannot be asked."""
        ...


class Fleet(Protocol):
    """The account's EC2 instances."""

    def lifecycles(self, region: str, instance_ids: Sequence[str]) -> Mapping[str, Lifecycle]:
        """How each instance is bought; one that EC2 does not know any more is left out. ServiceError as above."""
        ...


class PriceBook(Protocol):
    """What was learned of prices and instances, kept for good."""

    def entries(self) -> Mapping[Pair, Sequence[PriceEntry]]:
        """All list prices that were ever learned, each pair's in order."""
        ...

    def add(self, entry: PriceEntry, after: int) -> bool:
        """Add an entry to a pair that has `after` entries. False when somebody else has added one meanwhile."""
        ...

    def spot_prices(
        self, region: str, instance_type: str, zone: str, start: datetime, end: datetime
    ) -> list[SpotPrice]:
        """The kept prices of [start, end), with the last one before it."""
        ...

    def keep_spot_prices(self, region: str, instance_type: str, zone: str, prices: Sequence[SpotPrice]) -> None: ...

    def lifecycles(self, instance_ids: Sequence[str]) -> Mapping[str, Lifecycle]:
        """What is kept of these instances."""
        ...

    def keep_lifecycles(self, lifecycles: Mapping[str, Lifecycle], now: datetime) -> None: ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivery of the bill: the id of the export's execution, and when it came. A later one replaces an earlier."""

    id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a delivery is made of: its billing period (YYYY-MM), the URIs of its files, the names of its columns."""

    delivery: Delivery
    period: str
    files: tuple[str, ...]
    columns: frozenset[str]

    @property
    def is_parquet(self) -> bool:
        return any(name.endswith(".parquet") for name in self.files)


class BillExports(Protocol):
    """Where deliveries of the bill are."""

    def manifest(self, bucket: str, key: str) -> Manifest:
        """The manifest under a key. BillError when it is none."""
        ...

    def read(self, uris: Sequence[str]) -> Sequence[BilledHour]:
        """What CSV files, gzipped or plain, say together, sorted by hour. BillError names the file and the row."""
        ...


class BillEngine(Protocol):
    """Reads Parquet deliveries where they lie."""

    def start(self, manifest: Manifest) -> str:
        """Ask for the rows of a delivery; the same one twice is one query. Gives back the query's id."""
        ...

    def result(self, query: str) -> tuple[Delivery, Sequence[str]]:
        """The CSV files that a query left. BillError when it failed."""
        ...


class BillBook(Protocol):
    """What the bill says of instances, hour by hour."""

    def billed(self, hour: Hour) -> tuple[Mapping[str, BilledHour], datetime | None]:
        """What is known of the hour by instance id, and when the delivery came that first said so."""
        ...

    def keep(self, delivery: Delivery, billed: Sequence[BilledHour]) -> list[Hour]:
        """Replace what is known of the hours of the delivery. LedgerError when an hour has more than fits.

        Gives back the hours whose figures are other than before, and those of an earlier call that nobody called
        `restated` for; sorted. An hour that a later delivery has told about stays as it is.
        """
        ...

    def restated(self, hours: Sequence[Hour]) -> None:
        """Note that the clusters' hours are queued to be worked out by these figures."""
        ...


@dataclass(frozen=True, slots=True)
class PriceSources:
    """Whom to ask for prices."""

    book: PriceBook
    price_list: PriceList
    spot: SpotMarket
    fleet: Fleet
    bills: BillBook
