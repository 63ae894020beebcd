"""OpenCost's dialect: what its clients ask, in the shape they read, with sums that are ours."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpucost.adapters.memory import MemoryLedger
from gpucost.domain.hours import Hour
from gpucost.runtime.environment import ApiEnvironment
from tests.support.api import Reply, ask
from tests.support.handlers import install
from tests.support.hours import pod, report
from tests.support.house import BUS, CLUSTERS
from tests.support.served import served_house

OCTOBER_31 = "2026-10-31T00:00:00Z,2026-11-01T00:00:00Z"
CAPACITY = Decimal(2 * 24 * 96)


@pytest.fixture(scope="module", autouse=True)
def _house() -> Iterator[None]:
    with served_house():
        yield


def compute(**query: str) -> Reply:
    return ask("/allocation/compute", {"window": OCTOBER_31, **query})


def sets(**query: str) -> list[dict[str, Any]]:
    reply = compute(**query)
    assert reply.status == 200, reply.body
    return list(reply.json["data"])


# Requests as OpenCost's interface, its kubectl plugin and the dashboards around it send them.
REQUESTS = [
    "window=7d&aggregate=namespace&includeIdle=true&step=1d&accumulate=false",
    "window=today&aggregate=cluster&accumulate=true",
    "window=lastweek&aggregate=namespace&accumulate=true&shareIdle=false",
    "window=24h&aggregate=controllerKind,controller&resolution=1m",
    "window=1w&aggregate=namespace&step=1d&resolution=10m&includeIdle=false",
    "window=month&aggregate=cluster,namespace&includeAggregatedMetadata=true",
    "window=2026-10-31T00:00:00Z,2026-11-01T00:00:00Z&aggregate=pod",
    "window=1793404800,1793491200&aggregate=node&idleByNode=true",
    "window=48h&aggregate=namespace&filter=namespace%3A%22commons%22%2Bcluster%3A%22prod%22",
    "window=yesterday&aggregate=namespace&shareIdle=weighted&sharelb=false",
    "window=2d&includeProportionalAssetResourceCosts=false&offset=0&limit=25",
    "window=lastmonth&aggregate=namespace&accumulate=week&format=csv",
    "window=14d&aggregate=service&accumulate=true&includeIdle=true",
    "window=7d&aggregate=container&step=1d",
    "window=3d&aggregate=label:app,annotation:team&accumulateBy=day",
    "window=2026-10-31T05:12:07.000Z,2026-10-31T11:12:07.000Z&aggregate=deployment&idle=false",
    "window=1793404801,1793419207&aggregate=namespace&filterNamespaces=alpha-jobs,common*&filterClusters=prod",
    "window=30m&aggregate=namespace&external=false&reconcile=false",
    "window=24h&aggregate=team&filterLabels=app:llm",
]
NUMBERS = ("gpuHours", "gpuCost", "gpuCostIdle", "totalCost", "cpuCost", "ramCost", "minutes")


@pytest.mark.parametrize("path", ["/allocation", "/allocation/compute"])
@pytest.mark.parametrize("query", REQUESTS)
def test_requests_of_clients_are_answered_in_their_shape(path: str, query: str) -> None:
    reply = ask(path, query)
    assert reply.status == 200, reply.body
    if "format=csv" in query:
        assert reply.body.startswith("name,start,end,")
        return
    document = reply.json
    assert (document["code"], document["status"]) == (200, "success")
    for name, one in ((name, one) for part in document["data"] for name, one in part.items()):
        assert one["name"] == name
        assert one["window"] == {"start": one["start"], "end": one["end"]}
        assert all(one[field] >= 0 for field in NUMBERS)
        assert one["totalEfficiency"] is None or 0 <= one["totalEfficiency"] <= 1
        assert "NaN" not in reply.body


def test_what_was_held_and_what_was_not_is_the_capacity() -> None:
    (whole,) = sets(aggregate="namespace")
    assert set(whole) == {*(f"{bu}-jobs" for bu in BUS), "commons", "__idle__"}
    assert sum(one["totalCost"] for one in whole.values()) == CAPACITY
    assert whole["__idle__"]["gpuEfficiency"] == 0
    assert whole["alpha-jobs"]["gpuCost"] == sum(
        whole["alpha-jobs"][name] for name in ("gpuCostEffective", "gpuCostWaste", "gpuCostUnknown")
    )


@pytest.mark.parametrize("by_node", ["false", "true"])
def test_idle_cost_is_shared_out_to_the_last_digit(by_node: str) -> None:
    (shared,) = sets(aggregate="namespace", shareIdle="true", idleByNode=by_node)
    assert "__idle__" not in shared
    assert sum(one["totalCost"] for one in shared.values()) == CAPACITY
    ratios = {one["gpuCostIdle"] / one["gpuCost"] for one in shared.values()}
    assert max(ratios) - min(ratios) < Decimal("1e-9")


def test_idle_cost_that_holders_of_nothing_cannot_share_stays_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, hour = MemoryLedger(), Hour.parse("2026-10-31T00:00:00Z")
    ledger.publish(report(pod("a", "0"), hour=hour), hour.end)
    install(monkeypatch, ApiEnvironment, ledger=ledger, clusters=("prod",))
    (shared,) = sets(aggregate="namespace", shareIdle="true", idleByNode="true", includeIdle="true")
    assert {name: one["totalCost"] for name, one in shared.items()} == {"a": 0, "prod/node-a/__idle__": 96}


def test_a_filter_does_not_make_shares_of_idle_cost_larger() -> None:
    (whole,) = sets(aggregate="namespace", shareIdle="true")
    (part,) = sets(aggregate="namespace", shareIdle="true", filter='namespace:"commons"')
    assert part == {"commons": whole["commons"]}


def test_steps_add_up_to_the_window() -> None:
    (whole,) = sets(aggregate="namespace")
    steps = sets(aggregate="namespace", step="1h")
    assert len(steps) == 24
    assert [one["commons"]["window"]["start"][11:13] for one in steps] == [f"{hour:02}" for hour in range(24)]
    assert sum(one["commons"]["gpuCost"] for one in steps) == whole["commons"]["gpuCost"]
    (accumulated,) = sets(aggregate="namespace", step="1h", accumulate="true")
    assert accumulated == whole


def test_the_last_step_ends_with_the_window() -> None:
    last = sets(aggregate="cluster", step="7h")[-1]
    assert (last["prod"]["start"], last["prod"]["minutes"]) == ("2026-10-31T21:00:00Z", 180)


def test_several_fields_are_joined_and_what_a_row_lacks_has_a_name() -> None:
    (found,) = sets(aggregate="cluster,namespace,controllerKind", includeIdle="false")
    assert "prod/commons/statefulset" in found
    (idle,) = sets(aggregate="cluster,node", idleByNode="true")
    assert set(idle) == {"prod/node-a", "dev/node-a", "prod/node-a/__idle__", "dev/node-a/__idle__"}


def test_properties_that_differ_within_a_row_are_left_out() -> None:
    (found,) = sets(aggregate="namespace")
    assert found["alpha-jobs"]["properties"] == {"namespace": "alpha-jobs", "bu": "alpha"}
    assert found["commons"]["properties"] == {"namespace": "commons"}


def test_what_is_recorded_of_nobody_is_unallocated_and_nothing_is_lost() -> None:
    (whole,) = sets(aggregate="cluster")
    (found,) = sets(aggregate="container")
    assert set(found) == {"__unallocated__", "__idle__"}
    assert found["__unallocated__"]["gpuCost"] == sum(one["gpuCost"] for name, one in whole.items() if name in CLUSTERS)


def test_labels_that_are_recorded_name_allocations_and_filter_them(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, hour = MemoryLedger(), Hour.parse("2026-10-31T00:00:00Z")
    labels = (("app.kubernetes.io/name", "llm"), ("team", "red"))
    pods = [replace(pod("a", "2", "a-0"), labels=labels), pod("b", "3", "b-0")]
    ledger.publish(report(*pods, hour=hour), hour.end)
    install(monkeypatch, ApiEnvironment, ledger=ledger, clusters=("prod",))
    (found,) = sets(aggregate="label:app.kubernetes.io/name", includeIdle="false")
    assert {name: one["gpuCost"] for name, one in found.items()} == {"llm": 2, "__unallocated__": 3}
    assert found["llm"]["properties"]["labels"] == {"app_kubernetes_io_name": "llm", "team": "red"}
    (filtered,) = sets(aggregate="team", filter='label[team]:"red"', includeIdle="false")
    assert list(filtered) == ["red"]


def test_older_filters_are_as_the_newer_one() -> None:
    new = sets(aggregate="namespace", filter='namespace:"alpha-jobs"+cluster:"prod"')
    assert sets(aggregate="namespace", filterNamespaces="alpha-*", filterClusters="prod") == new


def test_a_window_within_hours_says_which_hours_it_is_of() -> None:
    (found,) = sets(window="2026-10-31T05:12:07.000Z,2026-10-31T11:12:07.000Z", aggregate="cluster")
    assert found["prod"]["window"] == {"start": "2026-10-31T05:00:00Z", "end": "2026-10-31T12:00:00Z"}


def test_names_are_paged() -> None:
    (whole,) = sets(aggregate="namespace")
    (page,) = sets(aggregate="namespace", offset="1", limit="2")
    assert list(page) == list(whole)[1:3]


@pytest.mark.parametrize(
    "query",
    [
        {"aggregate": "colour"},
        {"aggregate": "namespace,,"},
        {"aggregate": "label:"},
        {"filterServices": "x"},
        {"filterNamespaces": ","},
        {"step": "10m"},
        {"step": "0h"},
        {"accumulate": "month"},
        {"filter": "namespace"},
        {"window": ""},
        {"shareNamespaces": "kube-system"},
        {"costMetric": "hourly"},
        {"window": "2026-01-01,2026-11-01", "step": "1h", "aggregate": "cluster"},
    ],
)
def test_what_cannot_be_answered_rightly_is_refused(query: dict[str, str]) -> None:
    reply = compute(**query)
    assert reply.status == 400
    assert reply.headers["content-type"] == "application/problem+json"
