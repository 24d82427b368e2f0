"""The governed machine on every database: at least two thousand steps on SQLite in CI, some on the servers.

Belongs here: how many steps where. Does not belong here: the steps (`governed_machine`).
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from sqlalchemy import text
from tests.conftest import CI
from tests.contracts.governed_machine import GovernedMachine

from muniment.service.muniment import Muniment
from muniment.testing.contract import StoreContract
from muniment.testing.doubles import SteppingClock

LEAST = 2_000
"""Steps that CI takes on SQLite."""
KINDS = 16
"""Kinds of steps there are."""
UNGROUNDED = {
    "version that no evidence supports": """
        SELECT count(*) FROM fact_revision r WHERE NOT EXISTS (
            SELECT 1 FROM fact_evidence x WHERE x.tenant_id = r.tenant_id AND x.fact_id = r.fact_id
            AND x.revision <= r.revision AND x.relation = 'SUPPORT')""",
    "link to evidence that is not there": """
        SELECT count(*) FROM fact_evidence l WHERE NOT EXISTS (
            SELECT 1 FROM evidence x WHERE x.tenant_id = l.tenant_id AND x.evidence_id = l.evidence_id)""",
    "evidence of no event": """
        SELECT count(*) FROM evidence e WHERE NOT EXISTS (
            SELECT 1 FROM event x WHERE x.tenant_id = e.tenant_id AND x.event_id = e.event_id)""",
    "hidden version without a tombstone": """
        SELECT count(*) FROM fact_revision r WHERE r.hidden_at IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM tombstone x WHERE x.tenant_id = r.tenant_id AND x.ref = r.fact_id)""",
}


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


@pytest.fixture(params=["postgresql", "mysql"])
def server_url(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue({"postgresql": "postgres_url", "mysql": "mariadb_url"}[request.param]))


def run(url: str, clock: SteppingClock, *, runs: int, steps: int) -> Counter[str]:
    """Lets the machine run so many times over one store, each time as other tenants; returns how often it took which step."""
    tally: Counter[str] = Counter()
    numbers = count()
    kept = settings(
        max_examples=runs, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck)
    )
    with StoreContract().open(url, clock=clock) as memory:
        machines: Any = lambda: GovernedMachine(memory, clock, next(numbers), tally)  # noqa: E731
        run_state_machine_as_test(machines, settings=kept)
        grounded(memory)
    print(f"{sum(tally.values())} steps: {dict(tally.most_common())}")
    return tally


def grounded(memory: Muniment) -> None:
    """Invariant 4, asked of the tables: what was hidden is there too."""
    database: Any = memory.parts.store.database  # type: ignore[attr-defined]
    with database.reading() as connection:
        found = {name: connection.scalar(text(query)) for name, query in UNGROUNDED.items()}
        assert connection.scalar(text("SELECT count(*) FROM fact_revision")) > 0
    assert {name: number for name, number in found.items() if number} == {}


@pytest.mark.timeout(600)
def test_two_thousand_steps(clock: SteppingClock) -> None:
    tally = run(":memory:", clock, runs=50 if CI else 4, steps=50 if CI else 20)
    if CI:
        assert sum(tally.values()) >= LEAST
        assert len(tally) == KINDS
        assert min(tally.values()) >= 3


@pytest.mark.timeout(300)
def test_the_same_on_servers(server_url: str, clock: SteppingClock) -> None:
    tally = run(server_url, clock, runs=8 if CI else 2, steps=40 if CI else 12)
    assert sum(tally.values()) >= (150 if CI else 10)
