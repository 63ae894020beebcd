"""The whole stack in one process: a real Prometheus behind a gateway that checks signatures, moto, Slack's double."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

import boto3

from local.stack.aws import aws_environment, environment, moto_server
from local.stack.deploy import Deployment, deploy
from local.stack.prometheus import prometheus_with
from local.stack.runner import Runner
from local.stack.sigv4_gateway import Gateway, sigv4_gateway
from local.stack.slack import SlackDouble, slack_double


@dataclass(frozen=True, slots=True)
class EmbeddedStack:
    """A running stack. `endpoint` is where its AWS is."""

    endpoint: str
    gateway: Gateway
    slack: SlackDouble
    deployment: Deployment
    runner: Runner

    def ledger_items(self) -> int:
        """How many items the table holds."""
        client = boto3.client("dynamodb", endpoint_url=self.endpoint)
        pages = client.get_paginator("scan").paginate(TableName=self.deployment.resources["Ledger"], Select="COUNT")
        return sum(int(page["Count"]) for page in pages)


@contextmanager
def embedded_stack(
    openmetrics: str, clusters: Sequence[str], settings: Mapping[str, Any], log: TextIO
) -> Iterator[EmbeddedStack]:
    """Start everything, with this history in Prometheus, and stop it when the block ends. StackError if a part fails.

    The process's AWS environment points at the stack meanwhile.
    """
    with ExitStack() as stack:
        gateway = stack.enter_context(sigv4_gateway(stack.enter_context(prometheus_with(openmetrics))))
        slack = stack.enter_context(slack_double())
        endpoint = stack.enter_context(moto_server())
        stack.enter_context(environment(aws_environment(endpoint)))
        parameters = {
            "AmpEndpoint": gateway.endpoint,
            "ClusterName": ",".join(clusters),
            "SettingsDocument": json.dumps(settings),
            "SlackWebhookUrl": slack.webhook_url,
        }
        deployment = deploy(endpoint, parameters)
        yield EmbeddedStack(endpoint, gateway, slack, deployment, Runner(deployment, endpoint, log))
