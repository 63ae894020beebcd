"""How events flow through the stack, what becomes of those that fail, and who hears of it."""

import json
from typing import Any

import pytest

from gpucost.runtime.observability import NAMESPACE
from gpucost.usecases.recording.plan import requested
from tests.support import stack
from tests.support.handlers import NOW, sample

DEAD_LETTERS = {f"{name}DeadLetters" for name in ("Jobs", "Notify", "Plan", "Prices", "Bills", "Export", "Detect")}


def mapping(function: str) -> dict[str, Any]:
    """The event source mapping of a function."""
    (found,) = (
        resource["Properties"]
        for resource in stack.resources("AWS::Lambda::EventSourceMapping").values()
        if resource["Properties"]["FunctionName"] == {"Ref": f"{function}Function"}
    )
    return dict(found)


def test_prices_are_refreshed_once_a_day() -> None:
    properties = stack.schedule_of("Prices")
    assert "Name" not in properties
    assert properties["ScheduleExpression"] == "cron(5 0 * * ? *)"
    assert properties["Target"]["DeadLetterConfig"]["Arn"] == stack.arn("PricesDeadLetters")
    assert json.loads(properties["Target"]["Input"]) == sample("prices-daily")


def test_the_schedule_says_which_hour_it_means_and_has_no_name_of_its_own() -> None:
    properties = stack.schedule_of("Plan")
    assert "Name" not in properties
    assert properties["ScheduleExpression"] == "cron(10 * * * ? *)"
    target = properties["Target"]
    assert target["RetryPolicy"]["MaximumRetryAttempts"] > 0
    assert target["DeadLetterConfig"]["Arn"] == stack.arn("PlanDeadLetters")
    event = json.loads(target["Input"].replace("<aws.scheduler.scheduled-time>", "2026-11-30T11:10:00Z"))
    assert event == sample("plan-scheduler")
    assert requested(event, NOW).first.key == "2026-11-30T10:00:00Z"


@pytest.mark.parametrize("function", ["Plan", "Prices", "Export"])
def test_the_scheduler_may_use_its_dead_letter_queue(function: str) -> None:
    reference = stack.schedule_of(function)["Target"]["RoleArn"]["Fn::GetAtt"][0]
    role = stack.properties(reference)
    granted = [one for policy in role["Policies"] for one in _listed(policy["PolicyDocument"]["Statement"])]
    assert {"sqs:SendMessage", "lambda:InvokeFunction"} == {a for one in granted for a in _listed(one["Action"])}
    assert any(one["Resource"] == stack.arn(f"{function}DeadLetters") for one in granted)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize("function", ["Plan", "Prices", "Bills", "Export"])
def test_an_event_that_a_function_fails_on_is_kept(function: str) -> None:
    (config,) = (
        resource["Properties"]
        for resource in stack.resources("AWS::Lambda::EventInvokeConfig").values()
        if resource["Properties"]["FunctionName"] == {"Ref": f"{function}Function"}
    )
    assert config["DestinationConfig"]["OnFailure"] == {"Destination": stack.arn(f"{function}DeadLetters")}
    assert config["MaximumRetryAttempts"] == 2


@pytest.mark.parametrize(
    ("queue", "dead", "function"),
    [("JobsQueue", "JobsDeadLetters", "Collect"), ("NotifyQueue", "NotifyDeadLetters", "Notify")],
)
def test_a_queue_gives_its_function_the_last_word_before_it_gives_up(queue: str, dead: str, function: str) -> None:
    properties = stack.properties(queue)
    redrive = properties["RedrivePolicy"]
    assert redrive["deadLetterTargetArn"] == stack.arn(dead)
    assert redrive["maxReceiveCount"] == int(stack.variables(function)["GPUCOST_MAX_RECEIVES"]) + 1
    assert stack.variables(function)["GPUCOST_DEAD_LETTER_QUEUE_URL"] == {"Ref": dead}
    source = mapping(function)
    assert source["EventSourceArn"] == stack.arn(queue)
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
    assert source["DestinationConfig"]["OnFailure"] == {"Destination": stack.arn("DetectDeadLetters")}
    assert "MaximumRetryAttempts" not in source


def test_findings_reach_the_queue_as_they_are() -> None:
    subscription = stack.properties("FindingsToNotify")
    assert subscription["RawMessageDelivery"] is True
    assert subscription["RedrivePolicy"] == {"deadLetterTargetArn": stack.arn("NotifyDeadLetters")}
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


def test_silence_is_an_alarm() -> None:
    alarm = stack.properties("NoHourPublished")
    assert (alarm["Namespace"], alarm["MetricName"]) == (NAMESPACE, "HoursPublished")
    assert alarm["Dimensions"] == [{"Name": "service", "Value": {"Ref": "AWS::StackName"}}]
    assert alarm["Period"] * alarm["EvaluationPeriods"] == 3 * 3600
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
    assert alarm["TreatMissingData"] == "breaching"
