"""The report as a plain document (the published JSON shape) and back. Decimals stay Decimals, None stays None."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any

from gpucost.domain.hours import Hour
from gpucost.domain.report import (
    Basis,
    Coverage,
    Evidence,
    Figures,
    HourReport,
    HourWarning,
    NamespaceRow,
    NodeRow,
    Pending,
    PodRow,
    Price,
    QueryTrace,
    Status,
    Totals,
    Unpriced,
)

type Document = dict[str, Any]

_PRICE_KEYS = {"usd_per_gpu_hour": "price_usd_per_gpu_hour", "source": "price_source", "as_of": "price_as_of"}


@cache
def names(kind: type) -> tuple[str, ...]:
    """The names of a record's fields."""
    return tuple(field.name for field in fields(kind))


@cache
def values_of(kind: type) -> Callable[[Any], tuple[Any, ...]]:
    """What gives a record's values at once, in the order of `names`. For records of two fields or more."""
    return attrgetter(*names(kind))


def flat(record: Any) -> Document:
    """A record without nested records as a document."""
    kind: type = type(record)
    return dict(zip(names(kind), values_of(kind)(record), strict=True))


def _price(price: Price) -> Document:
    document = {key: getattr(price, name) for name, key in _PRICE_KEYS.items()}
    return {**document, "price_flag": price.flag}


def _price_of(document: Mapping[str, Any]) -> Price:
    values = {name: document[key] for name, key in _PRICE_KEYS.items()}
    return Price(**values, flag=document["price_flag"])


def pod_document(row: PodRow) -> Document:
    document = flat(row)
    del document["figures"], document["price"], document["evidence"]
    document["utilization_basis"] = row.utilization_basis.value
    document["labels"] = dict(row.labels)
    return {**document, **flat(row.figures), **_price(row.price), "evidence": flat(row.evidence)}


def pod_row(document: Mapping[str, Any]) -> PodRow:
    own = {name: document[name] for name in names(PodRow) if name in document}
    own |= {"utilization_basis": Basis(document["utilization_basis"]), "evidence": _evidence(document["evidence"])}
    own["labels"] = tuple(sorted(document.get("labels", {}).items()))
    return PodRow(**own, figures=_figures(document), price=_price_of(document))


def _evidence(document: Mapping[str, Any]) -> Evidence:
    return Evidence(**{name: int(document[name]) for name in names(Evidence)})


def _figures(document: Mapping[str, Any]) -> Figures:
    return Figures(**{name: document[name] for name in names(Figures)})


def namespace_document(row: NamespaceRow) -> Document:
    basis = row.utilization_basis.value
    return {
        "bu": row.bu,
        "namespace": row.namespace,
        **flat(row.figures),
        "utilization_basis": basis,
        "price_source": row.price_source,
    }


def namespace_row(document: Mapping[str, Any]) -> NamespaceRow:
    return NamespaceRow(
        bu=document["bu"],
        namespace=document["namespace"],
        figures=_figures(document),
        utilization_basis=Basis(document["utilization_basis"]),
        price_source=document["price_source"],
    )


def node_document(row: NodeRow) -> Document:
    document = flat(row)
    del document["price"]
    return {**document, **_price(row.price)}


def node_row(document: Mapping[str, Any]) -> NodeRow:
    own = {name: document[name] for name in names(NodeRow) if name in document}
    return NodeRow(**own, price=_price_of(document))


def totals_of(document: Mapping[str, Any]) -> Totals:
    return Totals(**{name: document[name] for name in names(Totals)})


def coverage_of(document: Mapping[str, Any]) -> Coverage:
    values = {name: document[name] for name in names(Coverage)}
    values |= {name: int(values[name]) for name in ("minutes_seen", "minutes_expected")}
    return Coverage(**values)


def report_document(report: HourReport) -> Document:
    """The published shape of a report. Amounts are Decimal; write them as exact JSON numbers."""
    return {
        "cluster": report.cluster,
        "hour": report.hour.key,
        "revision": report.revision,
        "status": report.status.value,
        "coverage": flat(report.coverage),
        "currency": report.currency,
        "totals": flat(report.totals),
        "namespaces": [namespace_document(row) for row in report.namespaces],
        "pods": [pod_document(row) for row in report.pods],
        "nodes": [node_document(row) for row in report.nodes],
        "unpriced": [flat(row) for row in report.unpriced],
        "pending": [flat(row) for row in report.pending],
        "warnings": [flat(warning) for warning in report.warnings],
        "queries": [flat(trace) for trace in report.queries],
        "settings_digest": report.settings_digest,
        "rule_version": report.rule_version,
    }


def report_from_document(document: Mapping[str, Any]) -> HourReport:
    """The report that `report_document` made the document of. KeyError or ValueError when it is not one."""
    revision = document["revision"]
    return HourReport(
        cluster=document["cluster"],
        hour=Hour.parse(document["hour"]),
        revision=None if revision is None else int(revision),
        status=Status(document["status"]),
        coverage=coverage_of(document["coverage"]),
        currency=document["currency"],
        totals=totals_of(document["totals"]),
        namespaces=tuple(namespace_row(row) for row in document["namespaces"]),
        pods=tuple(pod_row(row) for row in document["pods"]),
        nodes=tuple(node_row(row) for row in document["nodes"]),
        unpriced=tuple(Unpriced(**row) for row in document["unpriced"]),
        pending=tuple(_pending(row) for row in document.get("pending", ())),
        warnings=tuple(HourWarning(**row) for row in document["warnings"]),
        queries=tuple(_trace(row) for row in document["queries"]),
        settings_digest=document["settings_digest"],
        rule_version=document["rule_version"],
    )


def _pending(document: Mapping[str, Any]) -> Pending:
    return Pending(**{**document, "pods": int(document["pods"])})


def _trace(document: Mapping[str, Any]) -> QueryTrace:
    values = {name: document[name] for name in names(QueryTrace)}
    return QueryTrace(**{**values, "series": int(values["series"]), "samples": int(values["samples"])})
