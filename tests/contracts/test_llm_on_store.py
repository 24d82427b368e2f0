"""What a model answered, on every backend: kept between tries, counted, parked, erased.

Belongs here: what goes through the statements of each database. Does not belong here: what is believed of an answer (tests/unit).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from muniment.domain.errors import ModelError
from muniment.domain.usage import Usage
from muniment.models.llm_extractor.shape import Found, Memory
from muniment.ports.llm import Budget, Reply, Unreadable
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.testing.contract_base import instant
from muniment.testing.doubles import SteppingClock

ODD = "nul\x00 half \ud83d whole \U0001f98a 中文 <b>&amp;</b> \\u4e2d"
BIG = 5_000_000_000
LONG = "\n".join(f"{'The rain went on all afternoon. ' * 20} I own boat number {place}{place}." for place in range(3))


class Model:
    """A model that answers each part with what a test says, in turn."""

    id = "model-x"

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.asked = 0

    def answer(self, instructions: str, prompt: str, shape: type[Any], budget: Budget) -> Reply[Any]:
        self.asked += 1
        budget.spend(Usage(calls=1, tokens_in=BIG, tokens_out=7))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Reply(value=Found(memories=[Memory(quote=quote, confidence=0.9) for quote in answer]))


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock(instant(1))


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def memory(store_url: str, clock: SteppingClock, model: Model) -> Iterator[Muniment]:
    policy = {"extraction": {"chunk_chars": 800, "overlap_chars": 0, "tries": 3}}
    with StoreContract().open(store_url, clock=clock, policy=policy, llm=model, extractor="llm") as memory:
        yield memory


@pytest.fixture
def me(memory: Muniment) -> Reader:
    return memory.reader(tenant="acme", user="ana", session="s1")


def test_answers_are_kept_counted_and_gone_when_the_event_is_done(me: Reader, model: Model) -> None:
    model.answers = [["I own boat number 00"], [f"I own boat {ODD}"], ModelError("429")]
    receipt = me.observe(LONG)
    with me.parts.store.read(me.identity) as unit:
        held = unit.work(receipt.event)
    assert held is not None
    assert (held.state, held.attempts, held.usage) == ("FAILED", 1, Usage(calls=3, tokens_in=3 * BIG, tokens_out=21))
    assert len(json.loads(str(held.answers))["answers"]) == 2
    model.answers = [["I own boat number 22"]]
    (done,) = me.process_pending()
    assert len(done.facts) == 2
    with me.parts.store.read(me.identity) as unit:
        after = unit.work(receipt.event)
        states, usage = unit.progress()
    assert after is not None
    assert (after.state, after.attempts, after.usage.calls) == ("DONE", 2, 4)
    assert set(json.loads(str(after.answers))) == {"aside"}
    assert states == {"DONE": 1, "UNREAD": 1}
    assert usage == Usage(calls=4, tokens_in=4 * BIG, tokens_out=28)
    (left,) = me.unread_answers()
    assert [why for why, _ in left.aside] == ["its quote is not in the text"]
    assert "中文" in left.aside[0][1]


def test_tries_end(me: Reader, model: Model, clock: SteppingClock) -> None:
    model.answers = [Unreadable("no shape", said=ODD), ModelError("down"), ModelError("down")]
    receipt = me.observe("I own a red boat at the quay.")
    assert me.process_pending()[0].pending
    assert me.process_pending() == []
    clock.move(hours=1)
    assert me.process_pending()[0].pending
    clock.move(days=9)
    assert me.process_pending() == []
    (parked,) = me.unread_answers()
    assert (parked.event, parked.state, parked.error) == (receipt.event, "PARKED", "down")
    model.answers = [["I own a red boat"]]
    assert me.process_pending(parked=True)[0].facts
    assert me.unread_answers() == []


def test_nothing_of_an_answer_outlives_an_erase(memory: Muniment, me: Reader, model: Model) -> None:
    model.answers = [
        Unreadable("no shape", said="Your zanzibarine is in the \\u7801\\u5934\\u8fb9 shed"),
        ["I own a red boat"],
    ]
    me.observe("The zanzibarine lies in the 码头边 shed.")
    me.observe("I own a red boat at the quay.")
    assert "码头边" in me.unread_answers(failed=True)[0].aside[0][1]
    me.forget(query="zanzibarine", mode="erase")
    assert memory.verify_erased(["zanzibarine", "码头边"])["found"] == []
    assert len(me.facts()) == 1
