"""The files of cluster/ and rules/: valid for Kubernetes, complete, and about the series that the product reads."""

import re
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics.catalogue import Catalogue
from gpucost.domain.policy import BuRules, Policy
from gpucost.domain.utilisation import MEMORY_METRIC, UTILIZATION_METRICS
from local.cluster_render import FOLDER, VALUES, main, rendered, values
from local.errors import StackError
from local.stack.prometheus import find_binaries

RULES = FOLDER.parent / "rules"
FILES = rendered(values())
MANIFESTS = ("3-dcgm-metrics.yaml", "5-collector.yaml", "6-workloads.yaml")
RENAMED = {"DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO"}
"""What newer exporters call a field that is listed by its older name."""
VERSIONS = ("1.30", "1.31", "1.32", "1.33")


def documents(name: str) -> list[dict[str, Any]]:
    return [one for one in yaml.safe_load_all(FILES[name]) if one]


def collector() -> dict[str, Any]:
    (config,) = (one for one in documents("5-collector.yaml") if one.get("data", {}).get("collector.yaml"))
    found: dict[str, Any] = yaml.safe_load(config["data"]["collector.yaml"])
    return found


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MANIFESTS)
def test_manifests_are_valid_for_kubernetes(name: str, version: str) -> None:
    for document in documents(name):
        kubernetes_validate.validate(document, version, strict=True)


def test_a_manifest_that_is_not_valid_is_found_out() -> None:
    (deployment,) = (one for one in documents("5-collector.yaml") if one["kind"] == "Deployment")
    deployment["spec"]["replica"] = 2
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, VERSIONS[-1], strict=True)


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_yaml_and_has_no_value_left_open(name: str) -> None:
    assert list(yaml.load_all(FILES[name], _Tags))
    assert not re.search(r"\$\{(?!env:)", FILES[name])


class _Tags(yaml.SafeLoader):
    """YAML with tags of any kind."""


_Tags.add_multi_constructor("!", lambda loader, suffix, node: str(node.value))


def read() -> set[str]:
    """Names of all series that the product may ask for."""
    rules = BuRules(pod_label="x", namespace_label="x", namespace_annotation="x")
    asked = Catalogue(LabelNames(), "c").questions(Policy(bu=rules))
    named = {name for one in asked for name in re.findall(r"\b(kube_[a-z_]+|DCGM_[A-Z_]+)\b", one.promql)}
    return {*named, MEMORY_METRIC, "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_GPU_UTIL"}


def test_the_collector_keeps_what_is_read_and_nothing_else() -> None:
    keeps = [
        rule["regex"]
        for job in collector()["receivers"]["prometheus"]["config"]["scrape_configs"]
        for rule in job["metric_relabel_configs"]
        if rule["action"] == "keep"
    ]
    kept = {name for name in read() if any(re.fullmatch(keep, name) for keep in keeps)}
    assert kept == read()
    listed = set()
    for keep in keeps:
        prefix, names = keep.rstrip(")").split("(")
        listed |= {f"{prefix}{name}" for name in names.split("|")}
    assert listed <= read()


def test_the_exporters_make_what_is_read_and_nothing_else() -> None:
    made = yaml.safe_load(FILES["4-kube-state-metrics.values.yaml"])["metricAllowlist"]
    assert set(made) == {name for name in read() if name.startswith("kube_")}
    (config,) = (one for one in documents("3-dcgm-metrics.yaml") if one["kind"] == "ConfigMap")
    lines = config["data"]["dcgm-metrics.csv"].splitlines()
    assert {line.split(",")[0] for line in lines if not line.startswith("#")} == {
        name for name in read() - RENAMED if name.startswith("DCGM_")
    }
    assert {name for name in read() if name.startswith("DCGM_")} <= {*UTILIZATION_METRICS, MEMORY_METRIC}


def test_the_three_business_units_hold_what_the_guide_says() -> None:
    sets = [one for one in documents("6-workloads.yaml") if one["kind"] == "StatefulSet"]
    assert {one["metadata"]["namespace"]: one["spec"]["replicas"] for one in sets} == {"bu-a": 3, "bu-b": 2, "bu-c": 2}
    for one in sets:
        (container,) = one["spec"]["template"]["spec"]["containers"]
        assert container["resources"]["limits"]["nvidia.com/gpu"] == 1


def test_a_users_values_take_the_place_of_the_defaults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "my.env"
    mine.write_text("CLUSTER_NAME=prod\n")
    assert main([str(mine)]) == 0
    assert "external_labels: { cluster: prod }" in capsys.readouterr().out
    assert set(values()) == {name for text in _sources() for name in re.findall(r"(?<!\$)\$\{([A-Z_]+)\}", text)} | {
        "AWS_ACCOUNT_ID"
    }


def _sources() -> list[str]:
    return [file.read_text() for file in FOLDER.glob("*.yaml")]


@pytest.mark.parametrize(
    ("text", "said"), [("CLUSTER=prod", "there is no value CLUSTER"), ("CLUSTER_NAME", "is not NAME=value")]
)
def test_values_that_are_none_are_named(text: str, said: str, tmp_path: Path) -> None:
    mine = tmp_path / "my.env"
    mine.write_text(text)
    with pytest.raises(StackError, match=said):
        values(mine)
    assert VALUES.exists()


@pytest.mark.real
def test_the_rules_hold_in_promtools_own_tests() -> None:
    promtool = str(find_binaries().promtool)
    for command in (["check", "rules", "gpucost.rules.yaml"], ["test", "rules", "gpucost.tests.yaml"]):
        done = subprocess.run([promtool, *command], cwd=RULES, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
