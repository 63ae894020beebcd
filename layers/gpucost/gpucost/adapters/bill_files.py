"""Deliveries of the bill in S3: a manifest that names the files of one execution, and the files as CSV."""

import csv
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
from io import TextIOWrapper
from typing import IO, TYPE_CHECKING, Any, cast

from botocore.exceptions import BotoCoreError, ClientError

from gpucost.adapters.aws_errors import explained
from gpucost.domain.prices.bill import BilledHour, BillReader
from gpucost.prices import BillError, Delivery, Manifest

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PERMISSIONS = ("s3:GetObject",)
MANIFEST = re.compile(r"(?:^|/)metadata/BILLING_PERIOD=(?P<period>\d{4}-\d{2})/(?:[^/]+/)*[^/]*Manifest\.json$")
_URI = re.compile(r"s3://(?P<bucket>[^/]+)/(?P<key>.+)")
LARGEST_FIELD = 2**24


class BillFiles:
    """`prices.BillExports` on S3."""

    def __init__(self, client: "S3Client") -> None:
        self._client = client

    def manifest(self, bucket: str, key: str) -> Manifest:
        """The manifest under a key. Data Exports writes it when all files of the delivery are there."""
        place = f"s3://{bucket}/{key}"
        period = MANIFEST.search(key)
        if period is None:
            raise BillError(f"{place} is not a manifest such as …/metadata/BILLING_PERIOD=2026-11/NAME-Manifest.json")
        body, written_at = self._object(bucket, key)
        with closing(body):
            text = body.read()
        try:
            document = json.loads(text)
        except ValueError as error:
            raise BillError(f"{place} is not JSON: {error}") from None
        match document:
            case {"executionId": str(execution), "dataFiles": [str(), *_] as files, "columns": list(columns)}:
                names = frozenset(str(column.get("name")) for column in columns if isinstance(column, dict))
                return Manifest(Delivery(execution, written_at), period["period"], tuple(map(str, files)), names)
        raise BillError(f"{place} lacks executionId, columns or dataFiles: is it a manifest of AWS Data Exports?")

    def read(self, uris: Sequence[str]) -> Sequence[BilledHour]:
        """Row by row, so that a file of any size needs no memory."""
        reading = Reading()
        for uri in uris:
            place = _URI.fullmatch(uri)
            if place is None:
                raise BillError(f"{uri!r} is not the URI of an S3 object")
            body, _ = self._object(place["bucket"], place["key"])
            with closing(body):
                reading.take(uri, cast(IO[bytes], body))
        return reading.bill.billed()

    def _object(self, bucket: str, key: str) -> tuple[Any, datetime]:
        try:
            answer = self._client.get_object(Bucket=bucket, Key=key)
        except (ClientError, BotoCoreError) as error:
            raise explained(error, f"reading s3://{bucket}/{key}") from error
        return answer["Body"], answer["LastModified"]


class Reading:
    """Adds up CSV files of one delivery."""

    def __init__(self) -> None:
        self._reader: BillReader | None = None

    @property
    def bill(self) -> BillReader:
        if self._reader is None:
            raise BillError("the delivery has no rows at all, not even the names of columns")
        return self._reader

    def take(self, name: str, stream: IO[bytes]) -> None:
        """Add up a file. BillError names it with the row that is wrong, or says that it ends too soon."""
        try:
            self._rows(name, stream)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise BillError(f"{name} is cut off or damaged: {error}") from None
        except (UnicodeDecodeError, csv.Error) as error:
            raise BillError(f"{name} is not CSV in UTF-8: {error}") from None

    def _rows(self, name: str, stream: IO[bytes]) -> None:
        csv.field_size_limit(LARGEST_FIELD)
        plain = gzip.GzipFile(fileobj=stream) if name.endswith(".gz") else stream
        rows = csv.reader(TextIOWrapper(cast(IO[bytes], plain), encoding="utf-8", newline=""), strict=True)
        columns = next(rows, None)
        if columns is None:
            return
        try:
            self._reader = self._reader or BillReader(columns)
        except ValueError as error:
            raise BillError(f"{name}: {error}") from None
        for number, row in _numbered(rows):
            if len(row) != len(columns):
                raise BillError(f"{name}, row {number}: {len(row)} cells under {len(columns)} columns: is it cut off?")
            try:
                self._reader.add(dict(zip(columns, row, strict=True)))
            except ValueError as error:
                raise BillError(f"{name}, row {number}: {error}") from None


def _numbered(rows: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Rows with their number; the first below the names of columns is 2, as a spreadsheet shows it."""
    return ((number, row) for number, row in enumerate(rows, start=2) if row)
