"""What whoever deploys may give, has to give, and is told before anything is created."""

import re
from typing import Any

import pytest

from gpucost.adapters.secrets import NONE
from tests.support import stack


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


SECRETS = [
    ("SlackWebhook", "HasSlack", "SlackWebhookUrl"),
    ("SlackToken", "HasBot", "SlackBotToken"),
    ("SlackSigning", "HasButtons", "SlackSigningSecret"),
]


@pytest.mark.parametrize(("secret", "condition", "parameter"), SECRETS)
def test_a_parameter_that_is_emptied_empties_its_secret(secret: str, condition: str, parameter: str) -> None:
    # Secrets Manager refuses an empty text, and an update without any text leaves the last one in force.
    assert stack.properties(secret)["SecretString"] == {"Fn::If": [condition, {"Ref": parameter}, NONE]}
