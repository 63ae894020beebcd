"""The stack's own template, read so that names, keys and variables on the laptop are those of the cloud."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from local.errors import StackError

ROOT = Path(__file__).resolve().parents[2]
FUNCTION = "AWS::Serverless::Function"


@dataclass(frozen=True, slots=True)
class Source:
    """What feeds a function: the logical id of a queue or table, the batch size, and the stream filter's patterns."""

    kind: str
    logical_id: str
    batch_size: int
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the stack. `variables` are its environment, still with CloudFormation's intrinsic functions.

    `schedule_inputs` are what EventBridge Scheduler sends it, with the scheduler's placeholders.
    """

    name: str
    handler: str
    timeout_seconds: int
    variables: Mapping[str, Any]
    sources: tuple[Source, ...]
    schedule_inputs: tuple[str, ...] = ()


class _Loader(yaml.SafeLoader):
    """Understands CloudFormation's short tags: !Ref, !GetAtt, !Sub and the rest."""


def _tag(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.ScalarNode():
            value: Any = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case _:
            raise yaml.constructor.ConstructorError(None, None, f"!{suffix} on a mapping", node.start_mark)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _tag)


def read_template(path: Path = ROOT / "template.yaml") -> dict[str, Any]:
    """The template with long-form intrinsic functions. StackError when it is not there."""
    try:
        document = yaml.load(path.read_text(), Loader=_Loader)  # noqa: S506 - a SafeLoader
    except OSError:
        raise StackError(f"{path} is missing: run this from a checkout of the source") from None
    return dict(document)


def functions(template: Mapping[str, Any]) -> dict[str, Function]:
    """The functions of the template by logical id."""
    shared = template.get("Globals", {}).get("Function", {})
    return {
        logical_id: _function(resource["Properties"], shared)
        for logical_id, resource in template["Resources"].items()
        if resource["Type"] == FUNCTION
    }


def _function(properties: Mapping[str, Any], shared: Mapping[str, Any]) -> Function:
    variables = {**_variables(shared), **_variables(properties)}
    handler = str(properties["Handler"])
    events = list(properties.get("Events", {}).values())
    return Function(
        name=handler.split(".")[1],
        handler=handler,
        timeout_seconds=int(properties.get("Timeout", shared.get("Timeout", 3))),
        variables=variables,
        sources=tuple(_source(event) for event in events if event["Type"] in ("SQS", "DynamoDB")),
        schedule_inputs=tuple(str(event["Properties"]["Input"]) for event in events if event["Type"] == "ScheduleV2"),
    )


def _variables(properties: Mapping[str, Any]) -> dict[str, Any]:
    return dict(properties.get("Environment", {}).get("Variables", {}))


def _source(event: Mapping[str, Any]) -> Source:
    properties = event["Properties"]
    target = properties["Queue" if event["Type"] == "SQS" else "Stream"]
    filters = properties.get("FilterCriteria", {}).get("Filters", [])
    patterns = tuple(str(one["Pattern"]) for one in filters)
    return Source(event["Type"], target["Fn::GetAtt"][0], int(properties.get("BatchSize", 10)), patterns)
