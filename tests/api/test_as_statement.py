"""How what was said is filed: requests as statements, unseen characters, refused clauses, words and value of a stated fact."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import muniment
from muniment.domain.enums import Eligibility
from muniment.ingestion.rewording import as_statement
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader


@pytest.fixture
def memory() -> Iterator[Muniment]:
    with muniment.open(":memory:", embedder="none") as memory:
        yield memory


@pytest.fixture
def me(memory: Muniment) -> Reader:
    return memory.reader(user="ana", session="s")


def held(me: Reader) -> list[str]:
    return sorted(fact.content for fact in me.facts())


@pytest.mark.parametrize(
    ("said", "filed"),
    [
        ("Change my address to Bern", "My address is Bern"),
        ("Please update my phone number to 555-1234-567.", "My phone number is 555-1234-567"),
        ("Set my budget to 5000 euros", "My budget is 5000 euros"),
        ("预算改成6000元", "预算是6000元"),
        ("把我的地址改成伯尔尼", "我的地址是伯尔尼"),
        ("我的住址改为上海。", "我的住址是上海"),
    ],
)
def test_a_request_to_change_is_filed_as_what_is_now_so(me: Reader, said: str, filed: str) -> None:
    me.observe(said)
    assert held(me) == [filed]
    (fact,) = me.facts()
    assert me.explain(fact.fact_id).evidence[0].content == said


@pytest.mark.parametrize(
    "said",
    [
        "I changed my address to Bern",
        "My address is Bern",
        "我把地址改成了伯尔尼",
        "别把我的地址改成伯尔尼",
        "Don't change my address to Bern",
    ],
)
def test_other_words_stay(said: str) -> None:
    candidate = muniment.Candidate(content=said, predicate="residence", value="伯尔尼" if "伯" in said else "Bern")
    assert as_statement(candidate) is candidate


@pytest.mark.parametrize(("first", "again"), [("I like tea", "I like \x00 tea"), ("我喜欢喝茶", "我喜欢\x00喝茶")])
def test_unseen_characters_do_not_reword_what_they_repeat(me: Reader, first: str, again: str) -> None:
    me.observe(first)
    (decision,) = me.observe(again).decisions
    assert decision.outcome == "reinforced"
    assert held(me) == [first]


@pytest.mark.parametrize(
    ("said", "filed"),
    [("My name is \u202eAna\u202c Li", "My name is Ana Li"), ("我喜欢\u2067喝茶\u2069。", "我喜欢喝茶")],
)
def test_what_turns_words_around_stays_in_the_evidence_and_is_flagged(
    memory: Muniment, me: Reader, said: str, filed: str
) -> None:
    receipt = me.observe(said)
    assert held(me) == [filed]
    with memory.parts.store.read(me.identity) as unit:
        assert unit.evidence(receipt.evidence)[receipt.evidence[0]].content == said
        assert unit.events([receipt.event])[0].metadata["sanitised"] == ["direction"]
    stated = me.add_fact("likes \u202etea", predicate="likes", value="\u202etea")
    assert stated.facts
    assert "\u202e" not in "".join(f"{fact.content}{fact.value}" for fact in me.facts())


@pytest.mark.parametrize(
    ("said", "kept", "refused"),
    [
        ("Remember that my password is hunter2zz and I like tea", ["I like tea"], "my password is [password]"),
        ("Remember that I like tea and that my password is hunter2zz.", ["I like tea"], None),
        (
            "Remember my card is 4111 1111 1111 1111 and that I live in Rome.",
            ["I live in Rome"],
            "my card is [bank_card …1111]",
        ),
        ("记住，我的密码是hunter2zz，我喜欢喝茶。", ["我喜欢喝茶"], None),
        ("记住我的银行卡号是4111111111111111而且我住在上海", ["我住在上海"], None),
    ],
)
def test_only_the_clause_with_the_secret_is_refused(
    memory: Muniment, me: Reader, said: str, kept: list[str], refused: str | None
) -> None:
    receipt = me.observe(said)
    assert held(me) == kept
    assert not any("hunter2zz" in line or "11111111" in line for line in receipt.lines)
    if refused is not None:
        assert any(line.startswith(f"rejected: {refused} (") for line in receipt.lines), receipt.lines
    with memory.parts.store.read(me.identity) as unit:
        pieces = unit.evidence(receipt.evidence).values()
    assert Eligibility.ELIGIBLE in {piece.eligibility for piece in pieces}
    assert not any("hunter2zz" in piece.content for piece in pieces)


def test_a_secret_alone_is_refused_whole(memory: Muniment, me: Reader) -> None:
    receipt = me.observe("Remember that my password is hunter2zz")
    assert [item.outcome for item in receipt.decisions] == ["rejected"]
    with memory.parts.store.read(me.identity) as unit:
        (piece,) = unit.evidence(receipt.evidence).values()
    assert piece.eligibility is Eligibility.AUDIT_ONLY


@pytest.mark.parametrize(
    ("text", "predicate", "value", "named"),
    [
        ("I live in Rome", "residence", "Oslo", "Rome"),
        ("My budget is 5000 euros", "budget", "7000", "5000"),
        ("我住在上海", "residence", "北京", "上海"),
        ("My name is Ana", "name", "Bo", "Ana"),
    ],
)
def test_words_that_name_another_value_are_refused(
    me: Reader, text: str, predicate: str, value: str, named: str
) -> None:
    with pytest.raises(muniment.InvalidInput) as caught:
        me.add_fact(text, predicate=predicate, value=value)
    assert named in str(caught.value)
    assert value in str(caught.value)
    assert held(me) == []


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("I live in Rome", "residence", "Rome"),
        ("I live in NYC", "residence", "New York City"),
        ("I live in New York", "residence", "New York City"),
        ("我住在上海", "residence", "Shanghai"),
        ("My budget is 5,000 euros", "budget", "5000"),
        ("We met by the river", "residence", "Oslo"),
        ("I live in Rome", "my own predicate", "Oslo"),
    ],
)
def test_words_that_do_not_are_accepted(me: Reader, text: str, predicate: str, value: str) -> None:
    assert me.add_fact(text, predicate=predicate, value=value).facts
