"""AWS as the source of prices: its price list, its Spot market, its instances."""

from functools import cache
from typing import TYPE_CHECKING

from botocore.config import Config

from gpucost.adapters.fleet import Ec2Fleet
from gpucost.adapters.price_list import AwsPriceList
from gpucost.adapters.spot_market import AwsSpotMarket
from gpucost.prices import BillBook, PriceBook, PriceSources

if TYPE_CHECKING:
    import boto3
    from mypy_boto3_ec2 import EC2Client
    from mypy_boto3_pricing import PricingClient

CONFIG = Config(connect_timeout=3, read_timeout=5, retries={"mode": "standard", "max_attempts": 2})
"""Prices are asked for while an hour is worked out: better a flagged price than an hour that runs out of time."""


def aws_price_list(session: "boto3.Session") -> AwsPriceList:
    """The price list, asked with the session's credentials. Clients are made when they are first needed."""

    @cache
    def client(region: str) -> "PricingClient":
        return session.client("pricing", region_name=region, config=CONFIG)

    return AwsPriceList(client)


def aws_price_sources(session: "boto3.Session", book: PriceBook, bills: BillBook) -> PriceSources:
    """All of AWS' sources, asked with the session's credentials in the region of each node."""

    @cache
    def client(region: str) -> "EC2Client":
        return session.client("ec2", region_name=region, config=CONFIG)

    return PriceSources(book, aws_price_list(session), AwsSpotMarket(client), Ec2Fleet(client), bills)
