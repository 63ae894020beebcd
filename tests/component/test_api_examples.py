"""Every route has an example in docs/api.md, and every example is answered as the page shows."""

from collections.abc import Iterator

import pytest
import simplejson

from functions.api.app import api
from functions.api.document import text
from gpucost.runtime.environment import ApiEnvironment
from tests.support.api import ask
from tests.support.examples import PAGE, Example, examples, is_part, parts
from tests.support.handlers import install

EXAMPLES = list(examples(PAGE.read_text(encoding="utf-8")))


@pytest.fixture(scope="module", autouse=True)
def _ledger() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_REGION", "us-west-2")
        install(patch, ApiEnvironment, **parts())
        yield


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.path}?{example.query}")
def test_an_example_is_answered_as_the_page_shows(example: Example) -> None:
    reply = ask(example.path, example.query, method=example.method)
    if example.kind == "json":
        shown = simplejson.loads(example.answer, use_decimal=True)
        assert is_part(shown, reply.json), f"python -m tests.support.examples writes it anew; it is {reply.body[:2000]}"
    else:
        lines = example.answer.strip().splitlines()
        assert reply.body.splitlines()[: len(lines)] == lines


def test_every_route_has_an_example() -> None:
    routes = [path.split("/") for path in simplejson.loads(text(api.resolver))["paths"]]
    asked = [example.path.split("/") for example in EXAMPLES if example.kind in ("json", "csv")]
    for route in routes:
        assert any(_fits(route, path) for path in asked), "/".join(route)


def _fits(route: list[str], path: list[str]) -> bool:
    pairs = zip(route, path, strict=False)
    return len(route) == len(path) and all(part == given or part.startswith("{") for part, given in pairs)


def test_a_page_that_shows_something_else_is_found_out() -> None:
    assert is_part({"a": [1]}, {"a": [1, 2], "b": 3})
    assert not is_part({"a": [2]}, {"a": [1, 2]})
    assert not is_part({"c": 1}, {"a": 1})
    assert not is_part({"a": [1, 2]}, {"a": [1]})
