"""The bills function: a delivery lands, and the estimate gives way to the bill, with a trace."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

import boto3
import pytest

from functions.bills.app import lambda_handler
from gpucost.adapters.bill_files import BillFiles
from gpucost.adapters.memory import MemoryBillBook, MemoryLedger, MemoryPriceBook, MemoryStore
from gpucost.adapters.memory_queue import MemoryJobs
from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.policy import Policy
from gpucost.domain.prices.drift import Drift, drift
from gpucost.domain.prices.pricebook import PriceEntry
from gpucost.domain.readings import NodeFacts, Readings
from gpucost.ports import HourJob, MessageError, Outcome, ServiceError, ServiceUnavailable
from gpucost.prices import BillError, Delivery, Manifest, PriceSources
from gpucost.runtime.environment import BillsEnvironment
from gpucost.usecases.pricing.true_up import BillSources
from gpucost.usecases.recording.close_hour import close_hour
from tests.support.bills import INSTANCE, MANIFEST_KEY, csv_gz, data_key, line, manifest, pod_line
from tests.support.handlers import Context, install, sample
from tests.support.readings import allocatable, device, mask, node, phase, pod, readings, request

pytestmark = pytest.mark.real
CLUSTER = "gpu-cost-poc"
FIRST = Hour.parse("2026-11-29T00:00:00Z")
DAY = list(hours_between(FIRST, FIRST.plus(24)))
LATER = FIRST.plus(40).start
BUCKET = "example-bill"


class Nobody:
    """AWS, which need not be asked: the book and the labels know it all."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{name} was asked")


class FixedCluster:
    """The same hour, all day: three of eight A100 held by two BUs, one of them idle."""

    def read_hour(self, cluster: str, hour: Hour) -> Readings:
        labels = {"node_kubernetes_io_instance_type": "p4d.24xlarge", "karpenter_sh_capacity_type": "on-demand"}
        facts: list[object] = [node(labels=labels), allocatable(8)]
        facts.append(NodeFacts("node-a", mask(0, 60), provider_id=f"aws:///us-west-2b/{INSTANCE}"))
        for name, namespace, gpus, used in (("a-0", "bu-a", 2, "0.5"), ("b-0", "bu-b", 1, "0")):
            who = pod(name, namespace)
            facts += [request(who, gpus), phase(who)]
            facts += [device(who, used, uuid=f"GPU-{name}-{index}") for index in range(gpus)]
        return readings(*facts)


class FakeAthena:
    """A query that is done."""

    def __init__(self, files: Sequence[str] = ()) -> None:
        self.started: list[Manifest] = []
        self.files = files

    def start(self, manifest: Manifest) -> str:
        self.started.append(manifest)
        return "01234567-0123-0123-0123-012345678901"

    def result(self, query: str) -> tuple[Delivery, Sequence[str]]:
        return Delivery(query, LATER), self.files


class House:
    """A day that was published by the list price, and a bucket for the bill."""

    def __init__(self, patch: pytest.MonkeyPatch, endpoint: str) -> None:
        store = MemoryStore()
        self.ledger, self.bills, book = MemoryLedger(store), MemoryBillBook(store), MemoryPriceBook(store)
        price = PriceEntry("us-west-2", "p4d.24xlarge", FIRST.plus(-999), LATER, Decimal("21.957642"))
        book.add(price, after=0)
        self.prices = PriceSources(book, Nobody(), Nobody(), Nobody(), self.bills)
        self.jobs, self.athena = MemoryJobs(), FakeAthena()
        self.s3 = boto3.client("s3", endpoint_url=endpoint)
        self.s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
        install(
            patch,
            BillsEnvironment,
            bill_sources=BillSources(BillFiles(self.s3), self.athena),
            bill_book=self.bills,
            ledger=self.ledger,
            jobs=self.jobs,
        )
        for hour in DAY:
            self.work_out(hour)

    def work_out(self, hour: Hour, reason: str = "schedule") -> Outcome:
        job = HourJob(CLUSTER, hour, reason)
        now = max(LATER, hour.end + timedelta(minutes=10))
        done = close_hour(job, FixedCluster(), self.ledger, Policy(), settings_digest="s", now=now, prices=self.prices)
        assert done is not None
        return done.outcome

    def deliver(self, rows: Sequence[dict[str, str]], execution: str = "e-1", suffix: str = "csv.gz") -> None:
        self.s3.put_object(Bucket=BUCKET, Key=data_key(f"bill-1.{suffix}"), Body=csv_gz(rows))
        self.s3.put_object(Bucket=BUCKET, Key=MANIFEST_KEY, Body=manifest(BUCKET, [f"bill-1.{suffix}"], execution))

    def run(self, event: Any = None) -> int:
        answer: dict[str, int] = lambda_handler(event or sample("bills-delivered"), Context())
        return answer["queued"]


@pytest.fixture
def house(clean_moto: str, monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch, clean_moto)


def a_day(usd: str) -> list[dict[str, str]]:
    """The bill of the day: at a price of a Savings Plan, with the rows that must not be added."""
    rows = []
    for hour in DAY:
        rows += [line(hour, usd, "SavingsPlanCoveredUsage"), line(hour, f"-{usd}", "SavingsPlanNegation")]
        rows += [pod_line(hour, "bu-a", "3"), line(hour, "0.01", line_item_usage_type="USW2-DataTransfer-Out-Bytes")]
    return rows


def test_a_day_of_the_bill_moves_every_bu_and_leaves_its_trace(house: House) -> None:
    house.deliver(a_day("16"))
    assert house.run() == 24
    assert [(job.cluster, job.reason) for job in house.jobs.sent] == [(CLUSTER, "bill")] * 24
    assert {house.work_out(job.hour, job.reason) for job in house.jobs.sent} == {Outcome.PUBLISHED}
    pairs = []
    for hour in DAY:
        before, after = house.ledger.revision(CLUSTER, hour, 1), house.ledger.revision(CLUSTER, hour, 2)
        assert before is not None
        assert after is not None
        assert {row.price.source for row in before.nodes} == {"price_list"}
        assert {(row.price.source, row.price.usd_per_gpu_hour) for row in after.nodes} == {("cur", Decimal(2))}
        pairs.append((before, after))
    per_gpu = Decimal("2.74470525")
    assert drift(pairs) == [
        Drift("bu-a", 48 * per_gpu, Decimal(96)),
        Drift("bu-b", 24 * per_gpu, Decimal(48)),
        Drift("", 120 * per_gpu, Decimal(240)),
    ]


def test_the_same_delivery_again_and_a_later_one_that_changes_an_hour(house: House) -> None:
    house.deliver(a_day("16"))
    house.run()
    assert house.run() == 0
    rows = a_day("16")
    rows[0] = line(DAY[0], "18", "SavingsPlanCoveredUsage")
    house.deliver(rows, "e-2")
    assert house.run() == 1
    assert house.jobs.sent[-1] == HourJob(CLUSTER, DAY[0], "bill")


def test_hours_that_were_never_published_are_not_queued(house: House) -> None:
    house.deliver([line(FIRST.plus(-5), "16"), line(FIRST, "16")])
    assert house.run() == 1


def test_whoever_dies_before_queueing_leaves_it_to_the_next_one(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    house.deliver(a_day("16"))
    with monkeypatch.context() as broken:

        def refuse(*_: object) -> None:
            raise ServiceUnavailable("throttled")

        broken.setattr(MemoryJobs, "send", refuse)
        with pytest.raises(ServiceUnavailable):
            house.run()
    assert house.run() == 24
    assert house.run() == 0


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([line(FIRST, "16"), line(FIRST.plus(1), "16", line_item_currency_code="CNY")], "row 3: the cost is in CNY"),
        ([line(FIRST, "16"), line(FIRST.plus(1), "x")], "row 3: line_item_unblended_cost is 'x'"),
    ],
)
def test_of_a_delivery_with_a_fault_nothing_is_kept(house: House, rows: list[dict[str, str]], said: str) -> None:
    house.deliver(rows)
    with pytest.raises(BillError, match=said):
        house.run()
    assert house.bills.billed(FIRST) == ({}, None)
    assert house.jobs.sent == []


def test_half_a_delivery_is_refused(house: House) -> None:
    house.deliver(a_day("16"))
    whole = csv_gz(a_day("16"))
    house.s3.put_object(Bucket=BUCKET, Key=data_key("bill-1.csv.gz"), Body=whole[: len(whole) // 2])
    with pytest.raises(BillError, match="cut off"):
        house.run()
    house.s3.delete_object(Bucket=BUCKET, Key=data_key("bill-1.csv.gz"))
    with pytest.raises(ServiceError, match="NoSuchKey"):
        house.run()
    assert house.bills.billed(FIRST) == ({}, None)


def test_parquet_goes_by_athena(house: House) -> None:
    house.deliver(a_day("16"), suffix="snappy.parquet")
    assert house.run() == 0
    assert [one.period for one in house.athena.started] == ["2026-11"]
    house.s3.put_object(Bucket=BUCKET, Key="results/q.csv.gz", Body=csv_gz(a_day("16")))
    house.athena.files = [f"s3://{BUCKET}/results/q.csv.gz"]
    assert house.run(sample("bills-queried")) == 24


@pytest.mark.parametrize("event", [sample("bills-poison"), {}, {"detail-type": "Object Created", "detail": {}}])
def test_an_event_of_another_kind_is_refused(house: House, event: dict[str, Any]) -> None:
    with pytest.raises(MessageError, match="neither an"):
        lambda_handler(event, Context())


def test_a_query_that_still_runs_is_no_delivery(house: House) -> None:
    event = sample("bills-queried")
    event["detail"]["currentState"] = "RUNNING"
    with pytest.raises(MessageError):
        house.run(event)


def test_the_sample_event_is_about_the_bucket_of_these_tests() -> None:
    detail = sample("bills-delivered")["detail"]
    assert (detail["bucket"]["name"], detail["object"]["key"]) == (BUCKET, MANIFEST_KEY)
