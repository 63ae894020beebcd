"""Which findings were told, on both tables."""

import pytest

from gpucost.ports import LedgerError
from tests.contract.conftest import Table
from tests.support.findings import finding
from tests.support.hours import NOW, later


def test_a_new_finding_has_to_be_told(table: Table, cluster: str) -> None:
    assert table.alerts().begin(finding(cluster=cluster), NOW)


def test_a_told_finding_is_told_once(table: Table, cluster: str) -> None:
    told = finding(cluster=cluster)
    table.alerts().begin(told, NOW)
    table.alerts().done(told.id, later(0.1))
    assert not table.alerts().begin(told, later(1))
    assert not table.alerts().begin(finding(cluster=cluster, waste="1"), later(2))


def test_a_finding_that_was_begun_and_not_told_is_told_after_all(table: Table, cluster: str) -> None:
    told = finding(cluster=cluster)
    assert table.alerts().begin(told, NOW)
    assert table.alerts().begin(told, later(1))


def test_findings_do_not_hide_each_other(table: Table, cluster: str) -> None:
    told = finding("bu-a", cluster=cluster)
    table.alerts().begin(told, NOW)
    table.alerts().done(told.id, NOW)
    assert table.alerts().begin(finding("bu-b", cluster=cluster), NOW)


def test_telling_twice_is_no_error(table: Table, cluster: str) -> None:
    told = finding(cluster=cluster)
    table.alerts().begin(told, NOW)
    table.alerts().done(told.id, NOW)
    table.alerts().done(told.id, later(1))
    assert not table.alerts().begin(told, later(2))


def test_a_finding_that_was_never_begun_cannot_be_done(table: Table, cluster: str) -> None:
    with pytest.raises(LedgerError, match="was told but never begun"):
        table.alerts().done(finding(cluster=cluster).id, NOW)
