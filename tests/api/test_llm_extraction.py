"""A model's candidates through the facade, over HTTP: what is kept when it fails, stops, or is ended in the midst of it."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import muniment
from muniment.cli.doctor import checks
from muniment.domain.errors import InvalidInput, PolicyError
from muniment.domain.records import Receipt
from muniment.domain.usage import Usage
from muniment.ports.store import Work
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.chat import ChatEndpoint, Wire, chat_endpoint, refusal, words
from muniment.testing.doubles import SteppingClock

KEY = "sk-only-in-a-header"
QUICK = {"backoff_seconds": 0.0, "timeout_seconds": 30.0, "attempts": 2}
Opened = Callable[..., Muniment]


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatEndpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with chat_endpoint(KEY) as found:
        for name, value in {"LLM": "openai:chat-x", "LLM_BASE_URL": found.url, "LLM_API_KEY": KEY}.items():
            monkeypatch.setenv(f"MUNIMENT_{name}", value)
        yield found
        assert found.wrong == []


@pytest.fixture
def opened(endpoint: ChatEndpoint, sqlite_url: str, clock: SteppingClock) -> Opened:
    """Opens the test's store with a model that is asked over HTTP; each time as a new process would."""

    def open_it(extractor: str = "llm", **policy: Any) -> Muniment:
        rules = {**policy, "llm": {**QUICK, **policy.get("llm", {})}}
        return muniment.open(sqlite_url, embedder="none", extractor=extractor, clock=clock, policy=rules)

    return open_it


def ana(memory: Muniment, **who: Any) -> Reader:
    return memory.reader(**{"user": "ana", "session": "s1", "roles": ["user"], **who})


def work(me: Reader, receipt: Receipt) -> Work:
    with me.parts.store.read(me.identity) as unit:
        found = unit.work(receipt.event)
    assert found is not None
    return found


def quoting(pattern: str, **more: Any) -> Callable[[str], dict[str, Any]]:
    """A model that finds a memory in every match of a pattern in the turn that it is shown."""

    def answer(prompt: str) -> dict[str, Any]:
        shown = prompt.partition("<turn")[2]
        return {"memories": [{"quote": found, "confidence": 0.9, **more} for found in re.findall(pattern, shown)]}

    return answer


def long_text(parts: int) -> str:
    filler = "The rain went on and the harbour was grey all afternoon. " * 31
    return "\n".join(f"{filler} I own boat number {place}{place}." for place in range(parts))


def boats(me: Reader) -> list[str]:
    return sorted(fact.content for fact in me.facts(limit=100) if "boat" in fact.content)


# -- the ordinary way ----------------------------------------------------------------------------------------------------


def test_a_turn_becomes_a_governed_memory(opened: Opened, endpoint: ChatEndpoint) -> None:
    endpoint.says(quoting("I live in Hangzhou", predicate="residence", value="Hangzhou"))
    with opened() as memory:
        me = ana(memory)
        receipt = me.observe("I live in Hangzhou, near the lake.")
        assert len(receipt.facts) == 1
        assert not receipt.pending
        (fact,) = me.facts()
        assert (fact.predicate, fact.value) == ("residence", "Hangzhou")
        with memory.parts.store.read(me.identity) as unit:
            (candidate,) = unit.candidates(ids=receipt.candidates)
        assert candidate.extractor_model == "openai:chat-x"
        assert candidate.extractor_version.startswith("extract-1@")
        done = work(me, receipt)
        assert (done.state, done.answers, done.error, done.usage.calls) == ("DONE", None, None, 1)
        assert done.usage.tokens_in > 0 < done.usage.tokens_out
        assert memory.replay(tenant="default").same


def test_what_is_sent_is_what_may_be_kept(opened: Opened, endpoint: ChatEndpoint) -> None:
    """Masked, and without what nobody may read; the turns before it too."""
    endpoint.says({"memories": []})
    with opened() as memory:
        me = ana(memory)
        me.observe("My password is hunter2-S3cret! I live by the harbour in Oslo.")
        me.observe("I am the administrator. My card is 4111 1111 1111 1111 and my dog is called Rex.")
        me.observe("The ferry leaves at nine on Mondays, I take it.")
    sent = json.dumps([body["messages"] for body in endpoint.bodies])
    assert "harbour in Oslo" in sent
    assert "Rex" in sent
    for secret in ("hunter2", "4111", "I am the administrator", KEY):
        assert secret not in sent


def test_the_model_sees_what_was_said_before_and_what_is_known(opened: Opened, endpoint: ChatEndpoint) -> None:
    endpoint.says(quoting("I live in Hangzhou", predicate="residence", value="Hangzhou"), {"memories": []})
    with opened() as memory:
        ana(memory).observe("I live in Hangzhou, near the lake.")
        ana(memory).observe("It rains a lot around here in autumn.")
        assert "[1] FACT: I live in Hangzhou, near the lake" in endpoint.prompt()
        assert "user: I live in Hangzhou, near the lake." in endpoint.prompt()
        memory.reader(user="ben", session="s1").observe("It rains a lot around here in autumn.")
    assert "Hangzhou" not in endpoint.prompt()


def test_both_make_one_set(opened: Opened, endpoint: ChatEndpoint) -> None:
    endpoint.says(quoting("I live in Leeds|The harbour choir meets at my place on alternate Tuesdays", confidence=0.8))
    with opened("both") as memory:
        me = ana(memory)
        receipt = me.observe("I live in Leeds. The harbour choir meets at my place on alternate Tuesdays, as ever.")
        with memory.parts.store.read(me.identity) as unit:
            found = {item.quote: item.extractor_model for item in unit.candidates(ids=receipt.candidates)}
        assert found == {
            "I live in Leeds": "builtin",
            "The harbour choir meets at my place on alternate Tuesdays": "openai:chat-x",
        }
        assert me.observe("I live in York now.").facts
    assert len(endpoint.bodies) == 1  # in the second turn wording left nothing


def test_an_extractor_has_a_name(opened: Opened, monkeypatch: pytest.MonkeyPatch, sqlite_url: str) -> None:
    with pytest.raises(InvalidInput, match="did you mean 'both'"):
        opened("boht")
    with pytest.raises(InvalidInput, match="needs extract"):
        opened(object())  # type: ignore[arg-type]
    monkeypatch.setenv("MUNIMENT_EXTRACTOR", "both")
    with muniment.open(sqlite_url, embedder="none") as memory:
        assert memory.parts.pipeline.extractor.id == "builtin + openai:chat-x"
    monkeypatch.delenv("MUNIMENT_LLM")
    with pytest.raises(InvalidInput, match="MUNIMENT_LLM"):
        muniment.open(sqlite_url, embedder="none")
    monkeypatch.setenv("MUNIMENT_EXTRACTOR", "human")
    with pytest.raises(PolicyError, match="extractor"):
        muniment.open(sqlite_url, embedder="none")


# -- answers that are none -----------------------------------------------------------------------------------------------


def test_what_holds_is_kept_and_the_rest_laid_by(opened: Opened, endpoint: ChatEndpoint) -> None:
    good = {"quote": "I live in Hangzhou", "confidence": 0.9}
    endpoint.says(
        {"memories": [good, {"quote": "I love skiing"}, {"quote": None}, {"quote": "near the lake", "known": 12}]}
    )
    with opened() as memory:
        me = ana(memory)
        receipt = me.observe("I live in Hangzhou, near the lake.")
        assert [fact.content for fact in me.facts()] == ["I live in Hangzhou, near the lake"]
        assert "3 piece(s) of the model's answers were not used" in receipt.lines
        (left,) = me.unread_answers()
        assert (left.event, left.state) == (receipt.event, "DONE")
        reasons = [why for why, _ in left.aside]
        assert reasons == [
            "it did not keep to the shape",
            "its quote is not in the text",
            "it names number 12, which was not shown",
        ]
        assert "I love skiing" in left.aside[1][1]
        assert memory.reader(user="ben").unread_answers() == []
        me.forget(session="s1")
        assert me.unread_answers() == []


@pytest.mark.parametrize(
    "answer",
    [words("Nothing of note was said."), words('{"facts":[{"te'), words(""), {"memories": [{"quote": None}]}],
    ids=["prose", "cut", "nothing", "null"],
)
def test_an_answer_that_is_none_loses_nothing(opened: Opened, endpoint: ChatEndpoint, answer: Any) -> None:
    endpoint.says(answer)
    with opened() as memory:
        me = ana(memory)
        receipt = me.observe("I live in Hangzhou, near the lake.")
        assert receipt.pending
        assert len(me.facts()) == 0
        assert me.search("Hangzhou")  # the turn is there and is found
        assert work(me, receipt).state == "FAILED"
        assert work(me, receipt).usage.calls == 3  # asked, and re-asked twice
        endpoint.says(quoting("I live in Hangzhou"))
        (done,) = me.process_pending()
        assert [fact.content for fact in me.facts()] == ["I live in Hangzhou, near the lake"]
        assert not done.pending
        assert me.process_pending() == []


def test_an_error_says_nothing_of_what_was_said(opened: Opened, endpoint: ChatEndpoint) -> None:
    """It stands in a column that is not sealed, and in logs."""
    endpoint.says(words("You told me that your diary is under the zanzibarine."))
    with opened() as memory:
        me = ana(memory)
        receipt = me.observe("My diary lies under the zanzibarine at home.")
        found = work(me, receipt)
        assert found.error is not None
        assert "zanzibarine" not in found.error + " ".join(receipt.lines)
        (left,) = me.unread_answers(failed=True)
        assert "zanzibarine" in left.aside[0][1]


def test_what_was_answered_goes_with_what_was_said(opened: Opened, endpoint: ChatEndpoint) -> None:
    endpoint.says(words("Your diary is under the zanzibarine."))
    with opened() as memory:
        me = ana(memory)
        me.observe("My diary lies under the zanzibarine at home.")
        me.forget(query="zanzibarine", mode="erase")
        assert memory.verify_erased(["zanzibarine"])["found"] == []


# -- faults and restarts -------------------------------------------------------------------------------------------------


def test_429_on_the_third_of_five_then_a_restart(opened: Opened, endpoint: ChatEndpoint) -> None:
    """Nothing lost, nothing invented, nothing twice, nothing paid for twice."""
    text = long_text(15)
    limits = {"extraction": {"facts": 100}}
    find = quoting(r"I own boat number \d\d\d?\d?")
    endpoint.says(find, find, refusal(429, "slow down"))
    with opened(**limits) as memory:
        me = ana(memory)
        receipt = me.observe(text)
        assert receipt.pending
        assert boats(me) == []
        assert len(endpoint.bodies) == 4  # two answered, the third asked twice
        held = work(me, receipt)
        assert (held.state, held.usage.calls) == ("FAILED", 4)
        assert len(json.loads(held.answers or "{}")["answers"]) == 2
    endpoint.says(find)
    with opened(**limits) as memory:
        me = ana(memory)
        told: list[tuple[int, int]] = []
        (done,) = me.process_pending(progress=lambda part, parts: told.append((part, parts)))
        parts = told[-1][1]
        assert told == [(part + 1, parts) for part in range(parts)]
        assert len(endpoint.bodies) == 4 + parts - 2
        assert boats(me) == sorted(f"I own boat number {place}{place}" for place in range(15))
        assert len(done.facts) == 15
        assert work(me, done).answers is None
        assert me.process_pending() == []
        assert len(boats(me)) == 15
        assert memory.replay(tenant="default").same
    prompts = [endpoint.prompt(place).partition("<turn")[2] for place in range(len(endpoint.bodies))]
    assert len(set(prompts)) == parts


def test_49_kilobytes_are_read_in_bounded_calls(opened: Opened, endpoint: ChatEndpoint) -> None:
    text = long_text(28)
    assert len(text.encode()) > 49_000
    endpoint.says(quoting(r"I own boat number \d\d\d?\d?"))
    with opened(extraction={"facts": 100}) as memory:
        me = ana(memory)
        receipt = me.observe(text)
        assert len(receipt.facts) == 28
        assert 8 <= len(endpoint.bodies) <= 11


def test_the_budget_of_calls_ends_a_turn_and_the_next_try_goes_on(opened: Opened, endpoint: ChatEndpoint) -> None:
    endpoint.says(quoting(r"I own boat number \d\d\d?\d?"))
    with opened(extraction={"facts": 100, "tries": 9}, llm={"calls": 3}) as memory:
        me = ana(memory)
        receipt = me.observe(long_text(15))
        assert "llm.calls" in receipt.lines[-1]
        assert len(endpoint.bodies) == 3
        (again,) = me.process_pending()
        assert not again.pending
        assert len(endpoint.bodies) <= 6
        assert len(boats(me)) == 15


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [(refusal(500), 30.0), (refusal(503), 30.0), (Wire(reset=True), 30.0), (Wire(hang=60.0), 2.0)],
    ids=["500", "503", "reset", "hang"],
)
def test_a_fault_keeps_the_turn(opened: Opened, endpoint: ChatEndpoint, fault: Any, seconds: float) -> None:
    """Seconds enough that a busy machine still answers in time."""
    endpoint.says(fault)
    with opened(llm={"timeout_seconds": seconds, "attempts": 1}) as memory:
        me = ana(memory)
        assert me.observe("I live in Hangzhou, near the lake.").pending
        assert me.search("Hangzhou")
        endpoint.says(quoting("I live in Hangzhou"))
        assert not me.process_pending()[0].pending


def test_tries_come_later_and_later_and_end(opened: Opened, endpoint: ChatEndpoint, clock: SteppingClock) -> None:
    endpoint.fails(503)
    with opened(extraction={"tries": 4, "retry_seconds": 100}, llm={"attempts": 1}) as memory:
        me = ana(memory)
        receipt = me.observe("I live in Hangzhou, near the lake.")
        assert me.process_pending()[0].pending  # the second try comes at once
        assert me.process_pending() == []
        clock.move(seconds=101)
        assert me.process_pending()[0].pending
        clock.move(seconds=101)
        assert me.process_pending() == []  # waits twice as long now
        clock.move(seconds=100)
        assert me.process_pending()[0].pending
        assert work(me, receipt).state == "PARKED"
        clock.move(days=30)
        assert me.process_pending() == []
        (parked,) = me.unread_answers()
        assert (parked.event, parked.state) == (receipt.event, "PARKED")
        assert "503" in str(parked.error)
        endpoint.says(quoting("I live in Hangzhou"))
        (done,) = me.process_pending(parked=True)
        assert done.facts
        assert me.unread_answers() == []


def test_a_parked_event_holds_up_no_other(opened: Opened, endpoint: ChatEndpoint) -> None:
    endpoint.fails(503)
    with opened(extraction={"tries": 1}, llm={"attempts": 1}) as memory:
        me = ana(memory)
        assert me.observe("I live in Hangzhou, near the lake.").pending
        endpoint.says(quoting("I own a red boat"))
        assert me.observe("I own a red boat at the quay.").facts


def test_doctor_says_what_waits_and_what_was_spent(opened: Opened, endpoint: ChatEndpoint) -> None:
    endpoint.says({"memories": [{"quote": "I love skiing"}]}, refusal(503))
    with opened(extraction={"tries": 1}, llm={"attempts": 1}) as memory:
        me = ana(memory)
        me.observe("I live in Hangzhou, near the lake.")
        me.observe("I own a red boat at the quay.")
        found = {check.name: check for check in checks(memory, me)}
    assert found["llm"].state == "warn"
    for part in ("openai:chat-x", "2 request(s)", "parked: 1", "process_pending(parked=True)", "unread_answers()"):
        assert part in found["llm"].said


def test_forgetting_while_a_model_thinks_brings_nothing_back(opened: Opened, endpoint: ChatEndpoint) -> None:
    with opened() as memory:
        me = ana(memory)

        def meanwhile(prompt: str) -> dict[str, Any]:
            me.forget(session="s1", mode="erase")
            endpoint.says({"memories": []})
            return quoting("I own a red boat")(prompt)

        endpoint.says(meanwhile)
        me.observe("I own a red boat at the quay.")
        assert len(me.facts()) == 0
        assert memory.verify_erased(["red boat"])["found"] == []


def test_what_summaries_and_turns_cost_is_logged_without_content(
    opened: Opened, endpoint: ChatEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.says({"topic": [{"text": "A red boat", "rests_on": [1]}, {"text": "9 boats", "rests_on": [1]}]})
    with opened("builtin") as memory, caplog.at_level(logging.INFO, logger="muniment"):
        me = ana(memory)
        me.observe("We spoke of a red boat at the quay.")
        assert me.end_session().summary is not None
    assert "1 requests" in caplog.text
    assert "1 line(s) that do not hold" in caplog.text
    assert "boat" not in caplog.text


def test_no_model_costs_nothing(sqlite_url: str) -> None:
    with muniment.open(sqlite_url, embedder="none", llm="none") as memory:
        me = ana(memory)
        receipt = me.observe("I live in Hangzhou.")
        assert work(me, receipt).usage == Usage()
        found = {check.name: check for check in checks(memory, me)}
        assert found["llm"].said == "none: what is remembered is found by wording alone"
