"""Reranking in search and context: what it reaches, what it leaves alone, and what its failure costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from muniment.domain.errors import ModelError
from muniment.domain.records import Evidence
from muniment.service.muniment import Muniment

Open = Callable[..., Muniment]


class Prefers:
    """Scores texts that hold a word over all others; fails when told to."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.fail: Exception | None = None
        self.asked: list[list[str]] = []
        self.during: Callable[[], object] = lambda: None

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        self.asked.append(list(texts))
        self.during()
        if self.fail is not None:
            raise self.fail
        return [float(self.word in text) for text in texts]


def told(memory: Muniment) -> None:
    me = memory.reader(user="ana")
    for place in range(12):
        me.observe(f"The harbour crane number {place} lifts grain.")
    me.observe("A crane, grey, stands in the reeds of the harbour.")


def test_a_text_is_lifted_into_the_first_hits(sqlite_url: str, open_at: Open) -> None:
    model = Prefers("reeds")
    with open_at(sqlite_url, reranker=model) as memory:
        told(memory)
        hits = memory.reader(user="ana").search("the harbour crane", k=3)
        assert len(hits) == 3
        assert "reeds" in hits[0].text
        assert hits[0].parts["rerank"] == 1.0
        assert hits[0].why.reason.startswith("rerank +1.00; ")
        assert hits.degraded == ()
        assert len(model.asked[0]) == 13


def test_without_a_reranker_or_with_none_wanted_the_order_is_the_fusion_s(sqlite_url: str, open_at: Open) -> None:
    with open_at(sqlite_url) as memory:
        told(memory)
        plain = [hit.id for hit in memory.reader(user="ana").search("the harbour crane", k=3)]
    model = Prefers("reeds")
    with open_at(sqlite_url, reranker=model, policy={"retrieval": {"rerank_top": 0}}) as memory:
        assert [hit.id for hit in memory.reader(user="ana").search("the harbour crane", k=3)] == plain
    assert model.asked == []


@pytest.mark.parametrize("fault", [ModelError("down"), RuntimeError("its own"), KeyError("x")])
def test_a_failure_leaves_the_order_and_is_named(fault: Exception, sqlite_url: str, open_at: Open) -> None:
    model = Prefers("reeds")
    with open_at(sqlite_url) as memory:
        told(memory)
        plain = [hit.id for hit in memory.reader(user="ana").search("the harbour crane", k=30)]
    model.fail = fault
    with open_at(sqlite_url, reranker=model) as memory:
        me = memory.reader(user="ana")
        hits = me.search("the harbour crane", k=30)
        assert [hit.id for hit in hits] == plain
        assert hits.degraded == ("reranker",)
        assert "rerank" not in hits[0].parts
        assert me.context("the harbour crane").degraded == ("reranker",)


def test_nothing_is_held_while_it_is_waited_for(sqlite_url: str, open_at: Open) -> None:
    model = Prefers("reeds")
    with open_at(sqlite_url, reranker=model) as memory:
        told(memory)
        reading: list[object] = []
        read = memory.parts.store.read
        opened = []

        class Counting:
            def __init__(self, inner: object) -> None:
                self.inner = inner

            def __enter__(self) -> object:
                opened.append(1)
                return self.inner.__enter__()  # type: ignore[attr-defined]

            def __exit__(self, *given: object) -> object:
                opened.pop()
                return self.inner.__exit__(*given)  # type: ignore[attr-defined]

        memory.parts.store.read = lambda *given: Counting(read(*given))  # type: ignore[method-assign, assignment]
        model.during = lambda: reading.append(len(opened))
        memory.reader(user="ana").search("the harbour crane")
        memory.reader(user="ana").context("the harbour crane")
        assert reading == [0, 0]


def test_the_evidence_of_a_context_takes_its_order(sqlite_url: str, open_at: Open) -> None:
    policy = {"retrieval": {"floor": 0.0}}
    with open_at(sqlite_url, reranker=Prefers("reeds"), policy=policy) as memory:
        told(memory)
        made = memory.reader(user="ana").context("the harbour crane")
        said = [item for item in made.items if item.hit is not None and isinstance(item.hit.item, Evidence)]
        assert "reeds" in said[0].text


def test_conflicts_are_told_of_what_is_shown(sqlite_url: str, open_at: Open) -> None:
    with open_at(sqlite_url, reranker=Prefers("Paris")) as memory:
        me = memory.reader(user="ana")
        at = "2026-01-01T00:00:00+00:00"
        for value in ("Paris", "Rome"):
            me.add_fact(f"lives in {value}", predicate="residence", value=value, valid_from=at)
        for place in ("shed", "barn"):
            me.add_fact(f"the keys hang in the {place}", predicate="keys", value=place, valid_from=at)
        both = me.search("lives in", k=10)
        assert len(both.conflicts) == 1
        one = me.search("lives in", k=1)
        assert "Paris" in one[0].text
        assert "contested" in one[0].why.flags
        assert one.conflicts == both.conflicts
