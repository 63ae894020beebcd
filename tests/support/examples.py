"""The examples of docs/api.md: a small ledger, what the page asks of it, and what comes back.

`python -m tests.support.examples` writes the answers into the page anew.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import simplejson

from gpucost.adapters.memory import MemoryLedger
from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.policy import Policy
from gpucost.runtime.environment import ApiEnvironment
from gpucost.usecases.recording.roll_up import roll_up
from tests.support.api import ask
from tests.support.handlers import FixedText, install
from tests.support.readings import allocatable, device, node, phase, pod, readings, request
from tests.support.stories import stories

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
CLUSTER = "gpu-cost-poc"
FIRST, END = Hour.parse("2026-11-29T00:00:00Z"), Hour.parse("2026-11-30T11:00:00Z")
ROWS, LINES = 2, 9
_EXAMPLE = re.compile(
    r"```http\n(?P<method>GET|POST) (?P<path>[^?\n]+)\??(?P<query>[^\n]*)\n```\n\n"
    r"```(?P<kind>\w+)\n(?P<answer>.*?)```\n",
    re.S,
)
_ALLOCATION = ("name", "properties", "start", "end", "minutes", "gpuHours", "gpuCost", "gpuEfficiency", "totalCost")
_SLICE = "nvidia_com_mig_1g_5gb"
_LABELS = {"node_kubernetes_io_instance_type": "p4d.24xlarge", "nvidia_com_gpu_product": "NVIDIA-A100-SXM4-40GB"}
_HELD = {"bu-a": (3, "0.5"), "bu-b": (2, "0.05"), "bu-c": (2, None)}


@dataclass(frozen=True, slots=True)
class Example:
    """A request on the page, and the answer below it."""

    method: str
    path: str
    query: str
    kind: str
    answer: str


def ledger() -> MemoryLedger:
    """Eight A100 cut into 56 slices: of seven that are held bu-a uses half of its three, bu-b little, bu-c unknown."""
    facts: list[object] = [node("gpu-1", labels=_LABELS), allocatable(56, node="gpu-1", resource=_SLICE)]
    number = 0
    for bu, (count, used) in _HELD.items():
        for index in range(count):
            holder = pod(f"{bu}-{index}", bu)
            facts += [request(holder, node="gpu-1", resource=_SLICE), phase(holder)]
            number += 1
            if used is not None:
                facts.append(_instance(holder, used, number))
    books = MemoryLedger()
    for hour in hours_between(FIRST, END):
        books.publish(allocate(readings(*facts), Policy(), CLUSTER, hour), hour.end)
    for day in (FIRST, END):
        roll_up(CLUSTER, day, books)
    return books


def _instance(holder: Any, used: str, number: int) -> object:
    return device(holder, used, node="gpu-1", instance=str(number + 6), profile="1g.5gb", model="NVIDIA A100-SXM4-40GB")


def parts() -> dict[str, Any]:
    """What the API of the page stands on: the ledger, what goes on, and a budget."""
    return {
        "ledger": ledger(),
        "tracks": stories([CLUSTER], ["bu-b"], FIRST),
        "clusters": (CLUSTER,),
        "_settings_parameter": FixedText('{"alerts": {"by_bu": {"bu-a": {"budget_usd": 3000}}}}'),
    }


def examples(page: str) -> Iterator[Example]:
    for found in _EXAMPLE.finditer(page):
        yield Example(**found.groupdict())


def short(value: Any, name: str = "") -> Any:
    """The value with long lists cut off, and of OpenCost's many fields the ones that matter here."""
    if isinstance(value, list):
        return [short(part) for part in value[: LINES if name == "lines" else ROWS]]
    if isinstance(value, dict):
        kept = {key: value[key] for key in _ALLOCATION} if "cpuCost" in value else value
        return {key: short(part, key) for key, part in kept.items()}
    return value


def is_part(shown: Any, whole: Any) -> bool:
    """Whether what is shown is in the whole: some of its fields, and the beginning of its lists."""
    if isinstance(shown, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(part, whole[key]) for key, part in shown.items())
    if isinstance(shown, list) and isinstance(whole, list):
        return len(shown) <= len(whole) and all(map(is_part, shown, whole))
    return bool(shown == whole)


def _written(example: Any) -> str:
    reply = ask(example["path"], example["query"], method=example["method"])
    if example["kind"] == "json":
        text = simplejson.dumps(short(reply.json), use_decimal=True, indent=1, ensure_ascii=False)
        body = re.sub(r"\n *", " ", text) if len(text) < 300 else _folded(short(reply.json))
    else:
        body = "\n".join(reply.body.splitlines()[: ROWS + 1])
    request = f"{example['method']} {example['path']}{'?' if example['query'] else ''}{example['query']}"
    return f"```http\n{request}\n```\n\n```{example['kind']}\n{body.strip()}\n```\n"


def _folded(value: Any, indent: int = 0) -> str:
    """JSON with a line for every field of the outer levels, and inner values on one line where they fit."""
    flat = simplejson.dumps(value, use_decimal=True, ensure_ascii=False)
    if len(flat) + indent <= 118 or not isinstance(value, dict | list) or not value:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f'{pad}"{key}": {_folded(part, indent + 2)}' for key, part in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + _folded(part, indent + 2) for part in value) + "\n" + " " * indent + "]"


def main() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_REGION", "us-west-2")
        install(patch, ApiEnvironment, **parts())
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(_EXAMPLE.sub(_written, page), encoding="utf-8")


if __name__ == "__main__":
    main()
