"""The Price List Query API through boto3's own client: signed questions, answers in the service's own shape."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from gpucost.adapters.price_list import AwsPriceList
from gpucost.domain.prices.pricebook import Quote
from gpucost.ports import ServiceError, ServiceUnavailable
from gpucost.prices import PriceError
from tests.support.price_api import PriceApi, captured, changed, price_api

P4D = ("us-east-1", "p4d.24xlarge")
P4D_PRODUCT = captured("p4d-us-east-1")
EFFECTIVE = datetime(2026, 9, 1, tzinfo=UTC)


@pytest.fixture
def api() -> Iterator[PriceApi]:
    with price_api() as double:
        double.products = [captured("p4d-us-east-1"), captured("p4d-us-west-2")]
        double.products += [captured("c5ad-unused-reservation"), captured("p4d-us-east-1-capacity-block")]
        yield double


@pytest.fixture
def price_list(api: PriceApi) -> AwsPriceList:
    return AwsPriceList(lambda region: api.client("pricing", region))


def test_the_price_is_the_one_of_the_region_exactly(price_list: AwsPriceList) -> None:
    assert price_list.on_demand(*P4D) == Quote(Decimal("21.957642"), EFFECTIVE)
    assert price_list.on_demand("us-west-2", "p4d.24xlarge").usd_per_hour == Decimal("21.95764")


def test_the_question_names_everything_that_tells_the_price_from_its_neighbours(
    api: PriceApi, price_list: AwsPriceList
) -> None:
    price_list.on_demand(*P4D)
    (asked,) = api.asked
    assert asked["ServiceCode"] == "AmazonEC2"
    assert {(one["Type"], one["Field"], one["Value"]) for one in asked["Filters"]} == {
        ("TERM_MATCH", "regionCode", "us-east-1"),
        ("TERM_MATCH", "instanceType", "p4d.24xlarge"),
        ("TERM_MATCH", "operatingSystem", "Linux"),
        ("TERM_MATCH", "preInstalledSw", "NA"),
        ("TERM_MATCH", "licenseModel", "No License required"),
        ("TERM_MATCH", "capacitystatus", "Used"),
        ("TERM_MATCH", "marketoption", "OnDemand"),
        ("TERM_MATCH", "tenancy", "Shared"),
        ("TERM_MATCH", "productFamily", "Compute Instance"),
    }
    assert "/us-east-1/pricing/aws4_request" in api.authorizations[0]


def test_bare_metal_is_dedicated(api: PriceApi, price_list: AwsPriceList) -> None:
    metal = changed(captured("p4d-us-east-1"), {"USD": "7.824"}, instanceType="g4dn.metal", tenancy="Dedicated")
    metal["product"]["productFamily"] = "Compute Instance (bare metal)"
    api.products = [metal]
    assert price_list.on_demand("us-east-1", "g4dn.metal").usd_per_hour == Decimal("7.824")


def test_the_price_is_on_the_second_page(api: PriceApi, price_list: AwsPriceList) -> None:
    api.page, api.honours_filters = 1, False
    api.products = [captured("p4d-us-east-1-capacity-block"), captured("p4d-us-east-1")]
    assert price_list.on_demand(*P4D).usd_per_hour == Decimal("21.957642")


def test_an_endpoint_that_ignores_filters_changes_no_price(api: PriceApi, price_list: AwsPriceList) -> None:
    api.honours_filters = False
    api.products = [P4D_PRODUCT, changed(P4D_PRODUCT, capacitystatus="UnusedCapacityReservation")]
    assert price_list.on_demand(*P4D).usd_per_hour == Decimal("21.957642")


@pytest.mark.parametrize(
    ("products", "said"),
    [
        ([], "no On-Demand price for p4d.24xlarge in us-east-1"),
        (
            [P4D_PRODUCT, changed(P4D_PRODUCT, {"USD": "32.77"})],
            r"2 prices for p4d.24xlarge in us-east-1 \(21.957\d+, 32",
        ),
        ([changed(P4D_PRODUCT, {"USD": "0.0000000000"})], "but at 0 USD only"),
        ([changed(P4D_PRODUCT, {"CNY": "150.0"})], "in CNY, not in USD: give rates in the settings"),
        ([changed(P4D_PRODUCT, {})], "in nothing, not in USD"),
        ([changed(P4D_PRODUCT, {"USD": "soon"})], "is 'soon', not a number of USD"),
        ([changed(P4D_PRODUCT, {"USD": "-1"})], "is '-1', not a number of USD"),
    ],
)
def test_anything_but_one_price_in_usd_is_an_error_that_says_so(
    api: PriceApi, price_list: AwsPriceList, products: list[dict[str, object]], said: str
) -> None:
    api.products = products
    with pytest.raises(PriceError, match=said):
        price_list.on_demand(*P4D)


def test_a_price_by_another_unit_is_refused(api: PriceApi, price_list: AwsPriceList) -> None:
    product = captured("p4d-us-east-1")
    (term,) = product["terms"]["OnDemand"].values()
    (dimension,) = term["priceDimensions"].values()
    dimension["unit"] = "Quantity"
    api.products = [product]
    with pytest.raises(PriceError, match="by 'Quantity', not by the hour"):
        price_list.on_demand(*P4D)


def test_a_price_without_a_date_is_refused(api: PriceApi, price_list: AwsPriceList) -> None:
    product = captured("p4d-us-east-1")
    (term,) = product["terms"]["OnDemand"].values()
    del term["effectiveDate"]
    api.products = [product]
    with pytest.raises(PriceError, match=r"date for p4d.24xlarge in us-east-1 is wrong"):
        price_list.on_demand(*P4D)


def test_throttling_passes(api: PriceApi, price_list: AwsPriceList) -> None:
    api.failures = [(400, "ThrottlingException")]
    assert price_list.on_demand(*P4D).usd_per_hour == Decimal("21.957642")
    api.failures = [(400, "ThrottlingException")] * 3
    with pytest.raises(ServiceUnavailable, match=r"asking the price list for p4d.24xlarge in us-east-1"):
        price_list.on_demand(*P4D)


def test_a_missing_permission_does_not_pass(api: PriceApi, price_list: AwsPriceList) -> None:
    api.failures = [(400, "AccessDeniedException")]
    with pytest.raises(ServiceError, match="AccessDenied") as caught:
        price_list.on_demand(*P4D)
    assert not caught.value.retryable


@pytest.mark.parametrize(
    ("region", "endpoint"),
    [
        ("us-west-2", "us-east-1"),
        ("sa-east-1", "us-east-1"),
        ("eu-west-3", "eu-central-1"),
        ("ap-southeast-2", "ap-south-1"),
        ("cn-north-1", "cn-northwest-1"),
    ],
)
def test_every_region_has_an_endpoint_that_answers_for_it(
    region: str, endpoint: str, api: PriceApi, price_list: AwsPriceList
) -> None:
    api.products = [changed(captured("p4d-us-east-1"), regionCode=region)]
    price_list.on_demand(region, "p4d.24xlarge")
    assert f"/{endpoint}/pricing/" in api.authorizations[-1]


@pytest.mark.parametrize("region", ["us-gov-west-1", "us-iso-east-1", "eu-isoe-west-1", "eusc-de-east-1"])
def test_a_partition_without_a_price_list_says_what_to_do(region: str, price_list: AwsPriceList) -> None:
    with pytest.raises(ServiceError, match=f"the partition of {region} has no Price List endpoint: give rates"):
        price_list.on_demand(region, "p4d.24xlarge")
