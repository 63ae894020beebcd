"""Facts about the stack that nothing else would catch before it is deployed."""

import json
from typing import Any

import pytest

from gpucost.domain.answers.focus import COLUMNS
from gpucost.runtime import environment
from gpucost.runtime.base_parts import aws_config
from tests.support import stack
from tests.support.handlers import sample

ENVIRONMENTS: dict[str, type[environment.Environment]] = {
    "Plan": environment.PlanEnvironment,
    "Collect": environment.CollectEnvironment,
    "Prices": environment.PricesEnvironment,
    "Bills": environment.BillsEnvironment,
    "Export": environment.ExportEnvironment,
    "Detect": environment.DetectEnvironment,
    "Notify": environment.NotifyEnvironment,
    "Interact": environment.InteractEnvironment,
    "Api": environment.ApiEnvironment,
}


@pytest.mark.parametrize("function", ENVIRONMENTS)
def test_a_function_is_given_exactly_the_variables_that_it_reads(function: str) -> None:
    given = {name for name in stack.variables(function) if name.startswith("GPUCOST_")}
    assert given == ENVIRONMENTS[function].variables()


@pytest.mark.parametrize("function", ENVIRONMENTS)
def test_functions_are_alike_where_they_have_to_be(function: str) -> None:
    properties = stack.properties(f"{function}Function")
    name = function.lower()
    assert properties["Handler"] == f"functions.{name}.app.lambda_handler"
    assert properties["Runtime"] == "python3.13"
    assert properties["Architectures"] == [{"Ref": "Architecture"}]
    assert properties["TracingConfig"] == {"Mode": "Active"}
    assert properties["LoggingConfig"] == {"LogGroup": {"Ref": f"{function}Logs"}}
    assert stack.variables(function)["POWERTOOLS_SERVICE_NAME"] == {"Ref": "AWS::StackName"}
    build = stack.written()["Resources"][f"{function}Function"]["Metadata"]["BuildProperties"]
    assert build == {"ParentPackageMode": "explicit", "ParentPackages": f"functions.{name}"}


@pytest.mark.parametrize("function", ENVIRONMENTS)
def test_a_call_to_aws_that_hangs_each_time_ends_before_the_function_does(function: str) -> None:
    # A function that is killed says nothing: no reason in a dead letter, and 5xx without a word from the API.
    config: Any = aws_config(ENVIRONMENTS[function])
    tries = config.retries["total_max_attempts"]
    pauses = sum(2**number for number in range(tries - 1))
    assert (
        tries * (config.connect_timeout + config.read_timeout) + pauses
        < stack.properties(f"{function}Function")["Timeout"]
    )


def test_the_ledger_outlives_the_stack_and_streams_what_is_published() -> None:
    ledger = stack.plain()["Resources"]["Ledger"]
    assert (ledger["DeletionPolicy"], ledger["UpdateReplacePolicy"]) == ("Retain", "Retain")
    properties = ledger["Properties"]
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["DeletionProtectionEnabled"] is True
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["SSESpecification"] == {"SSEEnabled": True}
    assert properties["StreamSpecification"] == {"StreamViewType": "NEW_IMAGE"}
    assert properties["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert [key["AttributeName"] for key in properties["KeySchema"]] == ["pk", "sk"]


def test_the_exported_table_has_the_columns_of_the_rows_and_no_others() -> None:
    table = stack.properties("ExportTable")["TableInput"]
    assert [column["Name"] for column in table["StorageDescriptor"]["Columns"]] == [name.lower() for name in COLUMNS]
    assert [key["Name"] for key in table["PartitionKeys"]] == ["cluster", "day"]
    assert stack.schedule_of("Export")["State"] == {"Fn::If": ["HasExport", {"Ref": "ScheduleState"}, "DISABLED"]}
    assert json.loads(stack.schedule_of("Export")["Target"]["Input"]) == sample("export-nightly")


def test_no_bucket_keeps_the_stack_from_being_deleted() -> None:
    # CloudFormation fails on a bucket that holds anything, and results of queries lie there for days.
    for bucket in stack.resources("AWS::S3::Bucket").values():
        assert (bucket["DeletionPolicy"], bucket["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
        assert bucket["Properties"]["LifecycleConfiguration"]["Rules"][0]["ExpirationInDays"] == 7


def test_every_route_asks_for_signed_requests_and_the_api_is_throttled_and_logged() -> None:
    routes = stack.properties("Api")["Body"]["paths"]
    assert sorted(routes) == ["/slack/interactions", "/v1/findings/{proxy+}", "/{proxy+}"]
    for path in ("/v1/findings/{proxy+}", "/{proxy+}"):
        assert [method["security"] for method in routes[path].values()] == [[{"AWS_IAM": []}]]
    # Slack signs in its own way: the function checks that.
    (buttons,) = routes["/slack/interactions"].values()
    assert buttons["security"] == [{"NONE": []}]
    stages = stack.resources("AWS::ApiGatewayV2::Stage").values()
    assert len(stages) == 2
    for stage in stages:
        assert stage["Properties"]["DefaultRouteSettings"]["ThrottlingRateLimit"] == {"Ref": "ApiRateLimit"}
        assert json.loads(stage["Properties"]["AccessLogSettings"]["Format"])["requestId"] == "$context.requestId"


def test_tokens_are_for_an_api_of_their_own_that_is_there_only_with_an_issuer() -> None:
    of_tokens = {name: one for name, one in stack.plain()["Resources"].items() if name.startswith("Token")}
    assert len(of_tokens) == 8
    assert {one["Condition"] for one in of_tokens.values()} == {"HasTokens"}
    assert set(stack.resources("AWS::ApiGatewayV2::Api")) == {"Api", "TokenApi"}
    for route in stack.resources("AWS::ApiGatewayV2::Route").values():
        assert route["Properties"]["AuthorizationType"] == "JWT"
        assert route["Properties"]["AuthorizerId"] == {"Ref": "TokenAuthorizer"}
    assert stack.properties("TokenAuthorizer")["JwtConfiguration"]["Issuer"] == {"Ref": "JwtIssuer"}


def test_pages_are_signed_with_a_key_that_nobody_chose() -> None:
    assert stack.properties("CursorKey")["GenerateSecretString"]["PasswordLength"] >= 32
    assert stack.variables("Api")["GPUCOST_CURSOR_SECRET"] == {"Ref": "CursorKey"}


def test_every_log_group_forgets() -> None:
    groups = stack.resources("AWS::Logs::LogGroup")
    assert len(groups) == len(ENVIRONMENTS) + 1
    assert all(group["Properties"]["RetentionInDays"] == {"Ref": "LogRetentionDays"} for group in groups.values())


@pytest.mark.parametrize("name", ["ApiUrl", "TopicArn", "TableName", "JobsQueueUrl", "NotifyQueueUrl"])
def test_the_stack_says_where_things_are(name: str) -> None:
    assert stack.written()["Outputs"][name]["Value"]
