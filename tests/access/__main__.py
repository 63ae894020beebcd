"""Many random requests: python -m tests.access --requests 100000."""

import argparse
import sys
import time

import pytest

from gpucost.runtime.environment import ApiEnvironment
from tests.access import oracle
from tests.access.attack import Attack
from tests.access.callers import SETTINGS
from tests.support.handlers import FixedText, install
from tests.support.house import BUS, CLUSTERS, FIRST, house
from tests.support.stories import stories


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    ledger, book = house(), stories(CLUSTERS, BUS, FIRST)
    with pytest.MonkeyPatch.context() as patch:
        install(
            patch,
            ApiEnvironment,
            ledger=ledger,
            tracks=book,
            clusters=CLUSTERS,
            _settings_parameter=FixedText(SETTINGS),
        )
        attack = Attack(oracle.everything(ledger), book, asked.seed)
        started = time.perf_counter()
        attack.run(asked.requests)
    taken = time.perf_counter() - started
    statuses = ", ".join(f"{status}: {count}" for status, count in sorted(attack.statuses.items()))
    sys.stdout.write(f"{asked.requests} requests in {taken:.0f} s ({statuses}); {attack.rows} rows and ")
    sys.stdout.write(f"{attack.totals} totals checked, {len(attack.cursors)} cursors handed out, ")
    sys.stdout.write(f"{attack.settled} findings settled; nothing foreign\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
