"""Runs drawn by chance hold the promises of `runtime.md`, 12. `make simulate SEEDS=100000`; `make simulate SEED=7`."""

import os

import pytest

from tests.simulation.run import play

SEEDS_A_TEST = 50
ONE = os.environ.get("SEED", "")
SEEDS = range(int(ONE), int(ONE) + 1) if ONE else range(int(os.environ.get("SEEDS") or 1000))


@pytest.mark.parametrize("first", SEEDS[::SEEDS_A_TEST])
def test_runs_of_these_seeds_hold_every_promise(first):
    for seed in SEEDS[SEEDS.index(first) :][:SEEDS_A_TEST]:
        outcome = play(seed)
        assert outcome.faults == (), "\n".join([f"make simulate SEED={seed}", *outcome.faults])


@pytest.mark.parametrize("seed", range(5))
def test_a_seed_plays_the_same_again(seed):
    assert play(seed) == play(seed)
