"""Where prices come from: the ports of pricing. Adapters implement them; twins pass the same contract tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from gpucost.domain.machines import Lifecycle
from gpucost.domain.pricebook import PriceEntry, Quote
from gpucost.domain.spot import SpotPrice
from gpucost.ports import GpucostError

type Pair = tuple[str, str]
"""(region, instance type)."""


class PriceError(GpucostError):
    """A price list answered, but not with one price in USD. Names the instance type, the region and what was wrong."""


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
class PriceSources:
    """Whom to ask for prices."""

    book: PriceBook
    price_list: PriceList
    spot: SpotMarket
    fleet: Fleet
