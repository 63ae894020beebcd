"""From the readings of a cluster-hour to its report. Same input, same output, in whatever order the series arrive."""

from collections import defaultdict
from collections.abc import Iterable
from decimal import localcontext

from gpucost.domain.allocation.drafts import Draft, NodeDraft, by_the_recipe, group_by_node, weigh_node, with_estimates
from gpucost.domain.allocation.hami import card_memory_mib, cards_held
from gpucost.domain.allocation.holding import Holding, bound_requests, holdings
from gpucost.domain.allocation.inventory import accelerators_without_price, use_without_request
from gpucost.domain.allocation.joining import DeviceMap, map_devices
from gpucost.domain.allocation.node_hours import NodeHour, node_hours
from gpucost.domain.allocation.ownership import Ownership, kept_labels
from gpucost.domain.allocation.pending import pending_of
from gpucost.domain.allocation.rows import (
    PodFacts,
    PodFactsByHolding,
    PricedNode,
    namespace_rows,
    price_node,
    sum_figures,
    totals,
)
from gpucost.domain.allocation.utilisation import Device, devices_of, memory_of, peak_memory
from gpucost.domain.allocation.verdict import coverage_of, data_warnings, node_warnings, status_of, use_warnings
from gpucost.domain.gpus.resources import parse_resource
from gpucost.domain.hours import Hour
from gpucost.domain.money import EXACT
from gpucost.domain.policy import Policy, UtilizationMode
from gpucost.domain.prices.pricing import SETTINGS_ONLY, SUSPECT, NodeFactsForPrice, Priced, PriceSheet, price_of
from gpucost.domain.readings import ContainerRequest, Readings
from gpucost.domain.report import HourReport, HourWarning
from gpucost.domain.warnings import Code, warn


def allocate(
    readings: Readings,
    policy: Policy,
    cluster: str,
    hour: Hour,
    settings_digest: str = "",
    prices: PriceSheet = SETTINGS_ONLY,
) -> HourReport:
    """Work out who held what, who used it and what it cost. ValueError when the readings hold nothing at all."""
    if not readings.seen:
        raise ValueError(f"nothing was reported of cluster {cluster} in the hour from {hour}")
    with localcontext(EXACT):
        return _allocate(readings, policy, cluster, hour, settings_digest, prices)


def _allocate(
    readings: Readings, policy: Policy, cluster: str, hour: Hour, settings_digest: str, prices: PriceSheet
) -> HourReport:
    bound = bound_requests(readings.requests)
    found = use_without_request(readings, bound, policy.infer_use_without_request)
    held = holdings(readings, _priced([*bound, *found.requests], readings, policy))
    hours = node_hours(readings, policy, held)
    devices = devices_of(readings.devices)
    joined = map_devices(devices, held, {one.node for one in hours})
    owners = Ownership(policy.bu, readings)
    nodes = _use(_weigh(hours, held, owners, joined), policy, devices, joined)
    drafts = [draft for node in nodes for draft in node.drafts]
    facts = _facts(held, readings, policy, {one.node for one in hours})
    found_prices = [_price(node, policy, prices) for node in nodes]
    priced = [price_node(node, one.price, facts) for node, one in zip(nodes, found_prices, strict=True)]
    pods = sorted((row for node in priced for row in node.pods), key=lambda row: row.key)
    unpriced = accelerators_without_price(readings, bound, policy)
    warnings = [
        *data_warnings(readings, bound),
        *unpriced.warnings,
        *found.warnings,
        *use_warnings(drafts),
        *node_warnings(nodes),
        *_price_warnings(priced, found_prices),
    ]
    return HourReport(
        cluster=cluster,
        hour=hour,
        status=status_of(warnings, drafts),
        coverage=coverage_of(readings, drafts),
        totals=totals([node.row for node in priced], sum_figures([row.figures for row in pods])),
        namespaces=tuple(namespace_rows(pods)),
        pods=tuple(pods),
        nodes=tuple(node.row for node in priced),
        unpriced=tuple(sorted([*unpriced.rows, *found.rows], key=lambda row: (row.namespace, row.pod, row.resource))),
        pending=pending_of(readings, owners, policy),
        warnings=tuple(warnings),
        queries=readings.queries,
        settings_digest=settings_digest,
    )


def _priced(requests: Iterable[ContainerRequest], readings: Readings, policy: Policy) -> list[ContainerRequest]:
    if policy.hami:
        requests = cards_held(requests, card_memory_mib(readings.nodes))
    return [request for request in requests if parse_resource(request.resource, policy.passthrough).priced]


def _weigh(
    hours: Iterable[NodeHour], held: Iterable[Holding], owners: Ownership, devices: DeviceMap
) -> list[NodeDraft]:
    by_node = group_by_node(held)
    return [weigh_node(one, by_node.get(one.node, []), owners, devices) for one in hours]


def _use(nodes: list[NodeDraft], policy: Policy, devices: list[Device], joined: DeviceMap) -> list[NodeDraft]:
    """The drafts' utilisation by the mode and the estimates that the settings name."""
    drafts = [draft for node in nodes for draft in node.drafts]
    if policy.utilization is UtilizationMode.RECIPE:
        filled = by_the_recipe(drafts, devices)
    elif policy.estimates:
        held = {(draft.holding.key.pod.namespace, draft.holding.key.pod.pod) for draft in drafts}
        filled = with_estimates(drafts, policy.estimates, joined, held)
    else:
        return nodes
    by_node: dict[str, list[Draft]] = defaultdict(list)
    for draft in filled:
        by_node[draft.holding.key.node].append(draft)
    return [node.with_drafts(by_node[node.hour.node]) for node in nodes]


def _price(node: NodeDraft, policy: Policy, prices: PriceSheet) -> Priced:
    state = node.hour.last
    facts = NodeFactsForPrice(node.hour.node, state.instance_type, state.gpu_model, node.hour.mean_gpus)
    return price_of(facts, policy.rates, prices)


def _price_warnings(nodes: Iterable[PricedNode], prices: Iterable[Priced]) -> list[HourWarning]:
    return [
        warn(
            Code.PRICE_SUSPECT if found.price.flag == SUSPECT else Code.PRICE_FALLBACK,
            f"{node.row.instance_type or 'an unknown type'} ({node.row.node}): {found.note}",
            node.row.node,
        )
        for node, found in zip(nodes, prices, strict=True)
        if found.price.flag
    ]


def _facts(held: Iterable[Holding], readings: Readings, policy: Policy, nodes: set[str]) -> PodFactsByHolding:
    """Each holding's workload, and the most memory that its devices had in use, MiB."""
    joined = map_devices(memory_of(readings.memory), held, nodes)
    return {
        holding.key: PodFacts(
            readings.owners.get(holding.key.pod),
            peak_memory(joined.of(holding.key, parse_resource(holding.key.resource, policy.passthrough))),
            kept_labels(readings.pod_labels.get(holding.key.pod, {}), policy.pod_labels),
        )
        for holding in held
    }
