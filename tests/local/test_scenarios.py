"""The shipped histories say what they are said to say, judged by Prometheus itself."""

from collections import Counter

import pytest
import requests

from gpucost.domain.hours import Hour
from local.scenarios.a100_mixed import devices
from local.scenarios.history import Span, openmetrics
from local.scenarios.kubernetes import Pod, sanitised
from local.scenarios.recipe import PODS, REFERENCE_LOAD, busy
from local.scenarios.scenario import FIRST_HOUR, HOURS, REFERENCE_HOUR, scenario_hours

GUIDES_UTILIZATION = 0.00045219982142857
GUIDES_REQUESTS = (
    'sum by (namespace) (kube_pod_container_resource_requests{resource=~"nvidia.*(gpu|mig).*",unit="integer"})'
)


def query(url: str, promql: str, hour: Hour = REFERENCE_HOUR, minute: int = 30) -> dict[str, float]:
    """Value by namespace (or "" where the series has none)."""
    parameters = {"query": promql, "time": str(hour.epoch + 60 * minute)}
    answer = requests.get(f"{url}/api/v1/query", params=parameters, timeout=10).json()
    return {one["metric"].get("namespace", ""): float(one["value"][1]) for one in answer["data"]["result"]}


@pytest.mark.real
def test_the_guides_own_queries_print_the_guides_own_readings(recipe_url: str) -> None:
    assert query(recipe_url, GUIDES_REQUESTS) == {"bu-a": 3, "bu-b": 2, "bu-c": 2}
    for minute in (0, 30, 59):
        reading = query(recipe_url, "avg(DCGM_FI_PROF_GR_ENGINE_ACTIVE)/100", minute=minute)
        assert reading[""] == pytest.approx(GUIDES_UTILIZATION, abs=1e-16)


@pytest.mark.real
def test_only_held_slices_are_busy(recipe_url: str) -> None:
    exporter = query(recipe_url, "count by (namespace) (DCGM_FI_PROF_GR_ENGINE_ACTIVE)")
    assert exporter == {"gpu-operator": 56}
    held = query(recipe_url, 'count(DCGM_FI_PROF_GR_ENGINE_ACTIVE{exported_pod!=""})')
    idle = query(recipe_url, 'max(DCGM_FI_PROF_GR_ENGINE_ACTIVE{exported_pod=""})')
    assert (held, idle) == ({"": 7}, {"": 0})


@pytest.mark.real
def test_a_finished_job_stays_listed_for_an_hour(recipe_url: str) -> None:
    listed = 'count(kube_pod_container_resource_requests{namespace="bu-b"})'
    counts = [query(recipe_url, listed, hour, 45)[""] for hour in scenario_hours()]
    assert counts == [2, 2, 3, 3, 2, 2, 2, 2]


def test_the_load_of_the_reference_hour_is_the_guides_in_every_minute() -> None:
    first = (REFERENCE_HOUR.epoch - FIRST_HOUR.epoch) // 60
    totals = {sum(busy(holder, minute) for holder in range(len(PODS))) for minute in range(first, first + 60)}
    assert totals == {REFERENCE_LOAD}


def test_no_pod_is_busier_than_its_slice() -> None:
    loads = [busy(holder, minute) for holder in range(len(PODS)) for minute in range(HOURS * 60)]
    assert 0 <= min(loads) <= max(loads) <= 1_000_000


def test_the_capture_is_whole() -> None:
    captured = devices()
    assert Counter((device.profile, bool(device.pod)) for device in captured) == {
        ("1g.10gb", True): 28,
        ("1g.10gb", False): 18,
        ("3g.40gb", True): 1,
        ("", False): 1,
    }
    assert {device.gr_engine_active for device in captured} == {"0.000000", "0.000057"}
    assert max(int(device.fb_used_mib) for device in captured) == 36634
    assert len({(device.gpu, device.instance) for device in captured}) == 48


@pytest.mark.real
def test_the_captured_node_holds_what_its_status_said(a100_url: str) -> None:
    held = 'sum(kube_pod_container_resource_requests{resource="nvidia_com_mig_1g_10gb"})'
    offered = 'sum(kube_node_status_allocatable{resource="nvidia_com_mig_1g_10gb"})'
    assert (query(a100_url, held), query(a100_url, offered)) == ({"": 28}, {"": 46})
    assert query(a100_url, "sum(kube_node_status_allocatable)") == {"": 48}


def test_openmetrics_escapes_labels_and_leaves_empty_ones_out() -> None:
    span = Span(60, 2)
    text = openmetrics([span.steady("m", {"a": 'x"\\\n', "b": ""}, 1)], {"cluster": "c"})
    assert text == 'm{a="x\\"\\\\\\n",cluster="c"} 1 60\nm{a="x\\"\\\\\\n",cluster="c"} 1 120\n'


def test_names_are_sanitised_as_kube_state_metrics_does() -> None:
    assert sanitised("nvidia.com/mig-1g.10gb.shared") == "nvidia_com_mig_1g_10gb_shared"


def test_a_pod_has_one_uid_of_its_own() -> None:
    pods = [Pod("a", "p", "n", "r", ("Job", "j")), Pod("a", "q", "n", "r", ("Job", "j"))]
    assert len({pod.uid for pod in pods}) == 2
    assert pods[0].uid == Pod("a", "p", "other", "r", ("Job", "j")).uid
