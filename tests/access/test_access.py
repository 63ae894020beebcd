"""Nobody gets a row, a name or a total that is not theirs, whatever they ask. `make access` asks 100,000 times."""

from collections.abc import Iterator

import pytest

from gpucost.adapters.memory import MemoryTrackBook
from gpucost.runtime.environment import ApiEnvironment
from tests.access import oracle
from tests.access.attack import ROUTES, Attack, LeakError
from tests.access.callers import CALLERS, SETTINGS
from tests.support.api import ask
from tests.support.handlers import FixedText, install
from tests.support.house import BUS, CLUSTERS, FIRST, house
from tests.support.stories import stories

REQUESTS = 2500
DAY = {"from": FIRST.key, "to": FIRST.plus(24).key}
FINOPS, ONE, TWO, CHARLIE, *NOBODIES = CALLERS


@pytest.fixture(scope="module")
def book() -> MemoryTrackBook:
    return stories(CLUSTERS, BUS, FIRST)


@pytest.fixture(scope="module")
def known(book: MemoryTrackBook) -> Iterator[list[oracle.Known]]:
    ledger = house()
    with pytest.MonkeyPatch.context() as patch:
        install(
            patch,
            ApiEnvironment,
            ledger=ledger,
            tracks=book,
            clusters=CLUSTERS,
            _settings_parameter=FixedText(SETTINGS),
        )
        yield oracle.everything(ledger)


@pytest.mark.parametrize("seed", range(2))
def test_random_requests_return_nothing_foreign(seed: int, known: list[oracle.Known], book: MemoryTrackBook) -> None:
    attack = Attack(known, book, seed)
    attack.run(REQUESTS)
    # The run means nothing unless it got answers of every route, refusals, rows, totals, pages, and changed something.
    assert {200, 400, 403, 404} <= set(attack.statuses)
    assert attack.routes == set(ROUTES)
    assert attack.settled > 5
    assert min(attack.rows, attack.totals, len(attack.cursors)) > REQUESTS // 50


def test_the_check_finds_a_leak(
    known: list[oracle.Known], book: MemoryTrackBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpucost.domain.answers.access.Scope.may_see", lambda _scope, bu: bu != "dorado")
    with pytest.raises(LeakError, match=r"not the caller's|should be|foreign change"):
        Attack(known, book).run(300)


def test_a_cursor_is_no_good_to_others_or_for_other_questions(known: list[oracle.Known]) -> None:
    asked = {**DAY, "group_by": "namespace", "limit": "1"}
    cursor = ask("/v1/costs", asked, TWO.identity).json["next_cursor"]
    assert ask("/v1/costs", {**asked, "cursor": cursor}, TWO.identity).status == 200
    assert ask("/v1/costs", {**asked, "cursor": cursor, "limit": "3"}, TWO.identity).status == 200
    for caller in (FINOPS, ONE, CHARLIE):
        assert ask("/v1/costs", {**asked, "cursor": cursor}, caller.identity).status == 400
    assert ask("/v1/costs", {**asked, "cursor": cursor, "bu": "bravo"}, TWO.identity).status == 400
    assert ask("/v1/waste", {**DAY, "limit": "1", "cursor": cursor}, TWO.identity).status == 400


@pytest.mark.parametrize("caller", NOBODIES)
def test_whoever_has_no_rule_sees_nothing(caller: object, known: list[oracle.Known]) -> None:
    for path in ("/v1/costs", "/v1/hours", "/v1/prices", "/v1/waste", "/v1/capacity", f"/v1/hours/prod/{FIRST}"):
        assert ask(path, "", caller.identity).status == 403  # type: ignore[attr-defined]


def test_a_foreign_bu_and_one_that_is_not_there_are_refused_alike(known: list[oracle.Known]) -> None:
    foreign, none = (ask("/v1/costs", {**DAY, "bu": bu}, ONE.identity) for bu in ("bravo", "nobody"))
    assert (foreign.status, foreign.body) == (none.status, none.body)
    assert foreign.status == 403


def test_everything_is_for_those_who_may(known: list[oracle.Known]) -> None:
    assert ask("/v1/capacity", DAY, FINOPS.identity).json["totals"]["capacity_usd"] == 2 * 24 * 96
    assert ask("/v1/capacity", DAY, TWO.identity).status == 403
    report = ask(f"/v1/hours/prod/{FIRST}", "", TWO.identity).json
    assert {row["bu"] for row in report["namespaces"]} == {"alpha", "bravo"}
    assert "nodes" not in report
    assert "queries" not in report
    whole = ask(f"/v1/hours/prod/{FIRST}", "", FINOPS.identity).json
    assert whole["nodes"][0]["capacity_usd"] == 96


def test_nobody_is_told_more_by_errors(known: list[oracle.Known]) -> None:
    answer = ask(f"/v1/hours/prod/{FIRST}/explain", {"namespace": "bravo-jobs"}, ONE.identity)
    assert answer.status == 404
    assert "alpha-jobs" in answer.body
    assert "bravo" not in answer.body
