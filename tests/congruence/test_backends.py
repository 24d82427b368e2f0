"""One script of operations, the same answers on every database: facts, timelines, search order and scores, contexts, errors.

Ids are replaced by the order in which they are first seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

import muniment
from muniment import MunimentError
from muniment.service.muniment import Muniment
from muniment.testing.contract_base import LOOK_ALIKE, instant
from muniment.testing.doubles import LinesExtractor, SteppingClock, WordEmbedder

QUESTIONS = (
    "violin lesson", "where does she live", "小提琴课", "what is my budget?", "ORD-2024-001", "lesson on Tuesday",
    "the late train to Lyon", "tea or coffee", "acme", "",
)  # fmt: skip
TURNS = (
    "The violin lesson was moved to Tuesday.", "likes: tea\nresidence: Paris", "小提琴课改到星期二了。",
    "Order ORD-2024-001 is late.",
    "The train to Lyon was late again, so the violin stayed at home.", "likes: coffee", "I do not like coffee in the evening.",
    "what time is the lesson?", "the lesson is at nine", "ACME and acme and acmé are three names", "🦊 met 🦄",
    "call 138 0013 8000",
)  # fmt: skip


class Script:
    """Carries out the operations and notes every answer, ids numbered."""

    def __init__(self, memory: Muniment, clock: SteppingClock) -> None:
        self.memory, self.clock = memory, clock
        self.me = memory.reader(tenant="acme", user="ana", departments=["travel"], session="s")
        self.boss = memory.reader(tenant="acme", user="boss", departments=["travel"], roles=["reviewer"])
        self.ids: dict[str, str] = {}
        self.notes: list[tuple[str, str]] = []

    def note(self, name: str, value: Any) -> None:
        self.notes.append((name, self.plain(repr(value))))

    def plain(self, text: str) -> str:
        """The text with each id, whole or as its citation, by its number."""
        whole = (
            r"UUID\('[0-9a-f-]{36}'\)|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\[[fe]-[0-9a-f]{8}\]"
        )
        return re.sub(
            whole,
            lambda match: self.ids.setdefault(match[0].removeprefix("UUID('").removesuffix("')"), f"id{len(self.ids)}"),
            text,
        )

    def attempt(self, name: str, work: Callable[[], Any]) -> Any:
        """The answer, or the error's class."""
        try:
            answer = work()
        except MunimentError as error:
            self.note(name, type(error).__name__)
            return None
        self.note(name, getattr(answer, "lines", answer))
        return answer

    def step(self, name: str, work: Callable[[], Any]) -> Any:
        self.clock.move(minutes=7)
        return self.attempt(name, work)

    def run(self) -> list[tuple[str, str]]:
        self.write()
        self.read()
        return self.notes

    def write(self) -> None:
        me, boss = self.me, self.boss
        for number, text in enumerate(TURNS):
            actor = "agent" if number == 8 else "user"
            self.step(
                f"turn {number}",
                lambda text=text, actor=actor: me.observe(text, actor=actor, metadata={"n": len(text)}),
            )
        seat = self.step(
            "seat", lambda: me.add_fact("aisle", predicate="seat", value="aisle", valid_from=instant(1))
        ).facts[0]
        self.step("window", lambda: me.add_fact("window", predicate="seat", value="window", valid_from=instant(1)))
        self.step(
            "middle", lambda: me.add_fact("middle", predicate="seat", value="middle", trust=10, valid_from=instant(2))
        )
        self.step("split", lambda: me.correct(seat, value="back", valid_from=instant(3), valid_until=instant(5)))
        self.step("change", lambda: me.change(seat, value="front", at=instant(8), reason="new car"))
        self.step("budget", lambda: me.add_fact("budget 8000", predicate="budget", value="8000"))
        self.step(
            "department",
            lambda: boss.add_fact("team tea", predicate="seat", value="rear", scope="DEPARTMENT", department="travel"),
        )
        self.step("stale", lambda: me.correct(seat, value="x", expected_revision=1))
        gone = self.step("gone", lambda: me.add_fact("likes gin", predicate="likes", value="gin")).facts[0]
        self.step("forget", lambda: me.forget(fact=gone))
        self.step("again", lambda: me.observe("likes: tea", source_system="crm"))
        self.step("forbidden", lambda: me.add_fact("all tea", scope="TENANT"))
        self.step(
            "document", lambda: me.observe_document("Tea is grown.\n\n" + "Leaves are dried. " * 90, locator="tea.md")
        )
        self.seat = seat
        for key in LOOK_ALIKE:
            self.step(f"key {key!r}", lambda key=key: self.memory.reader(user=key).observe(f"hello {key}"))

    def read(self) -> None:
        me = self.me
        for at in (None, instant(2), instant(4), instant(9)):
            page = me.facts(include_contenders=True, valid_at=at)
            self.note(f"facts at {at}", [self.row(fact) for fact in page])
        self.note("history", [self.row(fact) for fact in me.history(self.seat)])
        self.note("counts", dict(self.memory.counts(reader=me)))
        for question in QUESTIONS:
            hits = me.search(question, k=8)
            shown = [
                (hit.text, f"{hit.score:.4f}", f"{hit.parts.get('relevance', 0):.4f}", hit.why.flags) for hit in hits
            ]
            self.note(f"search {question!r}", (shown, hits.route.channels, [item.reason for item in hits.dropped]))
            # Ample: the tokens of a citation depend on its id, and so would what just fits.
            self.note(f"context {question!r}", me.context(question, budget=20_000).text)
        self.note("where", [hit.text for hit in me.search("lesson", where={"n": {"lt": 20}}, channels=["evidence"])])
        self.note("lookup", [hit.text for hit in me.lookup("phone", "13800138000")])
        for key in LOOK_ALIKE:
            self.note(f"sees {key!r}", [hit.text for hit in self.memory.reader(user=key).search("hello")])

    @staticmethod
    def row(fact: Any) -> tuple[Any, ...]:
        names = ("fact_id", "revision", "segment", "content", "value", "standing", "confidence", "trust", "sources", "status",
                 "valid_from", "valid_until", "stated_from", "stated_until", "recorded_at", "retracted_at", "change", "reason",
                 "actor", "supersedes_id", "expires_at")  # fmt: skip
        return tuple(getattr(fact, name) for name in names)


def answers(url: str) -> list[tuple[str, str]]:
    clock = SteppingClock(instant(10, 9))
    with muniment.open(url, embedder=WordEmbedder(), extractor=LinesExtractor(), clock=clock) as memory:
        return Script(memory, clock).run()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """What SQLite answers."""
    return answers(f"sqlite:///{tmp_path_factory.mktemp('congruence') / 'm.db'}")


def test_the_script_says_something(expected: list[tuple[str, str]]) -> None:
    """The reference is not empty: hits, conflicts, refusals and history are all in it."""
    text = "\n".join(f"{name} {answer}" for name, answer in expected)
    for word in (
        "CONTENDER",
        "DISPUTED",
        "Conflict",
        "needs confirmation",
        "reinforced",
        "forgotten",
        "violin",
        "小提琴",
    ):
        assert word in text
    assert len(expected) > 80


def test_every_backend_gives_the_same_answers(store_url: str, expected: list[tuple[str, str]]) -> None:
    found = answers(store_url)
    assert [name for name, _ in found] == [name for name, _ in expected]
    for (name, answer), (_, wanted) in zip(found, expected, strict=True):
        assert answer == wanted, name


def test_ids_are_numbered_by_first_sight() -> None:
    script = Script.__new__(Script)
    script.ids = {}
    one, two = (UUID(int=number) for number in (1, 2))
    assert script.plain(repr([one, two, one])) == "[id0, id1, id0]"
    assert script.plain(f"fact {two}") == "fact id1"
