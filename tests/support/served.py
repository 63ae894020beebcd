"""The API over a ledger with some history, for tests that ask it."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from gpucost.adapters.memory import MemoryLedger
from gpucost.runtime.environment import ApiEnvironment
from tests.support.handlers import install
from tests.support.house import CLUSTERS, house


@contextmanager
def served_house() -> Iterator[MemoryLedger]:
    """While the block lasts, the API answers from this ledger."""
    ledger = house()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_REGION", "us-west-2")
        install(patch, ApiEnvironment, ledger=ledger, clusters=CLUSTERS)
        yield ledger
