"""The floor through the product, on a sample: an unrelated question gets nothing, and what answers mostly stays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.floor_check import Found, ask, ask_unrelated, records, told, unrelated

from muniment.bootstrap import open_memory
from muniment.evaluation.options import Options, ReplayClock, Run
from muniment.service.muniment import Muniment

SEATS = (
    ("I always take the window seat", "where does she like to sit on a plane"),
    ("我坐飞机总选靠窗的位置", "她坐飞机喜欢坐哪里？"),
)


@pytest.fixture(scope="module")
def run() -> Run:
    return Run(Options())


@pytest.fixture
def clock() -> ReplayClock:
    return ReplayClock()


@pytest.fixture
def memory(run: Run, clock: ReplayClock, tmp_path: Path) -> Iterator[Muniment]:
    url = f"sqlite:///{tmp_path / 'floor.db'}"
    opened = open_memory(url, policy=run.policy, embedder=run.embedder, clock=clock, settings=run.settings)
    with closing(opened):
        yield opened


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("name", "conversations", "questions", "kept"),
    [("locomo", 1, 60, 0.85), ("bfcl_memory", 1, 30, 0.9), ("memdaily_pool_zh", 4, 16, 0.75)],
)
def test_what_is_unrelated_gets_nothing_and_what_answers_stays(
    eval_data: Path, memory: Muniment, clock: ReplayClock, name: str, conversations: int, questions: int, kept: float
) -> None:
    file = eval_data / f"{name}.jsonl"
    if not file.exists():
        pytest.skip(f"no {file.name} in {eval_data}")
    floor = memory.policy.retrieval.floor
    found = {floor: Found()}
    for place, record in enumerate(itertools.islice(records(file), conversations)):
        reader = told(memory, clock, record)
        ask(reader, record, [floor], found, questions)
        said = "\n".join(doc["text"] for doc in record["docs"]).lower()
        ask_unrelated(reader, unrelated()[place::3], said, [floor], found)
    figures = found[floor].figures()
    assert figures["unrelated"]["n"] >= 50
    assert figures["unrelated"]["share"] >= 0.9, figures
    assert figures["gold kept"]["n"] >= 25
    assert figures["gold kept"]["share"] >= kept, figures
    assert figures["others kept"]["share"] < figures["gold kept"]["share"], figures


@pytest.mark.parametrize(("said", "question"), SEATS)
def test_a_short_statement_passes_without_a_word_in_common(memory: Muniment, said: str, question: str) -> None:
    me = memory.reader(user="ana")
    me.observe_many([{"content": text} for text in (said, "My brother plays the oboe.", "我们五月搬到了利兹。")])
    floor = memory.policy.retrieval.floor
    assert [hit.text for hit in me.search(question, min_score=floor)] == [said]
    assert not list(me.search("Who wrote Hamlet?", min_score=floor))
    assert not list(me.search("光速是多少？", min_score=floor))


def test_the_unrelated_questions_are_two_hundred_and_none_is_fitted_on() -> None:
    held, fit = unrelated("held"), unrelated("fit")
    assert len(held) == 200
    texts = [item["text"] for item in (*held, *fit)]
    assert len(set(texts)) == len(texts)
    assert all(item["about"] for item in (*held, *fit))
    assert all(word == word.lower() for item in (*held, *fit) for word in item["about"])
