"""What is asked of the memory itself: remember, forget, correct. Read only at the head of a statement.

The word 'update' or 'forget' inside a statement is about something else; that is why position decides.

Belongs here: the request and where the statement behind it begins. Does not belong here: what the statement declares.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from muniment.domain.statement import canonical
from muniment.models.extractor.units import PUNCTUATION, Sentence, Unit
from muniment.models.extractor.wording import Wording, wording

_MINE: Final = re.compile(r"(?:my|our) ((?:[\w'-]+ ){0,2}[\w'-]+)")
_MEMORY: Final = re.compile("记忆|记录|备忘|忘")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """`kind` of what is asked; [start, end) in the sentence's view holds what it is about."""

    kind: Literal["remember", "forget", "correct"]
    start: int
    end: int


def request_of(sentence: Sentence) -> Request | None:
    """The request at the head of a sentence, or None."""
    if not sentence.units:
        return None
    words, view = sentence.units[0].words, sentence.view
    head = sentence.units[0].start - sentence.start + sentence.units[0].body
    size = len(view.rstrip(PUNCTUATION))
    kinds: tuple[Literal["forget", "remember"], ...] = ("forget", "remember")
    for kind in kinds:
        if words.language == "zh":
            wrap = words.pattern("requests", f"{kind}_wrap").fullmatch(view, head, size)
            if wrap and (kind == "remember" or _MEMORY.search(view) or _of_mine(wrap, words)):
                group = wrap.lastgroup if kind == "forget" and wrap.lastgroup else "value"
                return Request(kind=kind, start=wrap.start(group), end=wrap.end(group))
        match = words.pattern("requests", kind).match(view, head)
        if match and _whole_word(view, match.end(), words.language):
            return Request(kind=kind, start=match.end(), end=size)
    start = (_foreign(view, head) or _within(view, head, words)) if words.language == "en" else 0
    if start:
        return Request(kind="remember", start=start, end=size)
    if correcting(view[head:], words) or correcting(view, words):
        match = words.pattern("requests", "correct").match(view)
        return Request(kind="correct", start=match.end() if match else head, end=size)
    return None


def _foreign(view: str, head: int) -> int:
    """Where what to keep begins behind a Chinese request before an English statement (记一下, my …); 0 where there is none."""
    match = wording("zh").pattern("requests", "remember").match(view, head)
    if match is None or match.end() == head:
        return 0
    rest = view[match.end() :]
    return match.end() + len(rest) - len(rest.lstrip(PUNCTUATION))


def _within(view: str, head: int, words: Wording) -> int:
    """Where what to keep begins behind a request in the midst of a sentence; 0 where there is none."""
    match = words.pattern("requests", "remember_within").search(view, head)
    return match.end() if match else 0


def _of_mine(wrap: re.Match[str], words: Wording) -> bool:
    """Whether what is to be deleted is an attribute that the memory would hold (我朋友的名字), not a file."""
    return bool(words.pattern("requests", "forget_mine").fullmatch(wrap["value"] or wrap["topic"] or ""))


def correcting(view: str, words: Wording) -> bool:
    """Whether words say that what was said before is wrong."""
    return bool(words.pattern("requests", "correct_cue").search(view))


def only_denies(sentence: Sentence) -> bool:
    """Whether a sentence is nothing but 'No.', 'That's wrong.', 不对。: the next one then corrects."""
    view = sentence.view.strip(PUNCTUATION)
    return bool(sentence.units) and bool(sentence.units[0].words.pattern("requests", "correct").fullmatch(view))


def _whole_word(view: str, end: int, language: str) -> bool:
    """English requests end at a word's end."""
    return language == "zh" or not (view[end : end + 1].isalnum() and view[end - 1 : end].isalnum())


def tail_request(unit: Unit) -> bool:
    """Whether a unit only asks to keep what was just said ('please remember that', 记一下)."""
    return bool(unit.words.pattern("requests", "remember_tail").fullmatch(unit.said.strip(PUNCTUATION)))


def to_forget(units: list[Unit]) -> list[Unit]:
    """The units of a request to forget without what only goes on about it: 'forget my flat number, I am moving out'."""
    if units[0].words.language != "en":
        return units
    aside = units[0].words.pattern("requests", "forget_aside")
    kept = next((place for place, unit in enumerate(units) if place and aside.match(unit.said)), len(units))
    return units[:kept]


def thing_named(words: Wording, phrase: str) -> tuple[tuple[int, int], bool]:
    """The span of the thing itself in an English phrase that names it with a clause ('who my guide is', 'the pens thing'), and
    whether it is said to be the speaker's own ('my …'); the whole of any other phrase."""
    match = words.pattern("requests", "forget_named").fullmatch(phrase) if words.language == "en" else None
    if match is None or match.lastgroup is None:
        return (0, len(phrase)), False
    return match.span(match.lastgroup), match.lastgroup == "my"


def own_noun(phrase: str, words: Wording) -> str | None:
    """The attribute that 'my <attribute>' names, as a statement of it would be filed, or None."""
    match = _MINE.fullmatch(canonical(phrase))
    return words.table("changes", "aliases").get(match[1], match[1]) if match else None


def forgotten(words: Wording, view: str) -> int:
    """The length of what to forget, without 'from your memory' and the like behind it."""
    size = len(view.rstrip(PUNCTUATION))
    why = words.pattern("requests", "forget_why").search(view, 0, size) if words.language == "zh" else None
    size = why.start() if why and why.start() > 1 else size
    tail = words.pattern("requests", "forget_end").search(view, 0, size)
    return tail.start() if tail and tail.start() else size
