"""What a piece of text says of its own standing: unverified, about another place, over, not to be kept.

Only words about the piece itself count: an 'unverified note', 'this note has expired', 'do not save that'. What it tells of may
well be unconfirmed or over, and holds all the same ('my booking is not confirmed yet').

Belongs here: reading `lexicons/standing.toml`. Does not belong here: what is done about it (retrieval, ingestion, extraction).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Final, Literal

from muniment.domain.time import Moment
from muniment.text.clauses import clauses, own_words
from muniment.text.folding import narrow
from muniment.text.lexicon import lexicon
from muniment.text.pasted import joined
from muniment.text.retractions import retractions
from muniment.text.timex import time_expressions

Mark = Literal["unverified", "elsewhere", "ended"]

MARKS: Final[tuple[Mark, ...]] = ("unverified", "elsewhere", "ended")
READ_CHARS: Final = 2_000
"""Characters of a piece that are read: what a piece says of itself stands near its start, and a document is no note."""
_DATE_REACH: Final = 60
_SENTENCE_END: Final = re.compile(r"[.!?。！？]+(?=\s|$|[\u4e00-\u9fff])|\n")
_ENDS: Final = " \t\r\n,，.。;；:：!！?？~～"


def marks(text: str) -> tuple[Mark, ...]:
    """What the piece says of itself, in a fixed order; () for nearly every text. Linear in `READ_CHARS`."""
    return tuple(mark for mark in MARKS if (seen := _seen(text, mark)) and _pattern(mark).search(seen))


def ends_at(text: str, said: Moment | None) -> datetime | None:
    """When a piece says that it stops holding ('valid until 3 May', 有效期至5月3日), or None. `said` places relative days."""
    seen = _seen(text, "until")
    for match in _pattern("until").finditer(seen):
        behind = seen[match.start() : match.end() + _DATE_REACH]
        for item in time_expressions(behind, said, lean="future"):
            if item.resolved and item.span[1] > match.end() - match.start() and (item.end or item.start):
                return item.end or item.start
    return None


def withheld(text: str) -> list[tuple[int, int]]:
    """The spans of a text that its speaker asks not to keep, with the asking; [] where nobody asks.

    'My code is 12, do not save that' reaches over its sentence; 'Do not save that.' over the one before it too; 'do not save
    any of this' over the whole text; 'don't remember this: …', 'off the record: …' over all that follows; 'forget what I just
    said' behind other words over these.
    """
    plain = narrow(own_words(text))
    if not _pattern("hint").search(plain):
        return _taken_back(text)
    spans = _taken_back(text)
    before, start, sentence = 0, 0, -1
    for clause in clauses(plain):
        opens = clause.sentence != sentence
        if opens:
            before, start, sentence = start, clause.start, clause.sentence
        said = plain[clause.start : clause.end]
        if _pattern("ahead").search(said):
            return joined([*spans, (clause.start, len(text))])
        if _pattern("named").search(said.strip(_ENDS)):
            spans.append((clause.start, _sentence_end(plain, clause.end)))
            continue
        match = _pattern("withheld").search(said.strip(_ENDS))
        if match is not None and any(match.groupdict().values()):
            return [(0, len(text))]
        if match is not None:
            spans.append((before if opens else start, clause.end))
    return spans


def _taken_back(text: str) -> list[tuple[int, int]]:
    """What is said before 'forget what I just said' in the same breath."""
    last = [item.end for item in retractions(text) if item.reach == "here"]
    return [(0, last[-1])] if last else []


def _sentence_end(text: str, end: int) -> int:
    match = _SENTENCE_END.search(text, end)
    return match.end() if match else len(text)


def _seen(text: str, name: str) -> str:
    """The part of a text that is read, or '' where none of the letters stand in it without which no pattern matches."""
    part = text[:READ_CHARS]
    folded = part.casefold()
    return narrow(part).replace("’", "'") if any(need in folded for need in lexicon("standing")[name]["needs"]) else ""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    data = lexicon("standing")
    if name == "hint":
        words = [*data["withheld"]["keep"], *data["withheld"]["keep_zh"]]
        off = "|".join(data["withheld"]["hints"])
        source = rf"(?:not|n't|never|no need|不|别|勿|无需)[^.!?。！？\n]{{0,80}}?(?:{'|'.join(words)})|{off}"
    elif name in ("ahead", "named"):
        english, chinese = (_filled(data["withheld"][f"{name}_{language}"], data) for language in ("en", "zh"))
        source = "|".join([*english, *chinese])
    else:
        english, chinese = _filled(data[name]["en"], data), _filled(data[name]["zh"], data)
        source = "|".join([rf"(?<![A-Za-z-])(?:{item})" for item in english] + chinese)
    return re.compile(source, re.IGNORECASE)


def _filled(patterns: Sequence[str], data: Mapping[str, Mapping[str, list[str]]]) -> list[str]:
    """The patterns with the lists of words put in."""
    lists = {**data["words"], "keep_zh": data["withheld"]["keep_zh"], "keep": data["withheld"]["keep"]}
    names = re.compile(r"@(keep_zh|keep|context|piece|thing)")
    return [names.sub(lambda match: f"(?:{'|'.join(lists[match[1]])})", item) for item in patterns]
