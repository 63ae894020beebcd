"""EC2's Spot history and instances through boto3's own client."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import boto3
import pytest

from gpucost.adapters.fleet import Ec2Fleet
from gpucost.adapters.spot_market import AwsSpotMarket
from gpucost.domain.allocation.machines import Lifecycle
from gpucost.domain.prices.spot import SpotPrice
from gpucost.ports import ServiceError, ServiceUnavailable
from tests.support.price_api import PriceApi, price_api

START = datetime(2026, 11, 30, 10, tzinfo=UTC)
G5 = ("us-west-2", "g5.xlarge", "us-west-2a", START, START + timedelta(hours=1))


@pytest.fixture
def api() -> Iterator[PriceApi]:
    with price_api() as double:
        double.spot_rows = [
            ("g5.xlarge", "us-west-2a", "2026-11-30T07:00:00Z", "0.4000000000"),
            ("g5.xlarge", "us-west-2a", "2026-11-30T08:12:07Z", "0.4680000000"),
            ("g5.xlarge", "us-west-2a", "2026-11-30T10:30:00Z", "0.5000000000"),
            ("g5.xlarge", "us-west-2b", "2026-11-30T10:40:00Z", "9.0000000000"),
            ("g5.2xlarge", "us-west-2a", "2026-11-30T10:40:00Z", "8.0000000000"),
        ]
        yield double


def test_the_history_is_of_one_zone_with_the_price_before_the_hour(api: PriceApi) -> None:
    market = AwsSpotMarket(lambda region: api.client("ec2", region))
    assert market.history(*G5) == [
        SpotPrice(datetime(2026, 11, 30, 8, 12, 7, tzinfo=UTC), Decimal("0.468")),
        SpotPrice(datetime(2026, 11, 30, 10, 30, tzinfo=UTC), Decimal("0.5")),
    ]
    assert api.asked[0]["ProductDescription.1"] == "Linux/UNIX"
    assert "/us-west-2/ec2/aws4_request" in api.authorizations[0]


def test_a_price_that_is_no_number_is_refused(api: PriceApi) -> None:
    api.spot_rows = [("g5.xlarge", "us-west-2a", "2026-11-30T10:30:00Z", "n/a")]
    with pytest.raises(ServiceError, match=r"Spot prices of g5.xlarge in us-west-2a failed: a price is not a number"):
        AwsSpotMarket(lambda region: api.client("ec2", region)).history(*G5)


def test_a_throttle_that_lasts_and_a_refusal_are_told_apart(api: PriceApi) -> None:
    market = AwsSpotMarket(lambda region: api.client("ec2", region))
    api.failures = [(503, "RequestLimitExceeded")] * 3
    with pytest.raises(ServiceUnavailable, match=r"reading the Spot prices of g5.xlarge in us-west-2a"):
        market.history(*G5)
    api.failures = [(403, "UnauthorizedOperation")]
    with pytest.raises(ServiceError, match="UnauthorizedOperation"):
        market.history(*G5)
    api.failures = [(403, "UnauthorizedOperation")]
    with pytest.raises(ServiceError, match="looking up 1 instances in us-west-2"):
        Ec2Fleet(lambda region: api.client("ec2", region)).lifecycles("us-west-2", ["i-0123456789abcdef0"])


@pytest.mark.real
def test_instances_say_how_they_are_bought_and_one_that_is_gone_is_left_out(clean_moto: str) -> None:
    client = boto3.client("ec2", endpoint_url=clean_moto, region_name="us-west-2")
    image = client.describe_images()["Images"][0]["ImageId"]

    def launched(**market: object) -> str:
        run = client.run_instances(ImageId=image, InstanceType="g5.xlarge", MinCount=1, MaxCount=1, **market)  # type: ignore[arg-type]
        return run["Instances"][0]["InstanceId"]

    plain, spot = launched(), launched(InstanceMarketOptions={"MarketType": "spot"})
    fleet = Ec2Fleet(lambda region: boto3.client("ec2", endpoint_url=clean_moto, region_name=region))
    assert fleet.lifecycles("us-west-2", [plain, spot, "i-0123456789abcdef0"]) == {
        plain: Lifecycle.ON_DEMAND,
        spot: Lifecycle.SPOT,
    }
