"""`gpucost hour --explain`: the figures can be worked out again from what is printed."""

import re
from decimal import Decimal

import pytest

from tests.local.conftest import CommandLine

pytestmark = pytest.mark.real
HOUR = "2026-11-30T10:00:00Z"


def test_the_derivation_can_be_followed_by_hand(gpucost: CommandLine, recipe_url: str) -> None:
    run = gpucost("hour", "--prometheus-url", recipe_url, "--hour", HOUR, "--explain", "bu-a")
    assert run.code == 0
    products = re.findall(r"allocated {2}([0-9.]+) × \$([0-9.]+) = \$([0-9.]+)", run.out)
    assert len(products) == 3
    for gpu_hours, price, allocated in products:
        assert abs(Decimal(gpu_hours) * Decimal(price) - Decimal(allocated)) < Decimal("1e-9")
    total = re.search(r"allocated {2}\$([0-9.]+)", run.out)
    assert total is not None
    assert sum(Decimal(allocated) for *_, allocated in products) == Decimal(total[1])
    assert "1 × 1/7 GPU × 60/60 h" in run.out
    assert "kube_pod_container_resource_requests{" in run.out
    assert re.search(r"utilization [0-9.]+, measured on the pod's own devices \(60 of 60 device-minutes seen", run.out)


def test_a_namespace_that_held_nothing_is_named_with_those_that_did(gpucost: CommandLine, recipe_url: str) -> None:
    run = gpucost("hour", "--prometheus-url", recipe_url, "--hour", HOUR, "--explain", "nobody")
    assert run.code == 2
    assert "held: bu-a, bu-b, bu-c" in run.err


def test_json_and_explain_exclude_each_other(gpucost: CommandLine, recipe_url: str) -> None:
    run = gpucost("hour", "--prometheus-url", recipe_url, "--hour", HOUR, "--explain", "bu-a", "--json")
    assert run.code == 2
    assert "either" in run.err
