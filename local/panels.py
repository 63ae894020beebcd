"""What Grafana's dashboards show: a few panels each, and what these ask Prometheus.

Money here is requested share times a rate that the viewer types in: Prometheus knows no prices. What is billed by is in
the API's dashboard.
"""

from collections.abc import Sequence
from dataclasses import dataclass

RUNBOOK = "docs/cluster.md#when-something-is-missing"

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
