"""500 worlds of 74 hours each, in every one of which much goes wrong, and nothing is lost, doubled or half visible."""

from collections import Counter

import pytest

from gpucost.adapters.memory import MemoryStore
from tests.simulation.chance import Chance, Fault
from tests.simulation.checks import faults_of, fingerprint
from tests.simulation.world import CALM_HOURS, STORM_HOURS, World

SEEDS = 500
BLOCK = 10


def run(seed: int) -> World:
    return World(Chance(seed)).run()


def wrong_in(seeds: range) -> dict[int, list[str]]:
    """What is wrong, by the seeds of the worlds in which something is."""
    return {seed: faults for seed in seeds if (faults := faults_of(run(seed)))}


# Two classes, so that two workers share them.
class TestEvenBlocks:
    @pytest.mark.parametrize("first", range(0, SEEDS, 2 * BLOCK))
    def test_nothing_is_lost_doubled_or_half_visible(self, first: int) -> None:
        assert wrong_in(range(first, first + BLOCK)) == {}


class TestOddBlocks:
    @pytest.mark.parametrize("first", range(BLOCK, SEEDS, 2 * BLOCK))
    def test_nothing_is_lost_doubled_or_half_visible(self, first: int) -> None:
        assert wrong_in(range(first, first + BLOCK)) == {}


@pytest.mark.parametrize("seed", [0, 7, 499])
def test_a_seed_replays_bit_for_bit(seed: int) -> None:
    stores = MemoryStore(), MemoryStore()
    first, second = (World(Chance(seed), store).run() for store in stores)
    assert first.chance.trace == second.chance.trace
    assert fingerprint(stores[0]) == fingerprint(stores[1])
    other = run(seed + 1)
    assert other.chance.trace != first.chance.trace


def test_every_kind_of_misfortune_happens() -> None:
    counts: Counter[Fault] = Counter()
    for seed in range(20):
        counts += run(seed).chance.counts
    assert {kind for kind in Fault if counts[kind] < 3} == set()
    assert len(Fault) >= 8
    assert STORM_HOURS + CALM_HOURS >= 72
