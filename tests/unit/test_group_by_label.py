"""Costs by a pod label that the settings keep in the record."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from gpucost.adapters.memory import MemoryLedger
from gpucost.domain.answers.access import EVERYTHING
from gpucost.domain.documents import report_document, report_from_document
from gpucost.domain.policy import Policy
from gpucost.domain.report import PodRow
from gpucost.ports import RequestError
from gpucost.usecases.answers.answer import costs
from gpucost.usecases.answers.cost_query import CostQuery, Filters, groupings
from gpucost.usecases.answers.visible import VisibleLedger
from gpucost.usecases.answers.window import Window
from tests.support.allocation import report_of
from tests.support.hours import HOUR, pod, report
from tests.support.readings import mask, phase, request
from tests.support.readings import pod as who


def labelled(name: str, usd: str, **labels: str) -> PodRow:
    return replace(pod("ns", usd, name), labels=tuple(sorted(labels.items())))


def test_labels_of_the_end_of_the_hour_are_kept_if_the_settings_name_them() -> None:
    one = who("a")
    old, new = (("app_kubernetes_io_name", "old"), ("x", "1")), (("app_kubernetes_io_name", "new"),)
    history = {old: mask(0, 30), new: mask(30, 60)}
    facts = (request(one), phase(one))
    (row,) = report_of(
        *facts, policy=Policy(pod_labels=("app.kubernetes.io/name", "team")), pod_labels={one: history}
    ).pods
    assert row.labels == (("app.kubernetes.io/name", "new"),)
    (row,) = report_of(*facts, pod_labels={one: history}).pods
    assert row.labels == ()


def test_labels_survive_the_record_and_records_without_them_are_read() -> None:
    told = report(labelled("a", "8", team="x"))
    document = report_document(told)
    assert report_from_document(document) == told
    del document["pods"][0]["labels"]
    assert report_from_document(document).pods[0].labels == ()


def test_costs_by_label_and_what_has_none() -> None:
    ledger = MemoryLedger()
    rows = labelled("a", "8", team="x"), labelled("b", "4", team="x"), labelled("c", "2", team="y"), labelled("d", "1")
    ledger.publish(report(*rows), HOUR.end)
    window = Window.between(HOUR.key, HOUR.plus(1).key, HOUR.end + timedelta(hours=1))
    query = CostQuery.checked(window, groupings("label:team,namespace"), None, Filters(), compare=False)
    answer = costs(query, VisibleLedger(ledger, ["prod"], EVERYTHING))
    found = [(row["label:team"], row["namespace"], row["allocated_usd"]) for row in answer["rows"]]
    assert found == [("x", "ns", Decimal(12)), ("y", "ns", Decimal(2)), ("", "ns", Decimal(1))]
    assert answer["group_by"] == "label:team,namespace"


@pytest.mark.parametrize("text", ["label:", "label", "labels:team"])
def test_what_is_no_grouping_says_what_there_is(text: str) -> None:
    with pytest.raises(RequestError, match=r"and label:KEY"):
        groupings(text)
