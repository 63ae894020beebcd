"""Each function may do what its adapters declare, on the resources of the stack, and nothing else."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import pytest

from gpucost.adapters import (
    bill_files,
    bill_query,
    dynamodb,
    fleet,
    price_list,
    s3_files,
    secrets,
    sns,
    spot_market,
    sqs,
    ssm,
)
from gpucost.adapters.ledger import keys
from gpucost.adapters.metrics import factory as metrics
from gpucost.domain.hours import Hour
from gpucost.domain.periods import Month
from tests.support import stack

READS = {"dynamodb:GetItem", "dynamodb:Query"}
WRITES_ITEMS = {"dynamodb:BatchWriteItem", "dynamodb:PutItem"}

PRICES = {*fleet.PERMISSIONS, *price_list.PERMISSIONS, *spot_market.PERMISSIONS}
"""IAM knows no resources for these: they can only be granted on everything, and all of them only read."""

ATHENAS = {
    *("glue:GetDatabase", "glue:GetPartitions", "glue:GetTable"),
    *("s3:AbortMultipartUpload", "s3:GetBucketLocation", "s3:ListBucket", "s3:PutObject"),
}
"""What Athena does with the rights of whoever asks it."""

DECLARED = {
    "Plan": {*dynamodb.PERMISSIONS, *sqs.PERMISSIONS},
    "Collect": {*metrics.PERMISSIONS, *dynamodb.PERMISSIONS, *ssm.PERMISSIONS, *sqs.PERMISSIONS, *PRICES},
    "Prices": {"dynamodb:PutItem", "dynamodb:Query", *sqs.PERMISSIONS, *price_list.PERMISSIONS},
    "Bills": {*READS, "dynamodb:PutItem", *sqs.PERMISSIONS, *bill_files.PERMISSIONS, *bill_query.PERMISSIONS, *ATHENAS},
    "Export": {*READS, *sqs.PERMISSIONS, *s3_files.PERMISSIONS},
    "Detect": {*READS, "dynamodb:PutItem", *sns.PERMISSIONS, *ssm.PERMISSIONS, *sqs.PERMISSIONS},
    "Notify": {
        *secrets.PERMISSIONS,
        *sqs.PERMISSIONS,
        "dynamodb:BatchWriteItem",
        "dynamodb:GetItem",
        "dynamodb:PutItem",
    },
    "Interact": {*secrets.PERMISSIONS, *ssm.PERMISSIONS, "dynamodb:PutItem", "dynamodb:Query"},
    "Api": {*READS, "dynamodb:PutItem", *ssm.PERMISSIONS, *secrets.PERMISSIONS},
}

# Lambda's own: what a function needs for its logs, its traces, and to be fed by a queue or a stream.
MANAGED = {
    "Plan": {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"},
    "Collect": {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess", "AWSLambdaSQSQueueExecutionRole"},
    "Prices": {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"},
    "Bills": {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"},
    "Export": {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"},
    "Detect": {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess", "AWSLambdaDynamoDBExecutionRole"},
    "Notify": {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess", "AWSLambdaSQSQueueExecutionRole"},
    "Interact": {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"},
    "Api": {"AWSLambdaBasicExecutionRole", "AWSXrayWriteOnlyAccess"},
}


def statements(function: str) -> Iterator[dict[str, Any]]:
    """All of them, those that depend on a condition too."""
    for policy in stack.properties(f"{function}FunctionRole")["Policies"]:
        listed = policy["PolicyDocument"]["Statement"]
        for one in listed if isinstance(listed, list) else [listed]:
            yield one["Fn::If"][1] if "Fn::If" in one else one


def actions(statement: dict[str, Any]) -> list[str]:
    listed = statement["Action"]
    return [listed] if isinstance(listed, str) else listed


def targets(statement: dict[str, Any]) -> list[Any]:
    listed = statement["Resource"]
    return listed if isinstance(listed, list) else [listed]


def test_every_function_is_covered() -> None:
    functions = {name.removesuffix("Function") for name in stack.resources("AWS::Lambda::Function")}
    assert functions == set(DECLARED) == set(MANAGED)


@pytest.mark.parametrize("function", DECLARED)
def test_what_is_granted_is_what_the_adapters_declare(function: str) -> None:
    assert {action for statement in statements(function) for action in actions(statement)} == DECLARED[function]


@pytest.mark.parametrize("function", DECLARED)
def test_every_function_has_a_role_of_its_own(function: str) -> None:
    role = stack.properties(f"{function}Function")["Role"]
    assert role == {"Fn::GetAtt": [f"{function}FunctionRole", "Arn"]}


@pytest.mark.parametrize("function", MANAGED)
def test_managed_policies_are_only_lambdas_own(function: str) -> None:
    arns = stack.properties(f"{function}FunctionRole")["ManagedPolicyArns"]
    assert {arn.rsplit("/", 1)[-1] for arn in arns} == MANAGED[function]


@pytest.mark.parametrize("function", DECLARED)
def test_nothing_but_reading_prices_is_granted_on_everything(function: str) -> None:
    for statement in statements(function):
        assert statement["Effect"] == "Allow"
        if targets(statement) == ["*"]:
            assert set(actions(statement)) <= PRICES
            continue
        for target in targets(statement):
            assert isinstance(target, dict), f"{function}: {target} is not a resource of the stack"
            if not all(action.startswith("s3:") for action in actions(statement)):
                assert "*" not in str(target)


def test_only_those_who_have_to_write_to_the_ledger_and_only_there() -> None:
    for function in DECLARED:
        for statement in statements(function):
            if any(action.startswith("dynamodb:") for action in actions(statement)):
                assert targets(statement) == [{"Fn::GetAtt": ["Ledger", "Arn"]}]
    assert {name for name, granted in DECLARED.items() if "dynamodb:PutItem" in granted} == {
        "Plan",
        "Collect",
        "Prices",
        "Bills",
        "Detect",
        "Notify",
        "Interact",
        "Api",
    }


HOUR = Hour.parse("2026-11-30T10:00:00Z")
THE_RECORD = {keys.month_pk("K", Month.of(HOUR)), keys.hour_pk("K", HOUR), keys.year_pk("K", 2026)}
MAY_WRITE = {
    "Prices": {keys.PRICES_PK},
    "Bills": {keys.bill_key(HOUR)[0]},
    "Detect": {keys.tracks_pk("prod/1"), keys.finding_pk("f-1")},
    "Notify": {keys.held_key("e-1")[0], keys.posted_key("f-1")[0]},
    "Interact": {keys.tracks_pk("prod/1")},
    "Api": {keys.tracks_pk("prod/1")},
}
"""The partitions that a function writes to. Only plan and collect write the record itself."""


@pytest.mark.parametrize("function", MAY_WRITE)
def test_who_does_not_publish_cannot_rewrite_what_was_published(function: str) -> None:
    (writing,) = (one for one in statements(function) if "dynamodb:PutItem" in actions(one))
    assert not {"dynamodb:GetItem", "dynamodb:Query"} & set(actions(writing))
    patterns = writing["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
    everything = THE_RECORD.union(*MAY_WRITE.values())
    assert {pk for pk in everything if any(fnmatchcase(pk, one) for one in patterns)} == MAY_WRITE[function]


@pytest.mark.parametrize("slash", ["", "/"])
def test_metrics_are_asked_of_the_one_workspace_that_the_endpoint_names(slash: str) -> None:
    (statement,) = (one for one in statements("Collect") if "aps:QueryMetrics" in actions(one))
    template, variables = statement["Resource"]["Fn::Sub"]
    endpoint = f"https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-0a1b-2c3d{slash}"
    resolved = {name: _resolve(value, endpoint) for name, value in variables.items()}
    assert resolved == {"Region": "us-west-2", "Workspace": "ws-0a1b-2c3d"}
    assert template == "arn:${AWS::Partition}:aps:${Region}:${AWS::AccountId}:workspace/${Workspace}"


def _resolve(value: Any, endpoint: str) -> str:
    index, listed = value["Fn::Select"]
    separator, of = listed["Fn::Split"]
    assert of == {"Ref": "AmpEndpoint"}
    return str(endpoint.split(separator)[int(index)])


def test_athena_may_look_up_the_default_database_as_it_does_for_every_query() -> None:
    (statement,) = (one for one in statements("Bills") if "glue:GetDatabase" in actions(one))
    ends = [
        (target["Fn::Sub"] if isinstance(target["Fn::Sub"], str) else target["Fn::Sub"][0])
        for target in targets(statement)
    ]
    assert [end.rsplit(":", 1)[1] for end in ends] == [
        "catalog",
        "database/default",
        "database/${Database}",
        "table/${Database}/${Table}",
    ]
