"""What a statement denies is told from a negation inside its value, inside another word, or about something else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import muniment
from muniment.domain.records import Candidate
from muniment.governance.govern import denies
from muniment.governance.sameness import opposed, same_statement
from muniment.service.muniment import Muniment


@pytest.fixture
def memory() -> Iterator[Muniment]:
    with muniment.open("sqlite://", embedder="none") as opened:
        yield opened


@pytest.mark.parametrize(
    ("said", "predicate", "value"),
    [
        ("我非常喜欢咖啡", "likes", "咖啡"),
        ("我特别喜欢咖啡", "likes", "咖啡"),
        ("我特别爱吃辣", "likes", "辣"),
        ("我非常讨厌咖啡", "dislikes", "咖啡"),
        ("我特别不喜欢咖啡", "dislikes", "咖啡"),
        ("我未婚妻喜欢意面", "likes", "意面"),
        ("我喜欢非洲", "likes", "非洲"),
        ("我喜欢无锡", "likes", "无锡"),
        ("我喜欢无糖可乐", "likes", "无糖可乐"),
        ("我喜欢不辣的菜", "likes", "不辣的菜"),
        ("我喜欢别人送的花", "likes", "别人送的花"),
        ("我不喜欢无糖可乐", "dislikes", "无糖可乐"),
        ("I like no-code tools", "likes", "no-code tools"),
        ("I like coffee without sugar", "likes", "coffee without sugar"),
        ("I love coffee, no doubt", "likes", "coffee"),
        ("I like tea no matter what", "likes", "tea"),
        ("I don't like tea without sugar", "dislikes", "tea without sugar"),
    ],
)
def test_the_verb_alone_is_denied(memory: Muniment, said: str, predicate: str, value: str) -> None:
    me = memory.reader(user="ana")
    me.observe(said)
    held = [(fact.predicate, fact.value) for fact in me.facts() if fact.predicate in ("likes", "dislikes")]
    assert all(found == predicate for found, _ in held)
    me.add_fact(said, predicate=predicate, value=value)
    assert predicate in {fact.predicate for fact in me.facts()}
    assert {"likes", "dislikes"} - {fact.predicate for fact in me.facts()}


@pytest.mark.parametrize(
    ("content", "value", "filed", "denied"),
    [
        ("does not like tea", "tea", "likes", True),
        ("The user doesn't really like tea", "tea", "likes", True),
        ("I hate to admit that I love pizza", "pizza", "likes", False),
        ("用户不喜欢喝茶", "喝茶", "likes", True),
        ("用户不是很喜欢喝茶", "喝茶", "likes", True),
        ("用户讨厌喝茶", "喝茶", "likes", True),
        ("likes tea", "tea", "dislikes", True),
        ("用户非常喜欢喝茶", "喝茶", "dislikes", True),
        ("咖啡我不喜欢", "咖啡", "dislikes", False),
        ("can't stand tea", "tea", "dislikes", False),
        ("tea", "tea", "dislikes", False),
    ],
)
def test_a_value_filed_under_what_its_words_deny(content: str, value: str, filed: str, denied: bool) -> None:
    assert denies(Candidate(content=content, predicate=filed, value=value), filed) is denied


@pytest.mark.parametrize(
    ("one", "other"),
    [("我喜欢咖啡", "我非常喜欢咖啡"), ("我讨厌咖啡", "我特别讨厌咖啡"), ("我喜欢咖啡", "我很喜欢咖啡")],
)
def test_an_intensifier_says_the_same(one: str, other: str) -> None:
    assert same_statement(Candidate(content=one), Candidate(content=other))


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("我未婚夫住在北京", "我夫住在北京", False),
        ("我对花生过敏", "我对花生不过敏", True),
        ("我喜欢非洲", "我喜欢洲", False),
        ("I work with no-code tools", "I work with code tools", False),
        ("I am allergic to nuts", "I am not allergic to nuts", True),
    ],
)
def test_only_a_negation_opposes(one: str, other: str, are: bool) -> None:
    assert opposed(Candidate(content=one), Candidate(content=other)) is are
