"""`gpucost hour` on a real Prometheus: the guide's figures, exact documents, and the signed way in."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import simplejson

from gpucost.domain.documents import report_from_document
from local.commands.hour import json_text
from local.stack.sigv4_gateway import sigv4_gateway
from tests.local.conftest import HOUR, CommandLine

pytestmark = pytest.mark.real


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("│")]


def document(text: str) -> dict[str, Any]:
    return dict(simplejson.loads(text, use_decimal=True))


def test_the_table_shows_the_guides_figures(gpucost: CommandLine, recipe_url: str) -> None:
    run = gpucost("hour", "--prometheus-url", recipe_url, "--hour", HOUR)
    assert (run.code, run.err) == (0, "")
    rows = {cells(line)[0]: cells(line) for line in run.out.splitlines() if "│" in line}
    assert rows["bu-a"][2:] == ["3.000000", "0.428571", "5.142857", "52.3333 %", "pod", "2.691429", "2.451429"]
    assert rows["bu-b"][2:] == ["2.000000", "0.285714", "3.428571", "35.0000 %", "pod", "1.200000", "2.228571"]
    assert rows["bu-c"][2:] == ["2.000000", "0.285714", "3.428571", "13.1160 %", "pod", "0.449690", "2.978882"]
    assert rows["unallocated"][4] == "84.000000"
    assert rows["of it stranded"][4] == "0.000000"
    assert rows["capacity"][4] == "96.000000"


def test_the_recipes_own_proxy_gives_the_recipes_own_figures(
    gpucost: CommandLine, recipe_url: str, tmp_path: Path
) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("utilization: recipe\n")
    run = gpucost("hour", "--prometheus-url", recipe_url, "--hour", HOUR, "--settings", str(settings), "--json")
    rows = {row["namespace"]: row for row in document(run.out)["namespaces"]}
    # Rows are split so that they add up exactly: a row may be one unit of the last digit (1e-9) off in what it was
    # allocated and one in what was effective.
    recipe = {
        "bu-a": ("0.002325599081632653", "5.14053154377551", "1e-9"),
        "bu-b": ("0.0015503993877551022", "3.427021029183673", "1e-9"),
        "bu-c": ("0.0015503993877551022", "3.427021029183673", "1e-9"),
    }
    for namespace, (effective, waste, tolerance) in recipe.items():
        assert abs(rows[namespace]["effective_usd"] - Decimal(effective)) <= Decimal("1e-9")
        assert abs(rows[namespace]["waste_usd"] - Decimal(waste)) <= Decimal(tolerance)
        assert rows[namespace]["utilization_basis"] == "recipe"


def test_json_is_exactly_the_report_document(gpucost: CommandLine, recipe_url: str) -> None:
    run = gpucost("hour", "--prometheus-url", recipe_url, "--hour", HOUR, "--json", "--cluster", "prod")
    report = document(run.out)
    assert (report["cluster"], report["hour"], report["revision"]) == ("prod", HOUR, None)
    assert abs(report["totals"]["effective_usd"] - Decimal("4.341118285714")) < Decimal("1e-10")
    assert json_text(report_from_document(report)) == run.out


def test_rates_from_a_settings_file_are_exact(gpucost: CommandLine, a100_url: str, tmp_path: Path) -> None:
    settings = tmp_path / "settings.yaml"
    settings.write_text("usd_per_gpu_hour_by_instance_type:\n  p4de.24xlarge: 3.43088125\n")
    run = gpucost("hour", "--prometheus-url", a100_url, "--hour", HOUR, "--settings", str(settings), "--json")
    assert document(run.out)["totals"]["capacity_usd"] == Decimal("27.44705")


def test_a_workspace_is_asked_with_a_signature_and_only_asked(gpucost: CommandLine, recipe_url: str) -> None:
    with sigv4_gateway(recipe_url) as gateway:
        run = gpucost("hour", "--workspace", gateway.endpoint, "--hour", HOUR, "--json", "--no-aws-prices")
    assert document(run.out)["totals"]["allocated_usd"] == 12
    assert {seen.status for seen in gateway.received} == {200}
    assert {seen.path.rpartition("/")[2] for seen in gateway.received} == {"query", "query_range"}
