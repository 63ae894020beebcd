"""The verdict on an hour, and the warnings that are not about shares or use."""

from pathlib import Path

import pytest

from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.policy import Policy
from gpucost.domain.readings import NodeFacts, Readings
from gpucost.domain.report import Status
from gpucost.domain.warnings import Code
from tests.support.allocation import codes, report_of
from tests.support.readings import HOUR, allocatable, device, mask, node, phase, pod, request

A = pod("a-0")
SOUND = (request(A), phase(A), allocatable(1), node(), device(A))


def test_an_hour_of_which_all_was_seen_is_complete() -> None:
    report = report_of(*SOUND)
    assert (report.status, codes(report)) == (Status.COMPLETE, [])


def test_without_any_known_use_the_allocation_stands() -> None:
    report = report_of(*SOUND[:-1])
    assert report.status is Status.NO_UTILIZATION
    assert report.totals.allocated_usd == 12
    assert report.totals.effective_usd is None


def test_a_pod_that_only_pulled_its_image_does_not_stand_for_the_exporter() -> None:
    """Its use is known to be none. Of the pod that ran nothing is known: the exporter is silent."""
    pulling = pod("b-0", "bu-b")
    facts = (request(pulling), phase(pulling, "Pending"), allocatable(2), node())
    report = report_of(request(A), phase(A), *facts)
    assert report.status is Status.NO_UTILIZATION
    assert (report.totals.waste_usd, report.totals.unknown_usd) == (12, 12)
    assert report_of(*facts).status is Status.COMPLETE


def test_an_hour_that_nobody_held_anything_in_is_complete() -> None:
    assert report_of(allocatable(1), node()).status is Status.COMPLETE


@pytest.mark.parametrize(("seen", "status"), [(57, Status.COMPLETE), (56, Status.PARTIAL)])
def test_less_than_95_percent_of_the_minutes_is_partial(seen: int, status: Status) -> None:
    report = report_of(*SOUND, seen=mask(0, seen))
    assert report.status is status
    assert ("cluster_gap" in codes(report)) is (status is Status.PARTIAL)


def test_an_engine_that_warns_makes_the_hour_partial() -> None:
    report = report_of(*SOUND, engine_warnings=("b", "a"))
    assert report.status is Status.PARTIAL
    assert [warning.message[-1] for warning in report.warnings] == ["a", "b"]


@pytest.mark.parametrize(("minutes", "partial"), [(57, False), (56, True)])
def test_requests_that_are_missing_while_their_pods_ran_are_a_gap(minutes: int, partial: bool) -> None:
    report = report_of(request(A, minutes=mask(0, minutes)), *SOUND[1:])
    assert ("request_gap" in codes(report)) is partial
    assert (report.status is Status.PARTIAL) is partial


@pytest.mark.parametrize(("first", "partial"), [(10, False), (0, True)])
def test_a_node_that_joins_offers_nothing_before_its_device_plugin_is_up(first: int, partial: bool) -> None:
    """Five of its minutes are no gap. A node that was there before the hour has no such excuse."""
    report = report_of(allocatable(1, minutes=mask(first + 5, 60)), node(minutes=mask(first, 60)))
    assert ("capacity_gap" in codes(report)) is partial


def test_a_gap_after_a_node_has_joined_is_one() -> None:
    facts = (allocatable(1, minutes=mask(15, 20) | mask(30, 60)), node(minutes=mask(10, 60)))
    assert "capacity_gap" in codes(report_of(*facts))


@pytest.mark.parametrize(("uid", "partial"), [("uid-a-0", True), ("", False)])
def test_a_pod_that_ran_before_and_after_a_gap_ran_in_it(uid: str, partial: bool) -> None:
    """One shard of kube-state-metrics was silent: the pod's request and its phase are missing together.

    A name without a uid may be two pods with nothing between them.
    """
    who, there = pod("a-0", uid=uid), mask(0, 20) | mask(30, 60)
    report = report_of(request(who, minutes=there), phase(who, minutes=there), *SOUND[2:])
    assert (report.status is Status.PARTIAL) is partial
    assert ("request_gap" in codes(report)) is partial


def test_phases_that_are_missing_while_the_request_goes_on_are_a_gap() -> None:
    facts = (request(A), phase(A, minutes=mask(0, 20) | mask(30, 60)), *SOUND[2:])
    assert "request_gap" in codes(report_of(*facts))
    assert "request_gap" not in codes(report_of(request(A), phase(A, minutes=mask(0, 20)), *SOUND[2:]))


@pytest.mark.parametrize(("ids", "partial"), [(("aws:///z/i-1",) * 2, True), (("aws:///z/i-1", "aws:///z/i-2"), False)])
def test_a_machine_that_was_there_before_and_after_a_gap_was_there_in_it(ids: tuple[str, str], partial: bool) -> None:
    """A name that another machine took over has a gap that is none."""
    parts = (mask(0, 20), mask(30, 60))
    nodes = [NodeFacts("node-a", minutes, provider_id=name) for name, minutes in zip(ids, parts, strict=True)]
    report = report_of(allocatable(1, minutes=parts[0] | parts[1]), *nodes)
    assert ("capacity_gap" in codes(report)) is partial


@pytest.mark.parametrize(("minutes", "partial"), [(57, False), (56, True)])
def test_capacity_that_is_missing_while_its_node_existed_is_a_gap(minutes: int, partial: bool) -> None:
    facts = (request(A), phase(A), allocatable(1, minutes=mask(0, minutes)), node(), device(A))
    report = report_of(*facts)
    assert ("capacity_gap" in codes(report)) is partial
    assert report.totals.capacity_gpu_hours == 1


def test_a_node_that_pods_asked_of_and_that_never_said_what_it_offers_is_a_gap() -> None:
    """kube-state-metrics without its node metrics: what of the node was free cannot be told."""
    report = report_of(request(A), phase(A), node(), device(A))
    assert report.status is Status.PARTIAL
    assert "capacity_gap" in codes(report)
    request_alone = report_of(request(A, node="gone"), phase(A), node("cpu"), device(A, node="gone"))
    assert "capacity_gap" not in codes(request_alone)


def test_without_the_phase_metric_bound_pods_count_and_the_hour_is_partial() -> None:
    report = report_of(request(A), allocatable(1), node(), device(A))
    assert report.status is Status.PARTIAL
    assert codes(report) == ["phase_missing"]
    assert report.totals.allocated_usd == 12


def test_a_request_without_a_namespace_is_nobodys_and_makes_the_hour_partial() -> None:
    nameless = pod("", "", "uid-1")
    report = report_of(request(nameless, 2, node=""), request(nameless, node=""), phase(A), allocatable(1), node())
    assert codes(report) == ["unattributed"]
    assert [(row.quantity_hours, row.namespace) for row in report.unpriced] == [(2, "")]
    assert report.status is Status.PARTIAL


def test_other_accelerators_are_listed_for_as_long_as_they_are_held() -> None:
    report = report_of(request(A, 2, resource="amd_com_gpu"), phase(A, minutes=mask(0, 30)), node())
    (row,) = report.unpriced
    assert (row.resource, row.quantity_hours, row.reason) == ("amd_com_gpu", 1, "no rule for this resource")
    assert "unpriced" in codes(report)


def test_nothing_reported_at_all_is_no_hour() -> None:
    with pytest.raises(ValueError, match="nothing was reported of cluster c"):
        allocate(Readings(seen=0), Policy(), "c", HOUR)


def test_hami_shares_are_known_by_the_settings() -> None:
    facts = [
        request(A), request(A, 25, resource="nvidia_com_gpucores"), phase(A), allocatable(10),
        node(labels={"node_kubernetes_io_instance_type": "g4dn.xlarge"}),
    ]  # fmt: skip
    report = report_of(*facts, policy=Policy(hami=True))
    assert report.totals.allocated_usd == 3
    assert report.unpriced == ()
    unknown = [node(labels={"node_kubernetes_io_instance_type": "none"}) if one is facts[4] else one for one in facts]
    assert report_of(*unknown, policy=Policy(hami=True)).totals.allocated_usd == 3
    memory = [request(A, 4096, resource="nvidia_com_gpumem") if one is facts[1] else one for one in facts]
    assert report_of(*memory, policy=Policy(hami=True)).totals.allocated_usd == 3


def test_every_code_is_produced_by_some_test() -> None:
    """The codes of this file and of its neighbours, so that a new one is not left without a test."""
    tests = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    assert [code.value for code in Code if f'"{code.value}"' not in tests and code.value != "engine_warning"] == []
