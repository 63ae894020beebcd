"""Whose a pod is: the first rule that answers, minute by minute."""

from decimal import Decimal
from typing import Any

import pytest

from gpucost.domain.allocation.ownership import kept_labels
from gpucost.domain.policy import BuRules, Policy
from tests.support.allocation import report_of
from tests.support.readings import allocatable, mask, phase, pod, request

A = pod("a-0")
EARLY, LATE = mask(0, 30), mask(30, 60)


def bus(rules: BuRules, **labels: Any) -> dict[str, Decimal]:
    report = report_of(request(A), phase(A), allocatable(1), policy=Policy(bu=rules), **labels)
    return {row.bu: row.figures.allocated_usd for row in report.pods}


def labelled(key: str, *parts: tuple[str, int]) -> dict[tuple[tuple[str, str], ...], int]:
    return {((key, value),): minutes for value, minutes in parts}


FULL_HOUR = EARLY | LATE
POD = {A: labelled("team", ("pod-team", FULL_HOUR))}
LABEL = {"bu-a": labelled("cost_center_bu", ("ns-label", FULL_HOUR))}
ANNOTATION = {"bu-a": labelled("cost_center_bu", ("ns-annotation", FULL_HOUR))}
ALL = BuRules("team", "cost-center/bu", "cost-center/bu", {"bu-a": "mapped"}, (("bu-(.)", r"pattern-\1"),))


@pytest.mark.parametrize(
    ("rules", "labels", "bu"),
    [
        (ALL, {"pod_labels": POD, "namespace_labels": LABEL, "namespace_annotations": ANNOTATION}, "pod-team"),
        (ALL, {"namespace_labels": LABEL, "namespace_annotations": ANNOTATION}, "ns-label"),
        (ALL, {"namespace_annotations": ANNOTATION}, "ns-annotation"),
        (ALL, {}, "mapped"),
        (BuRules(patterns=(("x.*", "no"), ("bu-(.)", r"pattern-\1"))), {}, "pattern-a"),
        (BuRules(patterns=(("bu-a(z?)", r"\1"),)), {}, "bu-a"),
        (BuRules(by_namespace={"bu-b": "other"}), {}, "bu-a"),
        (BuRules(), {"pod_labels": POD}, "bu-a"),
        (BuRules(namespace_label="team"), {"namespace_labels": {"bu-a": labelled("other", ("x", FULL_HOUR))}}, "bu-a"),
    ],
)
def test_the_first_rule_that_answers_names_the_bu(rules: BuRules, labels: dict[str, object], bu: str) -> None:
    assert bus(rules, **labels) == {bu: Decimal(12)}


@pytest.mark.parametrize("name", ["example_com_cost_center", "example_com_costCenter"])
def test_a_key_with_capitals_is_found_as_kube_state_metrics_writes_it_and_as_others_do(name: str) -> None:
    rules, key = BuRules(pod_label="example.com/costCenter"), "example.com/costCenter"
    assert bus(rules, pod_labels={A: labelled(name, ("red", FULL_HOUR))}) == {"red": 12}
    assert kept_labels(labelled(name, ("red", FULL_HOUR)), (key,)) == ((key, "red"),)


def test_a_label_that_changes_in_mid_hour_splits_the_row() -> None:
    history = {"bu-a": labelled("team", ("red", EARLY), ("blue", LATE))}
    assert bus(BuRules(namespace_label="team"), namespace_labels=history) == {"red": 6, "blue": 6}


def test_a_label_of_minutes_in_which_nothing_was_held_makes_no_row() -> None:
    history = {"bu-a": labelled("team", ("red", EARLY), ("blue", LATE))}
    report = report_of(
        request(A, minutes=EARLY),
        phase(A),
        allocatable(1),
        namespace_labels=history,
        policy=Policy(bu=BuRules(namespace_label="team")),
    )
    assert [row.bu for row in report.pods] == ["red"]


def test_minutes_without_the_label_fall_to_the_next_rule() -> None:
    rules = BuRules(pod_label="team", namespace_label="team")
    pods, spaces = {A: labelled("team", ("red", EARLY))}, {"bu-a": labelled("team", ("blue", FULL_HOUR))}
    assert bus(rules, pod_labels=pods, namespace_labels=spaces) == {"red": 6, "blue": 6}


def test_in_a_gap_between_two_reports_a_label_goes_on() -> None:
    """The shard that reports namespaces was silent: nobody took the label away for ten minutes."""
    rules = BuRules(namespace_label="team")
    gap = {"bu-a": labelled("team", ("red", mask(0, 20) | mask(30, 60)))}
    assert bus(rules, namespace_labels=gap) == {"red": 12}
    changed = {"bu-a": labelled("team", ("red", mask(0, 20)), ("blue", mask(30, 60)))}
    assert bus(rules, namespace_labels=changed) == {"red": 4, "bu-a": 2, "blue": 6}
    between = {"bu-a": labelled("team", ("red", mask(0, 20) | mask(40, 60)), ("blue", mask(25, 35)))}
    assert bus(rules, namespace_labels=between) == {"red": 10, "blue": 2}


def test_two_values_for_one_minute_are_settled_the_same_way_every_time() -> None:
    both = {"bu-a": labelled("team", ("red", FULL_HOUR), ("blue", FULL_HOUR))}
    assert bus(BuRules(namespace_label="team"), namespace_labels=both) == {"blue": 12}
