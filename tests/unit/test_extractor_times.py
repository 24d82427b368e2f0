"""What a candidate's valid time rests on is kept with it: the words, when they were said, and what else they may mean."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.extractor_turns import SAID, extract


def told(text: str) -> list[dict[str, Any]]:
    (made,) = extract(text)
    return list(made.metadata.get("valid_time", ()))


def test_the_words_their_reference_and_their_range() -> None:
    assert told("I have lived in Turin since March 2021.") == [
        {
            "phrase": "since March 2021",
            "reference": SAID.local().isoformat(),
            "start": "2021-02-28T16:00:00+00:00",
            "end": None,
            "granularity": "month",
            "ambiguous": False,
        }
    ]


@pytest.mark.parametrize("text", ["I work at Nordlicht since November.", "从十一月起，我在北星公司工作。"])
def test_other_readings_are_kept(text: str) -> None:
    (made,) = extract(text)
    assert made.valid_from is not None
    (time,) = made.metadata["valid_time"]
    assert time["start"] == made.valid_from.isoformat()
    assert time["granularity"] == "month"


def test_an_afterthought_adds_its_words() -> None:
    (made,) = extract("I live in Turin, until the end of June 2024.")
    assert made.valid_until is not None
    assert [time["end"] for time in made.metadata["valid_time"]] == [made.valid_until.isoformat()]


@pytest.mark.parametrize("text", ["I live in Turin.", "My birthday is on 3 May.", "我喜欢周末。"])
def test_a_statement_whose_time_rests_on_no_words_keeps_none(text: str) -> None:
    assert [made.metadata.get("valid_time") for made in extract(text)] in ([None], [])
