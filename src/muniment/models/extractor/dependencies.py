"""What talk says of how things hang together: 'this depends on the home port', 'if the port changes, the berth will be 9', and
words to be kept exactly as they are.

A remark belongs to the statement before it, which becomes one that was announced. What would be if something changed is no
statement of what is: it is kept as it was said, with the slots it speaks of, for whoever follows the change.

Belongs here: that, in both languages (lexicons/dependencies.toml). Does not belong here: which fact a slot is, and what a
change of it does (ingestion).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.domain.enums import MemoryType
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.units import PUNCTUATION, Sentence, Unit
from muniment.models.extractor.values import VALUE_CHARS
from muniment.text.language import Language

DEPENDS_ON: Final = "depends_on"
"""Metadata of a statement: the slots it rests on, each `{name, subject, predicate, qualifier}`."""
IF_CHANGES, BECOMES, OF, THEN = "if_changes", "becomes", "of", "then"
"""Metadata of a declared successor: when this slot changes (to this value, or to any), that slot's value is then this."""
VERBATIM: Final = "verbatim"
"""The predicate of words that the speaker asked to keep to the letter; they are the value."""

Slot = dict[str, str]
SlotOf = Callable[[str, Language], Slot | None]
"""The slot that a noun phrase names, as the extractor would file a statement about it, or None."""

_MOST_ROOTS: Final = 4
_CONFIDENCE: Final = 0.86


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """'If `when` becomes `to`, `of` will be `then`'; `to` None is whatever it changes to. Noun phrases, as said."""

    when: str
    of: str
    then: str
    to: str | None = None


def announced(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
    """The sentences, each unit that a remark of dependency follows told what it rests on, the remarks left out."""
    held: Sentence | None = None
    for sentence in sentences:
        units: list[Unit] = []
        for unit in sentence.units:
            roots = () if sentence.question else roots_of(unit)
            if roots and units:
                units[-1] = replace(units[-1], rests_on=(*units[-1].rests_on, *roots))
            elif roots and held is not None and held.units and not held.question:
                last = held.units[-1]
                held = replace(held, units=[*held.units[:-1], replace(last, rests_on=(*last.rests_on, *roots))])
            else:
                units.append(unit)
        if held is not None:
            yield held
        held = replace(sentence, units=units)
    if held is not None:
        yield held


def roots_of(unit: Unit) -> tuple[str, ...]:
    """The things that a unit says the statement before it rests on; () where it is no such remark."""
    language = unit.words.language
    said = unit.view[unit.body :].rstrip(PUNCTUATION)
    match = _pattern(language, "remark").fullmatch(said)
    if match is None or unit.supposed or unit.reported:
        return ()
    start, text = match.start("roots"), match["roots"]
    if language == "zh":
        text = _pattern("zh", "rest").sub("", text)
        bare = _pattern("zh", "whole").sub("", text)
        if bare == text and _pattern("zh", "needs_end").match(said):
            return ()
        text = bare
    else:
        text = _pattern("en", "rest").sub("", text)
    original = unit.text[unit.body + start : unit.body + start + len(text)]
    names = [_bare(name, language) for name in _pattern(language, "between").split(original)]
    sound = [name for name in names if _sound(name, language)]
    return tuple(sound) if len(sound) == len(names) <= _MOST_ROOTS else ()


def succession(sentence: Sentence, text: str) -> Succession | None:
    """The declared successor that a whole sentence of `text` states, or None."""
    if not sentence.units or sentence.question or any(unit.reported for unit in sentence.units):
        return None
    language = sentence.units[0].words.language
    view = sentence.view.rstrip(PUNCTUATION)
    found = (_pattern(language, name).fullmatch(view) for name in ("condition", "reversed"))
    match = next((item for item in found if item), None)
    if match is None:
        return None

    def said(name: str) -> str:
        return text[sentence.start + match.start(name) : sentence.start + match.end(name)].strip(PUNCTUATION)

    when, of, then = _bare(said("when"), language), _bare(said("of"), language), said("then")
    to = said("to") if match.group("to") else None
    if not (_sound(when, language) and _sound(of, language) and 0 < len(then) <= VALUE_CHARS):
        return None
    return Succession(when=when, of=of, then=then, to=to)


def successor(found: Succession, language: Language, slot_of: SlotOf) -> Draft | None:
    """The draft of a declared successor: a statement that stands alone, since it says nothing of what is now."""
    when, of = slot_of(found.when, language), slot_of(found.of, language)
    if when is None or of is None:
        return None
    metadata: dict[str, Any] = {IF_CHANGES: when, OF: of, THEN: found.then}
    if found.to is not None:
        metadata[BECOMES] = found.to
    return Draft(memory_type=MemoryType.FACT, confidence=_CONFIDENCE, metadata=metadata)


def resting(roots: tuple[str, ...], language: Language, slot_of: SlotOf) -> dict[str, Any]:
    """The metadata of a statement that rests on the things named; {} where one of them is no slot."""
    slots = [slot_of(root, language) for root in roots]
    return {DEPENDS_ON: slots} if slots and all(slots) else {}


def verbatim(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """(span, words) of each request in a text to keep quoted words to the letter."""
    for language in ("en", "zh"):
        for match in _verbatim(language).finditer(text):
            if match["quote"].strip():
                yield match.span(), match["quote"]


def _bare(phrase: str, language: Language) -> str:
    phrase = phrase.strip(PUNCTUATION)
    match = _pattern(language, "determiner").match(phrase)
    return re.sub(r"\s*\([^()]*\)$", "", phrase[match.end() if match else 0 :]).strip(PUNCTUATION)


def _sound(name: str, language: Language) -> bool:
    """Whether words name a thing rather than point at one or make a clause."""
    longest = 60 if language == "en" else 24
    if language == "en" and len(name.split()) > 6:
        return False
    return 0 < len(name) <= longest and not _pattern(language, "pointer").search(name)


@cache
def _lexicon() -> dict[str, Any]:
    path = Path(__file__).parent / "lexicons" / "dependencies.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _pattern(language: str, name: str) -> re.Pattern[str]:
    return re.compile(_lexicon()[language][name], re.IGNORECASE | re.DOTALL)


@cache
def _verbatim(language: str) -> re.Pattern[str]:
    lead = r"(?<![A-Za-z])" if language == "en" else ""
    return re.compile(lead + _lexicon()[language]["verbatim"], re.IGNORECASE)
