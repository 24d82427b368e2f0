"""The facade as its users call it: what is written, listed, looked up, followed and explained."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest

import muniment
from muniment import ActorType, Candidate, InvalidInput, MemoryType, NotFound
from muniment.domain.enums import Basis, CandidateStatus, Change, Eligibility, EvidenceType, Ruling
from muniment.service.aio import AsyncMuniment
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract_base import instant
from muniment.testing.doubles import LinesExtractor, SteppingClock, WordEmbedder

# -- observe -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kind", "trust"),
    [
        ({}, EvidenceType.CONVERSATION, 80),
        ({"actor": "Assistant"}, EvidenceType.CONVERSATION, 40),
        ({"actor": "tool"}, EvidenceType.TOOL, 50),
        ({"actor": "tool", "event_type": "api_answer"}, EvidenceType.API, 60),
        ({"actor": "tool", "event_type": "database_row"}, EvidenceType.DATABASE, 70),
        ({"actor": "system"}, EvidenceType.DATABASE, 90),
        ({"actor": "tool", "event_type": "document"}, EvidenceType.DOCUMENT, 30),
        ({"event_type": "document"}, EvidenceType.DOCUMENT, 30),
        ({"event_type": "form.submitted"}, EvidenceType.CONVERSATION, 80),
        ({"trust": 5}, EvidenceType.CONVERSATION, 5),
        ({"trust": 500}, EvidenceType.CONVERSATION, 80),
    ],
    ids=str,
)
def test_everything_observed_takes_the_same_door(
    me: Reader, given: dict[str, object], kind: EvidenceType, trust: int
) -> None:
    said = me.observe(
        "the violin arrived today",
        source="shop",
        source_system="orders",
        source_id="row 7",
        source_version="3",
        locator="s3://b/k",
        metadata={"n": 1},
        payload={"raw": [1]},
        trace_id="t1",
        idempotency_key="k",
        **given,  # type: ignore[arg-type]
    )
    (hit,) = me.search("violin", channels=["evidence"])
    piece = hit.item
    assert isinstance(piece, muniment.Evidence)
    assert (piece.evidence_id, piece.evidence_type, piece.trust) == (said.evidence[0], kind, trust)
    assert (piece.source_system, piece.source_id, piece.source_version) == ("orders", "row 7", "3")
    assert piece.locator is not None
    assert piece.locator.startswith("s3://b/k")
    assert piece.metadata == {"n": 1}
    with me.parts.store.read(me.identity) as unit:
        (event,) = unit.events([said.event])
    assert (event.source, event.payload, event.trace_id, event.idempotency_key) == ("shop", {"raw": [1]}, "t1", "k")


def test_a_document_is_kept_in_passages_with_their_places(me: Reader) -> None:
    text = "\n\n".join(f"Chapter {number}. " + "The harbour was quiet. " * 40 for number in range(6)) + "\n\nA violin."
    said = me.observe_document(text, locator="book.md", version="2")
    assert len(said.evidence) > 3
    with me.parts.store.read(me.identity) as unit:
        pieces = unit.evidence(said.evidence)
    covered = 0
    for ref in said.evidence:
        piece = pieces[ref]
        start, end = map(int, str(piece.locator).rpartition("#")[2].split("-"))
        assert piece.content == text[start:end]
        assert piece.source_version == "2"
        covered += end - start
    assert covered >= len(text.replace("\n\n", "")) - 20
    assert "violin" in me.search("violin")[0].text


def test_many_at_once_in_order_with_progress(me: Reader) -> None:
    done: list[int] = []
    items = [{"content": f"turn number {number}", "session": "s"} for number in range(25)]
    receipts = me.observe_many(items, batch=10, progress=done.append)
    assert done == [10, 10, 5]
    with me.parts.store.read(me.identity) as unit:
        events = unit.events([receipt.event for receipt in receipts])
    assert [event.seq for event in sorted(events, key=lambda event: event.event_id)] == list(range(25))
    assert me.observe_many([]) == []


def test_what_was_not_understood_is_tried_again(me: Reader, extractor: LinesExtractor, clock: SteppingClock) -> None:
    extractor.fail = True
    said = me.observe("likes: tea")
    assert said.pending
    assert "told to fail" in said.lines[0]
    assert me.search("tea")
    assert me.process_pending()[0].pending
    extractor.fail = False
    assert me.process_pending() == []  # it failed twice: the third try comes later
    clock.move(minutes=2)
    (done,) = me.process_pending()
    assert (done.event, len(done.facts), done.pending) == (said.event, 1, False)
    assert me.process_pending() == []


@pytest.mark.parametrize("local", [True, False])
def test_waiting_may_be_left_to_later(me: Reader, extractor: LinesExtractor, local: bool) -> None:
    extractor.local = local
    said = [me.observe(f"likes: {drink}", wait=False) for drink in ("tea", "milk")]
    assert all(receipt.pending and not receipt.facts for receipt in said)
    assert len(me.facts()) == 0
    assert [receipt.event for receipt in me.process_pending()] == [receipt.event for receipt in said]
    assert {fact.value for fact in me.facts()} == {"tea", "milk"}
    again = me.observe("likes: rum", idempotency_key="k")
    assert again.facts
    assert not again.pending


# -- propose -----------------------------------------------------------------------------------------------------------


def test_a_proposal_rests_on_the_evidence_it_names(me: Reader, memory: Muniment) -> None:
    said = me.observe("I play the violin on Sundays")
    (decision,) = me.propose(
        [Candidate(content="plays the violin", quote="play the violin", evidence=said.evidence, confidence=0.95)]
    )
    assert decision.outcome == "committed", decision.reason
    why = me.explain(decision.fact_id)  # type: ignore[arg-type]
    assert set(why.fact.evidence) == set(said.evidence)
    assert said.event in {event.event_id for event in why.events}
    (wrong,) = me.propose([Candidate(content="plays chess", quote="chess", evidence=said.evidence, confidence=0.95)])
    assert (wrong.ruling, wrong.outcome) == (Ruling.REJECT, "rejected")
    other = memory.reader(tenant="acme", user="bo")
    before = dict(memory.counts(reader=other))
    for evidence in (said.evidence, (uuid4(),)):
        with pytest.raises(NotFound):
            other.propose([Candidate(content="plays the violin", evidence=evidence, confidence=0.95)])
    assert dict(memory.counts(reader=other)) == before


def test_a_proposal_has_no_authority_of_its_own(me: Reader) -> None:
    decisions = me.propose(
        [
            Candidate(content="likes tea", memory_type=MemoryType.PREFERENCE, confidence=0.99, explicit=True),
            Candidate(content="always answer in French", memory_type=MemoryType.RULE, confidence=0.99),
            Candidate(content="the sky is green", confidence=0.6),
            Candidate(content="the sky is red", confidence=0.1),
            Candidate(content="the sun is yellow", confidence=0.9),
        ]
    )
    outcomes = ["needs confirmation", "needs confirmation", "needs confirmation", "dropped", "committed"]
    assert [decision.outcome for decision in decisions] == outcomes
    assert [fact.content for fact in me.facts()] == ["the sun is yellow"]
    # An agent's word weighs as an agent's, also where it rests on what the user said.
    assert me.facts()[0].trust == me.parts.policy.trust.agent


def test_evaluating_writes_nothing(me: Reader, memory: Muniment) -> None:
    before = dict(memory.counts(reader=me))
    judged = memory.evaluate(Candidate(content="likes tea", confidence=0.9), reader=me)
    assert judged.ruling is Ruling.ACCEPT
    assert len(judged.verdicts) > 10
    assert dict(memory.counts(reader=me)) == before


# -- lists and look-ups ------------------------------------------------------------------------------------------------


def test_facts_are_paged_by_cursor_without_gap_or_repeat(me: Reader, clock: SteppingClock) -> None:
    for number in range(11):
        me.add_fact(f"likes {number}", predicate="likes", value=str(number))
    # Several of one instant too: a batch is one transaction.
    me.observe_many([{"content": "\n".join(f"owns: thing {number}" for number in range(9))}])
    whole = [fact.id for fact in me.facts()]
    assert len(whole) == 20
    for limit in (1, 3, 7, 19, 20):
        found, cursor = [], None
        while True:
            page = me.facts(limit=limit, cursor=cursor)
            assert len(page) <= limit
            found += [fact.id for fact in page]
            cursor = page.next
            if cursor is None:
                break
        assert found == whole


def test_facts_are_filtered(me: Reader) -> None:
    day = instant
    me.add_fact("likes tea", predicate="likes", value="tea", valid_from=day(1, month=1))
    me.add_fact("must be vegan", type="CONSTRAINT", valid_from=day(1, month=2))
    me.add_rule("answer briefly", valid_from=day(1, month=1))
    me.add_fact(
        "the shop opens at nine", subject="the shop", predicate="opens", value="nine", valid_from=day(1, month=1)
    )
    me.add_fact(
        "lived in Oslo", predicate="residence", value="Oslo", valid_from=day(1, month=1), valid_until=day(1, month=3)
    )
    me.set_status("step", 3)
    said = {name: [fact.content for fact in me.facts(**given)] for name, given in {
        "type": {"type": "constraint"}, "rule": {"type": "RULE"}, "predicate": {"predicate": "likes"},
        "synonym": {"predicate": "LIKES "}, "subject": {"subject": "The Shop"}, "scope": {"scope": "user", "type": "RULE"},
        "none": {"scope": "TASK"}, "then": {"predicate": "residence", "valid_at": day(2, month=2)},
        "now": {"predicate": "residence"},
        "until": {"type": "constraint", "until": day(15, month=1), "valid_at": day(5, month=2)},
    }.items()}  # fmt: skip
    assert said == {
        "type": ["must be vegan"], "rule": ["answer briefly"], "predicate": ["likes tea"], "synonym": ["likes tea"],
        "subject": ["the shop opens at nine"], "scope": ["answer briefly"], "none": [], "then": ["lived in Oslo"], "now": [],
        "until": [],
    }  # fmt: skip
    for wrong in ({"type": "FACTS"}, {"scope": "everyone"}, {"limit": 0}, {"limit": 10**6}, {"cursor": "zzz"}):
        with pytest.raises(InvalidInput):
            me.facts(**wrong)  # type: ignore[arg-type]


def test_statuses_have_one_value_at_a_time(me: Reader, memory: Muniment) -> None:
    me.set_status("step", 3)
    me.set_status("Step", "4 of 5")
    me.set_status("mood board", True)
    assert (me.status("step"), me.status("mood board"), me.status("absent")) == ("4 of 5", "True", None)
    task = memory.reader(tenant="acme", user="ana", task="t1")
    task.set_status("step", 9, scope="TASK")
    assert (task.status("step"), me.status("step")) == ("9", "4 of 5")
    me.delete_status("step")
    assert me.status("step") is None
    assert me.delete_status("step") == []
    with pytest.raises(InvalidInput):
        me.set_status("step", "  ")


def test_look_ups_take_keys_whole(me: Reader) -> None:
    texts = {
        "code": ["order ORD-2024-001 is late", "order ORD-2024-0010 came", "order ORD-2024-00 is new"],
        "phone": ["call 138 0013 8000 now", "call 138 0013 8001 now"],
        "email": ["mail ana@example.com", "mail banana@example.com"],
    }
    for words in texts.values():
        for text in words:
            me.observe(text)
    assert [hit.text for hit in me.lookup("order_no", "ord-2024-001")] == ["order ORD-2024-001 is late"]
    assert [hit.text for hit in me.lookup("phone", "+86 13800138000")] == ["call 138 0013 8000 now"]
    assert [hit.text for hit in me.lookup("email", "ANA@example.com")] == ["mail ana@example.com"]
    assert me.lookup("order_no", "ORD-2024") == []
    assert me.lookup("order_no", "%") == []
    assert me.lookup("phone", "not a phone") == []
    with pytest.raises(InvalidInput, match="no kind of key"):
        me.lookup("no such kind", "x")


def test_an_identity_number_can_be_confirmed_but_is_not_held(me: Reader) -> None:
    said = me.observe("my id is 11010519491231002X, keep it")
    (hit,) = me.lookup("national_id", "11010519491231002x")
    assert hit.id == said.evidence[0]
    assert "1949" not in hit.text
    assert isinstance(hit.item, muniment.Evidence)
    assert hit.item.redacted
    assert me.lookup("national_id", "110105194912310046") == []


def test_get_takes_the_narrowest_scope(me: Reader, memory: Muniment) -> None:
    task = memory.reader(tenant="acme", user="ana", session="s", task="t")
    me.add_fact("budget 8000", predicate="budget", value="8000")
    task.add_fact("budget 9000", predicate="budget", value="9000", scope="SESSION")
    task.add_fact("budget 10000", predicate="budget", value="10000", scope="TASK")
    assert [reader.get("budget").value for reader in (me, task, task.narrow())] == ["8000", "10000", "10000"]  # type: ignore[union-attr]
    assert memory.reader(tenant="acme", user="ana", session="s").get("budget").value == "9000"  # type: ignore[union-attr]
    assert me.get("height") is None


# -- history and explanation -------------------------------------------------------------------------------------------


def test_history_follows_changes_both_ways(me: Reader, clock: SteppingClock) -> None:
    ids = [me.add_fact("works at A", predicate="employer", value="A", valid_from=instant(1, month=1)).facts[0]]
    for number, name in enumerate("BCD"):
        clock.move(days=1)
        ids.append(me.change(ids[-1], value=name, at=instant(1, month=2 + number), reason=f"to {name}").facts[0])
    histories = [[(row.id, row.revision) for row in me.history(ref)] for ref in (ids[0], ids[2], str(ids[3]))]
    assert histories[0] == histories[1] == histories[2]
    assert {ref for ref, _ in histories[0]} == set(ids)
    instants = [row.recorded_at for row in me.history(ids[0])]
    assert instants == sorted(instants)
    early = me.history(ids[0], known_at=instant(1, 10))
    assert [(row.value, row.retracted_at) for row in early] == [("A", None)]
    for wrong, error in ((uuid4(), NotFound), ("nonsense", InvalidInput)):
        with pytest.raises(error):
            me.history(wrong)


def test_an_explanation_is_the_whole_chain(me: Reader, clock: SteppingClock) -> None:
    said = me.observe("Good morning.\nlikes: tea\nThat is all.", source_system="chat")
    clock.move(hours=1)
    again = me.observe("likes: tea", actor="user", source_system="crm")
    why = me.explain(said.facts[0])
    assert [event.event_id for event in why.events] == [said.event, again.event]
    assert {piece.evidence_id for piece in why.evidence} == {*said.evidence, *again.evidence}
    assert {item.candidate_id for item in why.candidates} == {*said.candidates, *again.candidates}
    assert {item.decision_id for item in why.decisions} == {
        decision.decision_id for decision in (*said.decisions, *again.decisions)
    }
    quoted = next(item for item in why.candidates if item.candidate_id == said.candidates[0])
    start, end = quoted.quote_span or (0, 0)
    content = next(piece.content for piece in why.evidence if piece.evidence_id == said.evidence[0])
    assert content[start:end] == quoted.quote == "likes: tea"
    assert (quoted.status, quoted.extractor_model) == (CandidateStatus.ACCEPTED, "lines")
    assert [row.change for row in why.revisions] == [Change.ASSERT, Change.REINFORCE]
    assert why.fact == why.revisions[-1]
    assert all(decision.verdicts and decision.policy_version for decision in why.decisions)
    stated = me.explain(me.add_fact("lives in Rome", predicate="residence", value="Rome").facts[0])
    assert (len(stated.evidence), stated.evidence[0].eligibility) == (1, Eligibility.AUDIT_ONLY)
    assert stated.fact.basis is Basis.STATED
    with pytest.raises(NotFound):
        me.explain(uuid4())


def test_lifetimes_end_and_are_renewed(me: Reader, clock: SteppingClock) -> None:
    me.observe("likes: tea")
    me.observe("owns: a boat")
    clock.move(days=170)
    me.observe("likes: tea")
    clock.move(days=20)
    assert [fact.value for fact in me.facts()] == ["tea"]
    assert {fact.value for fact in me.facts(known_at=clock.now - timedelta(days=20, hours=1))} == {"tea", "a boat"}


# -- asynchronous ------------------------------------------------------------------------------------------------------


def test_the_same_methods_awaited(sqlite_url: str, clock: SteppingClock) -> None:
    async def use() -> None:
        memory = await AsyncMuniment.open(sqlite_url, embedder=WordEmbedder(), extractor=LinesExtractor(), clock=clock)
        async with memory:
            me = memory.reader(user="ana")
            said = await asyncio.gather(*(me.observe(f"likes: {name}") for name in ("tea", "milk", "rum")))
            assert all(receipt.facts for receipt in said)
            assert {fact.value for fact in await me.facts()} == {"tea", "milk", "rum"}
            assert (await me.search("tea"))[0].text
            assert (await me.narrow(session="s").context("tea")).text
            with pytest.raises(NotFound):
                await me.explain(uuid4())
            with pytest.raises(AttributeError):
                await me.nonsense()

    asyncio.run(use())


def test_another_model_is_refused_until_vectors_are_made_anew(sqlite_url: str, open_at: object) -> None:
    class Other(WordEmbedder):
        id = "words-2"

    opened = open_at  # type: ignore[assignment]
    with opened(sqlite_url) as memory:  # type: ignore[operator]
        me = memory.reader(user="ana")
        me.observe("likes: tea")
        boss = memory.reader(user="boss", departments=["d"], roles=["reviewer"])
        boss.add_fact("the office is blue", scope="DEPARTMENT", department="d")
    with pytest.raises(muniment.ModelMismatch, match="words-1"):
        opened(sqlite_url, embedder=Other())  # type: ignore[operator]
    with opened(sqlite_url, embedder=Other(), adopt_embedder=True) as memory:  # type: ignore[operator]
        assert memory.reembed() >= 3
        assert memory.reembed() == 0
        assert memory.reader(user="ana").search("tea")


def test_two_memories_of_one_process_do_not_disturb_each_other(sqlite_url: str, open_at: object) -> None:
    opened = open_at  # type: ignore[assignment]
    with opened(sqlite_url) as one, opened(":memory:") as two, opened(sqlite_url) as again:  # type: ignore[operator]
        readers = [memory.reader(tenant="t", user="u", session="s") for memory in (one, two, again)]
        readers[0].observe("likes: tea")
        readers[1].observe("likes: milk")
        assert [hit.text for hit in readers[0].search("likes")] != [hit.text for hit in readers[1].search("likes")]
        assert {fact.value for fact in readers[1].facts()} == {"milk"}
        assert "tea" not in readers[1].context("what is liked?").text
        # The same file, opened twice, is the same memory.
        assert {fact.value for fact in readers[2].facts()} == {"tea"}
        readers[2].observe("likes: rum")
        assert {hit.text for hit in readers[0].search("likes rum", channels=["facts"])} == {"likes: tea", "likes: rum"}


def test_actors_are_named_in_any_case() -> None:
    assert {item.value for item in ActorType} == {"USER", "AGENT", "SYSTEM", "TOOL"}
