"""How far the bill is from the estimate, and from AWS' own split of it."""

from dataclasses import replace
from decimal import Decimal

from gpucost.domain.prices.bill import SplitHour
from gpucost.domain.prices.drift import Drift, SideBySide, drift, is_billed, side_by_side
from gpucost.domain.report import Price
from tests.support.hours import HOUR, pod, report


def test_the_drift_of_each_bu_and_of_what_nobody_held() -> None:
    before = report(pod("b", "8"), pod("a", "16"))
    after = report(pod("a", "12"), pod("c", "1"))
    (a, b, c, nobody) = drift([(before, after), (before, before)])
    assert (a, b, c) == (
        Drift("a", Decimal(32), Decimal(28)),
        Drift("b", Decimal(16), Decimal(8)),
        Drift("c", Decimal(0), Decimal(1)),
    )
    assert a.change_usd == -4
    rest = before.totals.unallocated_usd
    assert nobody == Drift("", 2 * rest, rest + after.totals.unallocated_usd)


def test_a_report_is_billed_when_a_node_is() -> None:
    told = report()
    (node,) = told.nodes
    assert not is_billed(told)
    assert is_billed(replace(told, nodes=(replace(node, price=Price(Decimal(3), "cur")),)))


def test_side_by_side_compares_the_same_hours_and_adds_nothing() -> None:
    told = [report(pod("a", "16"), pod("b", "8")), report(pod("a", "4"), hour=HOUR.plus(1))]
    split = [
        SplitHour("prod", "a", "train-0", HOUR, Decimal(15)),
        SplitHour("prod", "a", "train-1", HOUR, Decimal(2)),
        SplitHour("prod", "c", "train-0", HOUR, Decimal(1)),
        SplitHour("prod", "a", "train-0", HOUR.plus(2), Decimal(99)),
        SplitHour("other", "a", "train-0", HOUR, Decimal(99)),
    ]
    assert side_by_side(told, split) == [
        SideBySide("prod", "a", Decimal(20), Decimal(17)),
        SideBySide("prod", "b", Decimal(8), None),
        SideBySide("prod", "c", None, Decimal(1)),
    ]
