"""What the index ranks by: BM25 against a plain oracle, the fields, and the features beside them."""

from __future__ import annotations

import math
import random
from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.unit.index_fakes import DAY, NOW, START, WORDS, Broken, Source, ask, row, seqs

from muniment.index.coefficients import coefficients
from muniment.index.local import LocalIndex
from muniment.text.tokenizer import tokenize

VOCABULARY = "river stone lamp violin garden copper winter bridge anchor meadow falcon harbour".split()  # noqa: SIM905


def oracle(query: str, documents: list[list[str]]) -> list[float]:
    """BM25 as in the books: k1 1.2, b 0.75."""
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        counts, score = Counter(document), 0.0
        for term in dict.fromkeys(tokenize(query)):
            df = sum(term in other for other in documents)
            idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
            damp = 1.2 * (0.25 + 0.75 * len(document) / mean)
            score += idf * 2.2 * counts[term] / (counts[term] + damp) if counts[term] else 0.0
        scores.append(score)
    return scores


def test_keyword_scores_agree_with_a_naive_bm25() -> None:
    rng = random.Random(7)
    texts = [" ".join(rng.choices(VOCABULARY, k=rng.randint(1, 12))) for _ in range(60)]
    source = Source(*(row(at + 1, text, session=None) for at, text in enumerate(texts)))
    for query in ("river lamp", "falcon", "winter bridge anchor meadow"):
        expected = oracle(query, [tokenize(text) for text in texts])
        found = LocalIndex(None, 10**9).search(source, ask(query, keyword_only=True, preset="seed", k=60))
        keyword = {seq: item.parts["keyword"] for seq, item in zip(seqs(found), found, strict=True)}
        top = max(expected)
        assert {at + 1 for at, score in enumerate(expected) if score} == set(keyword)
        for seq, part in keyword.items():
            assert part == pytest.approx(0.3 * expected[seq - 1] / top, rel=1e-4)


def test_window_scores_agree_with_windows_written_out() -> None:
    rng = random.Random(11)
    texts = [" ".join(rng.choices(VOCABULARY, k=rng.choice([3, 8, 50]))) for _ in range(40)]
    sessions = [f"s{at // 7}" for at in range(40)]
    source = Source(*(row(at + 1, text, session=sessions[at]) for at, text in enumerate(texts)))
    own = [tokenize(text) for text in texts]
    windows = [
        own[at]
        + [
            t
            for near in (at - 2, at - 1, at + 1, at + 2)
            if 0 <= near < 40 and near // 7 == at // 7
            for t in own[near][:40]
        ]
        for at in range(40)
    ]
    expected = oracle("violin harbour", windows)
    found = LocalIndex(None, 10**9).search(source, ask("violin harbour", keyword_only=True, k=40))
    for seq, item in zip(seqs(found), found, strict=True):
        assert item.parts["window"] == pytest.approx(
            coefficients().measured_en["window"] * expected[seq - 1] / max(expected), rel=1e-4
        )


def test_an_answer_is_found_by_its_question() -> None:
    source = Source(
        row(1, "Which instrument do you play?", speaker="Ben"),
        row(2, "The violin, since I was six.", speaker="Ana"),
        row(3, "Nice weather today.", speaker="Ben"),
        row(4, "Nice indeed.", speaker="Ana"),
    )
    best = LocalIndex(None, 10**9).search(source, ask("Who plays an instrument?", keyword_only=True, k=4))
    parts = {seq: item.parts for seq, item in zip(seqs(best), best, strict=True)}
    assert parts[2]["pair"] > 0
    assert "turn" not in parts[2]
    assert "pair" not in parts.get(3, {}), "Ben's own question is not answered by Ben"


@pytest.mark.parametrize(("gap", "answers"), [(0, True), (2, True), (3, False)])
def test_a_question_reaches_three_turns_on(gap: int, answers: bool) -> None:
    between = [row(2 + at, "Well.", speaker="Ana") for at in range(gap)]
    last = row(2 + gap, "The violin.", speaker="Ana")
    source = Source(row(1, "Which instrument do you play?", speaker="Ben"), *between, last)
    found = LocalIndex(None, 10**9).search(source, ask("instrument", keyword_only=True, k=10))
    parts = {seq: item.parts for seq, item in zip(seqs(found), found, strict=True)}
    assert ("pair" in parts.get(2 + gap, {})) is answers


def test_the_named_speaker_comes_first_and_the_name_is_no_word() -> None:
    source = Source(
        row(1, "I adopted a cat.", speaker="Ana"),
        row(2, "I adopted a dog, Ana.", speaker="Ben"),
        row(3, "Rain again.", speaker="Ben"),
    )
    index = LocalIndex(None, 10**9)
    found = index.search(source, ask("What did Ana adopt?", keyword_only=True))
    assert seqs(found)[0] == 1
    assert found[0].parts["speaker"] > 0
    both = index.search(source, ask("What did Ana and Ben adopt?", keyword_only=True))
    assert all("speaker" not in item.parts for item in both)


def test_the_asked_date_lifts_what_was_said_then() -> None:
    source = Source(*(row(at, "we went sailing", session=None) for at in range(1, 40)))
    at = datetime.fromtimestamp((START + 20 * DAY) / 1e6, UTC)
    found = LocalIndex(None, 10**9).search(source, ask(f"sailing on {at:%d %B %Y}", keyword_only=True, k=9))
    assert seqs(found)[0] == 20
    assert set(seqs(found)[1:8]) == set(range(21, 28)), "up to seven days after, it may still be told of"
    assert found[0].parts["date"] == pytest.approx(2 * found[1].parts["date"])


def test_role_terms() -> None:
    source = Source(
        row(1, "Try the lentil soup recipe", role="AGENT", session=None),
        row(2, "Try the lentil soup recipe", session=None),
    )
    index = LocalIndex(None, 10**9)
    assert seqs(index.search(source, ask("What soup did you recommend?", keyword_only=True)))[0] == 1
    assert seqs(index.search(source, ask("Which soup?", keyword_only=True)))[0] == 1, "equal scores come in row order"
    assert seqs(index.search(source, ask("Which soup?", keyword_only=True, role_prior=True)))[0] == 2


def test_a_turn_is_lifted_by_the_best_of_its_session() -> None:
    source = Source(
        row(1, "violin lessons began", session="s1"),
        *(row(at, f"nothing {at}", session="s1") for at in range(2, 8)),
        row(8, "violin", session=None),
        *(row(at, f"other {at}", session="s2") for at in range(9, 12)),
    )
    found = LocalIndex(None, 10**9).search(source, ask("violin lessons", keyword_only=True, k=20))
    parts = {seq: item.parts for seq, item in zip(seqs(found), found, strict=True)}
    weight = coefficients().measured_en["session"]
    own = oracle(
        "violin lessons",
        [
            tokenize(text)
            for text in ["violin lessons began"]
            + [f"nothing {a}" for a in range(2, 8)]
            + ["violin"]
            + [f"other {a}" for a in range(9, 12)]
        ],
    )
    assert parts[1]["session"] == pytest.approx(weight)
    assert parts[3]["session"] == pytest.approx(weight), "three turns on, no word of its own"
    assert parts[8]["session"] == pytest.approx(weight * own[7] / own[0], rel=1e-4), "without a session, its own alone"
    assert "session" not in parts.get(9, {})


def test_the_sessions_best_meaning_counts_for_each_of_its_turns() -> None:
    source = Source(
        row(1, "violin meadow", session="s1"),
        row(2, "lamp", session="s1"),
        row(3, "lamp", session="s2"),
        row(4, "stone"),
    )
    found = LocalIndex(WORDS, 10**9).search(source, ask("violin meadow", k=4))
    parts = {seq: item.parts for seq, item in zip(seqs(found), found, strict=True)}
    assert parts[1]["session_dense"] == parts[2]["session_dense"] == parts[4]["session_dense"] > 0
    assert parts[3]["session_dense"] < 0


def test_a_hidden_turn_lends_its_session_nothing() -> None:
    turns = [row(1, "violin meadow"), row(2, "lamp"), row(3, "violin", session="s2"), row(4, "stone", session="s2")]
    hidden = Source(turns[0]._replace(hidden_at=START), *turns[1:])
    found = LocalIndex(WORDS, 10**9).search(hidden, ask("violin meadow", k=4))
    parts = {seq: item.parts for seq, item in zip(seqs(found), found, strict=True)}
    assert "session" not in parts[2]
    assert parts[4]["session"] > 0


@pytest.mark.parametrize(
    ("question", "own"),
    [
        ("Which soup do I like?", True),
        ("What is my soup?", True),
        ("我喜欢喝什么汤？", True),
        ("Which soup is best?", False),
        ("Which soup did you recommend to me?", False),
        ("Which iPod has mystery soup?", False),
    ],
)
def test_a_question_about_oneself_prefers_ones_own_words(question: str, own: bool) -> None:
    source = Source(row(1, "lentil soup 汤", role="AGENT", session=None), row(2, "lentil soup 汤", session=None))
    found = LocalIndex(None, 10**9).search(source, ask(question, keyword_only=True))
    parts = {seq: item.parts for seq, item in zip(seqs(found), found, strict=True)}
    assert ("role_self" in parts[2]) is own
    assert "role_self" not in parts[1]


def test_meaning_takes_the_best_chunk() -> None:
    lines = WORDS.encode(["copper winter falcon", "violin meadow"]).astype("<f2")
    source = Source(row(1, "zzz", vectors=lines.tobytes()), *(row(at, f"river stone {at}") for at in range(2, 12)))
    found = LocalIndex(WORDS, 10**9).search(source, ask("violin meadow", k=3))
    assert seqs(found)[0] == 1
    assert found[0].parts["dense"] > 0


def test_seed_preset_weighs_meaning_keyword_and_recency() -> None:
    source = Source(row(1, "violin"), row(2, "violin"), row(3, "garden"))
    found = LocalIndex(WORDS, 10**9).search(source, ask("violin", preset="seed"))
    assert seqs(found)[0] == 2
    assert set(found[0].parts) == {"meaning", "keyword", "recency"}
    assert found[0].parts["keyword"] == pytest.approx(0.3)


def test_a_failing_embedder_costs_the_centring_not_the_search() -> None:
    source = Source(*(row(at, text) for at, text in enumerate(["violin", "garden", "stone"], start=1)))
    found = LocalIndex(Broken(), 10**9).search(source, ask("violin"))
    assert seqs(found)[0] == 1
    assert all(np.isfinite([item.score, item.relevance]).all() for item in found)


@pytest.mark.parametrize("vector", [np.zeros(64, np.float32), np.full(64, np.nan, np.float32), np.ones(3, np.float32)])
def test_a_useless_vector_is_a_keyword_search(vector: np.ndarray) -> None:
    source = Source(row(1, "violin", session=None), row(2, "garden", session=None))
    found = LocalIndex(WORDS, 10**9).search(source, ask("violin", vector=vector))
    assert seqs(found) == [1]


def test_relevance_tells_the_unrelated_from_the_related() -> None:
    texts = ["I live in Lisbon.", "I play the violin.", "My order is ORD-2024-001.", "我住在北京。", "我对花生过敏。"]
    source = Source(*(row(at, text, kind="EVIDENCE", session=None) for at, text in enumerate(texts, start=1)))
    index = LocalIndex(WORDS, 10**9)
    for question, seq in (
        ("Where do I live?", 1),
        ("Do I play the violin?", 2),
        ("ORD-2024-001", 3),
        ("我对什么过敏？", 5),
    ):
        best = index.search(source, ask(question))[0]
        assert seqs([best]) == [seq]
        assert best.relevance > 0.5, question
    for question in ("Who wrote Hamlet?", "光速是多少？"):
        assert all(item.relevance < 0.35 for item in index.search(source, ask(question))), question


def test_emoji_is_found_by_itself() -> None:
    source = Source(row(1, "🎻", session=None), row(2, "🎉", session=None), row(3, "hello", session=None))
    assert seqs(LocalIndex(None, 10**9).search(source, ask("🎻", keyword_only=True))) == [1]


def test_nothing_asked_or_held_gives_nothing() -> None:
    index = LocalIndex(WORDS, 10**9)
    assert index.search(Source(), ask("violin")) == []
    assert index.search(Source(row(1, "violin")), ask("violin", kinds=frozenset())) == []
    assert index.search(Source(row(1, "violin")), ask("violin", k=0)) == []
    assert index.search(Source(row(1, "violin")), ask("", keyword_only=True)) == []
    later = Source(row(1, "violin", recorded_at=NOW))
    assert LocalIndex(WORDS, 10**9).search(later, ask("violin", known_at=NOW - 1)) == []
