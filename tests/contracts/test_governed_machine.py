"""The governed machine on every database: at least two thousand steps on SQLite in CI, some on the servers.

Belongs here: how many steps where. Does not belong here: the steps (`governed_machine`).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from tests.conftest import CI
from tests.contracts.governed_machine import GovernedMachine

from muniment.service.muniment import Muniment
from muniment.testing.contract import StoreContract
from muniment.testing.doubles import SteppingClock

STEPS = 50
"""Steps of one run of the machine, at most."""
LEAST = 2_000
"""Steps that CI takes on SQLite."""


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture
def in_memory(clock: SteppingClock) -> Iterator[Muniment]:
    with StoreContract().open(":memory:", clock=clock) as memory:
        yield memory


def run(memory: Muniment, clock: SteppingClock, runs: int, steps: int) -> Counter[str]:
    """Lets the machine run so many times over one store, each time as other tenants; returns how often it took which step."""
    tally: Counter[str] = Counter()
    numbers = count()
    kept = settings(max_examples=runs, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(lambda: GovernedMachine(memory, clock, next(numbers), tally), settings=kept)
    print(f"{sum(tally.values())} steps: {dict(tally.most_common())}")
    return tally


@pytest.mark.timeout(600)
def test_two_thousand_steps(in_memory: Muniment, clock: SteppingClock) -> None:
    runs = int(os.environ.get("MUNIMENT_MACHINE_RUNS", "60" if CI else "4"))
    tally = run(in_memory, clock, runs, STEPS if runs > 10 else STEPS // 2)
    if CI:
        assert sum(tally.values()) >= LEAST
        assert min(tally.values()) >= 5
        assert len(tally) == 17
