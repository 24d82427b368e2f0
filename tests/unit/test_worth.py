"""How likely a turn holds something worth remembering: more for what tells, less for chat, alike in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.text.worth import FEATURES, features, worth

TELLING = (
    "Last spring I moved to Ghent with my two daughters and began as a nurse at the Saint Lucas hospital.",
    "My brother and I bought an old van and drove it from Lisbon to Tallinn over six weeks.",
    "去年春天我带着两个女儿搬到了成都，在华西医院做护士，平时住在玉林路。",
    "我和弟弟买了一辆旧面包车，花了六个星期从昆明一路开到哈尔滨。",
)
CHAT = ("ok thanks", "Wow, that sounds great!", "How about you?", "好的，谢谢！", "哈哈，真棒", "你呢？")


@pytest.mark.parametrize("told", TELLING)
@pytest.mark.parametrize("said", CHAT)
def test_what_tells_is_worth_more_than_chat(told: str, said: str) -> None:
    assert worth(told) > 0.4 > 0.1 > worth(said)


@given(st.text(alphabet=st.characters(), max_size=400))
def test_any_text_has_a_worth(text: str) -> None:
    assert 0.0 <= worth(text) <= 1.0
    assert len(features(text)) == len(FEATURES)


def test_a_huge_text_is_read_no_further_than_needed() -> None:
    assert worth("I moved. " * 200_000) == worth("I moved. " * 2_000)
