"""openapi.json is what the routes say, and what is served."""

from pathlib import Path

import pytest
import simplejson

from functions.api.app import api
from functions.api.document import text
from gpucost.adapters.memory import MemoryLedger
from gpucost.runtime.environment import ApiEnvironment
from tests.support.api import ask
from tests.support.handlers import install

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / "openapi.json"


def test_the_committed_document_is_that_of_the_routes() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == text(api.resolver), "run make openapi"


def test_it_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, ApiEnvironment, ledger=MemoryLedger())
    found = ask("/openapi.json")
    assert (found.status, found.body) == (200, text(api.resolver))
    assert found.headers["content-type"] == "application/json"


def test_every_route_is_described_with_its_problems() -> None:
    document = simplejson.loads(text(api.resolver))
    assert document["openapi"].startswith("3.1")
    for path, operations in document["paths"].items():
        (operation,) = operations.values()
        assert operation["summary"], path
        assert operation["description"], path
        assert {"200", "304", "400", "403", "404", "409", "500", "503"} == set(operation["responses"])
        for parameter in operation["parameters"]:
            assert parameter["description"], (path, parameter["name"])


def test_names_of_operations_are_distinct() -> None:
    document = simplejson.loads(text(api.resolver))
    names = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    assert len(set(names)) == len(names)
