"""Every warning word for word: people act on the text, programs on the code and the subject."""

from decimal import Decimal

import pytest

from gpucost.domain.allocation.allocation import allocate
from gpucost.domain.policy import Policy, RateCard
from tests.support.allocation import instance, report_of
from tests.support.readings import HOUR, allocatable, device, mask, node, phase, pod, readings, request

A, B, C = pod("a-0"), pod("b-0", "bu-b"), pod("c-0", "bu-c")
SOUND = (request(A), phase(A), allocatable(1), node(), device(A))

type Case = tuple[tuple[object, ...], dict[str, object], list[tuple[str, str, str]]]

CASES: dict[str, Case] = {
    "engine": (
        SOUND, {"engine_warnings": ("b", "a")},
        [("engine_warning", "the metrics engine warned: a", ""),
         ("engine_warning", "the metrics engine warned: b", "")],
    ),
    "cluster gap": (
        SOUND, {"seen": mask(0, 56)}, [("cluster_gap", "the cluster reported in 56 of 60 minutes", "")],
    ),
    "phase missing": (
        (request(A), allocatable(1), node(), device(A)), {},
        [("phase_missing",
          "no kube_pod_status_phase at all: bound pods are taken as held all the time, finished ones too", "")],
    ),
    "request gap": (
        (request(A, minutes=mask(0, 50)), request(B, minutes=mask(0, 40), node="n2"), phase(A), phase(B, "Pending"),
         allocatable(1), allocatable(1, node="n2"), node(), device(A)), {},
        [("request_gap", "request series cover 50 of 60 minutes in which their pods ran", "")],
    ),
    "capacity gap": (
        (allocatable(1, minutes=mask(0, 50)), node(), allocatable(1, node="n2"), node("n2", mask(0, 30)), node("cpu")),
        {}, [("capacity_gap", "allocatable series cover 80 of 90 minutes in which their nodes existed", "")],
    ),
    "unattributed": (
        (request(pod("", "", "u"), 2, node="", minutes=mask(0, 30)), *SOUND), {},
        [("unattributed", "no namespace label on GPU request series (1 nvidia_com_gpu-hours): "
          "set label_names to your pipeline's", "nvidia_com_gpu")],
    ),
    "unpriced": (
        (request(B, 2, resource="amd_com_gpu"), phase(B), request(C, resource="amd_com_gpu"), phase(C),
         request(C, 25, resource="nvidia_com_gpucores"), *SOUND), {},
        [("unpriced", "3 amd_com_gpu-hours are held and have no price here", "amd_com_gpu"),
         ("unpriced", "25 nvidia_com_gpucores-hours are held and have no price here", "nvidia_com_gpucores")],
    ),
    "use without a request": (
        (*SOUND, phase(B), device(B, uuid="GPU-1"), device(B, uuid="GPU-2")), {},
        [("use_without_request", "2 devices are used by pods that request none: "
          "not priced (set infer_use_without_request to price them)", "")],
    ),
    "utilization missing": (
        (request(A), phase(A), request(B), phase(B), allocatable(2), node(), device(A),
         device(None, uuid="GPU-1")), {},
        [("utilization_missing",
          "no utilisation series for 1 of the pods in bu-b: their effective and waste are unknown", "bu-b/bu-b")],
    ),
    "utilization gap": (
        (request(A), phase(A), allocatable(1), node(), device(A, minutes=mask(0, 29))), {},
        [("utilization_gap",
          "utilisation of 1 of the pods in bu-a rests on less than half of their running time", "bu-a/bu-a")],
    ),
    "no gpus": (
        (node("cpu"),), {},
        [("no_gpus", "no node with GPUs was seen: check the scrape job and the resource allow-list", "")],
    ),
    "capacity unknown": (
        (request(A), phase(A), node(), device(A, node="exporter-pod")), {},
        [("capacity_gap", "allocatable series cover 0 of 60 minutes in which their nodes existed", ""),
         ("capacity_unknown", "nothing tells how many GPUs node-a has: what is held counts", "node-a")],
    ),
    "overcommitted": (
        (request(A, 3), phase(A), allocatable(2), instance("g5.12xlarge"), request(B, 2), phase(B),
         device(A), device(A, uuid="1"), device(A, uuid="2"), device(B, uuid="3"), device(B, uuid="4")), {},
        [("overcommitted", "pods on node-a held more GPUs than it has: shares were cut", "node-a")],
    ),
    "shares scaled": (
        (allocatable(4), instance("g4dn.xlarge")), {},
        [("shares_scaled", "node-a advertises more than its GPUs: shares were scaled", "node-a")],
    ),
    "nothing advertised": (
        (instance("g4dn.xlarge"),), {},
        [("nothing_advertised",
          "node-a has GPUs but advertised none of them part of the time (driver, device plugin or MIG change?)",
          "node-a")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("facts", "more", "expected"), CASES.values(), ids=CASES)
def test_a_warning_says_what_is_wrong_where_and_what_to_do(
    facts: tuple[object, ...], more: dict[str, object], expected: list[tuple[str, str, str]]
) -> None:
    report = report_of(*facts, **more)  # type: ignore[arg-type]
    assert [(one.code, one.message, one.subject) for one in report.warnings] == expected


def test_priced_use_without_a_request_is_said_too() -> None:
    report = report_of(*SOUND, phase(B), device(B, uuid="GPU-1"), policy=Policy(infer_use_without_request=True))
    texts = [one.message for one in report.warnings if one.code == "use_without_request"]
    assert texts == ["1 devices are used by pods that request none: inferred from the devices"]


def test_a_fallback_price_is_named_with_the_type_and_the_node() -> None:
    policy = Policy(rates=RateCard(Decimal(12), {"other": Decimal(1)}))
    report = report_of(allocatable(1), node(), allocatable(1, node="n2"), instance("g5.xlarge", "n2"), policy=policy)
    assert [(one.code, one.message, one.subject) for one in report.warnings] == [
        ("price_fallback", "g5.xlarge (n2): no rate for this type: the global one is used", "n2"),
        ("price_fallback", "an unknown type (node-a): no rate for this type: the global one is used", "node-a"),
    ]


@pytest.mark.parametrize(
    ("resource", "reason"),
    [
        ("amd_com_gpu", "no rule for this resource"),
        ("nvidia_com_gpucores", "HAMi share: set hami to price GPUs by it"),
        ("nvidia_com_gpumem", "HAMi share: set hami to price GPUs by it"),
        ("nvidia_com_gpumem_percentage", "HAMi share: set hami to price GPUs by it"),
    ],
)
def test_what_is_not_priced_says_why_and_whose_it_is(resource: str, reason: str) -> None:
    report = report_of(*SOUND, request(B, 5, resource=resource, minutes=mask(0, 30)), phase(B))
    (row,) = report.unpriced
    assert (row.namespace, row.pod, row.uid, row.node) == ("bu-b", "b-0", "uid-b-0", "node-a")
    assert (row.resource, row.quantity_hours, row.reason) == (resource, Decimal("2.5"), reason)


@pytest.mark.parametrize("hami", ["nvidia_com_gpucores", "nvidia_com_gpumem", "nvidia_com_gpumem_percentage"])
def test_under_hami_its_shares_are_not_listed(hami: str) -> None:
    report = report_of(*SOUND, request(A, 50, resource=hami), policy=Policy(hami=True))
    assert report.unpriced == ()


def test_the_coverage_is_counted_in_device_minutes() -> None:
    facts = (request(A, 2), phase(A), allocatable(2), node(), device(A), device(A, uuid="GPU-1", minutes=mask(0, 30)))
    coverage = report_of(*facts).coverage
    assert (coverage.minutes_seen, coverage.minutes_expected, coverage.cluster) == (60, 60, 1)
    assert coverage.utilization == Decimal("0.75")
    assert report_of(allocatable(1), node()).coverage.utilization is None


def test_more_samples_than_expected_cover_no_more_than_all() -> None:
    facts = (request(A), phase(A), allocatable(2), node(), device(A), device(A, uuid="GPU-1"))
    assert report_of(*facts).coverage.utilization == 1


def test_the_report_carries_what_it_was_made_from() -> None:
    made = allocate(readings(*SOUND), Policy(), "prod", HOUR, "digest")
    assert (made.cluster, made.hour, made.settings_digest, made.revision, made.currency) == (
        "prod", HOUR, "digest", None, "USD",
    )  # fmt: skip
    assert made.rule_version == "1"
