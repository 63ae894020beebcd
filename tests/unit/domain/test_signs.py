"""What one hour says of each subject: by which figures, at which thresholds, and when it says nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpucost.domain.alerts.alert_rules import AlertRules, Watch
from gpucost.domain.alerts.episodes import Observation, Verdict
from gpucost.domain.alerts.finding import Kind
from gpucost.domain.alerts.signs import Sign, missing_hour, signs_of
from gpucost.domain.report import HourReport, HourWarning, Pending, Status
from tests.support.findings import Held, report

RULES = AlertRules(min_allocated_usd=Decimal(4), min_waste_usd=Decimal(2), min_waste_share=Decimal("0.5"))
PARTIAL = replace(
    report([Held("a", "9", "9")], Status.PARTIAL),
    warnings=tuple(HourWarning("cluster_gap", f"part {number}", "") for number in range(7)),
)


def sign(
    kind: Kind, told: HourReport, rules: AlertRules = RULES, past: Mapping[str, Sequence[Decimal]] | None = None
) -> Sign:
    (found,) = [one for one in signs_of(told, rules, past or {}) if one.kind is kind]
    return found


def watching(kind: Kind, **changes: Any) -> AlertRules:
    return AlertRules(watches={kind: replace(AlertRules().watch(kind), **changes)})


def test_a_wasteful_bu_is_bad_with_all_that_was_found_of_it() -> None:
    held = [Held("a", "10", "8", pod=f"pod-{index:02}") for index in range(12)] + [Held("a", "4", None, pod="dark")]
    found = sign(Kind.BU_WASTE, report(held))
    assert (found.subject, found.bu, found.seen) == ("", "a", Observation(Verdict.BAD, Decimal(96)))
    assert (found.allocated_usd, found.utilization, found.unknown_usd) == (124, Decimal("0.2"), 4)
    assert ([pod.pod for pod in found.pods], found.more_pods, found.more_pods_usd) == (
        [f"pod-{index:02}" for index in range(10)],
        2,
        16,
    )


@pytest.mark.parametrize(
    ("allocated", "waste", "verdict"),
    [
        ("4", "2", Verdict.BAD),
        ("4", "1.6", Verdict.BETWEEN),
        ("3.2", "1.6", Verdict.BETWEEN),
        ("4", "1.599999", Verdict.GOOD),
        ("3.199999", "3", Verdict.GOOD),
        ("10", "4", Verdict.BETWEEN),
        ("10", "3.999999", Verdict.GOOD),
        ("10", None, Verdict.UNKNOWN),
    ],
)
def test_a_bus_waste_is_over_at_four_fifths_of_the_thresholds(
    allocated: str, waste: str | None, verdict: Verdict
) -> None:
    assert sign(Kind.BU_WASTE, report([Held("a", allocated, waste)])).seen.verdict is verdict


def test_each_bu_is_eased_by_its_own_rules_and_nothing_wasted_is_good_at_any_threshold() -> None:
    nothing = AlertRules(Decimal(0), Decimal(0), Decimal(0))
    rules = replace(RULES, by_bu={"b": nothing})
    held = [Held("a", "4", "1.7"), Held("b", "4", "0", pod="b")]
    verdicts = {one.bu: one.seen.verdict for one in signs_of(report(held), rules, {}) if one.kind is Kind.BU_WASTE}
    assert verdicts == {"a": Verdict.BETWEEN, "b": Verdict.GOOD}
    tiny = AlertRules(Decimal(0), Decimal("0.5"), Decimal(0))
    assert sign(Kind.BU_WASTE, report([Held("a", "4", "0.45")]), tiny).seen.verdict is Verdict.BETWEEN


def test_a_workload_is_idle_by_the_use_of_all_its_pods() -> None:
    told = report([Held("a", "10", "9.9"), Held("a", "30", "29.4", pod="pod-1"), Held("a", "5", None, pod="pod-2")])
    waiting = (Pending("b", "b-jobs", "nvidia.com/mig-3g.40gb", 2, Decimal(3)),)
    found = sign(Kind.IDLE_SLICE, replace(told, pending=waiting))
    assert found.subject == "ns/Job/train nvidia.com/mig-3g.40gb"
    assert (found.bu, found.seen) == ("a", Observation(Verdict.BAD, Decimal("39.3")))
    assert (found.allocated_usd, found.utilization, found.unknown_usd) == (45, Decimal("0.0175"), 5)
    assert [pod.pod for pod in found.pods] == ["pod-1", "pod-0"]
    assert found.facts == ("Meanwhile b waits for 3 (2 pods).",)
    (first, _) = found.pods
    assert (first.allocated_usd, first.slice_hours, first.basis) == (30, 1, "pod")
    assert (first.samples_seen, first.samples_expected) == (60, 60)


@pytest.mark.parametrize(
    ("waste", "verdict"),
    [
        ("9.6", Verdict.BAD),
        ("9.5", Verdict.BETWEEN),
        ("9.1", Verdict.BETWEEN),
        ("9", Verdict.GOOD),
        (None, Verdict.UNKNOWN),
    ],
)
def test_idle_is_under_its_threshold_and_good_at_the_better_one(waste: str | None, verdict: Verdict) -> None:
    rules = replace(RULES, by_bu={"b": watching(Kind.IDLE_SLICE, threshold=Decimal(1), good_threshold=Decimal(1))})
    told = report([Held("a", "10", waste), Held("b", "10", "1", pod="b")])
    verdicts = {one.bu: one.seen.verdict for one in signs_of(told, rules, {}) if one.kind is Kind.IDLE_SLICE}
    assert verdicts == {"a": verdict, "b": Verdict.BAD}


def test_an_hour_that_was_not_read_well_says_that_and_nothing_else() -> None:
    (found,) = signs_of(PARTIAL, RULES, {})
    assert (found.kind, found.subject, found.bu) == (Kind.DATA_LOSS, "", "")
    assert found.seen == Observation(Verdict.BAD)
    assert found.facts[0] == "The hour is partial: it is no waste, and nothing in it was judged."
    assert found.facts[1:] == tuple(f"cluster_gap: part {number}" for number in range(5))


def test_an_hour_that_was_read_well_is_good_without_a_word() -> None:
    assert sign(Kind.DATA_LOSS, report([])) == Sign(Kind.DATA_LOSS, "", "", Observation(Verdict.GOOD))


def test_a_missing_hour_is_lost_data() -> None:
    facts = ("An hour was not published: see its dead letters.",)
    assert missing_hour() == Sign(Kind.DATA_LOSS, "", "", Observation(Verdict.BAD), facts=facts)


def totals(**usd: str) -> HourReport:
    empty = report([])
    return replace(empty, totals=replace(empty.totals, **{name: Decimal(text) for name, text in usd.items()}))


@pytest.mark.parametrize(
    ("free", "verdict"),
    [("50", Verdict.BAD), ("49.9", Verdict.BETWEEN), ("40", Verdict.BETWEEN), ("39.9", Verdict.GOOD)],
)
def test_what_nobody_holds_is_judged_by_its_share_without_what_is_stranded(free: str, verdict: Verdict) -> None:
    told = totals(capacity_usd="100", unallocated_usd=str(Decimal(free) + 7), stranded_usd="7")
    found = sign(Kind.UNALLOCATED, told)
    assert (found.subject, found.bu, found.allocated_usd) == ("", "", 100)
    assert found.seen == Observation(verdict, Decimal(free))
    assert found.facts == (f"{Decimal(free):.3g} % of the cluster's $100.00 is held by nobody.".replace(".0 ", " "),)


@pytest.mark.parametrize(("free", "verdict"), [("5", Verdict.BAD), ("4", Verdict.BETWEEN), ("3.99", Verdict.GOOD)])
def test_little_money_is_no_trouble_whatever_its_share(free: str, verdict: Verdict) -> None:
    assert sign(Kind.UNALLOCATED, totals(capacity_usd=free, unallocated_usd=free)).seen.verdict is verdict
    assert sign(Kind.UNALLOCATED, totals()).seen == Observation(Verdict.GOOD)


@pytest.mark.parametrize(
    ("usd", "verdict"), [("1", Verdict.BAD), ("0.8", Verdict.BETWEEN), ("0.79", Verdict.GOOD), ("0", Verdict.GOOD)]
)
def test_stranded_slices_are_judged_by_their_cost(usd: str, verdict: Verdict) -> None:
    found = sign(Kind.STRANDED, totals(capacity_usd="10", stranded_usd=usd, unallocated_usd=usd))
    assert (found.seen, found.allocated_usd, found.facts) == (Observation(verdict, Decimal(usd)), 10, ())


ODD = {"a": [Decimal(10), Decimal(10), Decimal(10)]}


@pytest.mark.parametrize(
    ("cost", "verdict", "more"),
    [
        ("20", Verdict.BAD, 10),
        ("19", Verdict.BETWEEN, 9),
        ("14.9", Verdict.GOOD, Decimal("4.9")),
        ("1", Verdict.GOOD, 0),
    ],
)
def test_a_cost_is_unusual_against_the_same_hour_of_past_weeks(cost: str, verdict: Verdict, more: int) -> None:
    found = sign(Kind.ANOMALY, report([Held("a", cost, "0")]), past=ODD)
    assert (found.bu, found.seen, found.allocated_usd) == ("a", Observation(verdict, Decimal(more)), Decimal(cost))
    assert found.facts == (f"${Decimal(cost):.2f} in this hour; $10.00 is usual at this time of the week.",)


def test_without_a_past_nothing_is_unusual_and_who_is_gone_is_good() -> None:
    new = sign(Kind.ANOMALY, report([Held("a", "99", "0")]))
    assert (new.seen.verdict, new.facts) == (Verdict.UNKNOWN, ())
    assert sign(Kind.ANOMALY, report([]), past=ODD).seen == Observation(Verdict.GOOD)


def test_what_is_not_watched_gives_no_sign_also_for_one_bu_only() -> None:
    off = watching(Kind.IDLE_SLICE, enabled=False)
    rules = replace(RULES, by_bu={"a": off})
    held = [Held("a", "10", "10"), Held("b", "10", "10", pod="b")]
    assert [one.bu for one in signs_of(report(held), rules, {}) if one.kind is Kind.IDLE_SLICE] == ["b"]
    assert Watch().enabled
