"""A window read by sums says the same as read by hours, and costs a bounded number of calls."""

from collections import Counter
from typing import Any

import pytest

from gpucost.adapters.memory import MemoryLedger, MemoryStore
from gpucost.domain.allocation.rows import sum_figures
from gpucost.domain.answers.access import EVERYTHING, Reach, Scope
from gpucost.domain.hours import Hour
from gpucost.domain.ledger.rollups import add_totals
from gpucost.domain.report import Status
from gpucost.ports import RequestError
from gpucost.usecases.answers.answer import costs
from gpucost.usecases.answers.cost_query import CostQuery, Filters, Step
from gpucost.usecases.answers.reading import MAX_DETAIL_HOURS, MAX_HOURS, bucket, read
from gpucost.usecases.answers.visible import Slice, VisibleLedger
from gpucost.usecases.answers.window import Window
from tests.support.house import CLUSTERS, END, FAILED, FIRST, house


@pytest.fixture(scope="module")
def books() -> MemoryLedger:
    return house()


def window(first: str, end: str) -> Window:
    return Window(Hour.parse(first), Hour.parse(end))


WINDOWS = [
    window("2026-10-30T00:00:00Z", "2026-11-02T12:00:00Z"),
    window("2026-10-30T07:00:00Z", "2026-11-02T11:00:00Z"),
    window("2026-10-31T23:00:00Z", "2026-11-01T01:00:00Z"),
    window("2026-10-31T00:00:00Z", "2026-11-01T00:00:00Z"),
    window("2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"),
    window("2026-09-15T05:00:00Z", "2026-11-02T09:00:00Z"),
    window("2026-11-01T05:00:00Z", "2026-11-01T06:00:00Z"),
]
SCOPES = [EVERYTHING, Scope(Reach.SOME, frozenset({"alpha"}))]


def added(slices: list[Slice]) -> Any:
    hours: Counter[Status] = Counter()
    for one in slices:
        hours.update(one.hours)
    totals = [one.totals for one in slices if one.totals is not None]
    return add_totals(totals), sum_figures([row.figures for one in slices for row in one.rows]), hours


@pytest.mark.parametrize("scope", SCOPES, ids=["everything", "one BU"])
@pytest.mark.parametrize("asked", WINDOWS, ids=lambda asked: f"{asked.first}-{asked.end}")
def test_all_ways_of_reading_a_window_agree(asked: Window, scope: Scope, books: MemoryLedger) -> None:
    ledger = VisibleLedger(books, CLUSTERS, scope)
    by_hour = added(list(read(CLUSTERS, asked, Step.HOUR, False, ledger)))
    for step in (None, Step.DAY, Step.MONTH):
        assert added(list(read(CLUSTERS, asked, step, False, ledger))) == by_hour
    if asked.hours * len(CLUSTERS) <= MAX_DETAIL_HOURS:
        assert added(list(read(CLUSTERS, asked, None, True, ledger))) == by_hour


@pytest.mark.parametrize("step", [*Step, None])
@pytest.mark.parametrize("asked", WINDOWS, ids=lambda asked: f"{asked.first}-{asked.end}")
def test_no_slice_is_longer_than_its_stretch(asked: Window, step: Step | None, books: MemoryLedger) -> None:
    ledger = VisibleLedger(books, CLUSTERS, EVERYTHING)
    for one in read(CLUSTERS, asked, step, False, ledger):
        first, end = bucket(one.first, step, asked)
        assert asked.first <= first <= one.first < one.end <= end <= asked.end


class Counted(MemoryStore):
    """A table that counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def get(self, pk: str, sk: str) -> Any:
        self.calls += 1
        return super().get(pk, sk)

    def query(self, pk: str, first: str, last: str) -> Any:
        self.calls += 1
        return super().query(pk, first, last)


@pytest.fixture(scope="module")
def counted() -> tuple[Counted, MemoryLedger]:
    store = Counted()
    store.partitions = house()._store.partitions  # type: ignore[attr-defined]
    return store, MemoryLedger(store)


COSTS = [
    (window("2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"), Step.DAY, False, 1),
    (window("2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"), None, False, 1),
    (window("2026-10-01T05:00:00Z", "2026-11-01T05:00:00Z"), Step.DAY, False, 5),
    (window("2025-12-30T05:00:00Z", "2026-11-01T05:00:00Z"), Step.DAY, False, 6),
    (window("2026-01-01T00:00:00Z", "2026-11-01T00:00:00Z"), Step.MONTH, False, 1),
    (window("2025-11-01T00:00:00Z", "2026-11-01T00:00:00Z"), Step.MONTH, False, 2),
    (window("2025-12-15T05:00:00Z", "2026-11-02T05:00:00Z"), Step.MONTH, False, 7),
    (window("2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"), Step.HOUR, False, 2),
    (window("2026-10-15T00:00:00Z", "2026-11-15T00:00:00Z"), Step.HOUR, False, 4),
    (window("2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"), None, True, 1 + 2 * 22),
]


@pytest.mark.parametrize(("asked", "step", "detail", "calls"), COSTS)
def test_reading_costs_a_bounded_number_of_calls(
    asked: Window, step: Step | None, detail: bool, calls: int, counted: tuple[Counted, MemoryLedger]
) -> None:
    store, books = counted
    before = store.calls
    list(read(["prod"], asked, step, detail, VisibleLedger(books, CLUSTERS, EVERYTHING)))
    assert store.calls - before == calls


MONTH = COSTS[0][0]


@pytest.mark.parametrize(
    ("query", "calls"),
    [
        (CostQuery(MONTH, step=Step.DAY), 2),
        (CostQuery(MONTH), 1),
        (CostQuery(MONTH, compare=True), 2),
        (CostQuery(window("2026-01-01T00:00:00Z", "2026-11-01T00:00:00Z"), step=Step.MONTH), 1 + 10),
        (CostQuery(MONTH, step=Step.DAY, filters=Filters(bu="alpha")), 2),
    ],
)
def test_an_answer_costs_a_bounded_number_of_calls(
    query: CostQuery, calls: int, counted: tuple[Counted, MemoryLedger]
) -> None:
    store, books = counted
    before = store.calls
    costs(query, VisibleLedger(books, ["prod"], EVERYTHING))
    assert store.calls - before == calls


@pytest.mark.parametrize("step", [*Step, None])
def test_a_window_that_is_too_long_is_refused(step: Step | None, books: MemoryLedger) -> None:
    ledger = VisibleLedger(books, CLUSTERS, EVERYTHING)
    longest = MAX_HOURS[step or Step.DAY]
    list(read(["prod"], Window(END.plus(-longest), END), step, False, ledger))
    with pytest.raises(RequestError, match=str(longest + 1)):
        read(["prod"], Window(END.plus(-longest - 1), END), step, False, ledger)


def test_detail_is_for_so_many_hours_of_clusters(books: MemoryLedger) -> None:
    ledger = VisibleLedger(books, CLUSTERS, EVERYTHING)
    list(read(CLUSTERS, Window(END.plus(-MAX_DETAIL_HOURS // 2), END), None, True, ledger))
    with pytest.raises(RequestError, match="cluster-hours"):
        read(CLUSTERS, Window(END.plus(-MAX_DETAIL_HOURS // 2 - 1), END), None, True, ledger)


def test_detail_ends_where_there_are_too_many_rows(books: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucost.usecases.answers.reading.MAX_DETAIL_ROWS", 20)
    ledger = VisibleLedger(books, CLUSTERS, EVERYTHING)
    with pytest.raises(RequestError, match="more than 20 rows"):
        list(read(["prod"], Window(FIRST, FIRST.plus(3)), None, True, ledger))


def test_a_failed_hour_is_counted_and_adds_nothing(books: MemoryLedger) -> None:
    ledger = VisibleLedger(books, CLUSTERS, EVERYTHING)
    (one,) = read(["prod"], Window(FAILED, FAILED.plus(1)), None, True, ledger)
    assert (dict(one.hours), list(one.rows)) == ({Status.FAILED: 1}, [])
