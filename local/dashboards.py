"""`python -m local.dashboards`: writes dashboards/*.json, Grafana's dashboards, from their panels."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from local.panels import NAMESPACES, PROMETHEUS_DASHBOARDS, Dashboard, Panel

FOLDER = Path(__file__).resolve().parents[1] / "dashboards"
PROMETHEUS = {"type": "prometheus", "uid": "${datasource}"}
INFINITY = {"type": "yesoreyeram-infinity-datasource", "uid": "${api}"}
WIDTH = 24


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
