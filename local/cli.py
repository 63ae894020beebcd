"""The command line `gpucost`."""

import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from typer.exceptions import TyperException

from gpucost.ports import GpucostError
from local.errors import ExitCode, StackError, exit_code, one_line

app = typer.Typer(
    help="GPU cost allocation for Amazon EKS: who held which share of a GPU, who used it, what it cost.",
    epilog="Exit codes: 0 done, 1 failed, 2 the call or the settings are wrong, 3 the metrics engine refused, "
    "4 try again later, 5 no data about the hour, 130 interrupted.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
settings_app = typer.Typer(help="The settings document.")
app.add_typer(settings_app, name="settings")

SettingsFile = Annotated[Path | None, typer.Option("--settings", help="YAML or JSON file; without it, the defaults.")]


@app.command()
def hour(
    *,
    hour: Annotated[str, typer.Option(help="Start of the hour in UTC, such as 2026-11-30T10:00:00Z.")],
    prometheus_url: Annotated[str | None, typer.Option(help="Any Prometheus, such as http://localhost:9090.")] = None,
    workspace: Annotated[str | None, typer.Option(help="AMP workspace: its id (ws-…) or its endpoint.")] = None,
    region: Annotated[str | None, typer.Option(help="Region of the workspace. Requests are signed.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Name of the cluster.")] = None,
    settings: SettingsFile = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for each answer.")] = 60,
    json: Annotated[bool, typer.Option("--json", help="Print the report document instead of a table.")] = False,
    explain: Annotated[str | None, typer.Option(help="Derive a namespace's figures: samples, shares, price.")] = None,
    aws_prices: Annotated[
        bool | None,
        typer.Option("--aws-prices/--no-aws-prices", help="Ask AWS for prices; by default only with --workspace."),
    ] = None,
) -> None:
    """Work out one cluster-hour from Prometheus or Amazon Managed Prometheus. Writes nothing."""
    from local.commands import hour as command

    command.run(
        command.Source(prometheus_url, workspace, region, timeout, aws_prices),
        hour,
        cluster,
        settings,
        command.Output(json, explain),
    )


@app.command()
def costs(
    *,
    url: Annotated[str | None, typer.Option(envvar="GPUCOST_API_URL", help="The API: the stack's ApiUrl.")] = None,
    window: Annotated[str | None, typer.Option(help="today, yesterday, month, lastmonth, 24h, 7d …")] = None,
    first: Annotated[str | None, typer.Option("--from", help="First hour in UTC, or a date.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="The hour after the last one, or a date.")] = None,
    group_by: Annotated[str | None, typer.Option(help="bu, namespace, node, workload, pod, label:KEY …")] = None,
    step: Annotated[str | None, typer.Option(help="hour, day or month: costs over time.")] = None,
    cluster: Annotated[str | None, typer.Option(help="One cluster.")] = None,
    bu: Annotated[str | None, typer.Option(help="One BU.")] = None,
    namespace: Annotated[str | None, typer.Option(help="One namespace.")] = None,
    compare: Annotated[bool, typer.Option("--compare", help="Beside the window before.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the answer's document.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")] = False,
) -> None:
    """Ask a deployed API (or the demo's) what was held, used and wasted."""
    from local.commands import costs as command

    asked = command.Question(window, first, end, group_by, step, cluster, bu, namespace, compare)
    command.run(url, asked, json, csv)


@app.command()
def demo(
    once: Annotated[bool, typer.Option("--once", help="End after the replay instead of leaving the API up.")] = False,
) -> None:
    """Run the whole line on this machine: real handlers, two recorded clusters, a local Slack, the API on localhost."""
    try:
        from local.commands import demo as command
    except ModuleNotFoundError as error:
        raise StackError(
            f"the demo lacks the package {error.name}: in a checkout of the source, run make demo"
        ) from None
    command.run(once)


@app.command()
def backfill(
    *,
    first: Annotated[str, typer.Option("--from", help="First hour in UTC, such as 2026-11-01T00:00:00Z.")],
    end: Annotated[str, typer.Option("--to", help="The hour after the last one.")],
    table: Annotated[str, typer.Option(help="The ledger: the stack's output TableName.")],
    prometheus_url: Annotated[str | None, typer.Option(help="Any Prometheus, such as http://localhost:9090.")] = None,
    workspace: Annotated[str | None, typer.Option(help="AMP workspace: its id (ws-…) or its endpoint.")] = None,
    region: Annotated[str | None, typer.Option(help="Region of the workspace and the table.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Name of the cluster.")] = None,
    settings: SettingsFile = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds to wait for each answer.")] = 60,
) -> None:
    """Work out a period hour by hour and publish it in the ledger. Safe to repeat."""
    from local.commands import backfill as command
    from local.commands.hour import Source

    command.run(Source(prometheus_url, workspace, region, timeout), table, first, end, cluster, settings)


@app.command()
def prices(
    *,
    table: Annotated[str, typer.Option(help="The ledger: the stack's output TableName.")],
    region: Annotated[str | None, typer.Option(help="Region of the table.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Also: what this cluster's nodes cost in its last hour.")] = None,
    hour: Annotated[str | None, typer.Option(help="As of this hour in UTC; by default now.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a document instead of tables.")] = False,
) -> None:
    """Show which list prices are in force, from where and since when, and what a cluster's nodes cost with them."""
    from local.commands import prices as command

    command.run(table, region, cluster, hour, json)


@app.command()
def bill(
    *,
    files: Annotated[list[Path], typer.Argument(help="The files of one delivery: .csv, .csv.gz or .parquet.")],
    table: Annotated[str | None, typer.Option(help="The ledger: the stack's output TableName.")] = None,
    region: Annotated[str | None, typer.Option(help="Region of the table.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Set AWS' split cost beside this cluster's namespaces.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Let it take the place of the estimate.")] = False,
) -> None:
    """Read AWS' bill (CUR 2.0): what GPU instances cost by the hour."""
    from local.commands import bill as command

    command.run_bill(files, command.Target(table, region, cluster, keep))


@app.command()
def drift(
    *,
    first: Annotated[str, typer.Option("--from", help="First hour in UTC.")],
    end: Annotated[str, typer.Option("--to", help="The hour after the last one.")],
    table: Annotated[str, typer.Option(help="The ledger: the stack's output TableName.")],
    cluster: Annotated[str, typer.Option(help="Name of the cluster.")],
    region: Annotated[str | None, typer.Option(help="Region of the table.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print a document instead of a table.")] = False,
) -> None:
    """Show by BU how far the bill is from the estimate that it replaced."""
    from local.commands import bill as command

    command.run_drift(table, region, cluster, first, end, json)


@app.command()
def export(
    *,
    file: Annotated[Path, typer.Argument(help="Where to: .csv, .jsonl.gz or .parquet.")],
    first: Annotated[str, typer.Option("--from", help="First hour in UTC, or a date.")],
    end: Annotated[str, typer.Option("--to", help="The hour after the last one, or a date.")],
    table: Annotated[str, typer.Option(help="The ledger: the stack's output TableName.")],
    cluster: Annotated[str, typer.Option(help="Name of the cluster.")],
    region: Annotated[str | None, typer.Option(help="Region of the table.")] = None,
    account: Annotated[str, typer.Option(help="The AWS account that the rows name.")] = "unknown",
) -> None:
    """Write costs as FOCUS rows into a file."""
    from local.commands import export as command

    command.run(table, region, cluster, first, end, account, file)


@app.command()
def verify(
    *,
    first: Annotated[str, typer.Option("--from", help="First hour in UTC.")],
    end: Annotated[str, typer.Option("--to", help="The hour after the last one.")],
    table: Annotated[str, typer.Option(help="The ledger: the stack's output TableName.")],
    cluster: Annotated[str, typer.Option(help="Name of the cluster.")],
    region: Annotated[str | None, typer.Option(help="Region of the table.")] = None,
    tip: Annotated[list[str] | None, typer.Option(help="MONTH=HASH that an earlier run printed.")] = None,
) -> None:
    """Check that the ledger still says what was once published: chain, heads, rows, sums. Writes nothing."""
    from local.commands import verify as command

    command.run(table, region, cluster, first, end, tip or [])


@app.command()
def replay(
    *,
    dead_letters: Annotated[str, typer.Option(help="URL of the dead-letter queue (an output of the stack).")],
    into: Annotated[str | None, typer.Option(help="URL of the queue to send them to; without it, only list.")] = None,
    region: Annotated[str | None, typer.Option(help="Region of the queues.")] = None,
) -> None:
    """Show what lies in a dead-letter queue and why; send it to its queue again."""
    from local.commands import replay as command

    command.run(dead_letters, into, region)


@settings_app.command()
def check(file: Annotated[Path, typer.Argument(help="YAML or JSON file.")]) -> None:
    """Check a settings file; say what it changes."""
    from local.commands import settings as command

    command.check(file)


@settings_app.command()
def schema() -> None:
    """Print the JSON Schema of the settings document."""
    from local.commands import settings as command

    command.schema()


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and leave the process with its exit code. Errors become one line on standard error."""
    try:
        code = app(args=arguments, standalone_mode=False, prog_name="gpucost")
        sys.stdout.flush()
    except GpucostError as error:
        _fail(str(error), exit_code(error))
    except TyperException as error:
        _fail(f"{error.format_message()} Try gpucost --help", ExitCode.USAGE)
    except BrokenPipeError:
        # Whoever read our output has enough. Nothing may be written to it any more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.FAILED)
    if code == ExitCode.INTERRUPTED:
        _fail("interrupted", ExitCode.INTERRUPTED)
    sys.exit(code or 0)


def _fail(message: str, code: ExitCode) -> NoReturn:
    sys.stderr.write(f"gpucost: {one_line(message)}\n")
    sys.exit(code)


if __name__ == "__main__":
    main()
