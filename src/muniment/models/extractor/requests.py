"""What is asked of the memory itself: remember, forget, correct. Read only at the head of a statement.

The word 'update' or 'forget' inside a statement is about something else; that is why position decides.

Belongs here: the request and where the statement behind it begins. Does not belong here: what the statement declares.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from muniment.models.extractor.units import PUNCTUATION, Sentence, Unit
from muniment.models.extractor.wording import Wording

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
            if wrap and (kind == "remember" or _MEMORY.search(view)):
                return Request(kind=kind, start=wrap.start("value"), end=wrap.end("value"))
        match = words.pattern("requests", kind).match(view, head)
        if match and _whole_word(view, match.end(), words.language):
            return Request(kind=kind, start=match.end(), end=size)
    if correcting(view[head:], words) or correcting(view, words):
        match = words.pattern("requests", "correct").match(view)
        return Request(kind="correct", start=match.end() if match else head, end=size)
    return None


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


def forgotten(words: Wording, view: str) -> int:
    """The length of what to forget, without 'from your memory' and the like behind it."""
    tail = words.pattern("requests", "forget_end").search(view.rstrip(PUNCTUATION))
    return tail.start() if tail and tail.start() else len(view.rstrip(PUNCTUATION))
