"""The built artifacts under Lambda's runtime emulator: they import, they hold what they need, and the line works."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import boto3
import pytest
import simplejson
from packaging.requirements import Requirement

from gpucost.domain.hours import Hour
from local.scenarios import recipe
from local.scenarios.history import Span, openmetrics
from local.scenarios.recipe import RECIPE
from local.stack.aws import aws_environment, environment
from local.stack.deploy import Deployment, deploy
from local.stack.prometheus import prometheus_with
from local.stack.sigv4_gateway import Gateway, sigv4_gateway
from local.stack.slack import SlackDouble, slack_double
from tests.support import artifacts
from tests.support.handlers import sample
from tests.support.stack import ROOT

pytestmark = pytest.mark.real

# The emulator runs by the machine's clock, and history alerts nobody: the cluster's eight hours end with the last one.
TESTED = Hour.completed_before(datetime.now(UTC)).plus(-1)
HISTORY = Span.of_hours(TESTED.plus(-6), 8)

FUNCTIONS = ["plan", "collect", "prices", "bills", "export", "detect", "notify", "interact", "api"]
REQUIREMENTS = ROOT / "layers" / "deps" / "requirements.txt"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return artifacts.build(tmp_path_factory.mktemp("artifacts"))


@dataclass(frozen=True)
class Line:
    """The built functions, between real and nearly real neighbours."""

    runner: artifacts.ArtifactRunner
    gateway: Gateway
    slack: SlackDouble
    deployment: Deployment
    endpoint: str

    def log(self) -> str:
        """All that the functions have written."""
        return "".join(path.read_text() for path in sorted(self.runner.logs.glob("*.log")))

    def dead_letters(self, queue: str) -> list[tuple[str, str]]:
        """Bodies and reasons in a dead-letter queue."""
        answer = boto3.client("sqs", endpoint_url=self.endpoint).receive_message(
            QueueUrl=self.deployment.resources[queue], MaxNumberOfMessages=10, MessageAttributeNames=["All"]
        )
        found = answer.get("Messages", [])
        return [(one["Body"], one["MessageAttributes"]["reason"]["StringValue"]) for one in found]


@pytest.fixture(scope="module")
def line(built: Path, tmp_path_factory: pytest.TempPathFactory, moto_server: str) -> Iterator[Line]:
    folder = tmp_path_factory.mktemp("line")
    with ExitStack() as stack:
        prometheus = stack.enter_context(prometheus_with(openmetrics(recipe.build(HISTORY), {}) + "# EOF\n"))
        gateway = stack.enter_context(sigv4_gateway(prometheus))
        slack = stack.enter_context(slack_double())
        stack.enter_context(environment(aws_environment(moto_server)))
        parameters = {
            "AmpEndpoint": gateway.endpoint,
            "ClusterName": RECIPE.cluster,
            "SettingsDocument": json.dumps(dict(RECIPE.settings)),
            "SlackWebhookUrl": slack.webhook_url,
        }
        deployment = deploy(moto_server, parameters)
        runner = artifacts.ArtifactRunner(deployment, moto_server, built, artifacts.lambda_runtime(folder), folder)
        yield Line(runner, gateway, slack, deployment, moto_server)


def test_the_dependencies_layer_holds_every_pinned_package_and_nothing_else(built: Path) -> None:
    layer = built / "DependenciesLayer" / "python"
    held = {path.name.removesuffix(".dist-info").lower() for path in layer.glob("*.dist-info")}
    pinned = [Requirement(line.rstrip(" \\")) for line in REQUIREMENTS.read_text().splitlines() if "==" in line]
    assert held == {f"{pin.name.replace('-', '_')}-{str(pin.specifier)[2:]}" for pin in pinned}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_artifact_is_the_handler_alone(name: str, built: Path) -> None:
    folder = built / f"{name.capitalize()}Function"
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    own = {f"functions/{name}/{file.name}" for file in (ROOT / "functions" / name).glob("*.py")}
    assert {file for file in files if not file.endswith("__init__.py")} == own


def test_an_hour_goes_through_the_whole_line(line: Line) -> None:
    line.runner.run_hour(TESTED)
    answer = line.runner.invoke("api", sample("api-v2-absent") | {"rawQueryString": _window(TESTED)})
    assert answer["statusCode"] == 200
    document = simplejson.loads(answer["body"], use_decimal=True)
    allocated = {row["bu"]: row["allocated_usd"].quantize(Decimal("0.000001")) for row in document["rows"]}
    assert allocated == {"bu-a": Decimal("5.142857"), "bu-b": Decimal("3.428571"), "bu-c": Decimal("3.428571")}
    assert document["totals"]["capacity_usd"] == Decimal(96)
    assert document["totals"]["unallocated_usd"] == Decimal(84)
    assert document["hours"]["complete"] == 1
    assert line.gateway.received
    assert {request.status for request in line.gateway.received} == {200}
    told = [message["text"] for message in line.slack.messages]
    # The hour before was looked at first and opened the story; this one goes on with it, which a webhook is not told.
    assert len(told) == 1
    assert TESTED.plus(-1).start.strftime("%Y-%m-%d %H:%M") in told[0]


def test_the_same_hour_again_changes_nothing_and_tells_nobody(line: Line) -> None:
    before = len(line.slack.messages)
    line.runner.run_hour(TESTED)
    answer = line.runner.invoke("api", sample("api-v2-absent") | {"rawQueryString": _window(TESTED)})
    assert simplejson.loads(answer["body"], use_decimal=True)["totals"]["capacity_usd"] == Decimal(96)
    assert len(line.slack.messages) == before


def _window(hour: Hour) -> str:
    return f"from={hour.key}&to={hour.end.strftime('%Y-%m-%dT%H:%M:%SZ')}"


def test_poison_ends_in_the_dead_letter_queue_with_its_reason(line: Line) -> None:
    event = sample("collect-poison")
    bad = event["Records"][1]
    assert line.runner.invoke("collect", {"Records": [bad]}) == {"batchItemFailures": []}
    ((body, reason),) = line.dead_letters("JobsDeadLetters")
    assert body == bad["body"]
    assert "not JSON" in reason


def test_logs_and_metrics_are_lines_that_cloudwatch_reads_and_hold_no_secret(line: Line) -> None:
    line.runner.run_hour(TESTED.plus(1))
    text = line.log()
    metrics = [json.loads(one) for one in text.splitlines() if one.startswith('{"_aws"')]
    published = [metric for metric in metrics if "HoursPublished" in metric]
    assert published
    assert {metric["service"] for metric in published} == {_stack_name(line)}
    assert re.search(r'"level":"INFO"', text)
    assert line.slack.webhook_url not in text


def _stack_name(line: Line) -> str:
    return line.deployment.functions["collect"].environment["POWERTOOLS_SERVICE_NAME"]
