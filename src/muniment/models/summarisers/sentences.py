"""The sentences of a conversation, each with whose it is, and the word lists that read them.

Belongs here: cutting turns into sentences, and patterns over `lexicons/*.toml`. Does not belong here: what is chosen of them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final
from uuid import UUID

from muniment.domain.enums import ActorType
from muniment.ports.models import Said
from muniment.text.authority import suspicions
from muniment.text.clauses import FILLER, clauses, own_words
from muniment.text.folding import narrow
from muniment.text.redact import masked_kinds
from muniment.text.tokenizer import tokenize

MOST_CHARS: Final = 240
"""A sentence that is longer is none to tell a story by; it is left out whole, since a cut one may lose its 'not'."""
QUOTED: Final = 0.6
"""Share of a sentence that is code or quotation from which it is not the speaker's own."""
_END: Final = re.compile(r"[。！？!?….]+[”\"』」)）]*")
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of a turn; `turn` is the turn's place in the conversation, `question` that it asks."""

    text: str
    tokens: frozenset[str]
    turn: int
    evidence_id: UUID
    actor: ActorType
    speaker: str | None
    question: bool

    @property
    def told(self) -> str:
        """The speaker's own words, with the name or part of who is not the user."""
        if self.speaker is not None:
            return f"{self.speaker}: {self.text}"
        return self.text if self.actor is ActorType.USER else f"{self.actor.value.lower()}: {self.text}"


def sentences(turns: Sequence[Said]) -> Iterator[Sentence]:
    """Every sentence that may be told, in the order in which it was said."""
    for place, turn in enumerate(turns):
        for text, question in _cut(turn.text):
            if len(text) > MOST_CHARS or masked_kinds(text):
                continue
            tokens = frozenset(token for token in tokenize(text) if any(char.isalnum() for char in token))
            if tokens:
                yield Sentence(
                    text=text,
                    tokens=tokens,
                    turn=place,
                    evidence_id=turn.evidence_id,
                    actor=turn.actor,
                    speaker=turn.speaker,
                    question=question,
                )


def _cut(text: str) -> Iterator[tuple[str, bool]]:
    """A text's sentences on one line each, and whether each asks; without code and quoted lines, which nobody says."""
    found, own = clauses(text), own_words(text)
    for place, clause in enumerate(found):
        if place and found[place - 1].sentence == clause.sentence:
            continue
        last = clause
        for other in found[place:]:
            if other.sentence != clause.sentence:
                break
            last = other
        if own.count(FILLER, clause.start, last.end) > QUOTED * (last.end - clause.start):
            continue
        mark = _END.match(text, last.end)
        end = last.end if mark is None else mark.end()
        yield _SPACE.sub(" ", text[clause.start : end]).strip(), clause.question


def trusted(sentence: Sentence) -> bool:
    """Whether a sentence neither gives the agent orders nor claims rights: such words are told nowhere."""
    return not suspicions(sentence.text, source_is_user=sentence.actor is ActorType.USER)


@cache
def lexicon(name: str) -> dict[str, Any]:
    """A word list of this package as plain data."""
    path = resources.files("muniment.models.summarisers") / "lexicons" / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def pattern(words: dict[str, Any]) -> re.Pattern[str]:
    """A pattern of a word list's English words, matched whole, and Chinese ones, matched anywhere."""
    return re.compile(rf"(?<![A-Za-z-])(?:{'|'.join(words['en'])})(?![A-Za-z])|{'|'.join(words['zh'])}", re.IGNORECASE)


def plain(text: str) -> str:
    """A text as word lists are held against it."""
    return narrow(text).replace("’", "'")
