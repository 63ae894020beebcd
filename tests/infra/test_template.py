"""Facts about the stack that nothing else would catch before it is deployed."""

import json
import re
from typing import Any

import pytest

from gpucost.adapters.secrets import NONE
from gpucost.domain.answers.focus import COLUMNS
from gpucost.runtime import environment
from gpucost.runtime.base_parts import aws_config
from gpucost.runtime.observability import NAMESPACE
from gpucost.usecases.recording.plan import requested
from tests.support import stack
from tests.support.handlers import NOW, sample

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
DEAD_LETTERS = {f"{name}DeadLetters" for name in ("Jobs", "Notify", "Plan", "Prices", "Bills", "Export", "Detect")}


def variables(function: str) -> dict[str, Any]:
    found: dict[str, Any] = stack.properties(f"{function}Function")["Environment"]["Variables"]
    return found


def mapping(function: str) -> dict[str, Any]:
    """The event source mapping of a function."""
    (found,) = (
        resource["Properties"]
        for resource in stack.resources("AWS::Lambda::EventSourceMapping").values()
        if resource["Properties"]["FunctionName"] == {"Ref": f"{function}Function"}
    )
    return dict(found)


def arn(name: str) -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, "Arn"]}


@pytest.mark.parametrize("function", ENVIRONMENTS)
def test_a_function_is_given_exactly_the_variables_that_it_reads(function: str) -> None:
    given = {name for name in variables(function) if name.startswith("GPUCOST_")}
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
    assert variables(function)["POWERTOOLS_SERVICE_NAME"] == {"Ref": "AWS::StackName"}
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


def test_only_the_endpoint_has_to_be_given() -> None:
    parameters = stack.written()["Parameters"]
    assert [name for name, parameter in parameters.items() if "Default" not in parameter] == ["AmpEndpoint"]
    assert parameters["ClusterName"]["Default"] == "gpu-cost-poc"
    assert parameters["Architecture"]["Default"] == "arm64"
    assert parameters["SlackWebhookUrl"]["NoEcho"] is True


ENDPOINTS = {
    "https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-0a1b2c3d-4e5f-6789-abcd-ef0123456789": True,
    "https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-0a1b2c3d-4e5f-6789-abcd-ef0123456789/": True,
    "https://aps-workspaces.us-gov-west-1.amazonaws.com/workspaces/ws-0a1b2c3d": True,
    "https://aps-workspaces.ap-southeast-2.amazonaws.com/workspaces/ws-0a1b2c3d": True,
    "http://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-0a1b2c3d": False,
    "https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-0a1b2c3d/api/v1/query": False,
    "https://aps-workspaces.us-west-2.amazonaws.com": False,
    "https://aps-workspaces.us-west-2.amazonaws.com.example.org/workspaces/ws-0a1b2c3d": False,
    "ws-0a1b2c3d": False,
    "": False,
}


@pytest.mark.parametrize(("endpoint", "accepted"), ENDPOINTS.items())
def test_the_endpoint_is_checked_before_anything_is_created(endpoint: str, accepted: bool) -> None:
    pattern = stack.written()["Parameters"]["AmpEndpoint"]["AllowedPattern"]
    assert bool(re.search(pattern, endpoint)) == accepted


PARAMETERS = [
    ("ClusterName", "prod,dev_2", True),
    ("ClusterName", "", False),
    ("ClusterName", "prod, dev", False),
    ("SettingsDocument", '{"usd_per_gpu_hour":\n 12}', True),
    ("SettingsDocument", "usd_per_gpu_hour: 12", False),
    ("SlackWebhookUrl", "", True),
    ("SlackWebhookUrl", "https://hooks.slack.com/services/T0/B0/x", True),
    ("SlackWebhookUrl", "https://hooks.slack.com.example.org/services/T0/B0/x", False),
    ("AlertEmail", "", True),
    ("AlertEmail", "finops@example.org", True),
    ("AlertEmail", "finops", False),
]


@pytest.mark.parametrize(("name", "value", "accepted"), PARAMETERS)
def test_other_parameters_are_checked_too(name: str, value: str, accepted: bool) -> None:
    parameter = stack.written()["Parameters"][name]
    assert bool(re.search(parameter["AllowedPattern"], value)) == accepted
    assert re.search(parameter["AllowedPattern"], parameter["Default"])


NEEDS = [("SlackBotToken", "SlackChannel"), ("SlackChannel", "SlackBotToken"), ("BillTable", "BillBucket")]


@pytest.mark.parametrize(("given", "needed"), NEEDS)
def test_a_parameter_that_would_do_nothing_alone_is_refused(given: str, needed: str) -> None:
    # A channel without a token would lose every message in silence, and count it as delivered.
    rules = [one for one in stack.plain()["Rules"].values() if one["RuleCondition"] == _given(given)]
    assert [one["Assertions"][0]["Assert"] for one in rules] == [_given(needed)]


def _given(parameter: str) -> dict[str, Any]:
    return {"Fn::Not": [{"Fn::Equals": [{"Ref": parameter}, ""]}]}


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


def schedule_of(function: str) -> dict[str, Any]:
    (found,) = (
        resource["Properties"]
        for resource in stack.resources("AWS::Scheduler::Schedule").values()
        if resource["Properties"]["Target"]["Arn"] == arn(f"{function}Function")
    )
    return dict(found)


def test_prices_are_refreshed_once_a_day() -> None:
    properties = schedule_of("Prices")
    assert "Name" not in properties
    assert properties["ScheduleExpression"] == "cron(5 0 * * ? *)"
    assert properties["Target"]["DeadLetterConfig"]["Arn"] == arn("PricesDeadLetters")
    assert json.loads(properties["Target"]["Input"]) == sample("prices-daily")


def test_the_exported_table_has_the_columns_of_the_rows_and_no_others() -> None:
    table = stack.properties("ExportTable")["TableInput"]
    assert [column["Name"] for column in table["StorageDescriptor"]["Columns"]] == [name.lower() for name in COLUMNS]
    assert [key["Name"] for key in table["PartitionKeys"]] == ["cluster", "day"]
    assert schedule_of("Export")["State"] == {"Fn::If": ["HasExport", {"Ref": "ScheduleState"}, "DISABLED"]}
    assert json.loads(schedule_of("Export")["Target"]["Input"]) == sample("export-nightly")


def test_the_schedule_says_which_hour_it_means_and_has_no_name_of_its_own() -> None:
    properties = schedule_of("Plan")
    assert "Name" not in properties
    assert properties["ScheduleExpression"] == "cron(10 * * * ? *)"
    target = properties["Target"]
    assert target["RetryPolicy"]["MaximumRetryAttempts"] > 0
    assert target["DeadLetterConfig"]["Arn"] == arn("PlanDeadLetters")
    event = json.loads(target["Input"].replace("<aws.scheduler.scheduled-time>", "2026-11-30T11:10:00Z"))
    assert event == sample("plan-scheduler")
    assert requested(event, NOW).first.key == "2026-11-30T10:00:00Z"


@pytest.mark.parametrize("function", ["Plan", "Prices", "Export"])
def test_the_scheduler_may_use_its_dead_letter_queue(function: str) -> None:
    reference = schedule_of(function)["Target"]["RoleArn"]["Fn::GetAtt"][0]
    role = stack.properties(reference)
    granted = [one for policy in role["Policies"] for one in _listed(policy["PolicyDocument"]["Statement"])]
    assert {"sqs:SendMessage", "lambda:InvokeFunction"} == {a for one in granted for a in _listed(one["Action"])}
    assert any(one["Resource"] == arn(f"{function}DeadLetters") for one in granted)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("function", ["Plan", "Prices", "Bills", "Export"])
def test_an_event_that_a_function_fails_on_is_kept(function: str) -> None:
    (config,) = (
        resource["Properties"]
        for resource in stack.resources("AWS::Lambda::EventInvokeConfig").values()
        if resource["Properties"]["FunctionName"] == {"Ref": f"{function}Function"}
    )
    assert config["DestinationConfig"]["OnFailure"] == {"Destination": arn(f"{function}DeadLetters")}
    assert config["MaximumRetryAttempts"] == 2


@pytest.mark.parametrize(
    ("queue", "dead", "function"),
    [("JobsQueue", "JobsDeadLetters", "Collect"), ("NotifyQueue", "NotifyDeadLetters", "Notify")],
)
def test_a_queue_gives_its_function_the_last_word_before_it_gives_up(queue: str, dead: str, function: str) -> None:
    properties = stack.properties(queue)
    redrive = properties["RedrivePolicy"]
    assert redrive["deadLetterTargetArn"] == arn(dead)
    assert redrive["maxReceiveCount"] == int(variables(function)["GPUCOST_MAX_RECEIVES"]) + 1
    assert variables(function)["GPUCOST_DEAD_LETTER_QUEUE_URL"] == {"Ref": dead}
    source = mapping(function)
    assert source["EventSourceArn"] == arn(queue)
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    window = source.get("MaximumBatchingWindowInSeconds", 0)
    assert properties["VisibilityTimeout"] >= stack.properties(f"{function}Function")["Timeout"] + window


def test_the_stream_reaches_detect_filtered_and_without_losing_anything() -> None:
    source = mapping("Detect")
    (rule,) = source["FilterCriteria"]["Filters"]
    assert json.loads(rule["Pattern"]) == {"dynamodb": {"NewImage": {"type": {"S": ["head"]}}}}
    assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert source["BisectBatchOnFunctionError"] is True
    assert source["StartingPosition"] == "TRIM_HORIZON"
    assert source["DestinationConfig"]["OnFailure"] == {"Destination": arn("DetectDeadLetters")}
    assert "MaximumRetryAttempts" not in source


def test_findings_reach_the_queue_as_they_are() -> None:
    subscription = stack.properties("FindingsToNotify")
    assert subscription["RawMessageDelivery"] is True
    assert subscription["RedrivePolicy"] == {"deadLetterTargetArn": arn("NotifyDeadLetters")}
    # A queue under a KMS key would need a grant for SNS; SQS's own encryption needs none.
    assert "KmsMasterKeyId" not in stack.properties("NotifyQueue")
    (statement,) = stack.properties("TopicMayFillQueues")["PolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "sns.amazonaws.com"}
    assert statement["Condition"] == {"ArnEquals": {"aws:SourceArn": {"Ref": "Findings"}}}


def test_every_queue_is_encrypted_and_every_dead_letter_waits_two_weeks() -> None:
    queues = stack.resources("AWS::SQS::Queue")
    assert set(queues) >= DEAD_LETTERS
    for queue in queues.values():
        assert queue["Properties"]["SqsManagedSseEnabled"] is True
        assert queue["Properties"]["MessageRetentionPeriod"] == 14 * 24 * 3600


def test_every_dead_letter_queue_and_every_function_has_an_alarm_that_somebody_hears() -> None:
    alarms = [alarm["Properties"] for alarm in stack.resources("AWS::CloudWatch::Alarm").values()]
    watched = {str(alarm["Dimensions"][0]["Value"]): alarm["MetricName"] for alarm in alarms}
    for queue in DEAD_LETTERS:
        assert watched[str({"Fn::GetAtt": [queue, "QueueName"]})] == "ApproximateNumberOfMessagesVisible"
    errors = {str(a["Dimensions"][0]["Value"]) for a in alarms if a["MetricName"] == "Errors"}
    assert errors == {str({"Ref": name}) for name in stack.resources("AWS::Lambda::Function")}
    assert all(alarm["AlarmActions"] == [{"Ref": "Alarms"}] for alarm in alarms)
    assert "KmsMasterKeyId" not in stack.properties("Alarms"), "CloudWatch cannot publish under AWS's own key"


@pytest.mark.parametrize(("alarm", "api"), [("ApiFails", "Api"), ("TokenApiFails", "TokenApi")])
def test_an_api_that_answers_for_its_own_faults_is_heard_of_all_the_same(alarm: str, api: str) -> None:
    watched = stack.properties(alarm)
    assert (watched["Namespace"], watched["MetricName"], watched["Statistic"]) == ("AWS/ApiGateway", "5xx", "Sum")
    assert watched["Dimensions"] == [{"Name": "ApiId", "Value": {"Ref": api}}]


def test_no_bucket_keeps_the_stack_from_being_deleted() -> None:
    # CloudFormation fails on a bucket that holds anything, and results of queries lie there for days.
    for bucket in stack.resources("AWS::S3::Bucket").values():
        assert (bucket["DeletionPolicy"], bucket["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
        assert bucket["Properties"]["LifecycleConfiguration"]["Rules"][0]["ExpirationInDays"] == 7


def test_silence_is_an_alarm() -> None:
    alarm = stack.properties("NoHourPublished")
    assert (alarm["Namespace"], alarm["MetricName"]) == (NAMESPACE, "HoursPublished")
    assert alarm["Dimensions"] == [{"Name": "service", "Value": {"Ref": "AWS::StackName"}}]
    assert alarm["Period"] * alarm["EvaluationPeriods"] == 3 * 3600
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
    assert alarm["TreatMissingData"] == "breaching"


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
    assert variables("Api")["GPUCOST_CURSOR_SECRET"] == {"Ref": "CursorKey"}


def test_every_log_group_forgets() -> None:
    groups = stack.resources("AWS::Logs::LogGroup")
    assert len(groups) == len(ENVIRONMENTS) + 1
    assert all(group["Properties"]["RetentionInDays"] == {"Ref": "LogRetentionDays"} for group in groups.values())


SECRETS = [
    ("SlackWebhook", "HasSlack", "SlackWebhookUrl"),
    ("SlackToken", "HasBot", "SlackBotToken"),
    ("SlackSigning", "HasButtons", "SlackSigningSecret"),
]


@pytest.mark.parametrize(("secret", "condition", "parameter"), SECRETS)
def test_a_parameter_that_is_emptied_empties_its_secret(secret: str, condition: str, parameter: str) -> None:
    # Secrets Manager refuses an empty text, and an update without any text leaves the last one in force.
    assert stack.properties(secret)["SecretString"] == {"Fn::If": [condition, {"Ref": parameter}, NONE]}


@pytest.mark.parametrize("name", ["ApiUrl", "TopicArn", "TableName", "JobsQueueUrl", "NotifyQueueUrl"])
def test_the_stack_says_where_things_are(name: str) -> None:
    assert stack.written()["Outputs"][name]["Value"]
