"""`python -m local.dashboards`: writes dashboards/*.json, Grafana's dashboards, from a few panels.

Money here is requested share times a rate that the viewer types in: Prometheus knows no prices. What is billed by is in
the API's dashboard.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "dashboards"
RUNBOOK = "docs/cluster.md#when-something-is-missing"
PROMETHEUS = {"type": "prometheus", "uid": "${datasource}"}
INFINITY = {"type": "yesoreyeram-infinity-datasource", "uid": "${api}"}
WIDTH = 24

HELD = 'sum by (namespace) (namespace:gpus_held:sum{cluster="$cluster"})'
RATIO = 'namespace:gpu_engine_active:ratio{cluster="$cluster"}'
ALLOCATED = f"{HELD} * $usd_per_gpu_hour / $slices_per_gpu"
EFFECTIVE = f"({ALLOCATED}) * on (namespace) {RATIO}"
NAMESPACES = 'label_values(namespace:gpus_held:sum{cluster="$cluster"}, namespace)'
WASTE = f"({ALLOCATED}) - ({EFFECTIVE})"


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel: what it asks, in which unit it shows that, and what a reader should know of it."""

    title: str
    expr: str
    unit: str
    description: str
    kind: str = "timeseries"
    width: int = 12
    legend: str = "{{namespace}}"
    thresholds: Sequence[tuple[float | None, str]] = ((None, "green"),)


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A dashboard. `uid` never changes, so that links to it stay good."""

    uid: str
    title: str
    description: str
    panels: Sequence[Panel]
    by_namespace: bool = False


def of_one(expr: str) -> str:
    """The expression for the chosen namespaces only."""
    return f'({expr}) and on (namespace) namespace:gpus_held:sum{{cluster="$cluster",namespace=~"$namespace"}}'


CLUSTER = Dashboard(
    "gpucost-cluster",
    "GPU cost: cluster",
    "Who holds which part of the GPUs, and how busy these parts are.",
    (
        Panel(
            "Advertised",
            'sum(node:gpus_advertised:sum{cluster="$cluster"})',
            "short",
            "Units that pods can ask for: GPUs, MIG slices or replicas.",
            "stat",
            6,
            "",
        ),
        Panel(
            "Held",
            'sum(namespace:gpus_held:sum{cluster="$cluster"})',
            "short",
            "Units that bound pods hold which are not finished.",
            "stat",
            6,
            "",
        ),
        Panel(
            "Held by nobody",
            '1 - sum(namespace:gpus_held:sum{cluster="$cluster"}) / sum(node:gpus_advertised:sum{cluster="$cluster"})',
            "percentunit",
            "The part of the units that nobody holds. It costs as much as the rest.",
            "stat",
            6,
            "",
            ((None, "green"), (0.3, "yellow"), (0.5, "red")),
        ),
        Panel(
            "Busy, of what is held",
            'cluster:gpu_engine_active:ratio{cluster="$cluster"}',
            "percentunit",
            "Engine activity of the devices that pods hold: a ratio of sums. Already 0 to 1: not to be divided by 100.",
            "stat",
            6,
            "",
            ((None, "red"), (0.3, "yellow"), (0.6, "green")),
        ),
        Panel("Held units", HELD, "short", "Requests of bound pods by namespace, each container once."),
        Panel("Allocated per hour", ALLOCATED, "currencyUSD", "Held units at the rate that is typed in above."),
        Panel("Utilization", RATIO, "percentunit", "Engine activity of each namespace's own devices."),
        Panel("Waste per hour", WASTE, "currencyUSD", "Allocated less what was used of it."),
    ),
)
BU = Dashboard(
    "gpucost-namespace",
    "GPU cost: namespaces over time",
    "Allocated, effective and waste of the chosen namespaces.",
    (
        Panel("Allocated per hour", of_one(ALLOCATED), "currencyUSD", "Held units at the typed rate."),
        Panel("Effective per hour", of_one(EFFECTIVE), "currencyUSD", "Allocated times utilization."),
        Panel("Waste per hour", of_one(WASTE), "currencyUSD", "The difference of the two."),
        Panel("Utilization", of_one(RATIO), "percentunit", "Engine activity of the namespaces' devices."),
    ),
    by_namespace=True,
)
IDLE = Dashboard(
    "gpucost-idle",
    "GPU cost: idle slices",
    "Namespaces that hold GPUs and hardly use them, and the memory that they keep.",
    (
        Panel(
            "Hardly used",
            f"bottomk(20, {RATIO})",
            "percentunit",
            "The least busy namespaces.",
            "table",
            thresholds=((None, "red"), (0.05, "yellow"), (0.3, "green")),
        ),
        Panel("What that wastes per hour", f"topk(20, {WASTE})", "currencyUSD", "The most wasteful ones.", "table"),
        Panel(
            "Memory in use",
            'cluster:gpu_memory_used_mebibytes:sum{cluster="$cluster"}',
            "decmbytes",
            "Framebuffer memory of all devices: a model that is loaded keeps it, idle or not.",
            legend="memory",
        ),
    ),
)
QUALITY = Dashboard(
    "gpucost-quality",
    "GPU cost: data quality",
    "Whether what costs are worked out from is there.",
    (
        Panel(
            "Nodes reported",
            'count(kube_node_info{cluster="$cluster"})',
            "short",
            f"From kube-state-metrics. Nothing here: {RUNBOOK}.",
            "stat",
            6,
            "",
            ((None, "red"), (1, "green")),
        ),
        Panel(
            "Devices reported",
            'count({__name__=~"DCGM_FI_PROF_GR_ENGINE_(ACTIVE|UTIL_RATIO)",cluster="$cluster"})',
            "short",
            f"From the DCGM exporter. Nothing here: {RUNBOOK}.",
            "stat",
            6,
            "",
            ((None, "red"), (1, "green")),
        ),
        Panel(
            "Devices with a pod",
            'sum(namespace:gpu_devices:count{cluster="$cluster"})',
            "short",
            "Devices whose series name the pod that holds them; without one its use is unknown.",
            "stat",
            6,
            "",
            ((None, "red"), (1, "green")),
        ),
        Panel(
            "Units held by what no device is reported of",
            f"sum({HELD} unless on (namespace) {RATIO}) or vector(0)",
            "short",
            "Held units of namespaces without any device series: their use is unknown.",
            "stat",
            6,
            "",
            ((None, "green"), (1, "yellow")),
        ),
    ),
)
PROMETHEUS_DASHBOARDS = (CLUSTER, BU, IDLE, QUALITY)


def document(dashboard: Dashboard) -> dict[str, Any]:
    """The dashboard as Grafana takes it."""
    panels, x, y = [], 0, 0
    for number, panel in enumerate(dashboard.panels, start=1):
        height = 4 if panel.kind == "stat" else 8
        if x + panel.width > WIDTH:
            x, y = 0, y + 8
        panels.append({**_panel(number, panel), "gridPos": {"h": height, "w": panel.width, "x": x, "y": y}})
        x += panel.width
    variables = [
        {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
        _query("cluster", "Cluster", "label_values(kube_node_info, cluster)"),
        *([_query("namespace", "Namespace", NAMESPACES, several=True)] if dashboard.by_namespace else []),
        {"name": "usd_per_gpu_hour", "label": "USD per GPU-hour", "type": "textbox", "query": "12"},
        {"name": "slices_per_gpu", "label": "Units per GPU", "type": "textbox", "query": "7"},
    ]
    return _whole(dashboard.uid, dashboard.title, dashboard.description, panels, variables)


def _whole(
    uid: str, title: str, description: str, panels: list[dict[str, Any]], variables: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "uid": uid,
        "title": title,
        "description": description,
        "tags": ["gpucost"],
        "schemaVersion": 39,
        "editable": True,
        "time": {"from": "now-24h", "to": "now"},
        "refresh": "5m",
        "links": [{"title": "GPU cost", "type": "dashboards", "tags": ["gpucost"], "asDropdown": True}],
        "templating": {"list": variables},
        "panels": panels,
    }


def _query(name: str, label: str, query: str, several: bool = False) -> dict[str, Any]:
    own: dict[str, Any] = {"multi": True, "includeAll": True} if several else {}
    return {
        "name": name,
        "label": label,
        "type": "query",
        "datasource": PROMETHEUS,
        "query": query,
        "refresh": 2,
        **own,
    }


def _panel(number: int, panel: Panel) -> dict[str, Any]:
    steps = [{"value": value, "color": color} for value, color in panel.thresholds]
    target: dict[str, Any] = {"refId": "A", "expr": panel.expr, "legendFormat": panel.legend, "datasource": PROMETHEUS}
    if panel.kind == "table":
        target |= {"format": "table", "instant": True}
    return {
        "id": number,
        "title": panel.title,
        "description": panel.description,
        "type": panel.kind,
        "datasource": PROMETHEUS,
        "fieldConfig": {
            "defaults": {"unit": panel.unit, "thresholds": {"mode": "absolute", "steps": steps}},
            "overrides": [],
        },
        "targets": [target],
    }


def api_document() -> dict[str, Any]:
    """The dashboard that reads the costs API, by Grafana's Infinity data source with SigV4 (service execute-api)."""
    costs = "/v1/costs?from=${__from:date:YYYY-MM-DDTHH}:00:00Z&to=${__to:date:YYYY-MM-DDTHH}:00:00Z"
    panels = [
        _api_panel(1, "Costs by BU", f"{costs}&group_by=bu", "What was held, used and wasted, as it is billed.", 0),
        _api_panel(2, "Costs by day", f"{costs}&group_by=bu&step=day", "The same by day (UTC).", 9),
        _api_panel(3, "What goes on", "/v1/findings", "Episodes that are not over, the most expensive first.", 18),
    ]
    variables = [{"name": "api", "label": "API", "type": "datasource", "query": INFINITY["type"]}]
    return _whole("gpucost-api", "GPU cost: as billed", "From gpucost's own record.", panels, variables)


def _api_panel(number: int, title: str, url: str, description: str, y: int) -> dict[str, Any]:
    target = {
        "refId": "A",
        "type": "json",
        "source": "url",
        "format": "table",
        "url": url,
        "root_selector": "rows",
        "url_options": {"method": "GET"},
        "datasource": INFINITY,
    }
    money = _unit({"id": "byRegexp", "options": "/_usd$/"}, "currencyUSD")
    ratio = _unit({"id": "byName", "options": "utilization"}, "percentunit")
    return {
        "id": number,
        "title": title,
        "description": description,
        "type": "table",
        "datasource": INFINITY,
        "fieldConfig": {"defaults": {}, "overrides": [money, ratio]},
        "targets": [target],
        "gridPos": {"h": 9, "w": WIDTH, "x": 0, "y": y},
    }


def _unit(matcher: Mapping[str, str], unit: str) -> dict[str, Any]:
    return {"matcher": matcher, "properties": [{"id": "unit", "value": unit}]}


def files() -> Mapping[str, str]:
    """Every file by its name."""
    documents = [*(document(one) for one in PROMETHEUS_DASHBOARDS), api_document()]
    return {f"{one['uid']}.json": json.dumps(one, indent=2) + "\n" for one in documents}


def main() -> int:
    for name, text in files().items():
        (FOLDER / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
