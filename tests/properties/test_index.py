"""What holds of the index whatever is written and asked."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.index_fakes import DAY, DIMENSION, KEY, START, WORDS, Source, ask, row, seqs

from muniment.domain.enums import ItemKind, OwnerType, Scope
from muniment.domain.scope import PartitionKey, Placement, Reader, partitions_of, visible_to
from muniment.index.batch import Names, from_rows
from muniment.index.local import LocalIndex
from muniment.index.partition import Partition
from muniment.index.visibility import admitted_places
from muniment.text.dates import date_window
from muniment.text.tokenizer import analyse, cjk_share, fold, identifiers, tokenize

KINDS = frozenset({ItemKind.EVIDENCE, ItemKind.FACT})
TEXTS = st.sampled_from(
    [
        "violin",
        "garden violin",
        "Where is the lamp?",
        "stone",
        "我住在北京",
        "北京的天气",
        "ORD-77",
        "😀",
        "river stone lamp",
        "",
    ]
)
QUESTIONS = st.sampled_from(["violin lamp", "Where is Ana's garden?", "北京", "ORD-77", "stone on 3 May 2023", "😀"])
IDS = st.sampled_from([None, "a", "b"])


@st.composite
def rows(draw: st.DrawFn, count: int | None = None) -> list[Any]:
    """A partition's rows with all that may differ between them."""
    size = count if count is not None else draw(st.integers(1, 14))
    return [
        row(
            at,
            draw(TEXTS),
            kind=draw(st.sampled_from(["EVIDENCE", "EVIDENCE", "FACT"])),
            session=draw(st.sampled_from(["s1", "s2", None])),
            speaker=draw(st.sampled_from(["Ana", "Ben", ""])),
            role=draw(st.sampled_from(["USER", "AGENT"])),
            retracted_at=draw(st.sampled_from([None, None, START + 5 * DAY])),
            eligibility=draw(st.sampled_from(["ELIGIBLE", "ELIGIBLE", "QUARANTINED"])),
        )
        for at in range(1, size + 1)
    ]


def outcome(index: LocalIndex, source: Source, question: str, **query: Any) -> dict[int, tuple[float, float]]:
    """Every proposal's score and relevance."""
    found = index.search(source, ask(question, k=100, kinds=KINDS, **query))
    return {seq: (item.score, item.relevance) for seq, item in zip(seqs(found), found, strict=True)}


def close(one: dict[int, tuple[float, float]], other: dict[int, tuple[float, float]]) -> bool:
    """Equal up to the rounding of sums taken in another order."""
    return one.keys() == other.keys() and all(np.allclose(one[seq], other[seq], atol=2e-3, rtol=1e-3) for seq in one)


@settings(deadline=None, max_examples=40)
@given(rows(), QUESTIONS, st.randoms(use_true_random=False))
def test_extending_equals_building_afresh(items: list[Any], question: str, rng: random.Random) -> None:
    source, grown = Source(), LocalIndex(WORDS, 10**9)
    while items:
        size = rng.randint(1, len(items))
        source.add(*items[:size])
        items = items[size:]
        if rng.random() < 0.5:
            source.touch(rng.choice(source.rows[KEY]).seq, expires_at=START)
        if rng.random() < 0.2 and len(source.rows[KEY]) > 1:
            source.erase(rng.choice(source.rows[KEY]).seq)
        # What comes later is written later.
        version = source.partition_states([KEY])[KEY].version
        items = [item._replace(touched=version + at) for at, item in enumerate(items, start=1)]
        grown.search(source, ask(question, kinds=KINDS))
    assert close(outcome(grown, source, question), outcome(LocalIndex(WORDS, 10**9), source, question))


@settings(deadline=None, max_examples=40)
@given(rows(), QUESTIONS)
def test_segments_round_trip(items: list[Any], question: str) -> None:
    source = Source(*items)
    plain = outcome(LocalIndex(WORDS, 10**9), source, question)
    segment = LocalIndex(WORDS, 10**9).pack(source, KEY)
    assert segment is not None
    source.segments[KEY] = [segment]
    assert close(outcome(LocalIndex(WORDS, 10**9), source, question), plain)
    assert source.reads[-1] == 0, "the segment was used"


@settings(deadline=None, max_examples=40)
@given(rows(), rows(), QUESTIONS)
def test_what_a_reader_cannot_see_never_moves_a_score(mine: list[Any], others: list[Any], question: str) -> None:
    agent = PartitionKey(tenant="acme", kind=OwnerType.AGENT, target="bot")
    reader = Reader.of(tenant="acme", user="ana", agent="bot")
    own = [item._replace(scope="AGENT", agent="bot", seq=2 * item.seq, touched=2 * item.seq) for item in mine]
    foreign = [
        item._replace(
            scope="AGENT", agent="bot", user="ben", speaker="Zoe", seq=2 * item.seq + 1, touched=2 * item.seq + 1
        )
        for item in others
    ]
    query: dict[str, Any] = {"reader": reader, "partitions": partitions_of(reader)}
    alone = outcome(LocalIndex(WORDS, 10**9), Source(*own, key=agent), question, **query)
    mixed = Source(*sorted(own + foreign, key=lambda item: item.seq), key=agent)
    mixed.add(*others, key=PartitionKey(tenant="evil", kind=OwnerType.AGENT, target="bot"))
    mixed.add(*others, key=PartitionKey(tenant="acme", kind=OwnerType.USER, target="ben"))
    assert close(outcome(LocalIndex(WORDS, 10**9), mixed, question, **query), alone)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.tuples(st.sampled_from(list(Scope)), IDS, IDS, IDS, IDS, IDS), min_size=1, max_size=12),
    st.tuples(st.sampled_from("ab"), st.frozensets(st.sampled_from("ab")), IDS, IDS, IDS),
    st.booleans(),
)
def test_the_scope_mask_is_the_predicate(places: list[Any], who: Any, same_tenant: bool) -> None:
    user, departments, agent, session, task = who
    scopes = visible_to(
        Reader.of(tenant="acme", user=user, departments=departments, agent=agent, session=session, task=task)
    )
    tenant = "acme" if same_tenant else "other"
    names = Names()
    placed = [
        row(at, "x", scope=str(p[0]), user=p[1], department=p[2], agent=p[3], session=p[4], task=p[5])
        for at, p in enumerate(places)
    ]
    partition = Partition(names, DIMENSION).extended(from_rows(placed, names, model=WORDS.id, dimension=DIMENSION), 1)
    block = partition.blocks[ItemKind.EVIDENCE]
    mask = admitted_places(scopes, tenant, partition)[block.columns["place"].astype(int)]
    fields = ("user", "department", "agent", "session", "task")
    expected = [scopes.admits(tenant, Placement(scope=p[0], **dict(zip(fields, p[1:], strict=True)))) for p in places]
    assert mask.tolist() == expected


@settings(deadline=None, max_examples=40)
@given(rows(), QUESTIONS, st.integers(1, 14))
def test_a_past_read_stays_as_it_was(items: list[Any], question: str, cut: int) -> None:
    known = START + cut * DAY
    before = Source(*(item for item in items if item.recorded_at <= known))
    after = Source(*items)
    then = outcome(LocalIndex(WORDS, 10**9), before, question, known_at=known, now=known)
    assert close(outcome(LocalIndex(WORDS, 10**9), after, question, known_at=known, valid_at=known), then)


ODD = st.text(alphabet=st.characters(), max_size=60) | st.text(
    alphabet="\x00\ud800\udfff\u202e\u200d😀é'-./@?:年月一", max_size=40
)


@settings(deadline=None, max_examples=1000)
@given(ODD)
def test_no_text_makes_the_text_functions_fail(text: str) -> None:
    tokens = tokenize(text)
    assert len(analyse(text).tokens) == 4 * len(tokens)
    assert all(tokens)
    assert tokenize(text) == tokens
    assert 0.0 <= cjk_share(text) <= 1.0
    assert isinstance(fold(text), str)
    assert set(identifiers(text)) <= set(tokens)
    window = date_window(text, None)
    assert window is None or window[0] < window[1]


@settings(deadline=None, max_examples=40)
@given(ODD, ODD)
def test_no_text_makes_a_search_fail(text: str, question: str) -> None:
    source = Source(row(1, text, speaker=question[:20]), row(2, "violin", speaker="A{name}"))
    for query in (ask(question), ask(question, keyword_only=True), ask(text, preset="seed")):
        for item in LocalIndex(WORDS, 10**9).search(source, query):
            assert np.isfinite(item.score)
            assert 0.0 <= item.relevance <= 1.0
