"""`gpucost backfill`, `verify` and `replay` against a real ledger, a real Prometheus, and queues."""

import json
import uuid
from collections.abc import Callable
from pathlib import Path

import boto3
import pytest

from local.scenarios.recipe import RECIPE
from tests.local.conftest import CommandLine
from tests.support.tables import create_table

pytestmark = pytest.mark.real
FIRST, END = "2026-11-30T09:00:00Z", "2026-11-30T12:00:00Z"
CLUSTER = RECIPE.cluster


@pytest.fixture
def table(dynamodb_local: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_local)
    name = f"ledger-{uuid.uuid4().hex}"
    create_table(boto3.client("dynamodb"), name)
    return name


@pytest.fixture
def queues(clean_moto: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SQS", clean_moto)
    client = boto3.client("sqs")
    dead, jobs = (client.create_queue(QueueName=name)["QueueUrl"] for name in ("dead", "jobs"))
    return dead, jobs


type Backfill = Callable[[], str]


@pytest.fixture
def backfilled(gpucost: CommandLine, recipe_url: str, table: str, tmp_path: Path) -> Backfill:
    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(RECIPE.settings))
    source = ("--prometheus-url", recipe_url, "--settings", str(settings))

    def run() -> str:
        done = gpucost("backfill", "--from", FIRST, "--to", END, "--table", table, *source)
        assert done.code == 0, done.err
        return done.out

    return run


def test_a_backfill_publishes_every_hour_once(backfilled: Backfill) -> None:
    assert "3 published" in backfilled()
    assert "3 unchanged" in backfilled()


def test_what_was_published_verifies(backfilled: Backfill, gpucost: CommandLine, table: str) -> None:
    backfilled()
    call = ("verify", "--table", table, "--cluster", CLUSTER, "--from", FIRST, "--to", END)
    run = gpucost(*call)
    assert run.code == 0, run.err
    assert "2026-11: sound (3 hours, 3 entries, 3 reports)" in run.out
    tip = run.out.split("tip ")[1].split()[0]
    assert gpucost(*call, "--tip", f"2026-11={tip}").code == 0
    other = gpucost(*call, "--tip", "2026-11=0123")
    assert other.code == 1
    assert "rewritten or cut" in other.out


def test_tampering_shows(backfilled: Backfill, gpucost: CommandLine, table: str) -> None:
    backfilled()
    client = boto3.client("dynamodb")
    heads = [item for item in client.scan(TableName=table)["Items"] if item.get("type") == {"S": "head"}]
    head = next(item for item in heads if "T10:" in item["sk"]["S"])
    client.put_item(TableName=table, Item={**head, "digest": {"S": "0" * 64}})
    run = gpucost("verify", "--table", table, "--cluster", CLUSTER, "--from", FIRST, "--to", END)
    assert run.code == 1
    assert "2026-11-30T10:00:00Z" in run.out


@pytest.mark.parametrize(
    ("first", "end", "said"),
    [
        ("yesterday", END, "not an instant"),
        (END, FIRST, "not after"),
        (FIRST, "2999-01-01T00:00:00Z", "over only up to"),
        ("2026-11-30T09:30:00Z", END, "on the hour"),
    ],
)
def test_a_period_that_is_none_is_refused(gpucost: CommandLine, first: str, end: str, said: str) -> None:
    run = gpucost("backfill", "--from", first, "--to", end, "--table", "t", "--prometheus-url", "http://127.0.0.1:9")
    assert run.code == 2
    assert said in run.err
    assert len(run.err.splitlines()) == 1


def test_hours_that_fail_are_named_and_the_rest_is_published(gpucost: CommandLine, table: str) -> None:
    url = "http://127.0.0.1:9"
    run = gpucost("backfill", "--from", FIRST, "--to", END, "--table", table, "--prometheus-url", url)
    assert run.code == 1
    assert run.out.count("could not be reached") == 3
    assert "3 hours failed" in run.err


def test_dead_letters_are_listed_with_their_reason_and_stay(gpucost: CommandLine, queues: tuple[str, str]) -> None:
    dead, _ = queues
    _put(dead, "job", "AMP answered 403")
    for _ in range(2):
        run = gpucost("replay", "--dead-letters", dead)
        assert "job\n  AMP answered 403" in run.out
        assert "1 dead letters;" in run.out


def test_dead_letters_are_sent_again_whole(gpucost: CommandLine, queues: tuple[str, str]) -> None:
    dead, jobs = queues
    bodies = [f"job {index} [x]" for index in range(25)]
    for body in bodies:
        _put(dead, body, None)
    run = gpucost("replay", "--dead-letters", dead, "--into", jobs)
    assert "25 dead letters sent again" in run.out
    assert "no reason" in run.out
    assert sorted(_take_all(jobs)) == sorted(bodies)
    assert _take_all(dead) == []


def _put(url: str, body: str, reason: str | None) -> None:
    attributes = {} if reason is None else {"reason": {"DataType": "String", "StringValue": reason}}
    boto3.client("sqs").send_message(QueueUrl=url, MessageBody=body, MessageAttributes=attributes)  # type: ignore[arg-type]


def _take_all(url: str) -> list[str]:
    client, bodies = boto3.client("sqs"), []
    while messages := client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
        bodies += [message["Body"] for message in messages]
    return bodies
