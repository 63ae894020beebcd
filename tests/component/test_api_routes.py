"""Every route over a ledger with some history: rows, totals, pages, files, and what clients may keep."""

import base64
import csv
import gzip
import io
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import simplejson

from functions.api.app import lambda_handler
from gpucost.adapters.memory import MemoryLedger
from gpucost.domain.hours import Hour
from gpucost.runtime.environment import ApiEnvironment
from tests.support.api import Reply, ask, reply
from tests.support.handlers import NOW, Context, install, sample
from tests.support.hours import pod, report
from tests.support.house import BUS, CLUSTERS, FAILED, FIRST, MISSING, house
from tests.support.served import served_house

OCTOBER = {"from": "2026-10-01", "to": "2026-11-01"}
DAY = {"from": "2026-11-01", "to": "2026-11-02"}
SHORT = {"from": FIRST.key, "to": FIRST.plus(3).key}


@pytest.fixture(scope="module")
def books() -> Iterator[MemoryLedger]:
    with served_house() as ledger:
        yield ledger


pytestmark = pytest.mark.usefixtures("books")


def got(path: str, **query: Any) -> Any:
    found = ask(path, {name.rstrip("_"): value for name, value in query.items()})
    assert found.status == 200, found.body
    return found.json


GROUPS = ["bu", "namespace", "cluster", "node", "workload", "pod", "resource", "bu,resource"]


@pytest.mark.parametrize("group_by", GROUPS)
@pytest.mark.parametrize("step", ["", "hour", "day", "month"])
def test_whatever_they_are_grouped_by_rows_add_up_to_the_totals(group_by: str, step: str) -> None:
    found = got("/v1/costs", **DAY, group_by=group_by, step=step)
    for name in ("allocated_usd", "effective_usd", "waste_usd", "unknown_usd"):
        assert sum(row[name] or 0 for row in found["rows"]) == found["totals"][name]
    assert found["totals"]["capacity_usd"] == found["totals"]["allocated_usd"] + found["totals"]["unallocated_usd"]
    assert (found["hours"]["missing"], found["hours"]["failed"]) == (2, 2)


def test_a_step_gives_each_stretch_its_rows() -> None:
    found = got("/v1/costs", from_="2026-10-30T12:00:00Z", to="2026-11-01T12:00:00Z", step="day", bu="alpha")
    assert [(row["from"], row["to"]) for row in found["rows"]] == [
        ("2026-10-30T12:00:00Z", "2026-10-31T00:00:00Z"),
        ("2026-10-31T00:00:00Z", "2026-11-01T00:00:00Z"),
        ("2026-11-01T00:00:00Z", "2026-11-01T12:00:00Z"),
    ]
    assert {row["bu"] for row in found["rows"]} == {"alpha"}


@pytest.mark.parametrize("name", ["cluster", "bu", "namespace", "node", "workload", "pod", "resource"])
def test_filters_keep_exactly_what_they_name(name: str) -> None:
    rows = got("/v1/costs", **SHORT, group_by="pod,resource,node,workload")["rows"]
    value = rows[0][name]
    kept = got("/v1/costs", **SHORT, group_by="pod,resource,node,workload", **{name: value})
    assert kept["rows"] == [row for row in rows if row[name] == value]
    assert kept["totals"]["allocated_usd"] == sum(row["allocated_usd"] for row in kept["rows"])
    assert ("capacity_usd" in kept["totals"]) == (name == "cluster")


def test_the_window_before_stands_beside() -> None:
    window = {"from": FIRST.plus(24).key, "to": FIRST.plus(48).key}
    now, before = got("/v1/costs", **window), got("/v1/costs", from_=FIRST.key, to=FIRST.plus(24).key)
    found = got("/v1/costs", **window, compare="true")
    assert found["previous"] == {"from": before["from"], "to": before["to"]}
    old = {row["bu"]: row for row in before["rows"]}
    for row, new in zip(found["rows"], now["rows"], strict=True):
        assert row["previous_allocated_usd"] == old[row["bu"]]["allocated_usd"]
        assert row["delta_allocated_usd"] == new["allocated_usd"] - old[row["bu"]]["allocated_usd"]
    assert found["totals"]["delta_waste_usd"] == now["totals"]["waste_usd"] - before["totals"]["waste_usd"]


def test_who_held_something_in_only_one_of_the_windows_is_there_too() -> None:
    found = got("/v1/costs", from_="2026-11-02T12:00:00Z", to="2026-11-03T12:00:00Z", compare="true")
    row = next(row for row in found["rows"] if row["bu"] == "alpha")
    assert (row["allocated_usd"], row["effective_usd"], row["delta_effective_usd"]) == (0, None, None)
    assert row["delta_ratio"] == -1


def test_a_bu_has_a_path_of_its_own_also_when_its_name_is_encoded() -> None:
    assert [row["namespace"] for row in got("/v1/costs/alpha", **DAY)["rows"]] == ["alpha-jobs", "commons"]
    assert got("/v1/costs/al%70ha", **DAY)["rows"] == got("/v1/costs/alpha", **DAY)["rows"]
    assert got("/v1/costs/nobody", **DAY)["rows"] == []


def test_waste_is_ranked_and_what_is_unknown_is_not() -> None:
    found = got("/v1/waste", **SHORT)
    wasted = [row["waste_usd"] for row in found["rows"]]
    assert wasted == sorted(wasted, reverse=True)
    assert all(row["hours"] >= 1 and row["first_hour"] <= row["last_hour"] for row in found["rows"])
    assert found["totals"]["unknown_usd"] > 0
    assert got("/v1/waste", **SHORT, min_waste_usd="30")["rows"] == [
        row for row in found["rows"] if row["waste_usd"] >= 30
    ]


def test_capacity_by_cluster_and_day() -> None:
    found = got("/v1/capacity", **DAY, step="day", cluster="prod")
    (row,) = found["rows"]
    assert row["capacity_usd"] == 22 * 96
    assert row["capacity_usd"] == row["allocated_usd"] + row["unallocated_usd"]
    assert row["stranded_usd"] == 22 * Decimal("1.5")


def test_hours_say_which_there_are_and_which_there_are_not() -> None:
    rows = got("/v1/hours", **DAY, cluster="prod")["rows"]
    by_hour = {row["hour"]: row for row in rows}
    assert len(rows) == 24
    assert (by_hour[MISSING.key]["status"], by_hour[MISSING.key]["revision"]) == ("missing", None)
    assert by_hour[FAILED.key]["status"] == "failed"
    assert [row["hour"] for row in got("/v1/hours", **DAY, cluster="prod", status="missing")["rows"]] == [MISSING.key]


def test_a_report_and_how_it_came_about() -> None:
    assert got(f"/v1/hours/prod/{FIRST}")["totals"]["capacity_usd"] == 96
    lines = got(f"/v1/hours/prod/{FIRST}/explain", namespace="commons")["lines"]
    assert lines[0].startswith("commons in prod")
    for path in (f"/v1/hours/prod/{MISSING}", f"/v1/hours/prod/{MISSING}/explain?namespace=commons"):
        route, _, query = path.partition("?")
        assert ask(route, query).status == 404


def test_prices_say_where_they_come_from() -> None:
    (row, _) = got("/v1/prices", **SHORT)["rows"]
    assert (row["instance_type"], row["usd_per_gpu_hour"], row["source"]) == ("p4d.24xlarge", 12, "settings")
    assert row["gpu_hours"] == 24


PAGED = ["/v1/costs?group_by=namespace&step=hour", "/v1/waste?", "/v1/hours?", "/v1/capacity?step=hour"]


@pytest.mark.parametrize("path", PAGED)
def test_pages_hold_every_row_once(path: str) -> None:
    route, _, more = path.partition("?")
    query = "&".join(part for part in (more, *(f"{name}={value}" for name, value in SHORT.items())) if part)
    whole = ask(route, query).json["rows"]
    rows, cursor = [], ""
    while True:
        page = ask(route, f"{query}&limit=2&cursor={cursor}").json
        rows += page["rows"]
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert rows == whole
    assert len(rows) > 2


def test_a_word_means_what_it_meant_on_the_first_page() -> None:
    query = {"window": "7d", "limit": "1", "step": "day"}
    first = ask("/v1/hours", {"window": "7d", "limit": "1"}).json
    assert first["next_cursor"]
    # The clock of the tests stands still; the cursor itself carries the window.
    assert (
        ask("/v1/hours", {"window": "7d", "limit": "1", "cursor": first["next_cursor"]}).json["from"] == first["from"]
    )
    assert ask("/v1/costs", query | {"cursor": first["next_cursor"]}).status == 400


def test_pages_end_when_the_figures_change(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = house(closed=False)
    install(monkeypatch, ApiEnvironment, ledger=ledger, clusters=CLUSTERS)
    query = {**SHORT, "limit": "1"}
    cursor = ask("/v1/costs", query).json["next_cursor"]
    ledger.publish(report(pod("new", "1"), hour=FIRST, cluster="prod"), NOW)
    found = ask("/v1/costs", query | {"cursor": cursor})
    assert (found.status, found.json["title"]) == (409, "Conflict")


def test_files_hold_all_rows_and_exact_numbers() -> None:
    rows = got("/v1/costs", **DAY, group_by="namespace")["rows"]
    table = list(csv.DictReader(io.StringIO(ask("/v1/costs", {**DAY, "group_by": "namespace", "format": "csv"}).body)))
    assert [Decimal(row["allocated_usd"]) for row in table] == [row["allocated_usd"] for row in rows]
    assert {row["currency"] for row in table} == {"USD"}
    lines = ask("/v1/costs", {**DAY, "group_by": "namespace", "format": "jsonl"}).body.splitlines()
    assert [simplejson.loads(line, use_decimal=True) for line in lines] == [{**row, "currency": "USD"} for row in rows]


def test_an_unknown_figure_is_an_empty_cell() -> None:
    body = ask("/v1/costs", {"from": FIRST.key, "to": FIRST.plus(1).key, "group_by": "pod", "format": "csv"}).body
    rows = list(csv.DictReader(io.StringIO(body)))
    assert any(row["effective_usd"] == "" for row in rows)


def test_focus_rows_add_up_to_the_capacity() -> None:
    body = ask("/v1/focus", SHORT).body
    rows = list(csv.DictReader(io.StringIO(body)))
    assert sum(Decimal(row["BilledCost"]) for row in rows) == 2 * 3 * 96
    assert {row["RegionId"] for row in rows} == {"us-west-2"}
    lines = ask("/v1/focus", {**SHORT, "format": "jsonl"}).body.splitlines()
    assert len(lines) == len(rows)


def test_what_the_client_has_is_not_sent_again() -> None:
    first = ask("/v1/costs", DAY)
    again = ask("/v1/costs", DAY, headers={"If-None-Match": f'"other", {first.headers["etag"]}'})
    assert (again.status, again.body) == (304, "")
    assert again.headers["etag"] == first.headers["etag"]
    assert ask("/v1/costs", {**DAY, "bu": "alpha"}).headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize(
    ("query", "final"),
    [
        (OCTOBER, True),
        ({"from": "2026-10-31T05:00:00Z", "to": "2026-10-31T06:00:00Z"}, True),
        (DAY, False),
        ({"from": "2026-10-31", "to": "2026-11-02"}, False),
        ({"window": "lastmonth"}, False),
        ({"from": "2026-10-31"}, False),
    ],
)
def test_only_hours_of_closed_months_may_be_kept_without_asking(query: dict[str, str], final: bool) -> None:
    found = ask("/v1/costs", query)
    assert found.headers["cache-control"] == ("private, max-age=86400, immutable" if final else "private, no-cache")
    assert "Authorization" in found.headers["vary"]


def test_an_hour_of_a_closed_month_may_be_kept_and_an_error_never() -> None:
    assert "immutable" in ask(f"/v1/hours/prod/{FIRST}").headers["cache-control"]
    assert "immutable" not in ask(f"/v1/hours/prod/{Hour.parse('2026-11-02T03:00:00Z')}").headers["cache-control"]
    assert ask("/v1/nothing").headers["cache-control"] == "no-store"


def test_answers_are_compressed_for_those_who_take_it() -> None:
    def body(encoding: str) -> Reply:
        return ask("/v1/costs", {**DAY, "group_by": "namespace"}, headers={"Accept-Encoding": encoding})

    plain, packed = body("identity"), body("br, gzip")
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.body == plain.body
    event = sample("api-v2-absent") | {"headers": {"accept-encoding": "gzip"}}
    answer = lambda_handler(event, Context())
    assert answer["isBase64Encoded"] is True
    assert gzip.decompress(base64.b64decode(answer["body"])).startswith(b"{")


def test_both_payload_formats_mean_the_same() -> None:
    query = {"from": "2026-11-01", "to": "2026-11-02", "group_by": "bu,resource", "bu": "alpha"}
    event = {
        "resource": "/{proxy+}",
        "path": "/v1/costs",
        "httpMethod": "GET",
        "headers": {"Accept-Encoding": "gzip"},
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {name: [value] for name, value in query.items()},
        "requestContext": {"stage": "prod", "identity": {"userArn": "arn:aws:iam::111122223333:user/x"}},
    }
    assert reply(lambda_handler(event, Context())).json == got("/v1/costs", **query)


def test_a_bu_with_any_name_can_be_asked_for() -> None:
    for name in ("a,b", "a&b=c", "ü", "'; drop table", "[a b]", "a/b", "%2F"):
        assert got("/v1/costs", **DAY, bu=name)["bu"] == name
    assert {row["bu"] for row in got("/v1/costs", **DAY)["rows"]} == set(BUS)
