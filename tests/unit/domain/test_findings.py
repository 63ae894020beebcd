"""Which hours give reason to tell whom, and what is told."""

from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.alerts.alert_rules import AlertRules
from gpucost.domain.alerts.finding import Kind, Severity, finding_id, stable_id
from gpucost.domain.alerts.findings import PODS_SHOWN, find_waste
from gpucost.domain.hours import Hour
from gpucost.domain.report import Status
from tests.support.findings import HOUR, Held, report

RULES = AlertRules(min_allocated_usd=Decimal(4), min_waste_usd=Decimal(2), min_waste_share=Decimal("0.5"))


def test_a_bu_that_reaches_every_threshold_exactly_is_found() -> None:
    (found,) = find_waste(report([Held("bu-a", "4", "2")]), RULES)
    assert (found.kind, found.severity, found.cluster, found.hour, found.bu) == (
        Kind.BU_WASTE,
        Severity.WARNING,
        "prod",
        HOUR,
        "bu-a",
    )
    assert (found.allocated_usd, found.waste_usd, found.unknown_usd) == (Decimal(4), Decimal(2), Decimal(0))
    assert found.utilization == Decimal("0.5")


@pytest.mark.parametrize(
    ("allocated", "waste"),
    [("3.999999999", "3"), ("4", "1.999999999"), ("10", "4.999999999")],
    ids=["allocated too little", "wasted too little", "too small a share"],
)
def test_a_bu_that_misses_one_threshold_by_a_billionth_is_not_found(allocated: str, waste: str) -> None:
    assert find_waste(report([Held("bu-a", allocated, waste)]), RULES) == ()


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.COMPLETE])
def test_an_hour_that_is_not_complete_is_not_judged(status: Status) -> None:
    assert find_waste(report([Held("bu-a", "100", "100")], status), RULES) == ()


def test_unknown_utilization_alerts_nobody() -> None:
    assert find_waste(report([Held("bu-a", "100", None)]), RULES) == ()


def test_of_a_bu_partly_unknown_only_the_known_part_is_judged() -> None:
    held = [Held("bu-a", "4", "3"), Held("bu-a", "96", None, pod="pod-1", namespace="other")]
    (found,) = find_waste(report(held), RULES)
    assert (found.allocated_usd, found.unknown_usd, found.waste_usd) == (Decimal(100), Decimal(96), Decimal(3))
    assert found.utilization == Decimal("0.25")
    assert [pod.pod for pod in found.pods] == ["pod-0"]


def test_the_unknown_part_does_not_count_towards_the_allocated_threshold() -> None:
    held = [Held("bu-a", "3", "3"), Held("bu-a", "96", None, pod="pod-1")]
    assert find_waste(report(held), RULES) == ()


def test_thresholds_of_zero_do_not_find_a_bu_that_wasted_nothing() -> None:
    rules = AlertRules(Decimal(0), Decimal(0), Decimal(0))
    assert find_waste(report([Held("bu-a", "4", "0"), Held("bu-b", "4", None)]), rules) == ()


def test_a_bu_is_judged_over_all_its_namespaces() -> None:
    held = [Held("bu-a", "2", "1.5", namespace="one"), Held("bu-a", "2", "1.5", pod="pod-1", namespace="two")]
    (found,) = find_waste(report(held), RULES)
    assert found.waste_usd == Decimal(3)
    assert [pod.namespace for pod in found.pods] == ["one", "two"]


def test_findings_and_their_pods_come_worst_first() -> None:
    held = [
        Held("bu-a", "4", "4"),
        Held("bu-b", "10", "4", pod="pod-1"),
        Held("bu-b", "10", "9", pod="pod-2"),
        Held("bu-b", "4", "0", pod="pod-3"),
        Held("bu-b", "4", "4", pod="pod-0"),
    ]
    found = find_waste(report(held), RULES)
    assert [finding.bu for finding in found] == ["bu-b", "bu-a"]
    assert [pod.pod for pod in found[0].pods] == ["pod-2", "pod-0", "pod-1"]


def test_a_pod_is_told_with_what_lets_its_owner_act() -> None:
    ((pod,),) = [finding.pods for finding in find_waste(report([Held("bu-a", "4", "3")]), RULES)]
    assert (pod.namespace, pod.pod, pod.node, pod.resource) == ("ns", "pod-0", "node-a", "nvidia.com/mig-3g.40gb")
    assert (pod.workload, pod.held_minutes, pod.waste_usd) == ("Job/train", 60, Decimal(3))
    assert (pod.utilization, pod.vram_used_mib) == (Decimal("0.25"), Decimal(39000))


def test_pods_beyond_the_tenth_are_counted_and_added_up() -> None:
    held = [Held("bu-a", "10", str(index), pod=f"pod-{index:02}") for index in range(13)]
    (found,) = find_waste(report(held), AlertRules(min_waste_share=Decimal(0)))
    assert [pod.pod for pod in found.pods] == [f"pod-{index:02}" for index in range(12, 2, -1)]
    assert (found.more_pods, found.more_pods_usd) == (2, Decimal(3))
    assert len(found.pods) == PODS_SHOWN


@given(
    st.lists(
        st.tuples(st.sampled_from(["bu-a", "bu-b"]), st.integers(0, 10**11), st.integers(0, 10**11), st.booleans()),
        max_size=30,
    ),
    st.randoms(use_true_random=False),
)
def test_what_is_told_adds_up_and_does_not_depend_on_the_order_of_rows(
    drawn: list[tuple[str, int, int, bool]], random: Random
) -> None:
    held = [
        Held(
            bu,
            str(Decimal(max(allocated, waste)).scaleb(-9)),
            str(Decimal(waste).scaleb(-9)) if known else None,
            pod=f"pod-{index}",
        )
        for index, (bu, allocated, waste, known) in enumerate(drawn)
    ]
    found = find_waste(report(held), RULES)
    for finding in found:
        told = sum((pod.waste_usd for pod in finding.pods), finding.more_pods_usd)
        assert told == finding.waste_usd
        assert finding.utilization is not None
        assert 0 <= finding.utilization <= Decimal("0.5")
    random.shuffle(held)
    assert find_waste(report(held), RULES) == found


def test_the_id_names_kind_cluster_hour_and_bu() -> None:
    ids = {
        finding_id(Kind.BU_WASTE, cluster, hour, bu)
        for cluster in ("prod", "dev")
        for hour in (HOUR, HOUR.plus(1))
        for bu in ("bu-a", "bu-b")
    }
    assert len(ids) == 8


def test_the_id_stays_what_it_was() -> None:
    hour = Hour.parse("2026-11-30T10:00:00Z")
    assert finding_id(Kind.BU_WASTE, "prod", hour, "bu-a") == "db479429b8c5c71007cd4b9c0efeaa94"


def test_parts_of_an_id_do_not_run_into_each_other() -> None:
    assert stable_id("a|b", "c") != stable_id("a", "b|c")
    assert stable_id('a", "b') != stable_id("a", "b")


def test_every_bu_is_judged_by_its_own_rules() -> None:
    rules = AlertRules(by_bu={"bu-a": AlertRules(min_waste_usd=Decimal(100))})
    held = [Held("bu-a", "12", "12"), Held("bu-b", "12", "12", pod="b")]
    assert [(one.bu, len(one.pods)) for one in find_waste(report(held), rules)] == [("bu-b", 1)]
