"""Figures by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from muniment.domain.errors import InvalidInput
from muniment.evaluation.baselines import Baselines
from muniment.evaluation.cached import CachedEmbedder
from muniment.evaluation.metrics import any_at, fused, hit_at, mean, percentile, recall_at


def test_recall_is_the_share_of_gold_ids_among_the_first_k() -> None:
    ranked = ["a", "x", "b", "y", "c"]
    assert recall_at(["a", "b", "c", "d"], ranked, 1) == 0.25
    assert recall_at(["a", "b", "c", "d"], ranked, 3) == 0.5
    assert recall_at(["a", "b", "c", "d"], ranked, 20) == 0.75
    assert recall_at(["a", "a"], ranked, 1) == 1.0, "a gold id named twice is one"
    assert recall_at(["z"], [], 10) == 0.0


def test_a_hit_is_any_gold_id() -> None:
    assert hit_at(["b", "z"], ["x", "b"], 2) == 1.0
    assert hit_at(["b", "z"], ["x", "b"], 1) == 0.0


def test_figures_without_gold_are_refused_not_guessed() -> None:
    with pytest.raises(ValueError, match="gold"):
        recall_at([], ["a"], 1)
    with pytest.raises(ValueError, match="gold"):
        hit_at([], ["a"], 1)


def test_forbidden_ids_are_looked_for_in_the_first_k_only() -> None:
    assert any_at(["f"], ["a", "f"], 1) == 0.0
    assert any_at(["f"], ["a", "f"], 2) == 1.0
    assert any_at([], ["a"], 1) == 0.0


def test_mean_and_percentiles() -> None:
    assert mean([1, 2, 6]) == 3
    assert mean([]) is None
    values = [30, 10, 20, 40]
    assert percentile(values, 0.5) == 20
    assert percentile(values, 0.95) == 40
    assert percentile(values, 0.25) == 10
    assert percentile([7], 0.01) == 7
    assert percentile([], 0.5) is None


def test_rank_fusion_adds_reciprocal_ranks() -> None:
    # a: 1/61, b: 1/62 + 1/61, c: 1/62
    assert fused([["a", "b"], ["b", "c"]]) == ["b", "a", "c"]
    assert fused([["a"], ["b"]]) == ["a", "b"], "ties in the order of first sight"


class Letters:
    """Counts the letters a, b and c, and how many texts it was asked for."""

    id = "letters/1"
    dimension = 3

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Any, kind: str = "document") -> Any:
        self.asked += texts
        rows = np.array([[text.count(letter) + (kind == "query") for letter in "abc"] for text in texts], np.float32)
        return rows.reshape(-1, 3) / np.maximum(np.linalg.norm(rows.reshape(-1, 3), axis=1, keepdims=True), 1e-9)


def test_baselines_rank_by_words_and_by_vectors() -> None:
    beside = Baselines([("1", "the red aa barn"), ("2", "a red bb house, red all over"), ("3", "cc")], Letters())
    found = beside.rankings("red house", 2)
    assert found["bm25"] == ["2", "1"], "'the' and 'a' are stop words; both red, one a house"
    assert set(found) == {"bm25", "dense", "rrf"}
    assert beside.rankings("zebra", 3)["bm25"] == [], "nothing matches, nothing is ranked"


def test_bm25_by_hand() -> None:
    beside = Baselines([("1", "red barn"), ("2", "red red house roof")], Letters())
    scores = beside._bm25("barn")
    # N 2, df 1: idf = ln(1 + 1.5 / 1.5) = ln 2; dl 2, avgdl 3: norm = 1.2 (0.25 + 0.75 * 2 / 3) = 0.9
    assert scores[0] == pytest.approx(np.log(2) * 2.2 / 1.9)
    assert scores[1] == 0


def test_the_cache_gives_the_same_vectors_and_asks_once(tmp_path: Path) -> None:
    texts, inner = ["abc", "aab", "abc", "\ud800 a"], Letters()
    first = CachedEmbedder(inner, tmp_path)
    wanted = Letters().encode(texts)
    assert (first.encode(texts) == wanted).all()
    assert len(inner.asked) == 3, "the repeated text is asked for once"
    first.save()
    again = Letters()
    second = CachedEmbedder(again, tmp_path)
    assert (second.encode(texts) == wanted).all()
    assert again.asked == []
    assert (second.encode(["abc"], kind="query") == Letters().encode(["abc"], kind="query")).all(), "questions apart"
    assert b"aab" not in second.path.read_bytes(), "no words in the file"
    assert second.encode([]).shape == (0, 3)


def test_a_cache_of_another_kind_is_refused(tmp_path: Path) -> None:
    cache = CachedEmbedder(Letters(), tmp_path)
    cache.encode(["a"])
    cache.save()
    cache.path.write_bytes(cache.path.read_bytes()[:40])
    with pytest.raises(InvalidInput, match="delete it"):
        CachedEmbedder(Letters(), tmp_path)
