"""`python -m tests.simulation --seeds 10000`: many worlds, and the figures of what happened in them."""

# ruff: noqa: T201 - this is a command, and prints its figures
import argparse
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from tests.simulation.chance import Chance, Fault
from tests.simulation.checks import faults_of
from tests.simulation.world import CALM_HOURS, STORM_HOURS, World


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one world."""

    seed: int
    faults: list[str]
    counts: Counter[Fault]


def outcome(seed: int) -> Outcome:
    world = World(Chance(seed)).run()
    return Outcome(seed, faults_of(world), world.chance.counts)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10_000, help="how many worlds")
    parser.add_argument("--first", type=int, default=0, help="the first seed; with --seeds 1, replay one world")
    parser.add_argument("--workers", type=int, default=None, help="processes; as many as there are cores by default")
    options = parser.parse_args()
    start, counts, wrong = time.monotonic(), Counter[Fault](), 0
    seeds = range(options.first, options.first + options.seeds)
    with ProcessPoolExecutor(options.workers) as pool:
        for one in pool.map(outcome, seeds, chunksize=10):
            counts += one.counts
            wrong += bool(one.faults)
            for fault in one.faults:
                print(f"seed {one.seed}: {fault}", flush=True)
    for kind in Fault:
        print(f"{counts[kind]:>10,}  {kind.value}")
    hours = STORM_HOURS + CALM_HOURS
    print(
        f"{len(seeds):,} worlds of {hours} hours, {counts.total():,} misfortunes of {len(+counts)} kinds, "
        f"{time.monotonic() - start:,.0f} s: {wrong} worlds with a lost, doubled or half-visible hour"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
