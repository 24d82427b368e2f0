"""The lifecycle on every backend: what a run writes, that a second one writes nothing, and two at once.

Belongs here: expire, lapse, purge and archive through the statements and locks of each database. Does not belong here: every
knob and count (tests/api).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from muniment.domain.lifecycle import LifecycleReport
from muniment.domain.records import Candidate
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.testing.contract_base import instant
from muniment.testing.doubles import SteppingClock

CANARY = "zanzibarine"
POLICY = {"retention": {"hidden_days": 30, "scoped_days": 7, "evidence_days": 500, "archive_days": 365}}


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock(instant(1))


@pytest.fixture
def memory(store_url: str, clock: SteppingClock) -> Iterator[Muniment]:
    with StoreContract().open(store_url, clock=clock, policy=POLICY) as memory:
        yield memory


@pytest.fixture
def me(memory: Muniment) -> Reader:
    return memory.reader(tenant="acme", user="ana", session="s1")


def done(report: LifecycleReport) -> dict[str, dict[str, int]]:
    """What a run did, without what it did not."""
    assert report.failed == (), report
    counts = {item.name: {name: count for name, count in item.counts.items() if count} for item in report.steps}
    return {name: some for name, some in counts.items() if some}


def told(memory: Muniment, me: Reader) -> None:
    """Something for every step."""
    me.forget(fact=me.observe(f"likes: {CANARY}").facts[0])
    me.add_fact(f"budget {CANARY} this time", predicate="budget", value=CANARY, scope="SESSION")
    me.observe("residence: Oslo")
    me.propose([Candidate(content="fee: 40 EUR", confidence=0.9, valid_from_known=False)])


def test_every_step_does_its_own_and_a_second_run_nothing(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    told(memory, me)
    clock.move(days=8)
    assert done(memory.lifecycle.run())["purge"]["facts"] == 1
    clock.move(days=23)
    report = done(memory.lifecycle.run())
    assert report["lapse"] == {"candidates": 1}
    assert report["purge"]["facts"] == 1
    assert memory.verify_erased([CANARY])["found"] == []
    clock.move(days=150)
    assert done(memory.lifecycle.run()) == {"expire": {"facts": 1}}
    clock.move(days=185)
    assert done(memory.lifecycle.run()) == {"archive": {"evidence": 1}}
    assert done(memory.lifecycle.run()) == {}
    clock.move(days=140)
    assert done(memory.lifecycle.run(dry_run=True))["purge"] == {"evidence": 2}
    assert done(memory.lifecycle.run())["purge"] == {"evidence": 2, "erasures": 1}
    assert memory.verify_erased(["Oslo"])["found"] != []
    assert done(memory.lifecycle.run()) == {}


def test_a_hold_stops_the_purge(memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    told(memory, me)
    memory.holds.set(user="ana", tenant="acme", reason="case 7")
    clock.move(days=31)
    assert done(memory.lifecycle.run())["purge"] == {"held_users": 1}
    assert memory.verify_erased([CANARY])["found"]


def test_two_runs_at_once_do_it_once(store_url: str, memory: Muniment, me: Reader, clock: SteppingClock) -> None:
    told(memory, me)
    clock.move(days=31)
    reports: list[LifecycleReport] = []
    start = threading.Barrier(2)

    def run() -> None:
        with StoreContract().open(store_url, clock=clock, policy=POLICY) as other:
            start.wait()
            reports.append(other.lifecycle.run())

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reports) == 2
    purged = [done(report).get("purge", {}) for report in reports]
    assert sum(item.get("facts", 0) for item in purged) == 2
    assert memory.verify_erased([CANARY])["found"] == []
    assert [item.content for item in me.facts()] == ["residence: Oslo"]
    assert done(memory.lifecycle.run()) == {}
