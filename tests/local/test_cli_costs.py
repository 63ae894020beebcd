"""`gpucost costs` against the real handler over HTTP: tables, JSON, CSV, pages, signatures, and errors in one line."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
import simplejson
from botocore.credentials import Credentials

from gpucost.runtime.environment import ApiEnvironment
from local import api_client
from local.commands.costs import sparkline
from local.errors import ExitCode
from local.stack.aws import ACCESS_KEY, SECRET_KEY
from local.stack.http import QuietHandler, http_server
from local.stack.sigv4 import SignedRequest, Verifier
from tests.local.conftest import CommandLine
from tests.support.api import ask
from tests.support.handlers import install
from tests.support.house import CLUSTERS, END, FIRST, house

WINDOW = ("--from", FIRST.key, "--to", FIRST.plus(48).key)
LONGER = ("--from", FIRST.key, "--to", END.key)


class Handler(QuietHandler):
    """The API, and a note of every request."""

    requests: list[tuple[str, dict[str, str]]]

    def respond(self) -> None:
        parts = urlsplit(self.path)
        self.requests.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        found = ask(parts.path, parts.query)
        headers = {name: value for name, value in found.headers.items() if name in ("etag", "retry-after")}
        self.answer(found.status, found.body.encode(), found.headers["content-type"], headers)


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    install(monkeypatch, ApiEnvironment, ledger=house(), clusters=CLUSTERS)
    Handler.requests = []
    with http_server(Handler) as base_url:
        yield base_url


def test_a_table_of_all_bus_with_what_nobody_held(gpucost: CommandLine, url: str) -> None:
    run = gpucost("costs", "--url", url, *WINDOW)
    assert run.code == 0, run.err
    assert run.out.startswith(f"prod, dev  {FIRST} to {FIRST.plus(48)}, USD")
    assert [line.split()[0] for line in run.out.splitlines() if line[:1].isalpha()][1:] == [
        "BU",
        *("dorado", "charlie", "bravo", "alpha"),
        *("total", "unallocated", "capacity"),
    ]
    assert "9216.000000" in run.out


def test_costs_over_time_have_a_line_for_every_bu(gpucost: CommandLine, url: str) -> None:
    run = gpucost("costs", "--url", url, *WINDOW, "--step", "day", "--group-by", "bu")
    assert run.code == 0, run.err
    assert len(re.findall(r"[▁▂▃▄▅▆▇█]{2} *$", run.out, re.MULTILINE)) == 4


def test_the_window_before_stands_beside(gpucost: CommandLine, url: str) -> None:
    run = gpucost("costs", "--url", url, "--from", FIRST.plus(24).key, "--to", FIRST.plus(48).key, "--compare")
    assert run.code == 0, run.err
    assert re.search(r"alpha .* [+-]\d+\.\d %", run.out)


def test_json_is_the_answer_with_all_pages(gpucost: CommandLine, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = gpucost("costs", "--url", url, *LONGER, "--json", "--step", "hour", "--group-by", "pod")
    assert run.code == 0, run.err
    document = simplejson.loads(run.out, use_decimal=True)
    assert len(Handler.requests) == 2, "the answer has more rows than a page"
    assert len(document["rows"]) == (48 + 34) * 2 * 8
    assert sum(row["allocated_usd"] for row in document["rows"]) == document["totals"]["allocated_usd"]


def test_csv_is_the_api_s_own(gpucost: CommandLine, url: str) -> None:
    run = gpucost("costs", "--url", url, *WINDOW, "--csv", "--bu", "alpha", "--group-by", "namespace")
    assert run.out.splitlines()[0].startswith("bu,namespace,slice_hours")
    assert len(run.out.splitlines()) == 3


def test_the_url_may_come_from_the_environment(gpucost: CommandLine, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUCOST_API_URL", f"{url}/")
    assert gpucost("costs", *WINDOW).code == 0


def test_requests_to_aws_are_signed(gpucost: CommandLine, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_client, "DEPLOYED", re.compile(r"127.0.0.1|(?P<region>never)"))
    monkeypatch.setattr(api_client, "_signer", lambda _region, real=api_client._signer: real("us-west-2"))
    assert gpucost("costs", "--url", url, *WINDOW, "--group-by", "bu,namespace").code == 0
    ((path, headers),) = Handler.requests
    verifier = Verifier("execute-api", "us-west-2", {ACCESS_KEY: Credentials(ACCESS_KEY, SECRET_KEY)})
    verifier.verify(SignedRequest("GET", f"{url}{path}", headers, b""), datetime.now(UTC))


@pytest.mark.parametrize(
    ("host", "region"),
    [
        ("abc123.execute-api.us-west-2.amazonaws.com", "us-west-2"),
        ("abc123.execute-api.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ("abc123.execute-api.us-west-2.amazonaws.com.example.org", None),
        ("localhost", None),
    ],
)
def test_only_hosts_of_aws_are_signed_for(host: str, region: str | None) -> None:
    match = api_client.DEPLOYED.fullmatch(host)
    assert (match["region"] if match else None) == region


def test_what_the_api_refuses_is_said_in_one_line(gpucost: CommandLine, url: str) -> None:
    run = gpucost("costs", "--url", url, "--window", "forever")
    assert (run.code, run.out) == (ExitCode.FAILED, "")
    assert run.err.startswith("gpucost: the API answered 400: 'window' is 'forever'; write today")
    assert run.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        ([], ExitCode.USAGE, "--url is missing"),
        (["--url", "abc"], ExitCode.USAGE, "write the stack's output ApiUrl"),
        (["--url", "http://127.0.0.1:1"], ExitCode.TRY_AGAIN, "cannot be reached"),
        (["--url", "http://127.0.0.1:1", "--json", "--csv"], ExitCode.USAGE, "either --json or --csv"),
    ],
)
def test_a_call_that_cannot_work_says_what_to_do(
    arguments: list[str], code: ExitCode, text: str, gpucost: CommandLine
) -> None:
    run = gpucost("costs", *arguments)
    assert run.code == code
    assert text in run.err


def test_another_service_s_answer_is_not_taken_for_costs(gpucost: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(QuietHandler):
        def respond(self) -> None:
            self.answer(200, b"<html>", "text/html")

    with http_server(Other) as base_url:
        run = gpucost("costs", "--url", base_url)
    assert "is --url the costs API?" in run.err


def test_sparklines_go_from_zero_to_the_largest() -> None:
    assert sparkline([Decimal(0), Decimal(5), None, Decimal(10)]) == "▁▅ █"
    assert sparkline([Decimal(0), None]) == "▁ "
    assert sparkline([]) == ""
