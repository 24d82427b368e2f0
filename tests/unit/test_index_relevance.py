"""The floor: each feature's value against one worked out by hand, and which way each may turn the probability."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from tests.unit.index_fakes import DAY, NOW, START, WORDS, Broken, Source, ask, row, seqs

from muniment.index import relevance
from muniment.index.coefficients import coefficients
from muniment.index.local import LocalIndex
from muniment.ports.index import IndexQuery

FOUND = ("fit", "matched", "exact", "cosine", "named", "date")
AGAINST = ("unknown", "size")


class Asked:
    """What the index proposed, with the features it judged that by, by row."""

    def __init__(self, source: Source, query: IndexQuery, model: Any = WORDS) -> None:
        with patch.object(relevance, "probability", wraps=relevance.probability) as spy:
            self.found = LocalIndex(model, 10**9).search(source, query)
        self.parts: dict[str, Any] = spy.call_args.args[0]
        self.order = seqs(self.found)

    def __call__(self, name: str, seq: int) -> float:
        return float(self.parts[name][self.order.index(seq)])


def idf(rows: int, holding: int) -> float:
    return math.log(1 + (rows - holding + 0.5) / (holding + 0.5))


def weight(rows: int, holding: int) -> float:
    return math.log((rows + 20) / (holding + 1))


THREE = Source(
    row(1, "river lamp stone", session=None),
    row(2, "river garden", session=None),
    row(3, "falcon falcon falcon falcon", session=None),
)


def test_fit_is_the_share_of_the_best_bm25_there_could_be() -> None:
    asked = Asked(THREE, ask("river lamp meadow"))
    best = 2.2 * (idf(3, 2) + idf(3, 1) + idf(3, 0))
    damped = 1 + 1.2 * (0.25 + 0.75 * 3 / 3)
    assert asked("fit", 1) == pytest.approx(2.2 * (idf(3, 2) + idf(3, 1)) / damped / best, rel=1e-5)
    assert asked("fit", 3) == 0


def test_matched_counts_rare_terms_and_no_more_than_enough() -> None:
    asked = Asked(THREE, ask("river lamp meadow"))
    assert asked("matched", 1) == pytest.approx((weight(3, 2) + weight(3, 1)) / math.log(23), rel=1e-5)
    assert asked("matched", 2) == pytest.approx(weight(3, 2) / math.log(23), rel=1e-5)
    long = "river stone lamp violin garden copper winter bridge"
    assert Asked(Source(row(1, long)), ask(long))("matched", 1) == relevance.MATCHED_ENOUGH


def test_unknown_is_the_share_of_words_nobody_said_and_says_little_of_few_rows() -> None:
    share = weight(3, 0) / (weight(3, 2) + weight(3, 1) + weight(3, 0))
    assert Asked(THREE, ask("river lamp meadow"))("unknown", 2) == pytest.approx(share * 3 / 103)
    assert Asked(THREE, ask("river lamp"))("unknown", 2) == 0
    many = Source(*(row(at, "river", session=None) for at in range(1, 101)))
    assert Asked(many, ask("meadow"))("unknown", 1) == pytest.approx(0.5)


def test_size_counts_the_rows_that_are_seen() -> None:
    assert Asked(THREE, ask("river"))("size", 1) == pytest.approx(math.log(23))
    hidden = Source(*THREE.rows[next(iter(THREE.rows))], row(4, "river", hidden_at=NOW))
    assert Asked(hidden, ask("river"))("size", 1) == pytest.approx(math.log(23))


def test_what_is_hidden_makes_no_word_known() -> None:
    hidden = Source(*THREE.rows[next(iter(THREE.rows))], row(4, "meadow", hidden_at=NOW))
    question = ask("river lamp meadow")
    assert Asked(hidden, question)("unknown", 1) == Asked(THREE, question)("unknown", 1) > 0


def test_exact_is_the_share_of_the_identifiers_found() -> None:
    source = Source(row(1, "order ORD-2024-001 came", session=None), row(2, "the order came", session=None))
    asked = Asked(source, ask("order ORD-2024-001"))
    assert asked("exact", 1) == pytest.approx(1.0)
    assert asked("exact", 2) == 0


def test_named_is_who_the_question_names_be_it_everyone() -> None:
    source = Source(row(1, "I sailed.", speaker="Ana"), row(2, "I rowed.", speaker="Ben"), row(3, "Well.", speaker=""))
    one, both = Asked(source, ask("What did Ana do?")), Asked(source, ask("What did Ana and Ben do?"))
    assert [one("named", seq) for seq in (1, 2, 3)] == [1, 0, 0]
    assert [both("named", seq) for seq in (1, 2, 3)] == [1, 1, 0]
    assert Asked(source, ask("Who sailed?"))("named", 1) == 0


def test_date_is_one_within_the_time_asked_about_and_a_half_after() -> None:
    source = Source(*(row(at, "we went sailing", session=None) for at in range(1, 30)))
    at = datetime.fromtimestamp((START + 10 * DAY) / 1e6, UTC)
    for preset in ("measured", "seed"):
        asked = Asked(source, ask(f"sailing on {at:%d %B %Y}", k=29, preset=preset))
        assert [asked("date", seq) for seq in (9, 10, 11, 17, 18)] == [0, 1, 0.5, 0.5, 0]


def test_the_cosine_is_measured_from_the_neutral_texts() -> None:
    asked = Asked(THREE, ask("river lamp"))
    numbers = coefficients()
    documents = WORDS.encode(numbers.neutral_statements).astype(float).mean(axis=0)
    questions = WORDS.encode(numbers.neutral_questions).astype(float).mean(axis=0)
    line = WORDS.encode(["river garden"]).astype(np.float16)[0].astype(float) - documents
    vector = WORDS.encode(["river lamp"])[0].astype(float) - questions
    expected = line @ vector / np.linalg.norm(line) / np.linalg.norm(vector)
    assert asked("cosine", 2) == pytest.approx(expected, abs=1e-6)


def test_without_a_vector_words_alone_decide() -> None:
    spoken = Source(row(1, "river lamp", session=None), row(2, "river lamp", session=None, vectors=b"", model_id=""))
    mixed = Asked(spoken, ask("river lamp"))
    assert math.isnan(mixed("cosine", 2))
    assert not math.isnan(mixed("cosine", 1))
    alone = Asked(spoken, ask("river lamp", keyword_only=True))
    assert math.isnan(alone("cosine", 1))
    by_row = dict(zip(alone.order, alone.found, strict=True))
    assert by_row[1].relevance == by_row[2].relevance > 0.5
    assert {item.relevance for item in mixed.found if seqs([item]) == [2]} == {by_row[2].relevance}


def test_a_failing_embedder_leaves_a_probability() -> None:
    asked = Asked(THREE, ask("river lamp"), Broken())
    assert all(0 < item.relevance < 1 for item in asked.found)


def parts(**values: float) -> relevance.Features:
    """Features of one row somewhere in the middle, with changes."""
    usual = {
        "fit": 0.2,
        "matched": 1.0,
        "exact": 0.0,
        "cosine": 0.3,
        "named": 0.0,
        "date": 0.0,
        "unknown": 0.2,
        "size": 6.0,
    }
    return {name: np.array([value]) for name, value in {**usual, **values}.items()}


@pytest.mark.parametrize("chinese", [False, True], ids=["en", "zh"])
@pytest.mark.parametrize("cosine", [0.3, math.nan], ids=["by meaning too", "by words alone"])
def test_what_is_found_speaks_for_a_proposal_and_what_is_unknown_against(chinese: bool, cosine: float) -> None:
    usual = parts(cosine=cosine)
    before = relevance.probability(usual, chinese=chinese)[0]
    assert 0 < before < 1
    for name, values in usual.items():
        after = relevance.probability({**usual, name: values + 0.1}, chinese=chinese)[0]
        if name in FOUND and not math.isnan(values[0]):
            assert after >= before, name
        elif name in AGAINST:
            assert after <= before, name


def test_every_number_has_its_feature() -> None:
    known = {"bias", *FOUND, *AGAINST}
    numbers = coefficients()
    for weights in (numbers.relevance_en, numbers.relevance_zh, numbers.relevance_words_en, numbers.relevance_words_zh):
        assert set(weights) <= known
        assert {"bias", "matched"} <= set(weights)
    assert "cosine" in numbers.relevance_en
    assert "cosine" not in numbers.relevance_words_en


def test_the_same_words_weigh_less_in_a_store_of_more() -> None:
    """The best of many is near by chance: an answer has to stand out further where there is more to choose from."""
    few = Asked(Source(row(1, "the falcon sat by the river"), *_filler(10)), ask("river lamp meadow"))
    many = Asked(Source(row(1, "the falcon sat by the river"), *_filler(400)), ask("river lamp meadow"))
    first = {asked: next(item for item in asked.found if seqs([item]) == [1]) for asked in (few, many)}
    assert first[few].relevance > first[many].relevance


def _filler(count: int) -> list[Any]:
    return [row(at, f"stone {at} copper", session=None) for at in range(2, 2 + count)]
