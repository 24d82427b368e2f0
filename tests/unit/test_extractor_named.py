"""What a request to forget names without stating it, and what a later clause does to the statement before it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import pytest
from tests.unit.extractor_turns import extract, sure

from muniment.domain.enums import Intent

NAMED: Final = (
    ("Forget where I live.", "residence"),
    ("Please forget who I work for", "employer"),
    ("Forget how many kids we have", "children"),
    ("Forget what I do for a living.", "occupation"),
    ("Erase my phone number from your records", "phone"),
    ("Forget my current address", "residence"),
    ("Please forget my brother's name", "name"),
    ("请忘记我姐姐的生日", "birthday"),
    ("请删除我的邮箱地址", "email"),
    ("忘掉我住在哪里", "residence"),
    ("请忘记我在哪家公司工作", "employer"),
    ("忘掉我家有几个孩子吧", "children"),
    ("忘掉我是做什么工作的", "occupation"),
    ("从记忆中清除我的手机号码", "phone"),
    ("忘记我的家庭住址", "residence"),
)

ORDINARY: Final = ("I forget where I parked", "I always forget who is who.", "我老是忘记在哪停的车", "别忘了带伞")


@pytest.mark.parametrize(("text", "predicate"), NAMED)
def test_a_request_to_forget_names_the_slot(text: str, predicate: str) -> None:
    (found,) = extract(text)
    assert found.intent is Intent.FORGET
    assert (found.predicate, found.value) == (predicate, None)


@pytest.mark.parametrize("text", ORDINARY)
def test_forgetting_that_is_no_request(text: str) -> None:
    assert not [item for item in extract(text) if item.intent is Intent.FORGET]


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("I work at Tidewater, but only until 1 August 2024.", datetime(2024, 8, 1, 16, tzinfo=UTC)),
        ("I live in Leiden until the end of September 2024", datetime(2024, 9, 30, 16, tzinfo=UTC)),
        ("我住在徐州，只住到2024年8月1日。", datetime(2024, 8, 1, 16, tzinfo=UTC)),
        ("我在汉江集团上班，到2024年9月底为止。", datetime(2024, 9, 30, 16, tzinfo=UTC)),
    ],
)
def test_a_clause_behind_a_statement_sets_its_end(text: str, end: datetime) -> None:
    (found,) = extract(text)
    assert found.valid_until == end


@pytest.mark.parametrize(
    "text", ["I live in Leiden, and my sister arrives on 1 August 2024.", "我住在徐州，妹妹8月1日到。"]
)
def test_a_clause_with_more_in_it_sets_no_end(text: str) -> None:
    (found,) = (item for item in extract(text) if item.predicate == "residence")
    assert found.valid_until is None


@pytest.mark.parametrize(
    "text",
    [
        "I collect stamps from Mars, I'm only joking.",
        "I live on a volcano. Just kidding.",
        "我叫孙悟空，逗你的。",
        "我住在天宫。开玩笑的！",
    ],
)
def test_a_joke_states_nothing(text: str) -> None:
    assert extract(text) == []


@pytest.mark.parametrize("text", ["No joke, I live in Leiden.", "不开玩笑，我住在徐州。"])
def test_what_is_no_joke_is_stated(text: str) -> None:
    (found,) = extract(text)
    assert found.predicate == "residence"


@pytest.mark.parametrize(
    ("text", "predicate", "value"),
    [
        ("I left Tidewater and joined Brightwater.", "employer", "Brightwater"),
        ("我从汉江集团辞职了，加入了洞庭科技公司。", "employer", "洞庭科技公司"),
        ("长途大巴我喜欢靠过道的位子。", "seat", "靠过道"),
        ("我的新手机号是13812345678。", "phone", "13812345678"),
    ],
)
def test_the_subject_or_attribute_stands_apart(text: str, predicate: str, value: str) -> None:
    (found,) = sure(text)
    assert (found.predicate, found.value, found.qualifier) == (predicate, value, "")
