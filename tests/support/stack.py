"""The stack as the tests look at it: the template as written, and as AWS's own transform makes it plain."""

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from local.stack.template import read_template

ROOT = Path(__file__).parents[2]
SAM_PYTHON = ROOT / ".venv-sam" / "bin" / "python"
TEMPLATE = ROOT / "template.yaml"

_TRANSFORM = """
import json, sys
import boto3
from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

class Policies:
    def load(self):
        names = ("AWSXrayWriteOnlyAccess", "AWSXRayDaemonWriteAccess")
        return {name: f"arn:aws:iam::aws:policy/{name}" for name in names}

template = yaml_parse(open(sys.argv[1]).read())
for resource in template["Resources"].values():
    # The transform takes code that is in S3 already, as `sam package` leaves it.
    for name in {"CodeUri", "ContentUri"} & resource["Properties"].keys():
        resource["Properties"][name] = "s3://bucket/key"
json.dump(transform(template, {}, Policies()), sys.stdout)
"""


@cache
def written() -> dict[str, Any]:
    """template.yaml, with CloudFormation's short forms (!Ref x) as their long ones."""
    return read_template(TEMPLATE)


@cache
def plain() -> dict[str, Any]:
    """The template after the serverless transform: what CloudFormation would create."""
    command = [str(SAM_PYTHON), "-W", "ignore", "-c", _TRANSFORM, str(TEMPLATE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, f"the transform failed (is .venv-sam there? `make setup` makes it): {done.stderr}"
    template: dict[str, Any] = json.loads(done.stdout)
    return template


def resources(kind: str) -> dict[str, dict[str, Any]]:
    """The plain resources of one type, by logical id."""
    found = plain()["Resources"]
    return {name: resource for name, resource in found.items() if resource["Type"] == kind}


def properties(name: str) -> dict[str, Any]:
    """The plain properties of one resource."""
    found: dict[str, Any] = plain()["Resources"][name]["Properties"]
    return found


def arn(name: str) -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, "Arn"]}


def variables(function: str) -> dict[str, Any]:
    found: dict[str, Any] = properties(f"{function}Function")["Environment"]["Variables"]
    return found


def schedule_of(function: str) -> dict[str, Any]:
    (found,) = (
        resource["Properties"]
        for resource in resources("AWS::Scheduler::Schedule").values()
        if resource["Properties"]["Target"]["Arn"] == arn(f"{function}Function")
    )
    return dict(found)
