"""What every store must keep to when several write at once, as tests: locks, tokens, idempotency, one schema.

Use as `contract.StoreContract`: subclass, with a fixture `store_url`. Threads stand for processes: each has connections of its
own, and nothing of a store's promises rests on their sharing memory.

Belongs here: tests that need more than one writer. Does not belong here: what one writer sees (`contract`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from muniment.domain.enums import Change, Standing
from muniment.domain.errors import Conflict
from muniment.ports.store import FactFilter
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract_base import ContractBase, believed, instant, timeline

T = TypeVar("T")
SECONDS = 1.5
"""How long readers and writers race in one test."""


def together(works: Sequence[Callable[[], T]]) -> list[T]:
    """Runs all at once, as nearly as threads allow; returns their results, raises the first failure."""
    gate = threading.Barrier(len(works))

    def run(work: Callable[[], T]) -> T:
        gate.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result(timeout=60) for future in [pool.submit(run, work) for work in works]]


class ConcurrencyContract(ContractBase):
    """Tests of one store under several writers, on the real clock. Needs a fixture `store_url`."""

    @pytest.fixture
    def memory(self, store_url: str) -> Iterator[Muniment]:
        """An open memory over an empty store, on the real clock."""
        with self.open(store_url) as memory:
            yield memory

    def test_two_writers_of_one_slot_lose_nothing(self, memory: Muniment, me: Reader) -> None:
        """Every telling is on record, versions are numbered without a gap, and one value holds at a time."""
        cities = [f"city {number}" for number in range(10)]

        def tell(mine: Sequence[str]) -> list[Any]:
            reader = memory.reader(tenant="acme", user="ana")
            return [
                reader.add_fact(f"lives in {city}", predicate="residence", value=city, valid_from=instant(place + 1))
                for city in mine
                for place in [cities.index(city)]
            ]

        receipts = together([lambda: tell(cities[::2]), lambda: tell(cities[1::2])])
        ids = {fact for some in receipts for receipt in some for fact in receipt.facts}
        assert len(ids) == len(cities)
        expected: list[tuple[Any, ...]] = [
            (city, instant(place + 1), instant(place + 2)) for place, city in enumerate(cities)
        ]
        expected[-1] = (cities[-1], instant(len(cities)), None)
        assert timeline(me, "residence") == expected
        for fact_id in ids:
            rows = [row for row in me.history(fact_id) if row.fact_id == fact_id]
            assert sorted({row.revision for row in rows}) == list(range(1, max(row.revision for row in rows) + 1))
            assert len({row.revision for row in rows if row.retracted_at is None}) == 1

    def test_two_writers_of_the_same_words_make_one_fact(self, memory: Muniment, me: Reader) -> None:
        receipts = together([lambda: memory.reader(tenant="acme", user="ana").observe("likes: tea") for _ in range(6)])
        assert len({receipt.facts for receipt in receipts}) == 1
        (fact,) = me.facts(predicate="likes")
        assert len(fact.evidence) == 6
        changes = [row.change for row in me.history(fact.id)]
        assert changes == [Change.ASSERT, *[Change.REINFORCE] * 5]

    def test_of_two_that_expect_the_same_revision_one_wins(self, memory: Muniment, me: Reader) -> None:
        fact_id = me.add_fact("lives in Paris", predicate="residence", value="Paris", valid_from=instant(1)).facts[0]

        def correct(city: str) -> object:
            try:
                return me.correct(fact_id, value=city, expected_revision=1).lines
            except Conflict as conflict:
                return conflict.current

        results = together([lambda city=city: correct(city) for city in ("Lyon", "Nice", "Lille")])  # type: ignore[misc]
        assert results.count(2) == 2
        assert believed(me, "residence")[0].value in ("Lyon", "Nice", "Lille")
        assert max(row.revision for row in me.history(fact_id)) == 2

    def test_one_idempotency_key_at_once_is_written_once(self, memory: Muniment, me: Reader) -> None:
        receipts = together(
            [
                lambda: memory.reader(tenant="acme", user="ana").observe("likes: tea", idempotency_key="k")
                for _ in range(6)
            ]
        )
        assert sorted(receipt.replayed for receipt in receipts) == [False, *[True] * 5]
        assert len({(receipt.event, receipt.facts) for receipt in receipts}) == 1
        assert memory.counts(reader=me)["events"] == 1

    def test_new_partitions_and_lanes_at_once(self, memory: Muniment) -> None:
        """Many who write for the first time, at the same time, all get through."""
        receipts = together(
            [
                lambda user=user: memory.reader(user=f"u{user}", session="s").observe("likes: tea")  # type: ignore[misc]
                for user in range(8)
            ]
        )
        assert all(receipt.facts for receipt in receipts)

    def test_a_store_opened_by_several_at_once_is_made_once(self, store_url: str) -> None:
        memories = together([lambda: self.open(store_url) for _ in range(4)])
        try:
            for number, memory in enumerate(memories):
                memory.reader(user="ana").add_fact(f"likes {number}", predicate="likes", value=str(number))
            assert len(memories[0].reader(user="ana").facts(predicate="likes")) == 4
            key = {memory.parts.store.digest("x") for memory in memories}
            assert len(key) == 1
        finally:
            for memory in memories:
                memory.close()

    def test_a_token_stays_true_while_others_commit(self, memory: Muniment) -> None:
        """Two writers, of a user's and of a department's memories; a reader of both partitions takes tokens and reads again
        as of each, while commits go on."""
        given: dict[str, Any] = {"tenant": "acme", "departments": ["travel"]}
        me = memory.reader(user="ana", **given)
        boss = memory.reader(user="boss", roles=["reviewer"], **given)
        stop = threading.Event()

        def write(reader: Reader, scope: dict[str, Any]) -> int:
            count = 0
            while not stop.is_set():
                said = reader.add_fact(f"seat {count % 7}", predicate="seat", value=str(count % 7), **scope)
                if count % 3 == 2:
                    reader.invalidate(said.facts[0])
                count += 1
            return count

        def read() -> int:
            taken: list[tuple[Any, Any]] = []
            deadline = time.monotonic() + SECONDS
            try:
                while time.monotonic() < deadline:
                    page = me.facts(predicate="seat", include_contenders=True, valid_at=instant(1, month=12))
                    taken.append((page.known_at, shape(page.items)))
                    for token, answer in taken[-12:] + taken[:: max(1, len(taken) // 4)]:
                        again = me.facts(
                            predicate="seat", include_contenders=True, valid_at=instant(1, month=12), known_at=token
                        )
                        assert shape(again.items) == answer
            finally:
                stop.set()
            for token, answer in taken:
                kept: dict[str, Any] = {
                    "predicate": "seat",
                    "include_contenders": True,
                    "valid_at": instant(1, month=12),
                }
                assert shape(me.facts(known_at=token, **kept).items) == answer
                assert shape(me.facts(known_at=token.text, **kept).items) == answer
            return len({token.text for token, _ in taken})

        department = {"scope": "DEPARTMENT", "department": "travel"}
        mine, theirs, tokens = together([lambda: write(me, {}), lambda: write(boss, department), read])
        assert min(mine, theirs) > 2
        assert tokens > 2

    def test_recorded_instants_of_a_partition_only_grow(self, memory: Muniment, me: Reader) -> None:
        together(
            [
                lambda number=number: [  # type: ignore[misc]
                    memory.reader(tenant="acme", user="ana").add_fact(
                        f"n {number} {step}", predicate=f"p{number}{step}"
                    )
                    for step in range(6)
                ]
                for number in range(3)
            ]
        )
        with memory.parts.store.read(me.identity) as unit:
            rows = unit.facts(FactFilter(include_inactive=True))
        instants = [row.recorded_at for row in rows]
        assert len(instants) == 18
        assert len(set(instants)) == 18


def shape(facts: Sequence[Any]) -> list[tuple[Any, ...]]:
    """What must not change of a past answer."""
    return [
        (row.id, row.revision, row.segment, row.value, row.standing or Standing.HELD, row.valid_from, row.valid_until)
        for row in facts
    ]


__all__ = ["ConcurrencyContract", "together"]
