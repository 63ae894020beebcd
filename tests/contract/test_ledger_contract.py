"""What every ledger does with an hour: the same cases on the in-memory twin and on DynamoDB Local."""

from dataclasses import replace
from decimal import Decimal

import pytest

from gpucost.books import Books
from gpucost.domain.report import Status
from gpucost.ports import LedgerError, Outcome
from tests.contract.conftest import Table
from tests.support.hours import HOUR, NOW, failed, hourly, later, pod, report, scattered

ORDER = [Status.COMPLETE, Status.NO_UTILIZATION, Status.PARTIAL, Status.FAILED]


def test_a_new_hour_is_published_as_revision_1(ledger: Books, cluster: str) -> None:
    done = ledger.publish(report(cluster=cluster), NOW)
    assert done.outcome is Outcome.PUBLISHED
    assert (done.head.revision, done.head.entry, done.head.published_at) == (1, 1, NOW)


def test_an_hour_that_was_never_published_is_not_there(ledger: Books, cluster: str) -> None:
    assert ledger.head(cluster, HOUR) is None
    assert ledger.report(cluster, HOUR) is None
    assert ledger.heads(cluster, HOUR, HOUR.plus(3)) == []
    assert ledger.namespaces(cluster, HOUR, HOUR.plus(3)) == []


def test_a_report_comes_back_as_it_went_in_with_its_revision(ledger: Books, cluster: str) -> None:
    told = report(pod("a", "1.000000001"), pod("b", "2", used=None), cluster=cluster)
    ledger.publish(told, NOW)
    assert ledger.report(cluster, HOUR) == replace(told, revision=1)


def test_the_head_says_what_the_report_says(ledger: Books, cluster: str) -> None:
    told = report(cluster=cluster)
    head = ledger.publish(told, NOW).head
    assert ledger.head(cluster, HOUR) == head
    assert (head.cluster, head.hour, head.status) == (cluster, HOUR, told.status)
    assert (head.totals, head.coverage) == (told.totals, told.coverage)


def test_the_same_report_again_changes_nothing(ledger: Books, cluster: str) -> None:
    first = ledger.publish(report(cluster=cluster), NOW)
    again = ledger.publish(report(cluster=cluster), later(1))
    assert (again.outcome, again.head) == (Outcome.UNCHANGED, first.head)
    assert ledger.head(cluster, HOUR) == first.head


@pytest.mark.parametrize("revision", [None, 7])
def test_the_revision_a_report_carries_is_not_its_content(ledger: Books, cluster: str, revision: int | None) -> None:
    ledger.publish(report(cluster=cluster), NOW)
    again = replace(report(cluster=cluster), revision=revision)
    assert ledger.publish(again, later(1)).outcome is Outcome.UNCHANGED


def test_how_the_engine_was_asked_is_not_content(ledger: Books, cluster: str) -> None:
    ledger.publish(report(cluster=cluster), NOW)
    assert ledger.publish(report(cluster=cluster, query="up or vector(0)"), NOW).outcome is Outcome.UNCHANGED


@pytest.mark.parametrize("amount", ["8.0", "8.000", "0.8E+1"])
def test_how_a_number_is_written_is_not_content(ledger: Books, cluster: str, amount: str) -> None:
    ledger.publish(report(pod("a", "8"), cluster=cluster), NOW)
    assert ledger.publish(report(pod("a", amount), cluster=cluster), NOW).outcome is Outcome.UNCHANGED


def test_a_changed_report_is_the_next_revision(ledger: Books, cluster: str) -> None:
    for number, amount in enumerate(["8", "9", "8"], start=1):
        done = ledger.publish(report(pod("a", amount), cluster=cluster), later(number))
        assert (done.outcome, done.head.revision) == (Outcome.PUBLISHED, number)
    whole = ledger.report(cluster, HOUR)
    assert whole is not None
    assert (whole.revision, whole.totals.allocated_usd) == (3, Decimal(6))


def test_other_settings_or_rules_make_another_revision(ledger: Books, cluster: str) -> None:
    told = report(cluster=cluster)
    for number, other in enumerate([told, replace(told, settings_digest="2"), replace(told, rule_version="2")]):
        assert ledger.publish(other, later(number)).head.revision == number + 1


@pytest.mark.parametrize("worse", [1, 2, 3])
@pytest.mark.parametrize("better", [0, 1, 2])
def test_a_worse_reading_never_replaces_a_better_one(ledger: Books, cluster: str, better: int, worse: int) -> None:
    if worse <= better:
        better, worse = worse - 1, better + 1
    ledger.publish(report(pod("a", "8"), cluster=cluster, status=ORDER[better]), NOW)
    kept = ledger.publish(report(pod("a", "1"), cluster=cluster, status=ORDER[worse]), later(1))
    assert (kept.outcome, kept.head.status, kept.head.revision) == (Outcome.KEPT_BETTER, ORDER[better], 1)
    whole = ledger.report(cluster, HOUR)
    assert whole is not None
    assert whole.status is ORDER[better]


@pytest.mark.parametrize("worse", [1, 2, 3])
def test_a_better_reading_replaces_a_worse_one(ledger: Books, cluster: str, worse: int) -> None:
    ledger.publish(report(cluster=cluster, status=ORDER[worse]), NOW)
    done = ledger.publish(report(cluster=cluster, status=ORDER[worse - 1]), later(1))
    assert (done.outcome, done.head.status, done.head.revision) == (Outcome.PUBLISHED, ORDER[worse - 1], 2)


def test_a_reading_that_saw_less_of_the_hour_does_not_replace_one_as_good(ledger: Books, cluster: str) -> None:
    ledger.publish(report(cluster=cluster, status=Status.PARTIAL, minutes_seen=50), NOW)
    less = ledger.publish(report(cluster=cluster, status=Status.PARTIAL, minutes_seen=20), later(1))
    more = ledger.publish(report(cluster=cluster, status=Status.PARTIAL, minutes_seen=55), later(2))
    assert (less.outcome, more.outcome, more.head.revision) == (Outcome.KEPT_BETTER, Outcome.PUBLISHED, 2)


def test_a_failed_hour_is_known_as_failed_until_it_succeeds(ledger: Books, cluster: str) -> None:
    assert ledger.publish(failed(cluster), NOW).head.status is Status.FAILED
    assert ledger.publish(report(cluster=cluster), later(1)).head.status is Status.COMPLETE


def test_an_hour_without_any_holder_can_be_published(ledger: Books, cluster: str) -> None:
    empty = replace(report(cluster=cluster), pods=(), namespaces=())
    ledger.publish(empty, NOW)
    assert ledger.report(cluster, HOUR) == replace(empty, revision=1)
    assert ledger.namespaces(cluster, HOUR, HOUR.plus(1)) == []


def test_heads_come_in_order_and_within_bounds(ledger: Books, cluster: str) -> None:
    for told in reversed(hourly(cluster, HOUR, {0: "1", 1: "2", 2: "3", 5: "4"})):
        ledger.publish(told, NOW)
    heads = ledger.heads(cluster, HOUR.plus(1), HOUR.plus(5))
    assert [head.hour for head in heads] == [HOUR.plus(1), HOUR.plus(2)]


def test_heads_cross_the_end_of_months_and_years(ledger: Books, cluster: str) -> None:
    offsets = [0, 13, 14, 37, 757, 758, 800]
    for told in hourly(cluster, HOUR, dict.fromkeys(offsets, "1")):
        ledger.publish(told, NOW)
    heads = ledger.heads(cluster, HOUR, HOUR.plus(800))
    assert [head.hour for head in heads] == [HOUR.plus(offset) for offset in offsets[:-1]]


@pytest.mark.parametrize("hours", [0, -3])
def test_an_empty_window_holds_nothing(ledger: Books, cluster: str, hours: int) -> None:
    ledger.publish(report(cluster=cluster), NOW)
    assert ledger.heads(cluster, HOUR, HOUR.plus(hours)) == []
    assert ledger.namespaces(cluster, HOUR, HOUR.plus(hours)) == []


def test_namespaces_are_those_of_the_revision_in_force(ledger: Books, cluster: str) -> None:
    ledger.publish(report(pod("a", "8"), pod("old", "1"), cluster=cluster), NOW)
    ledger.publish(report(pod("a", "9"), cluster=cluster), later(1))
    rows = ledger.namespaces(cluster, HOUR, HOUR.plus(1))
    assert [(hour, row.namespace, row.figures.allocated_usd) for hour, row in rows] == [(HOUR, "a", Decimal(9))]


def test_namespaces_are_in_order_of_hour_bu_and_name(ledger: Books, cluster: str) -> None:
    for offset in (1, 0):
        told = report(pod("z", "1", bu="a"), pod("b", "1", bu="a"), pod("c", "1"), cluster=cluster)
        ledger.publish(replace(told, hour=HOUR.plus(offset)), NOW)
    rows = ledger.namespaces(cluster, HOUR, HOUR.plus(2))
    names = [("a", "b"), ("a", "z"), ("c", "c")]
    assert [(hour, row.key) for hour, row in rows] == [(HOUR.plus(i), key) for i in (0, 1) for key in names]


def test_two_namespaces_of_one_bu_do_not_collide(ledger: Books, cluster: str) -> None:
    serve = pod("ml-serve", "4.00", bu="ml", used="0.25")
    ledger.publish(report(pod("ml-train", "8.00", bu="ml", used="0.75"), serve, cluster=cluster), NOW)
    rows = [row.figures for _, row in ledger.namespaces(cluster, HOUR, HOUR.plus(1), "ml")]
    assert len(rows) == 2
    assert sum(row.allocated_usd for row in rows) == Decimal("12.00")
    assert sum(row.effective_usd or 0 for row in rows) == Decimal("7.00")
    assert sum(row.waste_usd or 0 for row in rows) == Decimal("5.00")


def test_one_bu_is_read_without_the_others(ledger: Books, cluster: str) -> None:
    ledger.publish(report(pod("a", "1"), pod("b", "2"), cluster=cluster), NOW)
    assert [row.bu for _, row in ledger.namespaces(cluster, HOUR, HOUR.plus(1), "b")] == ["b"]
    assert ledger.namespaces(cluster, HOUR, HOUR.plus(1), "nobody") == []


def test_clusters_do_not_see_each_other(ledger: Books, cluster: str) -> None:
    ledger.publish(report(cluster=cluster), NOW)
    for other in (cluster + "x", cluster[:-1], cluster + "#M#2026-11"):
        assert ledger.heads(other, HOUR, HOUR.plus(1)) == []
        assert ledger.head(other, HOUR) is None


@pytest.mark.parametrize("name", ["a#b", "a b", "é/ü", "C#x#M#2026-11", "%23", "~", "a" * 200])
def test_any_name_of_a_cluster_is_kept_apart(ledger: Books, cluster: str, name: str) -> None:
    ledger.publish(report(cluster=f"{cluster}{name}"), NOW)
    head = ledger.head(f"{cluster}{name}", HOUR)
    assert head is not None
    assert head.cluster == f"{cluster}{name}"
    assert ledger.head(cluster, HOUR) is None


@pytest.mark.parametrize("label", ["", "#", "mrkdwn *b* <!channel>", "\u202e", "名前空間", "a" * 253, '{"json": 1}'])
def test_any_label_value_is_kept_as_it_is(ledger: Books, cluster: str, label: str) -> None:
    told = report(pod(label, "1", name=label, bu=label), cluster=cluster)
    ledger.publish(told, NOW)
    assert ledger.report(cluster, HOUR) == replace(told, revision=1)
    assert [row.bu for _, row in ledger.namespaces(cluster, HOUR, HOUR.plus(1), label)] == [label]


def test_a_cluster_without_a_name_is_refused(ledger: Books) -> None:
    with pytest.raises(LedgerError, match="a cluster needs a name"):
        ledger.publish(report(cluster=""), NOW)


def test_ten_thousand_pods_each_in_a_namespace_of_its_own_fit(table: Table, cluster: str) -> None:
    ledger = table.ledger()
    pods = [pod(scattered(i), f"0.0{i + 1}", name=f"train-{i}") for i in range(10_000)]
    told = report(*pods, cluster=cluster)
    ledger.publish(told, NOW)
    assert ledger.report(cluster, HOUR) == replace(told, revision=1)
    assert len(ledger.namespaces(cluster, HOUR, HOUR.plus(1))) == len(told.namespaces) == 10_000
    assert len(table.store.query(f"C#{cluster}#H#{HOUR.key}", "A#", "A#~")) > 1
    assert len(table.store.query(f"C#{cluster}#M#2026-11", "N#", "N#~")) > 1


def test_items_expire_only_where_the_settings_say_so(table: Table, cluster: str) -> None:
    table.ledger().publish(report(cluster=cluster), NOW)
    table.ledger(30).publish(report(cluster=cluster, hour=HOUR.plus(1)), NOW)
    items = table.store.query(f"C#{cluster}#M#2026-11", "H#", "H#~")
    expiry = [item.get("expires_at") for item in items]
    assert expiry == [None, HOUR.plus(1).end.timestamp() + 30 * 86400]
