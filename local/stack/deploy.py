"""Creates the stack's table, queues, topics, parameter and secret in a local AWS, from the stack's own template."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from secrets import token_hex
from typing import Any

import boto3
from botocore.exceptions import ClientError

from local.errors import StackError
from local.stack.template import Function, functions, read_template

_stack_numbers = count(1)
BY_CLOUDFORMATION = ("AWS::DynamoDB::Table", "AWS::SNS::Topic", "AWS::SQS::Queue", "AWS::SSM::Parameter")
SECRET = "AWS::SecretsManager::Secret"  # noqa: S105 - the name of a resource type
SUBSCRIPTION = "AWS::SNS::Subscription"

type Template = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DeployedFunction:
    """A function, and the environment that the deployed stack gives it."""

    definition: Function
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Deployment:
    """What was created: functions by short name (plan, collect …), physical ids of resources by logical id."""

    functions: Mapping[str, DeployedFunction]
    resources: Mapping[str, str]


def deploy(endpoint: str, parameters: dict[str, str], template: Template | None = None) -> Deployment:
    """Create the resources in the AWS at the endpoint (moto's). `parameters` are the template's.

    CloudFormation resolves every value itself: the variables of the functions, and what moto's CloudFormation cannot
    create (secrets, subscriptions), go in as outputs of the local stack. StackError carries the reason of a failure.
    """
    source = template if template is not None else read_template()
    wanted = _Wanted(source)
    # All moto servers of a process share one memory, so every stack has a name of its own.
    name = f"gpucost-local-{next(_stack_numbers)}"
    try:
        secrets = _create_secrets(endpoint, name, wanted.secrets)
        values, resources = _create_stack(
            endpoint, name, _body(source, secrets, wanted.outputs()), parameters | secrets | _apis(source)
        )
        for logical_id, arn in secrets.items():
            made_up = token_hex() if logical_id in wanted.generated else None
            _fill_secret(endpoint, arn, values.get(wanted.key(logical_id, "SecretString"), made_up))
        for logical_id in wanted.subscriptions:
            _subscribe(endpoint, {name: values[wanted.key(logical_id, name)] for name in wanted.properties(logical_id)})
    except ClientError as error:
        raise StackError(f"the local stack was not created: {error}") from None
    deployed = {
        function.name: DeployedFunction(
            function, {name: values[wanted.key(logical_id, name)] for name in function.variables}
        )
        for logical_id, function in wanted.functions.items()
    }
    return Deployment(deployed, {**resources, **secrets})


class _Wanted:
    """The values that have to come back from CloudFormation, each as an output of the local stack."""

    def __init__(self, source: Template) -> None:
        self._resources: Mapping[str, Any] = source["Resources"]
        self.functions = functions(source)
        self.secrets = [name for name, one in self._resources.items() if one["Type"] == SECRET]
        self.subscriptions = [
            name
            for name, one in self._resources.items()
            if one["Type"] == SUBSCRIPTION and one["Properties"]["Protocol"] == "sqs"
        ]

    @staticmethod
    def key(logical_id: str, name: str) -> str:
        """The name of an output: letters and digits only."""
        return f"{logical_id}X{name.encode().hex()}"

    def properties(self, logical_id: str) -> list[str]:
        return [name for name in ("TopicArn", "Endpoint") if name in self._resources[logical_id]["Properties"]]

    @property
    def generated(self) -> list[str]:
        """The secrets whose text Secrets Manager makes up."""
        return [name for name in self.secrets if "GenerateSecretString" in self._resources[name]["Properties"]]

    def outputs(self) -> dict[str, Any]:
        wanted = {
            self.key(logical_id, name): value
            for logical_id, function in self.functions.items()
            for name, value in function.variables.items()
        }
        for logical_id in self.subscriptions:
            for name in self.properties(logical_id):
                wanted[self.key(logical_id, name)] = self._resources[logical_id]["Properties"][name]
        for logical_id in self.secrets:
            if text := self._resources[logical_id]["Properties"].get("SecretString"):
                wanted[self.key(logical_id, "SecretString")] = text
        return wanted


def _apis(source: Template) -> dict[str, str]:
    """An id for every API: there is none in the local stack, but functions are told its URL."""
    return {
        name: name.lower() for name, one in source["Resources"].items() if one["Type"] == "AWS::Serverless::HttpApi"
    }


def _body(source: Template, secrets: Mapping[str, str], outputs: Mapping[str, Any]) -> Template:
    """The template of the local stack.

    The checks on parameters are for people and left out: a local engine and webhook are on plain http. A secret exists
    already, an API never does: they stand there as parameters, so that references to them resolve.
    """
    declared = {name: {"Type": "String"} for name in (*secrets, *_apis(source))} | {
        name: {key: value for key, value in one.items() if key in ("Type", "Default")}
        for name, one in source["Parameters"].items()
    }
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Parameters": declared,
        "Conditions": source.get("Conditions", {}),
        "Resources": {name: one for name, one in source["Resources"].items() if one["Type"] in BY_CLOUDFORMATION},
        "Outputs": {name: {"Value": value} for name, value in outputs.items()},
    }


def _create_stack(
    endpoint: str, name: str, body: Template, parameters: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The outputs, and the physical ids of what was created."""
    client = boto3.client("cloudformation", endpoint_url=endpoint)
    client.create_stack(
        StackName=name,
        TemplateBody=json.dumps(body),
        Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
    )
    stack = client.describe_stacks(StackName=name)["Stacks"][0]
    created = client.describe_stack_resources(StackName=name)["StackResources"]
    values = {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}
    return values, {one["LogicalResourceId"]: one["PhysicalResourceId"] for one in created}


def _create_secrets(endpoint: str, stack: str, logical_ids: list[str]) -> dict[str, str]:
    client = boto3.client("secretsmanager", endpoint_url=endpoint)
    return {name: client.create_secret(Name=f"{stack}-{name}")["ARN"] for name in logical_ids}


def _fill_secret(endpoint: str, arn: str, value: str | None) -> None:
    if value:
        boto3.client("secretsmanager", endpoint_url=endpoint).put_secret_value(SecretId=arn, SecretString=value)


def _subscribe(endpoint: str, subscription: Mapping[str, str]) -> None:
    boto3.client("sns", endpoint_url=endpoint).subscribe(
        TopicArn=subscription["TopicArn"],
        Endpoint=subscription["Endpoint"],
        Protocol="sqs",
        Attributes={"RawMessageDelivery": "true"},
    )
