"""What is known of hours: their verdicts and gaps, one hour's report, and how its figures came about."""

from gpucost.domain.allocation.explain import explain
from gpucost.domain.allocation.rows import sum_figures
from gpucost.domain.documents import flat, report_document
from gpucost.domain.hours import Hour, hours_between
from gpucost.domain.report import CURRENCY, HourReport
from gpucost.ports import RequestError
from gpucost.usecases.answers.answer import Answer
from gpucost.usecases.answers.visible import HourState, VisibleLedger
from gpucost.usecases.answers.window import Window

MAX_HOURS = 93 * 24
MISSING = "missing"


class NotFoundError(RequestError):
    """There is no such hour, or nobody in it that the caller may see."""


def hours(window: Window, cluster: str | None, status: str | None, ledger: VisibleLedger) -> Answer:
    """Verdict, coverage and revision of every hour of the window; `missing` for those that were never published.

    One query for every month and cluster. RequestError for a window that is too long.
    """
    if window.hours > MAX_HOURS:
        raise RequestError(f"the window has {window.hours} hours; ask for at most {MAX_HOURS} at once")
    clusters = ledger.named(cluster)
    rows = [row for name in clusters for row in _rows(name, window, ledger)]
    return {
        "from": window.first.key,
        "to": window.end.key,
        "clusters": list(clusters),
        "currency": CURRENCY,
        "hours": {"expected": len(rows), MISSING: sum(row["status"] == MISSING for row in rows)},
        "rows": [row for row in rows if status in (None, row["status"])],
    }


def _rows(cluster: str, window: Window, ledger: VisibleLedger) -> list[Answer]:
    known = {state.hour: state for state in ledger.states(cluster, window.first, window.end)}
    return [_row(cluster, hour, known.get(hour)) for hour in hours_between(window.first, window.end)]


def _row(cluster: str, hour: Hour, state: HourState | None) -> Answer:
    return {
        "cluster": cluster,
        "hour": hour.key,
        "status": state.status.value if state else MISSING,
        "revision": state.revision if state else None,
        "published_at": state.published_at.isoformat(timespec="seconds").replace("+00:00", "Z") if state else None,
        "coverage": flat(state.coverage) if state else None,
        "totals": flat(state.totals) if state and state.totals else None,
    }


def hour_report(cluster: str, hour: Hour, ledger: VisibleLedger) -> Answer:
    """The report of one published hour. For a caller of some BUs: its rows, and totals of these. NotFoundError."""
    report = _published(cluster, hour, ledger)
    document = report_document(report)
    if not ledger.scope.sees_everything:
        document["totals"] = flat(sum_figures([row.figures for row in report.namespaces]))
        del document["nodes"], document["queries"]
    return document


def explained(cluster: str, hour: Hour, namespace: str, ledger: VisibleLedger) -> Answer:
    """How a namespace's figures of one hour came about, line by line. NotFoundError when it has none."""
    report = _published(cluster, hour, ledger)
    known = sorted({row.namespace for row in report.namespaces})
    if namespace not in known:
        # What was asked for is not repeated: it may be the name of something that is not the caller's.
        raise NotFoundError(
            f"nobody in that namespace held a GPU in the hour {hour}; held: {', '.join(known) or 'none'}"
        )
    return {
        "cluster": cluster,
        "hour": hour.key,
        "revision": report.revision,
        "status": report.status.value,
        "namespace": namespace,
        "currency": report.currency,
        "lines": explain(report, namespace),
    }


def _published(cluster: str, hour: Hour, ledger: VisibleLedger) -> HourReport:
    (name,) = ledger.named(cluster)
    report = ledger.report(name, hour)
    if report is None:
        raise NotFoundError(f"the hour {hour} was not published: /v1/hours says which were")
    return report
