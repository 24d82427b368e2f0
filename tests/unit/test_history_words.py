"""Which questions ask for what held before, for rumours, or for other places."""

from __future__ import annotations

import pytest

from muniment.retrieval.history import ELSEWHERE, HISTORY, PAST, UNVERIFIED, wanted


@pytest.mark.parametrize(
    "question",
    [
        "Where did Ana use to live, and where did she live previously?",
        "How has the standby region for Larch changed over time?",
        "What was the standby region before the migration?",
        "Who was the former lead of Larch?",
        "Which gym did I used to go to?",
        "现在住处之前的变化过程是怎样的？",
        "她以前住在哪里？",
        "这个配置一路以来有哪些值？",
        "历史上用过哪些区域？",
    ],
)
def test_questions_for_the_past(question: str) -> None:
    assert HISTORY in wanted(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the standby region for Larch?",
        "Before I deploy, tell me the current standby region.",
        "Give me the latest standby region; ignore older values.",
        "What is the lead's name, not the old one?",
        "What did I do in the past two weeks?",
        "Where do I live now?",
        "我现在住在哪里？",
        "最新的区域是什么，忽略以前的值。",
    ],
)
def test_questions_for_what_holds(question: str) -> None:
    assert HISTORY not in wanted(question)


def test_rumours_and_other_places_are_asked_for_by_name() -> None:
    assert wanted("What rumours are there about the depot?") == {UNVERIFIED}
    assert wanted("What did we note in the other project about pumps?") == {ELSEWHERE, PAST}
    assert wanted("Sum up Larch without notes of another project.") == frozenset()
    assert wanted("关于仓库有哪些传闻？") == {UNVERIFIED}
    assert wanted("其他项目里有什么？") == {ELSEWHERE}


@pytest.mark.parametrize(
    "question",
    [
        "When did we go hiking?",
        "Where was the offsite?",
        "Have I ever eaten there?",
        "上次去了哪里？",
        "你去过那里吗？",
    ],
)
def test_the_past_tense_asks_for_what_happened(question: str) -> None:
    assert PAST in wanted(question)
    assert HISTORY not in wanted(question)


@pytest.mark.parametrize(
    "question", ["Where do we hike?", "What is the plan for the weekend?", "周末有什么安排？", "流程过程是什么？"]
)
def test_the_present_tense_does_not(question: str) -> None:
    assert PAST not in wanted(question)
