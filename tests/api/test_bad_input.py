"""What callers get wrong: each is refused with a clear error of ours, before anything is written, or kept as what it is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

import muniment
from muniment import Candidate, InvalidInput, NaiveInstant, NotFound, TooLarge, UnknownField
from muniment.ports.store import FactFilter
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract_base import instant

NAIVE = datetime(2026, 6, 1, 9)  # noqa: DTZ001
DEEP: Any = {"x": 1}
for _ in range(60):
    DEEP = {"x": DEEP}
VERY_DEEP: Any = []
for _ in range(100_000):
    VERY_DEEP = [VERY_DEEP]
CYCLE: dict[str, Any] = {}
CYCLE["me"] = CYCLE


def state(reader: Reader) -> Any:
    """Counts, versions and index entries."""
    with reader.parts.store.read(reader.identity) as unit:
        rows = unit.facts(FactFilter(include_inactive=True))
        entries = {key: found.count for key, found in unit.partition_states(reader.parts.store.partitions()).items()}
        return dict(unit.counts()), [(row.fact_id, row.revision, row.retracted_at) for row in rows], entries


@pytest.fixture
def told(me: Reader) -> Reader:
    me.observe("likes: tea", idempotency_key="k")
    return me


REFUSED: list[tuple[str, type[Exception], Callable[[Reader], Any]]] = [
    ("empty", InvalidInput, lambda me: me.observe("")),
    ("white space", InvalidInput, lambda me: me.observe(" \n\t\u3000")),
    ("only NUL", InvalidInput, lambda me: me.observe("\x00\x00")),
    ("not text", InvalidInput, lambda me: me.observe(b"tea")),
    ("none", InvalidInput, lambda me: me.observe(None)),
    ("200 001 characters", TooLarge, lambda me: me.observe("a" * 200_001)),
    ("a document of 5 000 001", TooLarge, lambda me: me.observe_document("a" * 5_000_001)),
    ("a naive instant", NaiveInstant, lambda me: me.observe("tea", occurred_at=NAIVE)),
    ("a naive text", NaiveInstant, lambda me: me.observe("tea", occurred_at="2026-06-01T09:00:00")),
    ("no instant", InvalidInput, lambda me: me.observe("tea", occurred_at="yesterday")),
    ("a number for an instant", InvalidInput, lambda me: me.observe("tea", occurred_at=1_700_000_000)),
    ("an unknown field", UnknownField, lambda me: me.observe("tea", sesion="s")),
    ("an unknown actor", InvalidInput, lambda me: me.observe("tea", actor="robot")),
    ("no actor", InvalidInput, lambda me: me.observe("tea", actor="")),
    ("deep metadata", TooLarge, lambda me: me.observe("tea", metadata=DEEP)),
    ("very deep metadata", TooLarge, lambda me: me.observe("tea", metadata={"x": VERY_DEEP})),
    ("a cycle", TooLarge, lambda me: me.observe("tea", metadata=CYCLE)),
    ("large metadata", TooLarge, lambda me: me.observe("tea", metadata={"x": "a" * 70_000})),
    ("NaN", InvalidInput, lambda me: me.observe("tea", metadata={"x": float("nan")})),
    ("infinity", InvalidInput, lambda me: me.observe("tea", payload={"x": [float("inf")]})),
    ("a huge integer", InvalidInput, lambda me: me.observe("tea", metadata={"x": 2**63})),
    ("bytes in metadata", InvalidInput, lambda me: me.observe("tea", metadata={"x": b"1"})),
    ("a key that is no text", InvalidInput, lambda me: me.observe("tea", metadata={1: "x"})),
    ("metadata that is text", InvalidInput, lambda me: me.observe("tea", metadata="x")),
    ("metadata that is a list", InvalidInput, lambda me: me.observe("tea", payload=[("a", 1)])),
    ("a long session", InvalidInput, lambda me: me.observe("tea", session="s" * 129)),
    ("an empty session", InvalidInput, lambda me: me.observe("tea", session="")),
    ("a control character in a key", InvalidInput, lambda me: me.observe("tea", idempotency_key="a\nb")),
    ("a surrogate in a key", InvalidInput, lambda me: me.observe("tea", session="\ud800")),
    ("an empty idempotency key", InvalidInput, lambda me: me.observe("tea", idempotency_key="")),
    ("an empty source", InvalidInput, lambda me: me.observe("tea", source="")),
    ("a source of NUL", InvalidInput, lambda me: me.observe("tea", source="\x00")),
    ("a long source", InvalidInput, lambda me: me.observe("tea", source="s" * 65)),
    ("a long locator", InvalidInput, lambda me: me.observe("tea", locator="s" * 513)),
    ("a source that is no text", InvalidInput, lambda me: me.observe("tea", source=3)),
    ("a trust that is no number", InvalidInput, lambda me: me.observe("tea", trust="high")),
    ("a trust that fits no column", InvalidInput, lambda me: me.observe("tea", trust=-(10**12))),
    ("a batch with one of them", InvalidInput, lambda me: me.observe_many([{"content": "fine"}, {"content": ""}])),
    ("a batch with an unknown field", UnknownField, lambda me: me.observe_many([{"content": "a"}, {"content": "b", "x": 1}])),
    ("a fact without words", InvalidInput, lambda me: me.add_fact("")),
    ("an empty value", InvalidInput, lambda me: me.add_fact("x", predicate="p", value=" ")),
    ("a value that is no text", InvalidInput, lambda me: me.add_fact("x", predicate="p", value=8)),
    ("a long predicate", InvalidInput, lambda me: me.add_fact("x", predicate="p" * 257, value="v")),
    ("a predicate that grows", InvalidInput, lambda me: me.add_fact("x", predicate="\ufdfa" * 100, value="v")),
    ("a long subject", InvalidInput, lambda me: me.add_fact("x", subject="p" * 300, predicate="p")),
    ("a huge value", TooLarge, lambda me: me.add_fact("x", predicate="p", value="v" * 1_000_000)),
    ("a naive start", NaiveInstant, lambda me: me.add_fact("x", valid_from=NAIVE)),
    ("an end before the start", InvalidInput, lambda me: me.add_fact("x", valid_from=instant(2), valid_until=instant(1))),
    ("an end at the start", InvalidInput, lambda me: me.add_fact("x", valid_from=instant(2), valid_until=instant(2))),
    ("an unknown type", InvalidInput, lambda me: me.add_fact("x", type="LIKING")),
    ("an unknown scope", InvalidInput, lambda me: me.add_fact("x", scope="WORLD")),
    ("too much confidence", InvalidInput, lambda me: me.add_fact("x", confidence=1.01)),
    ("confidence that is none", InvalidInput, lambda me: me.add_fact("x", confidence=float("nan"))),
    ("confidence in words", InvalidInput, lambda me: me.add_fact("x", confidence="high")),
    ("bad metadata of a fact", InvalidInput, lambda me: me.add_fact("x", metadata={"n": float("nan")})),
    ("deep metadata of a fact", TooLarge, lambda me: me.add_fact("x", metadata=DEEP)),
    ("a trust in words", InvalidInput, lambda me: me.add_fact("x", trust="high")),
    ("a naive end of a proposal", NaiveInstant, lambda me: me.propose([Candidate(content="x", valid_until=NAIVE)])),
    ("a huge proposal", TooLarge, lambda me: me.propose([Candidate(content="x" * 200_001)])),
    ("another body under a key", Exception, lambda me: me.observe("likes: rum", idempotency_key="k")),
    ("no such fact", NotFound, lambda me: me.invalidate("0198f3a2-0000-7000-8000-000000000000")),
    ("no id", InvalidInput, lambda me: me.invalidate("the first one")),
    ("a correction of nothing", InvalidInput, lambda me: me.correct(me.facts()[0].id)),
    ("a correction to nothing", InvalidInput, lambda me: me.correct(me.facts()[0].id, value="  ")),
    ("a change to nothing", InvalidInput, lambda me: me.change(me.facts()[0].id, value="")),
    ("a change that is naive", NaiveInstant, lambda me: me.change(me.facts()[0].id, value="x", at=NAIVE)),
    ("a correction too long", TooLarge, lambda me: me.correct(me.facts()[0].id, value="x" * 501)),
    ("a correction turned round", InvalidInput,
     lambda me: me.correct(me.facts()[0].id, valid_from=instant(3), valid_until=instant(2))),
    ("a secret as correction", InvalidInput, lambda me: me.correct(me.facts()[0].id, value="password: hunter2secret")),
]  # fmt: skip


@pytest.mark.parametrize(("error", "work"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused_before_anything_is_written(
    told: Reader, error: type[Exception], work: Callable[[Reader], Any]
) -> None:
    before = state(told)
    with pytest.raises(error) as caught:
        work(told)
    assert str(caught.value)
    assert len(str(caught.value)) < 1_000
    assert state(told) == before
    assert told.observe("likes: coffee").facts


@pytest.mark.parametrize("name", ["tenant", "user", "session", "task", "agent"])
@pytest.mark.parametrize("key", ["", "a" * 129, "a\nb", "a\x00", "\x7f", "\ud800", 7, None], ids=repr)
def test_a_reader_of_no_key(memory: Muniment, name: str, key: Any) -> None:
    if key is None and name not in ("tenant", "user"):
        memory.reader(**{"user": "ana", name: None})
        return
    with pytest.raises(InvalidInput, match=name):
        memory.reader(**{"user": "ana", name: key})


def test_a_reader_of_odd_lists(memory: Muniment) -> None:
    for given in (
        {"departments": "travel"},
        {"roles": "admin"},
        {"roles": ["root"]},
        {"departments": [1]},
        {"departments": [""]},
    ):
        with pytest.raises(InvalidInput):
            memory.reader(user="ana", **given)  # type: ignore[arg-type]
    assert memory.reader(user="a" * 128).facts().items == ()


@pytest.mark.parametrize("said", ["I live in Oslo", "我住在杭州"])
def test_a_byte_order_mark_hides_no_fact(sqlite_url: str, said: str) -> None:
    with muniment.open(sqlite_url, embedder="none") as memory:
        me = memory.reader(user="ana")
        me.observe("\ufeff" + said)
        assert [fact.predicate for fact in me.facts()] == ["residence"]


@pytest.mark.parametrize(
    ("given", "kept", "flag"),
    [
        ("\ufeffa violin", "a violin", "bom"),
        ("a\x00violin", "aviolin", "nul"),
        ("a \ud83d violin", "a \ufffd violin", "surrogate"),
        ("a \ud83c\udfbb violin", "a 🎻 violin", "surrogate"),
        ("a\x07 violin\x1b[31m", "a violin[31m", "control"),
    ],
)
def test_characters_that_no_store_holds_are_taken_out_and_flagged(me: Reader, given: str, kept: str, flag: str) -> None:
    said = me.observe(given, metadata={"k\x00": given}, speaker=given[:20])
    (hit,) = me.search("violin", channels=["evidence"])
    assert hit.text == kept
    assert hit.item.metadata == {"k": kept}
    with me.parts.store.read(me.identity) as unit:
        assert flag in unit.events([said.event])[0].metadata["sanitised"]
    fact = me.add_fact(given, predicate=given, value=given, qualifier=given, metadata={"m": given}).facts[0]
    me.correct(fact, value=f"{given} again", reason=given)
    (version,) = [row for row in me.history(fact) if row.retracted_at is None]
    assert version.value == f"{kept} again"
    assert version.reason == kept
    assert version.metadata == {"m": kept}
    me.forget(fact=fact, reason=given)


def test_a_megabyte_is_kept_whole_as_a_document(me: Reader) -> None:
    text = "The harbour was quiet. " * 45_000 + "A violin was heard."
    assert len(text) > 1_000_000
    said = me.observe_document(text)
    with me.parts.store.read(me.identity) as unit:
        pieces = unit.evidence(said.evidence)
    assert "A violin was heard." in " ".join(pieces[ref].content for ref in said.evidence[-2:])
    assert "violin" in me.search("violin heard")[0].text


def test_the_largest_message_is_kept_whole(me: Reader) -> None:
    text = "a violin " + "é" * 199_991
    assert len(text) == 200_000
    me.observe(text)
    assert me.search("violin", channels=["evidence"])[0].text == text


def test_instants_at_the_ends_of_time(me: Reader) -> None:
    for at in (datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)):
        said = me.observe("the violin", occurred_at=at)
        assert me.explain(me.add_fact("x", predicate=f"p{at.year}", valid_from=at).facts[0])
        with me.parts.store.read(me.identity) as unit:
            assert unit.events([said.event])[0].occurred.at == at
    assert me.search("violin", until=datetime(1, 1, 3, tzinfo=UTC))
    assert len(me.facts(valid_at=datetime(9999, 12, 31, tzinfo=UTC), limit=5)) <= 5
    me.context("violin", valid_at=datetime(1, 1, 1, tzinfo=UTC))


WRONG_KINDS = {
    "k": [lambda me, bad=bad: me.search("violin", k=bad) for bad in ("3", 1.5, None, True, 0)],
    "min_score": [lambda me, bad=bad: me.search("violin", min_score=bad) for bad in ("0.5", float("nan"), 1.5)],
    "limit": [lambda me, bad=bad: me.facts(limit=bad) for bad in ("3", 2.5, True, 0)],
    "status key": [lambda me, bad=bad: me.set_status(bad, "v") for bad in ("", " ", "\0", "::", None)],
    "value of status": [lambda me, bad=bad: me.set_status("step", bad) for bad in (object(), b"x", float("nan"), None)],
}


@pytest.mark.parametrize("name", WRONG_KINDS)
def test_a_value_of_the_wrong_kind_is_refused_by_name(me: Reader, name: str) -> None:
    for call in WRONG_KINDS[name]:
        with pytest.raises(InvalidInput, match=name):
            call(me)


def test_a_status_may_be_text_a_number_or_a_boolean(me: Reader) -> None:
    for value, kept in (("three", "three"), (3, "3"), (2.5, "2.5"), (True, "True"), ("第三步", "第三步")):
        me.set_status("step", value)
        assert me.status("step") == kept


SECRETS = {
    "words": lambda me: me.add_fact("my password is hunter2secret!"),
    "value": lambda me: me.add_fact("card", predicate="card", value="4111 1111 1111 1111"),
    "value alone": lambda me: me.set_status("password", "hunter2secret"),
    "metadata": lambda me: me.add_fact("a note", metadata={"k": ["password: hunter2secret"]}),
    "subject": lambda me: me.add_fact("a card", subject="4111 1111 1111 1111", predicate="kind", value="visa"),
    "proposal": lambda me: me.propose(
        [Candidate(content="password: hunter2secret", value="hunter2secret", confidence=0.9)]
    ),
    "reason": lambda me: me.invalidate(me.add_fact("x").facts[0], reason="password: hunter2secret"),
    "talk": lambda me: me.observe("password: hunter2secret", metadata={"x": "card 4111 1111 1111 1111"}),
}


@pytest.mark.parametrize("way", SECRETS)
def test_secrets_reach_the_file_by_no_door(sqlite_url: str, open_at: Any, way: str) -> None:
    from pathlib import Path

    with open_at(sqlite_url) as memory:
        me = memory.reader(user="ana")
        answer = SECRETS[way](me)
        for file in Path(sqlite_url.removeprefix("sqlite:///")).parent.iterdir():
            raw = file.read_bytes()
            assert b"hunter2secret" not in raw
            assert b"4111 1111 1111 1111" not in raw
            assert b"4111111111111111" not in raw
        assert "hunter2secret" not in repr(answer)
