"""Any text at all: the extractor never raises, and what it proposes rests on the exact characters it quotes."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.config import load_policy
from muniment.domain.enums import ActorType, EvidenceType
from muniment.domain.scope import Reader
from muniment.domain.time import Moment
from muniment.models.extractor import BuiltinExtractor
from muniment.ports.models import Turn
from muniment.text.clauses import clauses, own_words
from muniment.text.timex import time_expressions

EXTRACTOR: Final = BuiltinExtractor(load_policy())
ENGLISH: Final = (
    *(
        "I ",
        "my ",
        "we ",
        "live in ",
        "Berlin",
        "like ",
        "tea",
        "don't ",
        "budget ",
        "is ",
        "to ",
        "raise ",
        "8,000 ",
        "$",
    ),
    *(
        "remember ",
        "that ",
        "forget ",
        "no, ",
        "actually ",
        "since March ",
        "until 31 ",
        "if ",
        "he said ",
        "my sister ",
        "'s ",
    ),
    *(
        "\u201c",
        "\u201d",
        '"',
        "`",
        "```",
        "\n",
        ". ",
        "? ",
        ", ",
        "step 3",
        "\u200b",
        "\ud800",
        "\x00",
        "\uff19",
        "\u0130",
        "\U0001f642",
    ),
)
CHINESE: Final = (
    *(
        "我",
        "住在",
        "杭州",
        "喜欢",
        "以后",
        "预算",
        "提到",
        "一万",
        "记住",
        "忘掉",
        "不对",
        "，",
        "。",
        "？",
        "我妈妈",
        "其",
        "的",
    ),
    *("生日是", "3月", "从", "起", "到", "为止", "状态", "：", "已发货"),
)
PIECES: Final = st.sampled_from(ENGLISH + CHINESE)
TEXTS: Final = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=24).map("".join))
INSTANTS: Final = ["2024-05-15T10:00:00+08:00", "0001-01-01T00:00:00+00:00", "9999-12-31T23:00:00+00:00"]
MOMENTS: Final = st.one_of(
    st.none(),
    st.sampled_from(["2024-05-15T10:00:00+08:00", "0001-01-01T00:00:00+00:00", "9999-12-31T23:00:00+00:00"]).map(
        Moment.of
    ),
)


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, occurred=MOMENTS, actor=st.sampled_from(ActorType), kind=st.sampled_from(EvidenceType), before=TEXTS)
def test_candidates_rest_on_exact_quotes(
    text: str, occurred: Moment | None, actor: ActorType, kind: EvidenceType, before: str
) -> None:
    turn = Turn(
        text=text, actor=actor, evidence_type=kind, occurred=occurred, reader=Reader.of(user="u"), evidence_id=UUID(int=7),
        before=((ActorType.USER, before),),
    )  # fmt: skip
    found = EXTRACTOR.extract(turn)
    assert len(found) <= 50
    assert found == EXTRACTOR.extract(turn)
    for item in found:
        assert item.quote_span is not None
        assert item.quote == text[slice(*item.quote_span)]
        assert item.content.strip()
        assert 0.55 <= item.confidence <= 0.95
        assert item.valid_from is None or item.valid_until is None or item.valid_from < item.valid_until
        assert actor is not ActorType.AGENT


@settings(max_examples=200, deadline=None)
@given(text=TEXTS)
def test_clauses_are_ordered_trimmed_and_within_the_text(text: str) -> None:
    place = 0
    for item in clauses(text):
        assert place <= item.start < item.end <= len(text)
        assert text[item.start : item.end] == text[item.start : item.end].strip()
        place = item.end
    assert len(own_words(text)) == len(text)


@settings(max_examples=200, deadline=None)
@given(text=TEXTS, reference=MOMENTS)
def test_time_expressions_do_not_overlap_and_end_after_they_begin(text: str, reference: Moment | None) -> None:
    place = 0
    for item in time_expressions(text, reference):
        assert place <= item.span[0] < item.span[1]
        assert item.phrase == text[slice(*item.span)]
        assert item.start is None or item.end is None or item.start < item.end
        place = item.span[1]
