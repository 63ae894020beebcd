"""What a handler test needs: sample events, a Lambda context, and a function's parts with twins in them."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from gpucost.adapters.memory import MemoryTrackBook
from gpucost.adapters.memory_chat import MemorySecrets
from gpucost.runtime import container
from gpucost.runtime.container import Container
from gpucost.runtime.environment import ApiEnvironment, Environment

EVENTS = Path(__file__).parents[2] / "events"
NOW = datetime(2026, 11, 30, 11, 10, 5, tzinfo=UTC)


def sample(name: str) -> Any:
    """A fresh copy of a sample event."""
    return json.loads((EVENTS / f"{name}.json").read_text())


def received(event: dict[str, Any], times: int) -> dict[str, Any]:
    """The SQS event as it looks when its messages have been received so many times."""
    for record in event["Records"]:
        record["attributes"]["ApproximateReceiveCount"] = str(times)
    return event


class Context(LambdaContext):
    """What Lambda says about the invocation."""

    def __init__(self) -> None:
        self._function_name = "gpucost"
        self._memory_limit_in_mb = 256
        self._invoked_function_arn = "arn:aws:lambda:us-west-2:111122223333:function:gpucost"
        self._aws_request_id = "00000000-0000-4000-8000-0000000000aa"


@dataclass(frozen=True)
class FixedText:
    """A settings parameter that holds this text."""

    held: str = "{}"

    def text(self) -> str:
        return self.held


class Parts(Container):
    """A function's real container, with the clock stopped and some parts replaced by twins."""

    def __init__(self, environment: Environment, twins: dict[str, Any]) -> None:
        super().__init__(environment)
        self.pauses: list[float] = []
        for name, twin in twins.items():
            setattr(self, name, twin)

    def now(self) -> datetime:
        return NOW

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)


def install(patch: pytest.MonkeyPatch, kind: type[Environment], **twins: Any) -> Parts:
    """Give the function with this environment the twins for its parts, for the time of the test."""
    variables = dict.fromkeys(kind.variables(), "unused")
    variables |= {"GPUCOST_CLUSTERS": "gpu-cost-poc", "GPUCOST_MAX_RECEIVES": "3"}
    variables |= {"GPUCOST_KEEP_DAYS": "0", "GPUCOST_REACH_DAYS": "150"}
    variables |= {"GPUCOST_SLACK_CHANNEL": "none", "GPUCOST_INTERACTIVE": "false"}
    if issubclass(kind, ApiEnvironment):
        twins = {"_settings_parameter": FixedText(), "_secrets": MemorySecrets({"unused": "a key"}), **twins}
    if kind is ApiEnvironment:
        twins.setdefault("tracks", MemoryTrackBook())
    parts = Parts(kind.read(variables), twins)
    patch.setitem(container._containers, kind, parts)
    return parts
