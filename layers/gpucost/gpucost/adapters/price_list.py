"""The AWS Price List Query API: what an hour of an instance type costs On-Demand."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters.aws_errors import explained
from gpucost.domain.hours import parse_instant
from gpucost.domain.prices.pricebook import Quote
from gpucost.ports import ServiceError
from gpucost.prices import PriceError

if TYPE_CHECKING:
    from mypy_boto3_pricing import PricingClient
    from mypy_boto3_pricing.type_defs import FilterTypeDef

PERMISSIONS = ("pricing:GetProducts",)

_ENDPOINTS = {"ap": "ap-south-1", "eu": "eu-central-1", "cn": "cn-northwest-1"}
_WITHOUT = ("us-gov-", "us-iso", "eu-isoe", "eusc-")


def endpoint_region(region: str) -> str:
    """The region whose pricing endpoint serves this one. ServiceError for a partition that has none.

    Any endpoint answers for every region of its partition.
    """
    if region.startswith(_WITHOUT):
        raise ServiceError(f"the partition of {region} has no Price List endpoint: give rates in the settings")
    return _ENDPOINTS.get(region.split("-", 1)[0], "us-east-1")


class AwsPriceList:
    """`prices.PriceList` on the Price List Query API. `client_of` gives the client of an endpoint's region."""

    def __init__(self, client_of: "Callable[[str], PricingClient]") -> None:
        self._client_of = client_of

    def on_demand(self, region: str, instance_type: str) -> Quote:
        wanted = f"{instance_type} in {region}"
        products = [product for product in self._products(region, instance_type) if _is_wanted(product)]
        quotes = [quote for product in products for quote in _quotes(product, wanted) if quote.usd_per_hour]
        if len(quotes) == 1:
            return quotes[0]
        if quotes:
            prices = ", ".join(sorted(str(quote.usd_per_hour) for quote in quotes))
            raise PriceError(f"the price list has {len(quotes)} prices for {wanted} ({prices}): it is not clear which")
        if products:
            raise PriceError(f"the price list has {wanted}, but at 0 USD only")
        raise PriceError(f"the price list has no On-Demand price for {wanted}")

    def _products(self, region: str, instance_type: str) -> Iterator[Mapping[str, Any]]:
        request: dict[str, Any] = {"ServiceCode": "AmazonEC2", "FormatVersion": "aws_v1", "MaxResults": 100}
        request["Filters"] = filters(region, instance_type)
        client = self._client_of(endpoint_region(region))
        try:
            for page in client.get_paginator("get_products").paginate(**request):
                for text in page["PriceList"]:
                    yield json.loads(text, parse_float=Decimal)
        except (ClientError, BotoCoreError) as error:
            raise explained(error, f"asking the price list for {instance_type} in {region}") from error
        except ValueError as error:
            raise PriceError(f"the price list's answer for {instance_type} in {region} is not JSON: {error}") from None


def filters(region: str, instance_type: str) -> "list[FilterTypeDef]":
    """What singles out the plain Linux On-Demand price.

    Without `capacitystatus` unused reservations come along, without `marketoption` capacity blocks at 0 USD.
    """
    metal = instance_type.rpartition(".")[2].startswith("metal")
    fields = {
        "regionCode": region,
        "instanceType": instance_type,
        "operatingSystem": "Linux",
        "preInstalledSw": "NA",
        "licenseModel": "No License required",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
        "tenancy": "Dedicated" if metal else "Shared",
        "productFamily": "Compute Instance (bare metal)" if metal else "Compute Instance",
    }
    return [{"Type": "TERM_MATCH", "Field": name, "Value": value} for name, value in fields.items()]


def _is_wanted(product: Mapping[str, Any]) -> bool:
    """The filters once more: an endpoint that ignores one of them must not change a bill."""
    attributes = product.get("product", {}).get("attributes", {})
    unless = {"capacitystatus": "Used", "marketoption": "OnDemand"}
    return all(attributes.get(name, value) == value for name, value in unless.items())


def _quotes(product: Mapping[str, Any], wanted: str) -> Iterator[Quote]:
    for term in product.get("terms", {}).get("OnDemand", {}).values():
        for dimension in term.get("priceDimensions", {}).values():
            if dimension.get("unit") != "Hrs":
                raise PriceError(f"the price list prices {wanted} by {dimension.get('unit')!r}, not by the hour")
            yield Quote(_usd(dimension.get("pricePerUnit", {}), wanted), _effective(term, wanted))


def _usd(price: Mapping[str, Any], wanted: str) -> Decimal:
    if set(price) != {"USD"}:
        named = ", ".join(sorted(price)) or "nothing"
        raise PriceError(f"the price list prices {wanted} in {named}, not in USD: give rates in the settings")
    try:
        usd = Decimal(str(price["USD"]))
    except InvalidOperation:
        usd = Decimal("NaN")
    if not usd.is_finite() or usd < 0:
        raise PriceError(f"the price list's price for {wanted} is {price['USD']!r}, not a number of USD")
    return usd


def _effective(term: Mapping[str, Any], wanted: str) -> datetime:
    try:
        return parse_instant(str(term.get("effectiveDate")))
    except ValueError as error:
        raise PriceError(f"the price list's date for {wanted} is wrong: {error}") from None
