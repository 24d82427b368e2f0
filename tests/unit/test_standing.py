"""What a text says of its own standing, in both languages, and what is only told in similar words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from muniment.domain.time import Moment
from muniment.text.standing import ends_at, marks, withheld

SAID = Moment.of("2025-03-10T09:00:00+00:00")

MARKED = [
    ("There is an unverified claim that the kiln runs at 900 degrees.", ("unverified",)),
    ("Rumour has it the depot closes in May.", ("unverified",)),
    ("Lena says Tuesday, but nobody has verified that.", ("unverified",)),
    ("这条未经证实的消息说仓库要搬。", ("unverified",)),
    ("据传下周停电。", ("unverified",)),
    ("A similar memo from another client lists the pump rate as 12.", ("elsewhere",)),
    ("Outdated remark about the valve from an older project: it was 4 mm.", ("elsewhere",)),
    ("The cap was mentioned elsewhere and must not be used here; it was noted elsewhere, not here.", ("elsewhere",)),
    ("这是来自其他项目的类似记录：水泵流量为12。", ("elsewhere",)),
    ("This door code has expired: 5519.", ("ended",)),
    ("That temporary arrangement is no longer in force.", ("ended",)),
    ("该临时授权已作废。", ("ended",)),
]

PLAIN = [
    "My hotel booking is not confirmed yet.",
    "I need to verify my account before Friday.",
    "We got a lovely note from another team today.",
    "My passport has expired, so I am renewing it.",
    "Smoking is no longer allowed in the lobby.",
    "She keeps old project notes separate from the new ones.",
    "别的项目也在用这个工具。",
    "我的护照过期了。",
    "订单还没确认。",
]


@pytest.mark.parametrize(("text", "found"), MARKED)
def test_a_piece_says_what_it_is_worth(text: str, found: tuple[str, ...]) -> None:
    assert marks(text) == found


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_told_in_similar_words_is_no_mark(text: str) -> None:
    assert marks(text) == ()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("My locker is 77. Do not store that.", ""),
        ("I moved to Ghent. The alarm word is heron. Please don't save or repeat it.", "I moved to Ghent. "),
        ("The alarm word is heron. Don't remember any of this.", ""),
        ("I moved to Ghent. My locker is 77, but please don't write it down.", "I moved to Ghent."),
        ("My locker is 77; do not retain.", ""),
        ("我搬到了根特。储物柜号是77。请不要记录它。", "我搬到了根特。"),
        ("储物柜号是77。以上内容不要保存。", ""),
    ],
)
def test_what_shall_not_be_kept_is_found_with_what_it_reaches(text: str, kept: str) -> None:
    spans = withheld(text)
    rest, place = "", 0
    for start, end in spans:
        rest += text[place:start]
        place = end
    assert (rest + text[place:]).strip(" .。") == kept.strip(" .。")
    assert spans


@pytest.mark.parametrize(
    "text",
    [
        "Do not save it as a PDF.",
        "I don't remember that.",
        "Don't keep it too warm.",
        "We never record meetings.",
        "They never save enough.",
        "他不记得这件事了。",
        "不要把它保存成PDF。",
    ],
)
def test_other_orders_withhold_nothing(text: str) -> None:
    assert withheld(text) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("The guest pass is valid until 20 March.", (2025, 3, 20)),
        ("This voucher expires on 2025-04-02.", (2025, 4, 2)),
        ("门禁卡有效期至2025年4月2日。", (2025, 4, 2)),
    ],
)
def test_an_end_that_is_told_is_read(text: str, day: tuple[int, int, int]) -> None:
    end = ends_at(text, SAID)
    assert end is not None
    assert 0 <= (end - datetime(*day, tzinfo=UTC)).days <= 1


def test_no_end_is_read_into_other_dates() -> None:
    assert ends_at("We met on 3 March and the pass was valid.", SAID) is None


def test_reading_is_bounded_and_linear() -> None:
    assert marks("similar note from " * 20_000) == ()
    assert withheld("do not " * 20_000) == []
