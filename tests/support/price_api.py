"""The Price List and EC2 APIs on loopback: they answer what a test gives them, in the services' own wire formats."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import boto3
from botocore.config import Config

from local.stack.aws import ACCESS_KEY, SECRET_KEY
from local.stack.http import QuietHandler, http_server

CAPTURES = Path(__file__).parents[1] / "captures" / "prices"
ONCE = Config(retries={"mode": "standard", "max_attempts": 2}, connect_timeout=2, read_timeout=2)


def captured(name: str) -> dict[str, Any]:
    """A product of the price list as AWS publishes it."""
    found: dict[str, Any] = json.loads((CAPTURES / f"{name}.json").read_text())
    return found


def changed(product: dict[str, Any], price: dict[str, str] | None = None, **attributes: str) -> dict[str, Any]:
    """The product with another price or other attributes."""
    copy: dict[str, Any] = json.loads(json.dumps(product))
    copy["product"]["attributes"].update(attributes)
    if price is not None:
        (term,) = copy["terms"]["OnDemand"].values()
        (dimension,) = term["priceDimensions"].values()
        dimension["pricePerUnit"] = price
    return copy


@dataclass
class PriceApi:
    """What the double answers with, and what it was asked."""

    products: list[dict[str, Any]] = field(default_factory=list)
    spot_rows: list[tuple[str, str, str, str]] = field(default_factory=list)
    """(type, zone, instant, USD)"""
    failures: list[tuple[int, str]] = field(default_factory=list)
    """Statuses and error codes for the next requests, before any is answered."""
    page: int = 100
    honours_filters: bool = True
    asked: list[dict[str, Any]] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    url: str = ""

    def client(self, service: str, region: str = "us-east-1") -> Any:
        """boto3's own client at this endpoint."""
        session: Any = boto3.Session(ACCESS_KEY, SECRET_KEY, region_name=region)
        return session.client(service, endpoint_url=self.url, config=ONCE)


def _matches(product: dict[str, Any], filters: list[dict[str, str]]) -> bool:
    facts = {**product["product"]["attributes"], "productFamily": product["product"]["productFamily"]}
    return all(facts.get(one["Field"]) == one["Value"] for one in filters)


def _products(api: PriceApi, request: dict[str, Any]) -> dict[str, Any]:
    found = [one for one in api.products if not api.honours_filters or _matches(one, request["Filters"])]
    start = int(request.get("NextToken", "0"))
    answer: dict[str, Any] = {
        "FormatVersion": "aws_v1",
        "PriceList": [json.dumps(one) for one in found[start : start + api.page]],
    }
    if start + api.page < len(found):
        answer["NextToken"] = str(start + api.page)
    return answer


def _spot(api: PriceApi, request: dict[str, str]) -> str:
    """Rows of [StartTime, EndTime], and the last before it, newest first: as EC2 does."""
    start, end = request["StartTime"], request["EndTime"]
    mine = [
        row for row in api.spot_rows if row[0] == request["InstanceType.1"] and row[1] == request["AvailabilityZone"]
    ]
    before = sorted(row for row in mine if row[2] <= start)[-1:]
    rows = sorted({*before, *(row for row in mine if start < row[2] <= end)}, key=lambda row: row[2], reverse=True)
    items = "".join(
        f"<item><instanceType>{kind}</instanceType><productDescription>Linux/UNIX</productDescription>"
        f"<spotPrice>{usd}</spotPrice><timestamp>{since}</timestamp><availabilityZone>{zone}</availabilityZone></item>"
        for kind, zone, since, usd in rows
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<DescribeSpotPriceHistoryResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>1</requestId>'
        f"<spotPriceHistorySet>{items}</spotPriceHistorySet><nextToken/></DescribeSpotPriceHistoryResponse>"
    )


@contextmanager
def price_api() -> Iterator[PriceApi]:
    """Serve until the block ends."""
    api = PriceApi()

    class Handler(QuietHandler):
        def respond(self) -> None:
            body = self.body().decode()
            api.authorizations.append(self.headers.get("Authorization", ""))
            query = self.headers.get("X-Amz-Target") is None
            request: dict[str, Any] = (
                {name: values[0] for name, values in parse_qs(body).items()} if query else json.loads(body)
            )
            api.asked.append(request)
            if api.failures:
                self._fail(*api.failures.pop(0), query)
            elif query:
                self.answer(HTTPStatus.OK, _spot(api, request).encode(), "text/xml")
            else:
                self.answer(HTTPStatus.OK, json.dumps(_products(api, request)).encode(), "application/x-amz-json-1.1")

        def _fail(self, status: int, code: str, query: bool) -> None:
            if query:
                text = f"<Response><Errors><Error><Code>{code}</Code><Message>no</Message></Error></Errors></Response>"
                self.answer(status, text.encode(), "text/xml")
            else:
                text = json.dumps({"__type": code, "Message": "no"})
                self.answer(status, text.encode(), "application/x-amz-json-1.1")

    with http_server(Handler) as url:
        api.url = url
        yield api
