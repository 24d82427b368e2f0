"""Forgetting on every store: what hides, what goes, what a paused worker and a repeated key find afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import create_engine, inspect, text

from muniment.domain.enums import Standing
from muniment.domain.errors import Conflict, Erased, Forbidden, InvalidInput, NotFound, TooLarge
from muniment.domain.forgotten import Forgotten
from muniment.domain.records import Candidate
from muniment.ports.models import Turn
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.testing.contract_base import believed, timeline, value
from muniment.testing.doubles import LinesExtractor, SteppingClock, WordEmbedder

CANARY = "zanzibarine"
HAN = "桑给巴尔的秘密"
open_at = StoreContract().open


class Paused(LinesExtractor):
    """A model that is called outside of the transaction, and while it is at it, something else happens once."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        super().__init__(local=False)
        self.meanwhile: Callable[[], object] | None = meanwhile

    def extract(self, turn: Turn) -> Sequence[Candidate]:
        found = super().extract(turn)
        then, self.meanwhile = self.meanwhile, None
        if then is not None:
            then()
        return found


@pytest.fixture
def memory(store_url: str) -> Iterator[Muniment]:
    with open_at(store_url, clock=SteppingClock(), embedder=WordEmbedder()) as memory:
        yield memory


@pytest.fixture
def me(memory: Muniment) -> Reader:
    return memory.reader(tenant="acme", user="ana", session="s1")


def everywhere(me: Reader, words: str) -> list[str]:
    """Every text that any channel gives for the words, in any session the test uses."""
    found = [hit.text for hit in me.search(words, k=50)] + [fact.content for fact in me.facts()]
    return [*found, me.context(words).text]


def cells(url: str, words: str) -> list[str]:
    """Where raw rows hold the words."""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:").replace("mysql:", "mysql+pymysql:"))
    found = []
    with engine.connect() as connection:
        for table in inspect(connection).get_table_names():
            quoted = connection.dialect.identifier_preparer.quote(table)
            for row in connection.execute(text(f"SELECT * FROM {quoted}")).mappings():
                for name, cell in row.items():
                    raw = bytes(cell) if isinstance(cell, (bytes, memoryview)) else str(cell).encode()
                    if words.encode() in raw or (cell is not None and words.encode("unicode_escape") in raw):
                        found.append(f"{table}.{name}")
    engine.dispose()
    return found


def erased(receipt: object) -> Forgotten:
    assert isinstance(receipt, Forgotten)
    return receipt


# -- selectors -------------------------------------------------------------------------------------------------------


def test_a_selector_that_names_nothing_is_refused(memory: Muniment) -> None:
    admin = memory.reader(tenant="acme", user="ana", roles=["admin"])
    admin.observe("likes: tea")
    for by in ("fact", "session", "task", "user", "tenant", "query"):
        for name in ("*", "%", "_", "all", " ", "", "\t\n", "...", "所有"):
            with pytest.raises(InvalidInput, match="names nothing"):
                admin.forget(**{by: name}, mode="erase")  # type: ignore[arg-type]
    assert len(admin.facts()) == 1


def test_exactly_one_selector(me: Reader) -> None:
    for given in ({}, {"session": "s1", "query": "tea"}):
        with pytest.raises(InvalidInput, match="exactly one"):
            me.forget(**given)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="mode"):
        me.forget(session="s1", mode="destroy")


def test_another_s_memory_takes_an_admin(memory: Muniment, me: Reader) -> None:
    fact = me.add_fact("likes tea", predicate="likes", value="tea").facts[0]
    eve = memory.reader(tenant="acme", user="eve", roles=["reviewer"])
    for given in ({"user": "ana"}, {"tenant": "acme"}):
        with pytest.raises(Forbidden):
            eve.forget(**given, mode="erase")  # type: ignore[arg-type]
    with pytest.raises(NotFound):
        eve.forget(fact=fact, mode="erase")
    stranger = memory.reader(tenant="other", user="ana", roles=["admin"])
    with pytest.raises(Forbidden):
        stranger.forget(tenant="acme", mode="erase")
    assert erased(stranger.forget(user="ana", mode="erase")).status == "nothing"
    assert value(me, "likes") == "tea"


def test_words_select_exactly(me: Reader) -> None:
    """Whole words, not what is like them; in Chinese too; an exact key in any spelling."""
    me.observe("likes: green tea")
    me.observe("likes: steak at the team house")
    me.observe("爱好: 我喜欢喝龙井茶")
    me.observe("my order is ORD-2024-001, please")
    listed = erased(me.forget(query="tea", dry_run=True))
    assert [item.words for item in listed.manifest if item.kind == "fact"] == ["likes: green tea"]
    assert erased(me.forget(query="TEA  ", dry_run=True)).manifest_hash == listed.manifest_hash
    assert [item.kind for item in erased(me.forget(query="龙井", dry_run=True)).manifest] == ["fact", "evidence"]
    assert len(erased(me.forget(query="ord-2024-001", dry_run=True)).manifest) == 1
    nothing = erased(me.forget(query="coffee", mode="erase"))
    assert (nothing.status, nothing.facts) == ("nothing", ())
    assert len(me.facts()) == 3


def test_too_many_are_not_forgotten_by_words(store_url: str) -> None:
    with open_at(store_url, policy={"limits": {"forget": 3}}) as memory:
        me = memory.reader(user="ana")
        for number in range(2):
            me.observe(f"likes: tea {number}")
        with pytest.raises(TooLarge, match=r"limits\.forget"):
            me.forget(query="tea")
        assert len(me.facts()) == 2


# -- hiding ----------------------------------------------------------------------------------------------------------


def test_a_hidden_session_is_in_no_channel(memory: Muniment, me: Reader) -> None:
    me.observe(f"likes: {CANARY} tea\nphone is 138 0013 8000")
    me.observe(f"is it {CANARY}?", actor="agent")
    me.propose([Candidate(content=f"owes {CANARY} 900 euros", predicate="debt", value="900 euros", confidence=0.6)])
    other = memory.reader(tenant="acme", user="ana", session="s2")
    other.observe("residence: Paris")
    before = me.facts().known_at
    receipt = erased(me.forget(session="s1"))
    assert receipt.counts["fact"] == 1
    for reader in (me, other):
        assert [item for item in everywhere(reader, CANARY) if CANARY in item and "likes" in item] == []
    assert me.lookup("phone", "13800138000") == []
    assert value(other, "residence") == "Paris"
    assert [row for row in me.facts(known_at=before) if CANARY in row.content] == []
    assert memory.review.list(by=me).items == ()


def test_a_fact_told_elsewhere_too_stays_in_those_words(memory: Muniment, me: Reader) -> None:
    for mode in ("hide", "erase"):
        one = memory.reader(tenant="acme", user=f"bo-{mode}", session="one")
        two = memory.reader(tenant="acme", user=f"bo-{mode}", session="two")
        fact = one.add_fact(f"moved to Lisbon with {CANARY}", predicate="residence", value="Lisbon").facts[0]
        assert two.add_fact("is in Lisbon", predicate="residence", value="Lisbon").facts == (fact,)
        one.forget(session="one", mode=mode)
        assert [row.content for row in two.facts(predicate="residence")] == ["is in Lisbon"]
        assert [row.content for row in two.history(fact) if CANARY in row.content] == []
        assert [text for text in everywhere(two, f"Lisbon {CANARY}") if f"with {CANARY}" in text] == []


def test_what_depended_on_it_is_asked_again(memory: Muniment, me: Reader) -> None:
    """Over any number of steps; with another ground it stands, weakened."""
    for mode in ("hide", "erase"):
        me = memory.reader(tenant="acme", user=f"di-{mode}")
        root = me.add_fact("works at Initech", predicate="employer", value="Initech").facts[0]
        other = me.add_fact("has a badge", predicate="badge", value="blue").facts[0]
        near = me.add_fact("parks at Initech", predicate="parking", value="Initech", derived_from=[root]).facts[0]
        far = me.add_fact("needs a permit", predicate="permit", value="P1", derived_from=[near]).facts[0]
        both = me.add_fact("may enter", predicate="entry", value="yes", derived_from=[root, other]).facts[0]
        me.forget(fact=root, mode=mode)
        standing = {row.fact_id: row for name in ("parking", "permit", "entry") for row in believed(me, name)}
        assert standing[near].standing is standing[far].standing is Standing.UNSUPPORTED
        assert (standing[both].standing, standing[both].weakened) == (Standing.HELD, True)
        me.invalidate(other)
        assert [row.standing for row in believed(me, "entry")] == [Standing.UNSUPPORTED]


def test_its_predecessor_extends_again(me: Reader) -> None:
    me.add_fact("lives in Oslo", predicate="residence", value="Oslo", valid_from="2026-01-01T00:00:00Z")
    new = me.add_fact("lives in Bergen", predicate="residence", value="Bergen", valid_from="2026-03-01T00:00:00Z")
    me.forget(fact=new.facts[0], mode="erase")
    assert [(row[0], row[2]) for row in timeline(me, "residence")] == [("Oslo", None)]


# -- erasing ---------------------------------------------------------------------------------------------------------


def write_everywhere(me: Reader) -> Any:
    """The canaries in every place content can be; the fact that says it."""
    said = me.observe(
        f"likes: {CANARY} {HAN}",
        metadata={"where": CANARY},
        payload={"n": HAN},
        speaker="ana",
        locator=f"file-{CANARY}",
        source_id=f"id-{CANARY}",
        trace_id=f"trace-{CANARY}",
        idempotency_key=f"key-{CANARY}",
    )
    seat = me.add_fact(f"{CANARY} aisle", subject=CANARY, predicate=f"seat {CANARY}", value=CANARY, qualifier=HAN)
    me.correct(seat.facts[0], value=f"{CANARY} window", reason=f"because {CANARY}")
    me.add_fact(f"{CANARY} is trusted less", subject=CANARY, predicate=f"seat {CANARY}", value="x", trust=1)
    me.propose([Candidate(content=f"owes {CANARY} 900", predicate="debt", value="900", confidence=0.6)])
    me.observe(f"asks {CANARY}?", actor="agent", actor_id=f"agent-{CANARY}", speaker=f"A. {CANARY}")
    return said.facts[0]


def test_an_erased_session_leaves_no_cell(store_url: str, memory: Muniment) -> None:
    me = memory.reader(tenant="acme", user="ana", session=f"s-{CANARY}")
    write_everywhere(me)
    other = memory.reader(tenant="acme", user="ana", session="other")
    other.observe("residence: Paris")
    me.search(CANARY)
    assert len(cells(store_url, CANARY)) > 20
    receipt = erased(other.forget(session=f"s-{CANARY}", mode="erase"))
    assert cells(store_url, CANARY) == cells(store_url, HAN) == []
    report = memory.verify_erased([CANARY, HAN])
    assert report["found"] == []
    assert receipt.status == "done"
    assert receipt.counts["fact"] == 3
    assert receipt.counts["event"] >= 5
    assert everywhere(other, CANARY)[-1].count(CANARY) <= 1  # the question itself
    assert value(other, "residence") == "Paris"
    (record,) = memory.erasures(tenant="acme")
    assert (record.status, dict(record.selector)) == ("DONE", {"by": "session", "user": "ana"})


def test_an_erased_user_leaves_no_cell(store_url: str, memory: Muniment) -> None:
    me = memory.reader(tenant="acme", user="ana", session=f"s-{CANARY}", task=f"t-{CANARY}", agent="helper")
    write_everywhere(me)
    me.add_fact(f"this trip {CANARY}", predicate="note", value=CANARY, scope="TASK")
    me.add_fact(f"for the agent {CANARY}", predicate="note", value=f"a {CANARY}", scope="AGENT")
    bo = memory.reader(tenant="acme", user="bo", roles=["admin"])
    bo.observe("likes: coffee")
    receipt = erased(bo.forget(user="ana", mode="erase", reason="asked for it"))
    assert cells(store_url, CANARY) == cells(store_url, HAN) == []
    assert receipt.status == "done"
    assert value(bo, "likes") == "coffee"
    me.observe("likes: water")
    assert [fact.content for fact in me.facts()] == ["likes: water"]


def test_a_fact_goes_with_the_clause_that_told_it(store_url: str, me: Reader) -> None:
    said = me.observe(f"likes: {CANARY} tea\nresidence: Paris\nand a remark about rowing", metadata={"k": CANARY})
    gone = next(row.fact_id for row in me.facts() if row.predicate == "likes")
    me.forget(fact=gone, mode="erase")
    assert cells(store_url, CANARY) == []
    assert value(me, "residence") == "Paris"
    (piece,) = me.search("remark about rowing", channels=["evidence"])
    assert CANARY not in piece.text
    assert piece.item.evidence_id == said.evidence[0]
    assert "semantic" in piece.parts or piece.score > 0
    (fact,) = me.facts(predicate="residence")
    assert me.explain(fact.fact_id).evidence[0].content == piece.text


def test_a_repeated_key_of_what_was_erased_re_creates_nothing(memory: Muniment, me: Reader) -> None:
    me.observe("likes: tea", idempotency_key="k1")
    me.add_fact("lives in Oslo", predicate="residence", value="Oslo", idempotency_key="k2")
    me.forget(user="ana", mode="erase", idempotency_key="e1")
    for again in (
        lambda: me.observe("likes: tea", idempotency_key="k1"),
        lambda: me.observe("another body", idempotency_key="k1"),
        lambda: me.add_fact("lives in Oslo", predicate="residence", value="Oslo", idempotency_key="k2"),
    ):
        with pytest.raises(Erased):
            again()
    assert me.facts().items == ()
    repeated = me.forget(user="ana", mode="erase", idempotency_key="e1")
    assert repeated.replayed
    assert len(memory.erasures(tenant="acme")) == 1
    with pytest.raises(Conflict):
        me.forget(session="s1", mode="erase", idempotency_key="e1")
    # The key is another user's to use.
    assert memory.reader(tenant="acme", user="bo").observe("likes: tea", idempotency_key="k1").facts


@pytest.mark.parametrize("mode", ["hide", "erase"])
def test_a_paused_worker_brings_nothing_back(store_url: str, mode: str) -> None:
    """It read the turn before it was forgotten and comes to write afterwards."""
    with open_at(store_url) as other:
        owner = other.reader(user="ana", session="s1")
        paused = Paused(lambda: owner.forget(session="s1", mode=mode))
        with open_at(store_url, extractor=paused) as memory:
            me = memory.reader(user="ana", session="s1")
            receipt = me.observe(f"likes: {CANARY}")
            assert paused.meanwhile is None
            assert receipt.facts == ()
            assert me.facts().items == ()
            assert [hit for hit in me.search(CANARY) if CANARY in hit.text] == []
            assert me.process_pending() == []
            if mode == "erase":
                assert cells(store_url, CANARY) == []


def test_a_paused_worker_on_something_else_still_writes(store_url: str) -> None:
    with open_at(store_url) as other:
        owner = other.reader(user="ana", session="s2")
        owner.observe("likes: tea")
        paused = Paused(lambda: owner.forget(session="s2", mode="erase"))
        with open_at(store_url, extractor=paused) as memory:
            assert memory.reader(user="ana", session="s1").observe("residence: Paris").facts
            assert value(memory.reader(user="ana"), "residence") == "Paris"
            assert value(memory.reader(user="ana"), "likes") is None


class Meanwhile(WordEmbedder):
    """An embedder during whose next call something else happens."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] | None = None

    def encode(self, texts: Sequence[str], kind: Any = "document") -> Any:
        then, self.meanwhile = self.meanwhile, None
        if then is not None:
            then()
        return super().encode(texts, kind)


def test_a_proposal_on_a_piece_that_goes_meanwhile_is_not_written(store_url: str) -> None:
    """Its ground was there when it was read, and is erased before it is written."""
    embedder = Meanwhile()
    with open_at(store_url, embedder=embedder) as memory, open_at(store_url, embedder=WordEmbedder()) as other:
        me = memory.reader(user="ana", session="s1")
        (piece,) = me.observe(f"note: {CANARY}").evidence
        claim = Candidate(content="owes 9", predicate="debt", value="9", evidence=(piece,), quote=CANARY)
        embedder.meanwhile = lambda: other.reader(user="ana").forget(session="s1", mode="erase")
        with pytest.raises(NotFound):
            me.propose([claim])
        assert embedder.meanwhile is None
        assert cells(store_url, CANARY) == []


def test_another_process_drops_what_it_holds(store_url: str, memory: Muniment, me: Reader) -> None:
    me.observe(f"likes: {CANARY} tea")
    me.observe("residence: Paris")
    with open_at(store_url, embedder=WordEmbedder()) as second:
        there = second.reader(tenant="acme", user="ana", session="s1")
        assert there.search(CANARY)
        me.forget(query=CANARY, mode="erase")
        assert [hit for hit in there.search(CANARY) if CANARY in hit.text] == []
        assert second.verify_erased([CANARY])["found"] == []
        me.observe("likes: coffee")
        assert [hit.text for hit in there.search("coffee", channels=["evidence"], k=1)] == ["likes: coffee"]


def test_segments_are_rewritten_without_it(store_url: str, memory: Muniment, me: Reader) -> None:
    for number in range(20):
        me.observe(f"likes: {CANARY} {number}" if number % 2 else f"note {number}: about rowing")
    home = next(key for key in memory.parts.store.partitions() if key.target == "ana")
    assert memory.parts.upkeep.pack(me.identity, home) == 1  # type: ignore[attr-defined]
    me.forget(query=CANARY, mode="erase")
    assert memory.verify_erased([CANARY])["found"] == []
    assert memory.parts.upkeep.pack(me.identity, home) == 1  # type: ignore[attr-defined]
    with open_at(store_url, embedder=WordEmbedder()) as second:
        there = second.reader(tenant="acme", user="ana", session="s1")
        assert len(there.search("rowing", k=30, channels=["evidence"])) == 10


def test_a_manifest_that_moved_is_refused(me: Reader) -> None:
    me.observe(f"likes: {CANARY}")
    listed = erased(me.forget(session="s1", mode="erase", dry_run=True))
    assert listed.status == "dry run"
    me.observe("likes: tea")
    with pytest.raises(Conflict) as caught:
        me.forget(session="s1", mode="erase", expected_manifest=listed.manifest_hash)
    assert len(me.facts()) == 2
    me.forget(session="s1", mode="erase", expected_manifest=str(caught.value.current))
    assert me.facts().items == ()


# -- holds -----------------------------------------------------------------------------------------------------------


def test_a_hold_stops_erasing_and_not_hiding(memory: Muniment, me: Reader) -> None:
    fact = me.observe("likes: tea").facts[0]
    hold = memory.holds.set(tenant="acme", user="ana", reason="the Initech case")
    for given in ({"fact": fact}, {"session": "s1"}, {"user": "ana"}, {"query": "tea"}):
        with pytest.raises(Forbidden, match=str(hold.hold_id)) as caught:
            me.forget(**given, mode="erase")  # type: ignore[arg-type]
        assert "Initech" not in str(caught.value)
    admin = memory.reader(tenant="acme", user="bo", roles=["admin"])
    with pytest.raises(Forbidden, match="Initech"):
        admin.forget(tenant="acme", mode="erase")
    me.forget(fact=fact)
    assert me.facts().items == ()
    assert [(item.user, item.reason) for item in memory.holds.list(by=me)] == [("ana", None)]
    with pytest.raises(Forbidden):
        memory.holds.release(hold.hold_id, by=me)
    memory.holds.release(hold.hold_id, by=admin)
    assert erased(me.forget(session="s1", mode="erase")).status == "done"


def test_a_hold_lapses(store_url: str) -> None:
    clock = SteppingClock()
    with open_at(store_url, clock=clock) as memory:
        me = memory.reader(user="ana")
        me.observe("likes: tea")
        with pytest.raises(InvalidInput, match="past"):
            memory.holds.set(user="ana", reason="late", until=clock.now)
        memory.holds.set(user="ana", reason="a week", until=clock.now + timedelta(days=7))
        with pytest.raises(Forbidden):
            me.forget(user="ana", mode="erase")
        clock.move(days=8)
        assert erased(me.forget(user="ana", mode="erase")).status == "done"


# -- sealed ----------------------------------------------------------------------------------------------------------


def test_an_erased_user_s_key_is_destroyed(store_url: str) -> None:
    pytest.importorskip("cryptography", reason="sealing needs muniment[seal]")
    from base64 import b64encode

    from muniment.config import Settings

    settings = Settings(master_key=b64encode(bytes(32)).decode())
    with open_at(store_url, settings=settings, embedder=WordEmbedder()) as memory:
        me = memory.reader(tenant="acme", user="ana", session="s1")
        write_everywhere(me)
        bo = memory.reader(tenant="acme", user="bo")
        bo.observe("likes: coffee")
        engine = create_engine(
            store_url.replace("postgresql:", "postgresql+psycopg:").replace("mysql:", "mysql+pymysql:")
        )
        with engine.connect() as connection:
            copied = connection.scalar(text("SELECT content FROM evidence WHERE user_id = 'ana'"))
        receipt = erased(me.forget(user="ana", mode="erase"))
        assert any("master key" in line for line in receipt.copies)
        with engine.begin() as connection:
            kept = connection.execute(text("SELECT wrapped FROM subject_key WHERE kind = 'DESTROYED'")).all()
            # A copy put back: what was sealed under the key does not open any more.
            connection.execute(text("UPDATE evidence SET content = :it WHERE user_id = 'ana'"), {"it": copied})
        engine.dispose()
        assert [row.wrapped for row in kept] == [None]
        assert memory.verify_erased([CANARY])["found"] == []
        assert any("key is destroyed" in line for line in memory.verify_erased([CANARY])["not_reachable"])
        assert value(bo, "likes") == "coffee"
        assert me.observe("likes: water").facts
