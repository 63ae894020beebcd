"""EC2's history of Spot prices."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters.aws_errors import explained
from gpucost.domain.prices.spot import SpotPrice
from gpucost.ports import ServiceError

if TYPE_CHECKING:
    from mypy_boto3_ec2 import EC2Client

PERMISSIONS = ("ec2:DescribeSpotPriceHistory",)
LINUX = "Linux/UNIX"


class AwsSpotMarket:
    """`prices.SpotMarket` on EC2. `client_of` gives the client of a region."""

    def __init__(self, client_of: "Callable[[str], EC2Client]") -> None:
        self._client_of = client_of

    def history(
        self, region: str, instance_type: str, zone: str, start: datetime, end: datetime
    ) -> Sequence[SpotPrice]:
        """EC2 answers with the price that held at the start, too."""
        doing = f"reading the Spot prices of {instance_type} in {zone}"
        out = []
        try:
            pages = self._client_of(region).get_paginator("describe_spot_price_history")
            request = pages.paginate(
                InstanceTypes=[instance_type],  # type: ignore[list-item]
                ProductDescriptions=[LINUX],
                AvailabilityZone=zone,
                StartTime=start,
                EndTime=end,
            )
            for page in request:
                for row in page["SpotPriceHistory"]:
                    if row["InstanceType"] == instance_type and row["AvailabilityZone"] == zone:
                        out.append(SpotPrice(row["Timestamp"].astimezone(UTC), Decimal(row["SpotPrice"])))
        except (ClientError, BotoCoreError) as error:
            raise explained(error, doing) from error
        except InvalidOperation:
            raise ServiceError(f"{doing} failed: a price is not a number") from None
        return sorted(set(out))
