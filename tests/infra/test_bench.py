"""What the bench of the artifacts asks for is there: it is not run with the tests."""

import pytest

from gpucost.runtime import container, environment
from tests.bench.artifacts import GIVEN, PARTS, READY_LIMIT_MS


def test_every_function_with_a_budget_is_measured() -> None:
    assert set(PARTS) == set(READY_LIMIT_MS)


@pytest.mark.parametrize("name", PARTS)
def test_a_functions_environment_and_parts_are_known(name: str) -> None:
    kind, parts = PARTS[name]
    its = getattr(environment, kind)
    built = container.Container(its.read(dict.fromkeys(its.variables(), "1") | GIVEN))
    for part in parts.split():
        assert getattr(built, part) is not None
