"""Devices in use by pods that asked for none: listed, flagged, and priced where the settings say so."""

from decimal import Decimal

import pytest

from gpucost.domain.policy import Policy
from tests.support.allocation import codes, instance, report_of, row_of
from tests.support.readings import GPU, allocatable, device, mask, node, phase, pod

A, B = pod("a-0"), pod("b-0", "bu-b")


@pytest.mark.parametrize(
    ("facts", "how"),
    [
        ((device(B, "0.3"),), "active"),
        ((device(B, "0", claim="gpu"),), "claimed by its label"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_use_without_a_request_is_listed_not_worth_nothing(facts: tuple[object, ...], how: str) -> None:
    report = report_of(phase(B, minutes=mask(0, 30)), node(), allocatable(1), *facts)
    (row,) = report.unpriced
    assert (row.namespace, row.resource, row.quantity_hours, row.reason) == (
        "bu-b", GPU, Decimal("0.5"), "used without a request",
    )  # fmt: skip
    assert "use_without_request" in codes(report)


def test_a_claim_of_the_state_metrics_is_enough_too() -> None:
    report = report_of(phase(B), allocatable(1), device(B, "0"), claims={B: ("gpu",)})
    assert len(report.unpriced) == 1


@pytest.mark.parametrize(
    "facts",
    [
        (phase(B), device(B, "0")),
        (phase(B, "Pending"), device(B, "0.5")),
        (phase(B, minutes=mask(0, 10)), device(B, "0.5", minutes=mask(10, 60))),
        (device(B, "0.5"),),
        (phase(B), device(B, "2147483632")),
        (phase(pod("", "")), device(None, "0.5")),
    ],
    ids=["idle", "not running", "stale label", "unknown pod", "blank value", "no names"],
)
def test_a_label_alone_is_no_use(facts: tuple[object, ...]) -> None:
    assert report_of(allocatable(1), *facts).unpriced == ()


def test_use_without_a_request_is_priced_when_the_settings_say_so() -> None:
    slice_device = device(B, "0.3", instance="7", profile="1g.5gb", minutes=mask(0, 30))
    report = report_of(
        phase(B),
        allocatable(7, resource="nvidia_com_mig_1g_5gb"),
        instance("p4d.24xlarge"),
        slice_device,
        policy=Policy(infer_use_without_request=True),
    )
    row = row_of(report, "b-0")
    assert (row.resource, row.share, row.evidence.held_minutes) == ("nvidia_com_mig_1g_5gb", "1/7", 30)
    assert report.unpriced == ()
    assert "use_without_request" in codes(report)


def test_a_device_that_names_its_exporter_as_host_makes_no_node_more() -> None:
    """It is on some node, whose capacity counts already: where, nothing says, so it is listed."""
    facts = (phase(B), allocatable(2), node(), device(B, "0.3", node="exporter-x"), device(B, "0.3", uuid="GPU-1"))
    report = report_of(*facts, policy=Policy(infer_use_without_request=True))
    assert [row.node for row in report.nodes] == ["node-a"]
    assert [row.node for row in report.pods] == ["node-a"]
    assert [(row.pod, row.node) for row in report.unpriced] == [("b-0", "exporter-x")]
    (message,) = (warning.message for warning in report.warnings if warning.code == "use_without_request")
    assert message.endswith("inferred from the devices, but for 1 that name no node of the cluster")
