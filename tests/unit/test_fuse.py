"""In which order facts and evidence are shown."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from tests.unit.governance_factory import evidence, fact

from muniment.domain.answers import Hit
from muniment.domain.enums import Scope
from muniment.domain.scope import Placement
from muniment.retrieval.channels.hits import evidence_hit, fact_hit
from muniment.retrieval.fuse import AHEAD, merge


def said(number: int, text: str = "", relevance: float = 0.5) -> Hit:
    """A turn of many words, unless told otherwise."""
    piece = evidence(text or f"turn {number} and much that was said beside it", evidence_id=UUID(int=number))
    return evidence_hit(piece, channel="evidence", score=1.0, parts={"relevance": relevance}, reason="")


def held(number: int, *grounds: int, relevance: float = 0.4, text: str = "short", **fields: Any) -> Hit:
    """A fact on the turns of those numbers."""
    item = fact(text, fact_id=UUID(int=number), evidence=tuple(UUID(int=ref) for ref in grounds), **fields)
    return fact_hit(item, channel="facts", score=1.0, parts={"relevance": relevance}, reason="")


def numbers(hits: list[Hit]) -> list[int]:
    return [hit.id.int for hit in hits]


TURNS = [said(number) for number in range(1, 10)]


def test_a_fact_stands_before_the_best_of_its_grounds_however_sure_it_is() -> None:
    for relevance in (0.1, 0.99):
        hits, dropped = merge([], [held(100, 7, 3, relevance=relevance)], TURNS)
        assert numbers(hits) == [1, 2, 100, 3, 4, 5, 6, 7, 8, 9]
        assert dropped == []


def test_a_fact_whose_grounds_were_not_found_waits_for_the_first_few() -> None:
    sure, unsure = held(100, 50, relevance=0.9), held(101, 51, relevance=0.1)
    assert numbers(merge([], [unsure, sure], TURNS)[0]) == [*range(1, AHEAD + 1), 100, *range(AHEAD + 1, 10), 101]
    assert numbers(merge([], [unsure, sure], TURNS[:2])[0]) == [1, 2, 100, 101]


def test_a_sure_fact_of_a_wider_scope_leads() -> None:
    shared = held(100, 50, relevance=0.9, placement=Placement(scope=Scope.TENANT))
    assert numbers(merge([], [shared], TURNS)[0])[0] == 100
    vague = held(100, 50, relevance=0.1, placement=Placement(scope=Scope.TENANT))
    assert numbers(merge([], [vague], TURNS)[0])[-1] == 100


def test_exact_keys_come_first_and_nothing_comes_twice() -> None:
    hits, _ = merge([TURNS[4]], [held(100, 5)], TURNS)
    assert numbers(hits) == [5, 1, 2, 3, 4, 100, 6, 7, 8, 9]


def test_a_fact_takes_the_place_of_what_says_no_more() -> None:
    turn = said(4, "I live in Porto.")
    hits, dropped = merge([], [held(100, 4, text="I live in Porto")], [*TURNS[:3], turn, *TURNS[4:]])
    assert numbers(hits) == [1, 2, 3, 100, 5, 6, 7, 8, 9]
    assert [item.id.int for item in dropped] == [4]


def test_without_evidence_the_facts_are_the_answer() -> None:
    assert numbers(merge([], [held(100), held(101, 3)], [])[0]) == [100, 101]
