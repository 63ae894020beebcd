"""`gpucost demo`: hours of two clusters through the real handlers, on this machine."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from tempfile import gettempdir
from threading import Event
from typing import Any

import requests
import simplejson
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from gpucost.domain.hours import Hour
from gpucost.ports import GpucostError
from local.report_view import amount, console, cost_table, percent
from local.scenarios.a100_mixed import A100_MIXED
from local.scenarios.recipe import RECIPE
from local.scenarios.scenario import REFERENCE_HOUR, Scenario, scenario_hours
from local.slack_view import message_view
from local.stack.devserver import DEFAULT_PORT, api_server
from local.stack.embedded import EmbeddedStack, embedded_stack
from local.stack.processes import ended_in_order, preferred_port
from local.stack.prometheus import find_or_install

CLUSTER_LABEL = "cluster"
SCENARIOS: Sequence[Scenario] = (RECIPE, A100_MIXED)
LOG = Path(gettempdir()) / "gpucost-demo.log"


class DemoError(GpucostError):
    """The demo saw something that must not happen."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What delivering an hour again must not change."""

    ledger_items: int
    slack_messages: int

    @classmethod
    def of(cls, stack: EmbeddedStack) -> "Counts":
        return cls(stack.ledger_items(), len(stack.slack.messages))


def run(once: bool) -> None:
    """Replay, show what came of it, and leave the API up until Ctrl-C unless `once`."""
    out = console()
    for scenario in SCENARIOS:
        out.print(f"[bold]{scenario.cluster}[/]: {escape(scenario.title)}")
    find_or_install()
    history = "".join(scenario.openmetrics(CLUSTER_LABEL) for scenario in SCENARIOS)
    clusters = [scenario.cluster for scenario in SCENARIOS]
    with ended_in_order(), LOG.open("w") as log, embedded_stack(history, clusters, _settings(), log) as stack:
        _replay(stack, scenario_hours(), out)
        _deliver_again(stack, REFERENCE_HOUR, out)
        _show_messages(stack.slack.messages, out)
        with api_server(stack.runner, preferred_port(DEFAULT_PORT)) as url:
            _show_costs(url, out)
            if not once:
                stay_up(url, out)


def _settings() -> dict[str, Any]:
    settings: dict[str, Any] = {"cluster_label": CLUSTER_LABEL}
    for scenario in SCENARIOS:
        settings |= scenario.settings
    return settings


def _replay(stack: EmbeddedStack, hours: Sequence[Hour], out: Console) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=out) as progress:
        task = progress.add_task("hours", total=len(hours))
        for hour in hours:
            progress.update(task, description=f"{hour} plan, collect, detect, notify")
            stack.runner.run_hour(hour)
            progress.advance(task)


def _deliver_again(stack: EmbeddedStack, hour: Hour, out: Console) -> None:
    """Everything about one hour comes a second time: its schedule, its jobs, its stream records."""
    before = Counts.of(stack)
    told = [one.event for one in stack.runner.invocations if one.function == "detect" and hour.key in str(one.event)]
    stack.runner.run_hour(hour)
    for event in told:
        stack.runner.invoke("detect", event)
    stack.runner.drain("notify")
    after = Counts.of(stack)
    if before != after:
        raise DemoError(f"delivering {hour} twice changed {before} to {after}; the log is {LOG}")
    out.print(
        f"{hour} delivered twice: still {after.ledger_items} items in the ledger and {after.slack_messages} messages"
    )


def _show_messages(messages: Sequence[dict[str, Any]], out: Console) -> None:
    """Every message by its first line, and the last of each cluster as it would look."""
    out.print(f"\n[bold]{len(messages)} messages arrived in Slack[/]")
    for message in messages:
        out.print(f"  {escape(str(message['text']).splitlines()[0])}")
    for message in messages[-len(SCENARIOS) :]:
        out.print(message_view(message))


def _show_costs(url: str, out: Console) -> None:
    for scenario in SCENARIOS:
        answer = _costs(url, scenario.cluster)
        out.print(f"\n[bold]{scenario.cluster}[/] from {answer['from']} to {answer['to']}")
        out.print(_costs_table(answer))


def _costs(url: str, cluster: str) -> dict[str, Any]:
    hours = scenario_hours()
    window = {"from": hours[0].key, "to": hours[-1].plus(1).key, "cluster": cluster, "group_by": "namespace"}
    response = requests.get(f"{url}/v1/costs", params=window, timeout=30)
    if response.status_code != requests.codes.ok:
        raise DemoError(f"the API answered {response.status_code}: {response.text}; the log is {LOG}")
    return dict(simplejson.loads(response.text, use_decimal=True))


def _costs_table(answer: dict[str, Any]) -> Table:
    table = cost_table(basis=False)
    for row in answer["rows"]:
        table.add_row(escape(row["bu"]), escape(row["namespace"]), *_cells(row))
    table.add_section()
    totals = answer["totals"]
    for name in ("allocated", "unallocated", "capacity"):
        cells = ["", amount(_decimal(totals[f"{name}_gpu_hours"])), amount(_decimal(totals[f"{name}_usd"]))]
        known = [percent(_decimal(totals["utilization"])), *_used(totals)] if name == "allocated" else []
        table.add_row(name, "", *cells, *known)
    return table


def _cells(row: dict[str, Any]) -> list[str]:
    quantities = [amount(_decimal(row[name])) for name in ("slice_hours", "gpu_hours", "allocated_usd")]
    return [*quantities, percent(_decimal(row["utilization"])), *_used(row)]


def _used(figures: dict[str, Any]) -> list[str]:
    return [amount(_decimal(figures[name])) for name in ("effective_usd", "waste_usd")]


def _decimal(value: Decimal | int | None) -> Decimal | None:
    return None if value is None else Decimal(value)


def stay_up(url: str, out: Console) -> None:
    first, last = scenario_hours()[0], scenario_hours()[-1]
    out.print(f"\nThe API is at {url} until Ctrl-C. Try:")
    out.print(f"  curl '{url}/v1/costs?from={first}&to={last.plus(1)}&group_by=bu'", soft_wrap=True)
    try:
        Event().wait()
    except KeyboardInterrupt:
        out.print("\nstopped")
