"""A past context, rebuilt as of its `known_at` after much else was written, has the same bytes, on every database."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable
from typing import Any

import pytest

import muniment
from muniment import MunimentError
from muniment.domain.contexts import Context
from muniment.service.muniment import Muniment
from muniment.testing.contract_base import instant
from muniment.testing.doubles import LinesExtractor, SteppingClock, WordEmbedder

WORDS = (
    "violin", "lesson", "tea", "coffee", "Lyon", "Paris", "train", "late", "hall", "evening", "Tuesday", "order", "ORD-2024-001",
    "budget", "red", "case", "direct", "flight", "hotel", "window", "aisle",
)  # fmt: skip
CHINESE = ("小提琴课改到星期二", "住在杭州", "喜欢喝茶", "预算是8000元", "下周的会议取消了")
QUESTIONS = (
    "violin lesson in the evening", "where does the user live?", "tea or coffee", "what is the budget?", "", "小提琴课在哪天?",
    "where did the user live before?", "ORD-2024-001", "what did we talk about", "the late train to Lyon", "12 + 3",
)  # fmt: skip
SLOTS = (
    ("residence", "Paris Lyon Berlin Oslo"),
    ("budget", "100 200 300"),
    ("likes", "tea coffee jazz"),
    ("seat", "aisle window"),
)
ROUNDS = int(os.environ.get("MUNIMENT_PAST_CONTEXTS", "5"))
"""Contexts of one history that are rebuilt; more by the environment."""


class Life:
    """Random things that happen to a memory, by a seed; everything but forgetting."""

    def __init__(self, memory: Muniment, clock: SteppingClock, seed: int) -> None:
        self.memory, self.clock, self.random = memory, clock, random.Random(seed)
        self.me = memory.reader(
            tenant="acme", user="ana", departments=["travel"], agent="planner", session="s1", task="t1"
        )
        self.boss = memory.reader(tenant="acme", user="boss", departments=["travel"], roles=["reviewer"])
        self.acts: tuple[Callable[[], Any], ...] = (
            self.say, self.say, self.say, self.elsewhere, self.state, self.state, self.change, self.correct, self.rule,
            self.wide, self.temporary, self.invalidate, self.derive, self.much, self.let_time_pass, self.tidy, self.once_more,
            self.end,
        )  # fmt: skip

    def words(self, least: int = 3, most: int = 14) -> str:
        if self.random.random() < 0.2:
            return self.random.choice(CHINESE)
        return " ".join(self.random.choices(WORDS, k=self.random.randint(least, most)))

    def happen(self, count: int) -> None:
        for _ in range(count):
            self.clock.move(minutes=self.random.randint(0, 90))
            # A change of what is over, a choice of nothing: as good as any other thing that happens.
            with contextlib.suppress(MunimentError, IndexError):
                self.random.choice(self.acts)()

    def say(self) -> None:
        actor = self.random.choice(["user", "user", "agent", "tool"])
        key, values = self.random.choice(SLOTS)
        text = f"{key}: {self.random.choice(values.split())}" if self.random.random() < 0.3 else self.words()
        self.me.observe(text, actor=actor)

    def elsewhere(self) -> None:
        self.memory.reader(tenant="acme", user="ana", session=f"s{self.random.randint(2, 4)}").observe(self.words())

    def much(self) -> None:
        self.me.observe_many([{"content": self.words()} for _ in range(self.random.randint(3, 12))])

    def state(self) -> None:
        key, values = self.random.choice(SLOTS)
        scope = self.random.choice([None, None, "SESSION", "TASK", "AGENT"])
        value = self.random.choice(values.split())
        self.me.add_fact(
            f"{key} is {value}", predicate=key, value=value, scope=scope, trust=self.random.choice([None, 10])
        )

    def wide(self) -> None:
        value = self.random.choice(["EUR", "USD"])
        self.boss.add_fact(
            f"currency is {value}",
            predicate="currency",
            value=value,
            scope=self.random.choice(["TENANT", "DEPARTMENT"]),
        )
        self.boss.add_fact(f"never {self.words(2, 4)}", type="CONSTRAINT", scope="TENANT")

    def rule(self) -> None:
        self.me.add_rule(self.words(2, 5))

    def temporary(self) -> None:
        end = self.clock.now.replace(microsecond=0) + self.random.choice([1, 5, 20]) * (instant(2) - instant(1))
        self.me.add_fact(
            f"staying at hotel {self.words(1, 2)}", predicate="hotel", value=self.words(1, 2), valid_until=end
        )

    def fact(self) -> Any:
        return self.held().fact_id

    def held(self) -> Any:
        self.state()
        return self.random.choice(self.me.facts(limit=200).items)

    def change(self) -> None:
        self.me.change(self.fact(), value=self.random.choice(["Rome", "tea", "400", None]))

    def correct(self) -> None:
        self.me.correct(self.fact(), value=self.random.choice(["Madrid", "coffee", "500"]), reason="misheard")

    def invalidate(self) -> None:
        self.me.invalidate(self.fact(), reason="wrong")

    def derive(self) -> None:
        self.me.add_fact(
            f"the approver is {self.words(1, 1)}",
            predicate="approver",
            value=self.words(1, 1),
            derived_from=[self.fact()],
        )

    def once_more(self) -> None:
        fact = self.held()
        self.me.add_fact(fact.content, predicate=fact.predicate, value=fact.value, type=fact.memory_type.value)

    def let_time_pass(self) -> None:
        self.clock.move(days=self.random.choice([1, 3, 10, 40, 100]))

    def end(self) -> None:
        self.me.end_session()

    def tidy(self) -> None:
        self.memory.lifecycle.run()

    def ask(self, question: str, budget: int, known_at: Any = None) -> Context:
        return self.me.context(question, budget=budget, system=["be kind"], known_at=known_at)


def play(url: str, seed: int, rounds: int) -> None:
    clock = SteppingClock(instant(1, 9))
    models = {"embedder": WordEmbedder(), "extractor": LinesExtractor(), "clock": clock}
    policy = {"retention": {"archive_days": 0}}
    with muniment.open(url, policy=policy, **models) as memory:
        life = Life(memory, clock, seed)
        life.happen(40)
        kept: list[tuple[str, int, Context]] = []
        for _ in range(rounds):
            life.happen(8)
            question, budget = life.random.choice(QUESTIONS), life.random.choice([90, 250, 1200, 4000])
            kept.append((question, budget, life.ask(question, budget)))
        life.happen(40)
        for question, budget, made in kept:
            again = life.ask(question, budget, made.known_at)
            assert again.text == made.text, f"seed {seed}: {question!r} within {budget}"
            assert again.messages == made.messages
            assert again.anthropic() == made.anthropic()
            assert again.known_at == made.known_at
            assert again.made_with == made.made_with
            assert again.conflicts == made.conflicts
    with muniment.open(url, policy=policy, **models) as memory:
        life = Life(memory, clock, seed)
        for question, budget, made in kept:
            token = made.known_at.text  # type: ignore[union-attr]
            assert life.ask(question, budget, token).text == made.text, f"seed {seed}, opened anew: {question!r}"


@pytest.mark.parametrize("seed", range(int(os.environ.get("MUNIMENT_PAST_SEEDS", "4"))))
def test_a_past_context_is_rebuilt_to_the_byte(sqlite_url: str, seed: int) -> None:
    play(sqlite_url, seed, ROUNDS)


def test_a_past_context_is_rebuilt_to_the_byte_on_every_database(store_url: str) -> None:
    play(store_url, 1_000, 4)
