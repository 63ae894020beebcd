"""What the API cannot answer: a problem that says why, in the one form that all errors have."""

from collections.abc import Iterator

import pytest

from gpucost.adapters.memory import MemoryLedger
from tests.support.api import ask
from tests.support.served import served_house


@pytest.fixture(scope="module")
def books() -> Iterator[MemoryLedger]:
    with served_house() as ledger:
        yield ledger


pytestmark = pytest.mark.usefixtures("books")
LONG = {"from": "2016-11-01", "to": "2026-11-01"}
REFUSED: list[tuple[str, dict[str, str], int]] = [
    ("/v1/costs", {"group_by": "label"}, 400),
    ("/v1/costs", {"group_by": "bu,,node"}, 400),
    ("/v1/costs", {"step": "week"}, 400),
    ("/v1/costs", {"window": "7d", "from": "2026-11-01"}, 400),
    ("/v1/costs", {"window": "forever"}, 400),
    ("/v1/costs", {"cluster": "nobody's"}, 400),
    ("/v1/costs", {"limit": "0"}, 400),
    ("/v1/costs", {"limit": "5001"}, 400),
    ("/v1/costs", {"limit": "many"}, 400),
    ("/v1/costs", {"cursor": "AAAA"}, 400),
    ("/v1/costs", {"cursor": "\N{SNOWMAN}"}, 400),
    ("/v1/costs", {"bu": "x" * 257}, 400),
    ("/v1/costs", {"compare": "true", "step": "day"}, 400),
    ("/v1/costs", {"compare": "perhaps"}, 400),
    ("/v1/costs", {"format": "xml"}, 400),
    ("/v1/costs", {"tenant": "alpha"}, 400),
    ("/v1/costs", LONG, 400),
    ("/v1/costs", {**LONG, "step": "month"}, 400),
    ("/v1/costs", {"from": "2026-11-02", "to": "2026-11-01"}, 400),
    ("/v1/costs", {"from": "2027-01-01", "to": "2027-02-01"}, 400),
    ("/v1/costs", {"group_by": "pod", "window": "30d"}, 400),
    ("/v1/waste", {"min_waste_usd": "NaN"}, 400),
    ("/v1/waste", {"min_waste_usd": "-1"}, 400),
    ("/v1/capacity", {"bu": "alpha"}, 400),
    ("/v1/hours", {"status": "odd"}, 400),
    ("/v1/hours", LONG, 400),
    ("/v1/hours/prod/yesterday", {}, 400),
    ("/v1/hours/nowhere/2026-11-01T00:00:00Z", {}, 400),
    ("/v1/hours/prod/2026-11-01T00:00:00Z/explain", {}, 400),
    ("/v1/hours/prod", {}, 404),
    ("/v1/costs/alpha/more", {}, 404),
    ("/", {}, 404),
]


@pytest.mark.parametrize(("path", "query", "status"), REFUSED)
def test_what_cannot_be_answered_is_a_problem_that_says_why(path: str, query: dict[str, str], status: int) -> None:
    found = ask(path, query)
    assert found.status == status, found.body
    assert found.headers["content-type"] == "application/problem+json"
    assert set(found.json) == {"type", "title", "status", "detail"}
    assert len(found.json["detail"]) > 15
    assert "\n" not in found.json["detail"]


@pytest.mark.parametrize("path", ["/v1/costs", "/v1/waste", "/allocation"])
def test_a_parameter_that_is_given_twice_is_said_to_be(path: str) -> None:
    found = ask(path, "bu=alpha&window=1d&bu=beta")
    assert (found.status, found.json["detail"]) == (400, "'bu' is given more than once")
