"""The nightly export: files that hold every row of the day, in S3, where Athena finds them by their names."""

import gzip
from decimal import Decimal
from typing import Any

import boto3
import pytest
import simplejson

from functions.export.app import lambda_handler
from gpucost.adapters.s3_files import S3Files
from gpucost.domain.answers.focus import COLUMNS
from gpucost.ports import MessageError, ServiceError
from gpucost.runtime.container import Container
from gpucost.runtime.environment import ConfigurationError, ExportEnvironment
from tests.support.handlers import Context, install, sample
from tests.support.house import CLUSTERS, house

pytestmark = pytest.mark.real
BUCKET = "example-export"


class Exporting:
    """export, with a ledger of some days and a bucket."""

    def __init__(self, patch: pytest.MonkeyPatch, endpoint: str) -> None:
        self.s3 = boto3.client("s3", endpoint_url=endpoint)
        self.s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
        self.ledger = house()
        install(patch, ExportEnvironment, ledger=self.ledger, clusters=CLUSTERS, files=S3Files(self.s3, BUCKET))

    def run(self, event: dict[str, Any]) -> int:
        answer: dict[str, int] = lambda_handler(event, Context())
        return answer["files"]

    def names(self) -> list[str]:
        return sorted(one["Key"] for one in self.s3.list_objects_v2(Bucket=BUCKET).get("Contents", []))

    def rows(self, key: str) -> list[dict[str, Any]]:
        body = gzip.decompress(self.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()).decode()
        return [simplejson.loads(line, use_decimal=True) for line in body.splitlines()]


@pytest.fixture
def exporting(clean_moto: str, monkeypatch: pytest.MonkeyPatch) -> Exporting:
    return Exporting(monkeypatch, clean_moto)


def test_a_days_file_holds_every_row_and_adds_up_to_the_capacity(exporting: Exporting) -> None:
    assert exporting.run({"kind": "export", "day": "2026-11-01"}) == len(CLUSTERS)
    assert exporting.names() == [f"focus/cluster={name}/day=2026-11-01/costs.jsonl.gz" for name in sorted(CLUSTERS)]
    for key in exporting.names():
        rows = exporting.rows(key)
        assert all(set(row) == set(COLUMNS) for row in rows)
        first = rows[0]["ChargePeriodStart"][:10]
        assert first == "2026-11-01"
        # 22 hours: one was never published, one failed. Eight GPUs at $12.
        assert sum((row["EffectiveCost"] for row in rows), Decimal(0)) == 22 * 96


def test_the_nightly_event_writes_the_last_days_anew_and_the_same(exporting: Exporting) -> None:
    assert exporting.run(sample("export-nightly")) == 3 * len(CLUSTERS)
    before = {key: exporting.rows(key) for key in exporting.names()}
    assert exporting.run(sample("export-nightly")) == 3 * len(CLUSTERS)
    assert {key: exporting.rows(key) for key in exporting.names()} == before


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (sample("export-poison"), "'yesterday' is not a day such as"),
        ({"kind": "export", "day": "2026-11-30"}, "the day 2026-11-30 is not over"),
        ({"kind": "plan"}, "not an event such as"),
    ],
)
def test_an_event_that_is_not_ours_says_what_one_looks_like(
    exporting: Exporting, event: dict[str, Any], said: str
) -> None:
    with pytest.raises(MessageError, match=said):
        exporting.run(event)
    assert exporting.names() == []


def test_a_bucket_that_is_gone_is_named(exporting: Exporting) -> None:
    exporting.s3.delete_bucket(Bucket=BUCKET)
    with pytest.raises(ServiceError, match=r"writing s3://example-export/focus/cluster="):
        exporting.run(sample("export-day"))


def test_without_a_bucket_it_says_what_to_do() -> None:
    variables = {"GPUCOST_TABLE": "t", "GPUCOST_CLUSTERS": "c", "GPUCOST_EXPORT_BUCKET": "none"}
    with pytest.raises(ConfigurationError, match="deploy with ExportBucket"):
        _ = Container(ExportEnvironment.read(variables)).files
