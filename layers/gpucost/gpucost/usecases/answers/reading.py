"""Reading a window with few queries: months and days by their sums, and only what sticks out by the hour."""

from collections.abc import Iterator, Sequence
from itertools import chain

from gpucost.domain.hours import Hour
from gpucost.domain.periods import Day, Month
from gpucost.ports import RequestError
from gpucost.usecases.answers.cost_query import Step
from gpucost.usecases.answers.visible import Slice, VisibleLedger
from gpucost.usecases.answers.window import Window

MAX_DETAIL_HOURS = 31 * 24
MAX_DETAIL_ROWS = 50_000
"""A month of one cluster, and what can be added up in half of the time that API Gateway waits."""
MAX_HOURS = {Step.HOUR: 93 * 24, Step.DAY: 400 * 24, Step.MONTH: 5 * 366 * 24}


def read(
    clusters: Sequence[str], window: Window, step: Step | None, in_detail: bool, ledger: VisibleLedger
) -> Iterator[Slice]:
    """The slices that the window is made of, none longer than the step.

    For each cluster by hour: two queries for every month. By day, or as a whole: one for every year, and at most four
    for the hours before the first and after the last whole day. By month: two for every year, and the same four. In
    detail: one for every month, and two calls for every hour. RequestError for more than one answer can hold.
    """
    if in_detail:
        return _in_detail(clusters, window, ledger)
    longest = MAX_HOURS[step or Step.DAY]
    if window.hours > longest:
        advice = {Step.HOUR: "step=day", None: "step=month", Step.DAY: "step=month"}.get(step, "a shorter window")
        raise RequestError(f"the window has {window.hours} hours, more than {longest}; ask for less, or {advice}")
    return chain.from_iterable(_stretch(cluster, window.first, window.end, step, ledger) for cluster in clusters)


def _in_detail(clusters: Sequence[str], window: Window, ledger: VisibleLedger) -> Iterator[Slice]:
    hours = window.hours * len(clusters)
    if hours > MAX_DETAIL_HOURS:
        raise RequestError(
            f"by node, workload, pod or resource at most {MAX_DETAIL_HOURS} cluster-hours can be asked at once, "
            f"not {hours}: shorten the window, or name a cluster"
        )
    return _counted(chain.from_iterable(ledger.in_detail(one, window.first, window.end) for one in clusters))


def _counted(slices: Iterator[Slice]) -> Iterator[Slice]:
    """The same slices, until they hold more rows than there is time to add up."""
    rows = 0
    for one in slices:
        rows += len(one.rows)
        if rows > MAX_DETAIL_ROWS:
            raise RequestError(f"the window holds more than {MAX_DETAIL_ROWS} rows of pods: shorten it")
        yield one


def _stretch(cluster: str, first: Hour, end: Hour, step: Step | None, ledger: VisibleLedger) -> Iterator[Slice]:
    if step is Step.HOUR:
        return ledger.by_hour(cluster, first, end)
    if step is Step.MONTH:
        start, stop = _next_month(first), Month.of(end)
        if start < stop:
            return chain(
                _stretch(cluster, first, start.first, None, ledger),
                ledger.by_month(cluster, start, stop),
                _stretch(cluster, stop.first, end, None, ledger),
            )
    return _by_days(cluster, first, end, ledger)


def _by_days(cluster: str, first: Hour, end: Hour, ledger: VisibleLedger) -> Iterator[Slice]:
    start, stop = _next_day(first), Day.of(end)
    if not start < stop:
        return ledger.by_hour(cluster, first, end)
    return chain(
        ledger.by_hour(cluster, first, start.first),
        ledger.by_day(cluster, start, stop),
        ledger.by_hour(cluster, stop.first, end),
    )


def _next_day(hour: Hour) -> Day:
    """The first day that begins at the hour or later."""
    day = Day.of(hour)
    return day if day.first == hour else day.next()


def _next_month(hour: Hour) -> Month:
    """The first month that begins at the hour or later."""
    month = Month.of(hour)
    return month if month.first == hour else month.next()


def bucket(hour: Hour, step: Step | None, window: Window) -> tuple[Hour, Hour]:
    """The stretch of the window that the hour's figures belong to."""
    if step is None:
        return window.first, window.end
    if step is Step.HOUR:
        return hour, hour.plus(1)
    period = Day.of(hour) if step is Step.DAY else Month.of(hour)
    return max(period.first, window.first), min(period.end, window.end)
