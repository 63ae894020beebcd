"""The whole line on the embedded stack: real handlers and Prometheus, checked signatures, the template's own names."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import boto3
import pytest
import requests
import simplejson
from rich.console import Console

from gpucost.domain.hours import Hour
from local.commands import demo
from local.errors import StackError
from local.scenarios.recipe import RECIPE
from local.scenarios.scenario import REFERENCE_HOUR, scenario_hours
from local.stack.deploy import deploy
from local.stack.devserver import api_server
from local.stack.embedded import EmbeddedStack, embedded_stack
from local.stack.sigv4_gateway import Fault
from local.stack.template import read_template
from tests.local.conftest import HOUR, CommandLine

pytestmark = pytest.mark.real

JOB = {"kind": "hour", "cluster": RECIPE.cluster, "hour": HOUR, "reason": "schedule"}


@pytest.fixture(scope="module")
def history() -> str:
    return RECIPE.openmetrics()


@pytest.fixture
def stack(history: str) -> Iterator[EmbeddedStack]:
    with embedded_stack(history, [RECIPE.cluster], RECIPE.settings, StringIO()) as running:
        yield running


def dead_letters(stack: EmbeddedStack, logical_id: str) -> list[dict[str, object]]:
    client = boto3.client("sqs", endpoint_url=stack.endpoint)
    url = stack.deployment.resources[logical_id]
    answer = client.receive_message(QueueUrl=url, MaxNumberOfMessages=10, MessageAttributeNames=["All"])
    return [dict(message) for message in answer.get("Messages", [])]


def allocated(url: str, first: Hour, end: Hour) -> list[tuple[str, str]]:
    parameters = {"from": first.key, "to": end.key}
    answer = simplejson.loads(requests.get(f"{url}/v1/costs", params=parameters, timeout=10).text, use_decimal=True)
    return [(row["bu"], f"{row['allocated_usd']:.6f}") for row in answer["rows"]]


def test_an_hour_goes_the_whole_way_and_a_second_delivery_changes_nothing(stack: EmbeddedStack) -> None:
    stack.runner.run_hour(REFERENCE_HOUR)
    items, messages = stack.ledger_items(), list(stack.slack.messages)
    # The hour before was never worked out: another look at it comes first, and opens the story.
    assert [message["text"].split(", ")[-1] for message in messages] == ["2026-11-30 09:00-10:00 UTC"]
    assert "bu-c" in json.dumps(messages)
    detected = [one.event for one in stack.runner.invocations if one.function == "detect"]
    assert detected
    stack.runner.run_hour(REFERENCE_HOUR)
    for event in detected:
        stack.runner.invoke("detect", event)
    stack.runner.drain("notify")
    assert (stack.ledger_items(), stack.slack.messages) == (items, messages)
    with api_server(stack.runner) as url:
        rows = allocated(url, REFERENCE_HOUR, REFERENCE_HOUR.plus(1))
    assert rows == [("bu-a", "5.142857"), ("bu-b", "3.428571"), ("bu-c", "3.428571")]


def test_an_hour_that_is_delivered_again_hides_no_later_one(stack: EmbeddedStack) -> None:
    stack.runner.schedule(REFERENCE_HOUR.plus(1))
    stack.runner.schedule(REFERENCE_HOUR)
    with api_server(stack.runner) as url:
        answer = requests.get(f"{url}/v1/costs", timeout=10).json()
    assert answer["to"] == REFERENCE_HOUR.plus(2).key


def test_an_hour_that_cannot_be_read_is_in_the_dead_letters_with_its_reason(stack: EmbeddedStack) -> None:
    stack.gateway.always = Fault(422, '{"status":"error","errorType":"execution","error":"too many samples"}')
    stack.runner.run_hour(REFERENCE_HOUR)
    letters = dead_letters(stack, "JobsDeadLetters")
    assert JOB in [json.loads(str(letter["Body"])) for letter in letters]
    assert all("too many samples" in json.dumps(letter["MessageAttributes"]) for letter in letters)
    assert stack.ledger_items() == 0
    assert stack.slack.messages == []


def test_a_channel_that_is_gone_puts_the_finding_into_the_dead_letters(stack: EmbeddedStack) -> None:
    stack.slack.answers = [(410, "channel_is_archived")] * 3
    stack.runner.run_hour(REFERENCE_HOUR)
    letters = dead_letters(stack, "NotifyDeadLetters")
    assert letters
    assert all("channel_is_archived" in json.dumps(letter["MessageAttributes"]) for letter in letters)
    assert stack.slack.messages == []


def test_the_functions_have_the_variables_that_the_template_gives_them(stack: EmbeddedStack) -> None:
    collect = stack.deployment.functions["collect"].environment
    assert collect["GPUCOST_TABLE"] == stack.deployment.resources["Ledger"]
    assert collect["GPUCOST_AMP_ENDPOINT"] == stack.gateway.endpoint
    declared = read_template()["Resources"]["CollectFunction"]["Properties"]["Environment"]["Variables"]
    assert declared.keys() <= collect.keys()


def test_the_dev_server_passes_on_what_the_api_says(stack: EmbeddedStack) -> None:
    with api_server(stack.runner) as url:
        missing = requests.get(f"{url}/nothing", timeout=10)
        wrong = requests.get(f"{url}/v1/costs?from=never", timeout=10)
        others = [requests.request(method, f"{url}/v1/costs", timeout=10) for method in ("PUT", "PATCH", "DELETE")]
    assert {(one.status_code, one.headers["Content-Type"]) for one in others} == {(404, "application/problem+json")}
    assert (missing.status_code, missing.headers["Content-Type"]) == (404, "application/problem+json")
    assert (wrong.status_code, wrong.json()["status"]) == (400, 400)


def test_without_a_template_there_is_no_stack(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="run this from a checkout of the source"):
        read_template(tmp_path / "template.yaml")


def test_a_template_that_cloudformation_refuses_is_an_error_with_its_reason(clean_moto: str) -> None:
    template = read_template()
    template["Conditions"]["HasSlack"] = {"Fn::Nonsense": []}
    with pytest.raises(StackError, match="the local stack was not created: "):
        deploy(clean_moto, {}, template)


class Interrupted:
    def wait(self) -> None:
        raise KeyboardInterrupt


def test_the_api_stays_up_until_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "Event", Interrupted)
    out = StringIO()
    demo.stay_up("http://127.0.0.1:1", Console(file=out, width=200))
    assert "curl 'http://127.0.0.1:1/v1/costs?from=2026-11-30T04:00:00Z&to=2026-11-30T12:00:00Z&group_by=bu'" in (
        out.getvalue()
    )


def test_an_interrupted_replay_leaves_with_130(gpucost: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "find_or_install", Interrupted().wait)
    run = gpucost("demo", "--once")
    assert (run.code, run.err) == (130, "gpucost: interrupted\n")


def test_the_demo_runs_to_its_end(gpucost: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    hours = scenario_hours()
    monkeypatch.setattr(demo, "scenario_hours", lambda: [hour for hour in hours if hour == REFERENCE_HOUR])
    run = gpucost("demo", "--once")
    assert (run.code, run.err) == (0, "")
    assert f"{HOUR} delivered twice: still" in run.out
    assert "2 messages arrived in Slack" in run.out
    for figure in ("5.142857", "84.000000", "96.000000", "15.193903", "27.447050"):
        assert figure in run.out
