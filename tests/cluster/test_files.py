"""The files of cluster/ and rules/: valid for Kubernetes, complete, and about the series that the product reads."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics.catalogue import Catalogue
from gpucost.domain.allocation.utilisation import MEMORY_METRIC, UTILIZATION_METRICS
from gpucost.domain.policy import BuRules, Policy
from local.cluster_render import COLLECTOR, FOLDER, VALUES, collector_config, main, rendered, values
from local.cluster_render import RULES as RULES_FILE
from local.errors import StackError
from local.stack.prometheus import find_binaries

FILES = rendered(values())
MANIFESTS = ("3-dcgm-metrics.yaml", "3-time-slices.yaml", COLLECTOR, "6-workloads.yaml")
STACKS = ("2-amp.yaml", "5-managed-scraper.yaml")
RENAMED = {"DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO"}
"""What newer exporters call a field that is listed by its older name."""
VERSIONS = ("1.30", "1.31", "1.32", "1.33")


def documents(name: str) -> list[dict[str, Any]]:
    return [one for one in yaml.safe_load_all(FILES[name]) if one]


def collector() -> dict[str, Any]:
    return collector_config(FILES[COLLECTOR])


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MANIFESTS)
def test_manifests_are_valid_for_kubernetes(name: str, version: str) -> None:
    for document in documents(name):
        kubernetes_validate.validate(document, version, strict=True)


def the_deployment() -> dict[str, Any]:
    (found,) = (one for one in documents(COLLECTOR) if one["kind"] == "Deployment")
    return found


def test_a_manifest_that_is_not_valid_is_found_out() -> None:
    deployment = the_deployment()
    deployment["spec"]["replica"] = 2
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, VERSIONS[-1], strict=True)


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_yaml_and_has_no_value_left_open(name: str) -> None:
    assert list(yaml.load_all(FILES[name], _Tags))
    assert not re.search(r"\$\{(?!env:)", FILES[name])


class _Tags(yaml.SafeLoader):
    """YAML with CloudFormation's short functions, each as {tag: argument}."""


def _tagged(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    assert isinstance(node, yaml.ScalarNode)
    return {suffix: loader.construct_scalar(node)}


_Tags.add_multi_constructor("!", _tagged)


@pytest.mark.parametrize("name", STACKS)
def test_stacks_are_valid_for_cloudformation(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name])
    done = subprocess.run(
        [Path(sys.executable).with_name("cfn-lint"), "--regions", "us-west-2", "--", name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workspace_gets_the_rules_as_they_are() -> None:
    resources = yaml.load(FILES["2-amp.yaml"], _Tags)["Resources"]
    rules = resources["Rules"]["Properties"]
    assert rules == {"Workspace": {"Ref": "Workspace"}, "Name": "gpucost", "Data": RULES_FILE.read_text()}


@pytest.mark.real
def test_awss_own_scraper_has_the_collectors_jobs_and_prometheus_takes_them(tmp_path: Path) -> None:
    scraper = yaml.load(FILES["5-managed-scraper.yaml"], _Tags)["Resources"]["Scraper"]["Properties"]
    text = scraper["ScrapeConfiguration"]["ConfigurationBlob"]["Fn::Base64"]
    config = yaml.safe_load(text)
    assert config["scrape_configs"] == collector()["receivers"]["prometheus"]["config"]["scrape_configs"]
    assert config["global"]["external_labels"] == {"cluster": "gpu-cost-poc"}
    for job in config["scrape_configs"]:
        # Debian's Prometheus is built without Kubernetes discovery.
        assert job.pop("kubernetes_sd_configs")[0]["role"] == "pod"
    (tmp_path / "scrape.yml").write_text(yaml.safe_dump(config))
    command = [str(find_binaries().promtool), "check", "config", "--syntax-only", str(tmp_path / "scrape.yml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_of_two_replicas_the_workspace_can_keep_one() -> None:
    labels = collector()["exporters"]["prometheusremotewrite"]["external_labels"]
    assert labels == {"cluster": "gpu-cost-poc", "__replica__": "${env:POD_NAME}"}
    spec = the_deployment()["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    (name,) = container["env"]
    assert name == {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
    assert spec["replicas"] == 2


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
    assert main(["--values", str(mine)]) == 0
    assert "external_labels: { cluster: prod," in capsys.readouterr().out
    used = {name for text in _sources() for name in re.findall(r"(?<!\$)\$\{([A-Z_]+)\}", text)}
    assert used == {*values(), "RULES", "SCRAPE_CONFIG"}


def test_the_files_are_written_where_one_wants_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(tmp_path / "mine")]) == 0
    assert {file.name: file.read_text() for file in (tmp_path / "mine").iterdir()} == FILES
    assert capsys.readouterr().out == ""


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
        done = subprocess.run([promtool, *command], cwd=RULES_FILE.parent, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
