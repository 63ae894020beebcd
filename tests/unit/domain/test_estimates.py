"""Estimates of use: only where the settings ask for them, each named in its row."""

from decimal import Decimal

import pytest

from gpucost.domain.policy import Policy, UtilizationMode
from gpucost.domain.report import Basis
from tests.support.allocation import instance, report_of, row_of
from tests.support.readings import allocatable, device, mask, phase, pod, request

A, B = pod("a-0"), pod("b-0", "bu-b")


def unlabelled(**policy: object) -> tuple[Decimal | None, Basis]:
    report = report_of(
        request(A), phase(A), request(B, 2), phase(B), allocatable(4),
        device(A, "0.4"), device(None, "0.9", uuid="GPU-1"), device(None, "0.1", uuid="GPU-2"),
        policy=Policy(**policy),  # type: ignore[arg-type]
    )  # fmt: skip
    row = row_of(report, "b-0")
    return row.figures.utilization, row.utilization_basis


def test_nothing_is_estimated_unless_asked_for() -> None:
    assert unlabelled() == (None, Basis.NONE)


@pytest.mark.parametrize(
    ("estimates", "expected"),
    [
        ((Basis.NODE,), (Decimal("0.5"), Basis.NODE)),
        ((Basis.CLUSTER,), (Decimal("0.4"), Basis.CLUSTER)),
        ((Basis.NODE, Basis.CLUSTER), (Decimal("0.5"), Basis.NODE)),
        ((Basis.CLUSTER, Basis.NODE), (Decimal("0.4"), Basis.CLUSTER)),
    ],
)
def test_estimates_are_taken_in_their_order_and_named(
    estimates: tuple[Basis, ...], expected: tuple[Decimal, Basis]
) -> None:
    assert unlabelled(estimates=estimates) == expected


def test_an_estimate_without_any_basis_stays_unknown() -> None:
    policy = Policy(estimates=(Basis.NODE, Basis.CLUSTER))
    report = report_of(request(A), phase(A), allocatable(1), policy=policy)
    assert row_of(report, "a-0").utilization_basis is Basis.NONE


def test_the_cluster_estimate_weighs_holders_by_their_share() -> None:
    pods = [pod("x"), pod("y"), pod("z")]
    three, one = "nvidia_com_mig_3g_20gb", "nvidia_com_mig_1g_5gb"
    report = report_of(
        *(phase(who) for who in pods),
        request(pods[0], resource=three), request(pods[1], resource=one), request(pods[2], resource=three),
        allocatable(2, resource=three), allocatable(1, resource=one), instance("p4d.24xlarge"),
        device(pods[0], "0.5", instance="1", profile="3g.20gb"), device(pods[1], "0.1", instance="9", profile="1g.5gb"),
        policy=Policy(estimates=(Basis.CLUSTER,)),
    )  # fmt: skip
    assert row_of(report, "z").figures.utilization == Decimal("0.4")


def test_the_recipes_proxy_is_the_mean_of_all_devices_divided_by_100() -> None:
    policy = Policy(utilization=UtilizationMode.RECIPE)
    devices = [device(A, "0.9"), device(None, "0.1", uuid="GPU-1")]
    report = report_of(request(A), phase(A, minutes=mask(0, 30)), allocatable(2), *devices, policy=policy)
    row = row_of(report, "a-0")
    assert (row.utilization_basis, row.figures.utilization) == (Basis.RECIPE, Decimal("0.005"))
    assert row_of(report_of(request(A), phase(A), allocatable(1), policy=policy), "a-0").figures.utilization is None


@pytest.mark.parametrize(
    ("resource", "expected"),
    [
        ("nvidia_com_mig_1g_5gb", "0.1"),
        ("nvidia_com_mig_3g_20gb", "0.9"),
        ("nvidia_com_mig_2g_10gb", None),
        ("nvidia_com_gpu", "0.6"),
    ],
)
def test_an_estimate_is_of_devices_of_the_same_profile(resource: str, expected: str | None) -> None:
    """What a 3g does says nothing of a 1g beside it, and a whole card's own series nothing of its instances."""
    devices = [
        device(None, "0.1", uuid="GPU-0", instance="7", profile="1g.5gb"),
        device(None, "0.9", uuid="GPU-0", instance="1", profile="3g.20gb"),
        device(None, "0.6", uuid="GPU-1"),
    ]
    facts = [request(A, resource=resource), phase(A), allocatable(2, resource=resource), instance("p4d.24xlarge")]
    row = row_of(report_of(*facts, *devices, policy=Policy(estimates=(Basis.NODE,))), "a-0")
    assert row.figures.utilization == (None if expected is None else Decimal(expected))
    assert row.utilization_basis is (Basis.NONE if expected is None else Basis.NODE)


def test_under_the_single_strategy_a_gpu_is_any_of_its_slices() -> None:
    facts = [request(A), phase(A), allocatable(7), instance("p4d.24xlarge")]
    devices = [device(None, value, instance=value[-1], profile="1g.5gb") for value in ("0.2", "0.4")]
    row = row_of(report_of(*facts, *devices, policy=Policy(estimates=(Basis.NODE,))), "a-0")
    assert (row.figures.utilization, row.utilization_basis) == (Decimal("0.3"), Basis.NODE)
