"""The metrics client over a real socket: encoding, errors, retries, and answers that are not what they should be."""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from decimal import Decimal
from urllib.parse import parse_qs

import pytest

from gpucost.adapters.metrics.client import EngineClient, form_body
from gpucost.adapters.metrics.errors import AccessDenied, QueryRejected, ResponseTooLarge, UnreadableAnswer
from gpucost.adapters.metrics.matrix import read_vector
from gpucost.ports import MetricsError, MetricsUnavailable
from local.stack.http import QuietHandler, http_server
from tests.support.cases import CASES, load


@dataclass
class Scripted:
    """An engine that gives scripted answers, the last one again and again."""

    url: str = ""
    answers: list[tuple[int, str, str]] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)


@pytest.fixture
def engine() -> Iterator[Scripted]:
    scripted = Scripted()

    class Handler(QuietHandler):
        def respond(self) -> None:
            scripted.bodies.append(self.body().decode())
            index = min(len(scripted.bodies), len(scripted.answers)) - 1
            status, body, content_type = scripted.answers[index]
            self.answer(status, body.encode(), content_type)

    with ExitStack() as stack:
        scripted.url = stack.enter_context(http_server(Handler))
        yield scripted


def client(engine: Scripted) -> EngineClient:
    return EngineClient(engine.url, sleep=lambda _: None)


def test_each_value_is_encoded_exactly_once() -> None:
    expected = load(CASES / "49-promql-encoding-and-sigv4" / "expected.json")
    for encoding in expected["encodings"]:
        body = form_body({"query": encoding["query"]})
        assert body == encoding["form_body"]
        assert hashlib.sha256(body.encode()).hexdigest() == encoding["form_body_sha256"]


def test_the_query_arrives_as_it_was_written(engine: Scripted) -> None:
    engine.answers = [(200, "{}", "application/json")]
    query = load(CASES / "49-promql-encoding-and-sigv4" / "queries.json")[1]
    client(engine).post("query", {"query": query})
    assert parse_qs(engine.bodies[0]) == {"query": [query]}


@pytest.mark.parametrize("kind", ["413", "422"])
def test_what_cannot_heal_is_raised_at_once_with_its_reason(engine: Scripted, kind: str) -> None:
    folder = CASES / "47-plain-text-413-and-422"
    response, expected = load(folder / f"response_{kind}.json"), load(folder / "expected.json")[f"response_{kind}"]
    engine.answers = [(int(response["status"]), response["body"], response["headers"]["Content-Type"])]
    with pytest.raises(MetricsError) as caught:
        client(engine).post("query", {"query": "up"})
    assert isinstance(caught.value, ResponseTooLarge if kind == "413" else QueryRejected)
    assert not caught.value.retryable
    for text in expected["error_contains"]:
        assert text in str(caught.value)
    assert len(engine.bodies) == 1


@pytest.mark.parametrize(
    ("status", "kind", "tries"),
    [(400, QueryRejected, 1), (401, AccessDenied, 1), (403, AccessDenied, 1), (404, MetricsError, 1)]
    + [(status, MetricsUnavailable, 3) for status in (429, 500, 502, 503, 504)],
)
def test_every_status_has_its_error(engine: Scripted, status: int, kind: type[MetricsError], tries: int) -> None:
    engine.answers = [(status, "no\nluck", "text/plain")]
    with pytest.raises(kind, match="no luck") as caught:
        client(engine).post("query", {"query": "up"})
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
    assert len(engine.bodies) == tries


def test_a_throttle_that_passes_is_not_an_error(engine: Scripted) -> None:
    engine.answers = [(429, "slow down", "text/plain"), (503, "", "text/plain"), (200, "ok", "application/json")]
    assert client(engine).post("query", {"query": "up"}) == "ok"


def test_pauses_grow(engine: Scripted) -> None:
    engine.answers = [(503, "", "text/plain")]
    pauses: list[float] = []
    with pytest.raises(MetricsUnavailable):
        EngineClient(engine.url, sleep=pauses.append).post("query", {"query": "up"})
    assert pauses == [0.5, 1.0]


def test_nobody_listening_says_what_to_check() -> None:
    with pytest.raises(MetricsUnavailable, match=r"could not be reached.*check the endpoint"):
        EngineClient("http://127.0.0.1:9", sleep=lambda _: None).post("query", {"query": "up"})


def test_a_slow_engine_is_given_up(engine: Scripted) -> None:
    engine.answers = [(200, "late", "application/json")]

    class Slow(QuietHandler):
        def respond(self) -> None:
            import time

            time.sleep(0.3)
            self.answer(200, b"late", "application/json")

    with http_server(Slow) as url, pytest.raises(MetricsUnavailable, match="did not answer in time"):
        EngineClient(url, read_timeout=0.05, sleep=lambda _: None).post("query", {"query": "up"})


@pytest.mark.parametrize("endpoint", ["", "ftp://x", "aps-workspaces", "https://user:secret@host"])
def test_an_endpoint_that_is_none_is_refused(endpoint: str) -> None:
    with pytest.raises(MetricsError) as caught:
        EngineClient(endpoint)
    assert "secret" not in str(caught.value)


def test_the_endpoint_may_end_in_a_slash_or_in_the_api_path() -> None:
    for endpoint in ("https://h/workspaces/ws-1", "https://h/workspaces/ws-1/", "https://h/workspaces/ws-1/api/v1/"):
        assert EngineClient(endpoint).endpoint == "https://h/workspaces/ws-1"


def test_nan_is_no_observation() -> None:
    folder = CASES / "44-scalar-nan-when-no-dcgm"
    assert read_vector((folder / "utilization.json").read_text(encoding="utf-8")) == ([({}, None)], ())
    for name in ("effective.json", "waste.json"):
        pairs, _ = read_vector((folder / name).read_text(encoding="utf-8"))
        assert [value for _, value in pairs] == [None, None, None]


def test_warnings_are_kept_and_infos_are_left_alone() -> None:
    text = (CASES / "46-partial-data-warning" / "requests.json").read_text(encoding="utf-8")
    pairs, warnings = read_vector(text)
    assert [(labels["namespace"], value) for labels, value in pairs] == [("bu-a", Decimal(1))]
    assert warnings == ("Query result may contain partial data",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<html>",
        "[]",
        "{}",
        '{"status":"error","error":"boom"}',
        '{"status":"success","data":{"resultType":"matrix","result":[]}}',
        '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"one"]}]}}',
    ],
)
def test_an_answer_of_another_shape_is_named(text: str) -> None:
    with pytest.raises(UnreadableAnswer):
        read_vector(text)


def test_redirects_are_not_followed(engine: Scripted) -> None:
    engine.answers = [(302, "elsewhere", "text/plain")]
    with pytest.raises(MetricsError, match="302"):
        client(engine).post("query", {"query": "up"})
