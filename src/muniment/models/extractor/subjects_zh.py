"""Who a Chinese clause is about: the speaker, one of their people, somebody else, or nobody that it names.

我 before a predicate is the speaker; 我 before a noun is the speaker's something (我司机不吃辣), whatever the noun:
what cannot be told is not the speaker.

Belongs here: that. Does not belong here: what an elliptic clause is given (`units`), what is said of them (the readers).
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.models.extractor.wording import wording

SPEAKER: Final = "我"
OTHER: Final = ""
"""Somebody or something that is not the speaker and has no name to be kept by."""
_SELF: Final = re.compile("(?:我|俺|本人|咱)(?:们)?(?:自己|本人|个人|这个人|这人|一个人|呢|啊|啦|嘛|吧)?")


def subject_of(said: str) -> str | None:
    """`SPEAKER`, one of their people as they are called (我妈), `OTHER`, or None where the clause names no subject."""
    helped = _pattern("benefit").match(said)
    if helped is not None and helped.end():
        return _for_whom(said[helped.end() :])
    kin = wording("zh").compiled("@kin").match(said)
    if kin is not None:
        rest = re.sub("^(?:他|她)?们?", "", said[kin.end() :])
        if _pattern("predicate").match(rest) or _pattern("attribute").match(rest.removeprefix("的")):
            return kin[0]
        return OTHER if rest.startswith("的") or _pattern("person").match(rest) else kin[0]
    own = _SELF.match(said)
    if own is not None:
        rest = said[own.end() :]
        mine = _pattern("predicate").match(rest) or _pattern("group").match(rest)
        return SPEAKER if mine or _pattern("attribute").match(rest.removeprefix("的")) else OTHER
    return OTHER if _pattern("somebody").match(said) else None


def left_out(said: str) -> bool:
    """Whether a clause begins with its predicate, or an attribute whose owner it does not name."""
    return bool(said) and bool(_pattern("predicate").match(said) or _pattern("attribute").match(said))


def _for_whom(rest: str) -> str | None:
    """The one for whom something is done; the speaker themselves are no subject."""
    kin = wording("zh").compiled("@kin").match(rest)
    if kin is not None:
        return kin[0]
    return OTHER if _pattern("person").match(rest) or _pattern("named").match(rest) else None


@cache
def _pattern(name: str) -> re.Pattern[str]:
    data = _lexicon()
    predicate = "|".join(data["predicate"])
    sources = {
        "predicate": predicate,
        "person": rf"我?(?:的|们|家)?[\u4e00-\u9fff]{{0,4}}?{data['person']}",
        "somebody": rf"(?:{data['named']}|[\u4e00-\u9fff]{{0,4}}?{data['person']})(?=(?!,|$)(?:{predicate}))",
    }
    return re.compile(sources.get(name) or data[name])


@cache
def _lexicon() -> dict[str, Any]:
    path = Path(__file__).parent / "lexicons" / "subjects_zh.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))
