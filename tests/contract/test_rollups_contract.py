"""Roll-ups in the table, on both tables."""

from dataclasses import replace
from datetime import date

import pytest

from gpucost.books import Books
from gpucost.domain.ledger.rollups import Contribution, Rollup, roll_up_hours
from gpucost.domain.periods import Day, Month, Period
from gpucost.domain.report import NamespaceRow, Status
from tests.contract.conftest import Table
from tests.support.hours import HOUR, NOW, hourly, later, only_row, pod, report, scattered

NOVEMBER_30 = Day(date(2026, 11, 30))
MANY = tuple(only_row(scattered(i), scattered(i), f"0.00{i + 1}") for i in range(8000))


def rollup(cluster: str, period: Period, version: int = 1, rows: tuple[NamespaceRow, ...] = ()) -> Rollup:
    told = report(cluster=cluster)
    one = Contribution(Status.COMPLETE, version, told.totals, rows or (only_row("ml", "ml-train", "8"),))
    return roll_up_hours(cluster, period, [one])


def test_a_rollup_comes_back_as_it_went_in(ledger: Books, cluster: str) -> None:
    day, month = rollup(cluster, NOVEMBER_30), rollup(cluster, Month(2026, 11))
    assert ledger.put_rollup(day)
    assert ledger.put_rollup(month)
    assert ledger.day_rollups(cluster, NOVEMBER_30, NOVEMBER_30.next()) == [day]
    assert ledger.month_rollups(cluster, Month(2026, 11), Month(2026, 12)) == [month]


def test_days_come_in_order_within_bounds_and_across_years(ledger: Books, cluster: str) -> None:
    days = [Day(date(2026, 12, 30)), Day(date(2026, 12, 31)), Day(date(2027, 1, 1)), Day(date(2027, 1, 2))]
    for day in reversed(days):
        ledger.put_rollup(rollup(cluster, day))
    found = ledger.day_rollups(cluster, days[1], days[3])
    assert [one.period for one in found] == days[1:3]


def test_months_come_in_order_within_bounds_and_across_years(ledger: Books, cluster: str) -> None:
    months = [Month(2026, 11), Month(2026, 12), Month(2027, 1), Month(2027, 2)]
    for month in reversed(months):
        ledger.put_rollup(rollup(cluster, month))
    found = ledger.month_rollups(cluster, months[1], months[3])
    assert [one.period for one in found] == months[1:3]


def test_an_empty_window_has_no_rollups(ledger: Books, cluster: str) -> None:
    ledger.put_rollup(rollup(cluster, NOVEMBER_30))
    assert ledger.day_rollups(cluster, NOVEMBER_30, NOVEMBER_30) == []
    assert ledger.month_rollups(cluster, Month(2026, 12), Month(2026, 11)) == []


@pytest.mark.parametrize(("version", "kept"), [(4, False), (5, False), (6, True)])
def test_only_what_knows_more_replaces_a_rollup(ledger: Books, cluster: str, version: int, kept: bool) -> None:
    ledger.put_rollup(rollup(cluster, NOVEMBER_30, 5))
    assert ledger.put_rollup(rollup(cluster, NOVEMBER_30, version)) is kept
    (found,) = ledger.day_rollups(cluster, NOVEMBER_30, NOVEMBER_30.next())
    assert found.version == max(version, 5)


def test_a_rollup_of_many_namespaces_is_whole_and_leaves_nothing_behind(table: Table, cluster: str) -> None:
    ledger = table.ledger()
    for version in (1, 2):
        ledger.put_rollup(rollup(cluster, NOVEMBER_30, version, MANY[version:]))
    (found,) = ledger.day_rollups(cluster, NOVEMBER_30, NOVEMBER_30.next())
    assert len(found.namespaces) == 7998
    items = table.store.query(f"C#{cluster}#Y#2026", "D#", "D#~")
    assert len(items) > 1
    assert {int(item["version"]) for item in items} == {2}
    ledger.put_rollup(rollup(cluster, NOVEMBER_30, 3))
    assert len(table.store.query(f"C#{cluster}#Y#2026", "D#", "D#~")) == 1


def test_a_stale_rollup_that_comes_late_leaves_the_newer_one_whole(table: Table, cluster: str) -> None:
    ledger = table.ledger()
    newer = rollup(cluster, NOVEMBER_30, 2, MANY)
    ledger.put_rollup(newer)
    assert not ledger.put_rollup(rollup(cluster, NOVEMBER_30, 1, MANY[5:]))
    assert ledger.day_rollups(cluster, NOVEMBER_30, NOVEMBER_30.next()) == [newer]


def test_published_hours_carry_their_heads_and_rows(ledger: Books, cluster: str) -> None:
    reports = hourly(cluster, HOUR, {0: "1", 1: "2"})
    heads = [ledger.publish(told, NOW).head for told in reports]
    found = ledger.published(cluster, HOUR, HOUR.plus(2))
    assert [one.head for one in found] == heads
    assert [one.namespaces for one in found] == [told.namespaces for told in reports]


def test_published_hours_are_the_revisions_in_force(ledger: Books, cluster: str) -> None:
    first = report(pod("a", "1"), cluster=cluster)
    ledger.publish(first, NOW)
    ledger.publish(replace(first, settings_digest="2"), later(1))
    (found,) = ledger.published(cluster, HOUR, HOUR.plus(1))
    assert found.head.revision == 2
