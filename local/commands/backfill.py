"""`gpucost backfill`: work out a period and publish it in the ledger, hour by hour, oldest first.

It does what the deployed collector does, through the same use case: repeating it changes nothing, hours that were
published better stay as they are, hours of closed months become adjustments.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from gpucost.books import Books
from gpucost.domain.hours import Hour, hours_between
from gpucost.ports import GpucostError, HourJob, Metrics
from gpucost.prices import PriceSources
from gpucost.runtime.settings import Settings
from gpucost.usecases.recording.close_hour import close_hour
from local.commands.hour import Source, cluster_name
from local.commands.table import open_ledger, open_prices, period
from local.errors import one_line
from local.report_view import console
from local.settings_file import read_settings

NO_DATA = "without data"


class BackfillError(GpucostError):
    """Some hours could not be worked out; the others are published."""


@dataclass(slots=True)
class Tally:
    """What became of the hours."""

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def run(source: Source, table: str, first: str, end: str, cluster: str | None, settings_path: Path | None) -> None:
    """Publish every hour of the period. BackfillError at the end when some could not be; run it again for those."""
    hours = list(hours_between(*period(first, end)))
    settings = read_settings(settings_path)
    name = cluster_name(cluster, settings)
    ledger, metrics, out = open_ledger(table, source.region), source.metrics(settings), console()
    prices = open_prices(table, source.region, settings)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out) as progress:
        task = progress.add_task("hours", total=len(hours))
        tally = publish(hours, name, metrics, ledger, settings, prices, lambda: progress.advance(task))
    _say(tally, name, out)


def publish(
    hours: list[Hour],
    cluster: str,
    metrics: Metrics,
    ledger: Books,
    settings: Settings,
    prices: PriceSources | None = None,
    advance: Callable[[], None] = lambda: None,
) -> Tally:
    """Work out and publish the hours in order. An hour that fails is noted and does not stop the rest."""
    tally = Tally()
    for hour in hours:
        job = HourJob(cluster, hour, "backfill")
        try:
            done = close_hour(
                job,
                metrics,
                ledger,
                settings.policy(),
                settings_digest=settings.digest(),
                now=datetime.now(UTC),
                prices=prices,
            )
        except GpucostError as error:
            tally.failures.append(f"{hour}: {one_line(str(error))}")
        else:
            tally.outcomes[NO_DATA if done is None else done.outcome.value] += 1
        advance()
    return tally


def _say(tally: Tally, cluster: str, out: Console) -> None:
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(tally.outcomes.items())) or "nothing done"
    out.print(f"{escape(cluster)}: {counts}")
    for failure in tally.failures:
        out.print(f"  [red]failed[/] {escape(failure)}")
    if tally.failures:
        raise BackfillError(f"{len(tally.failures)} hours failed; run the same command again for them")
