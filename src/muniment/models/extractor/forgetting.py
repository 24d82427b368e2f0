"""Requests to forget by what is asked for: a verb of dropping and words for what a memory holds, however they are put.

'Drop the landline you have for me', 'my ex's birthday: gone from your records', 我说过不吃主食那条，清掉. What is
known by one fixed wording is read in `requests`; here the two parts may stand anywhere in the sentence, or the thing in the one
before ('That rule about copies? Retire it').

Belongs here: finding such a request and what it is about. Does not belong here: what becomes of it (ingestion).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from muniment.domain.enums import Basis, Intent, MemoryType, Scope
from muniment.domain.records import Candidate
from muniment.models.extractor import general_en, general_zh
from muniment.models.extractor.drafts import NAME, VERSION
from muniment.models.extractor.units import PUNCTUATION, Sentence
from muniment.ports.models import Turn

WHAT_CHARS: Final = 160
SENTENCE_CHARS: Final = 600
"""A longer sentence is no request."""
CONFIDENCE: Final = 0.84
"""Governance hides what matches exactly one slot, and asks where more or nothing does."""
_TAIL: Final = re.compile(
    r"\s*(?:,? (?:please|pls|thanks?|for good|for me|altogether|entirely|completely|any ?more|will you|would you)|"
    r"(?:from|off|out of|in) (?:your|ur|my|the|whatever) (?:\w+ )?(?:memory|memories|notes?|records?|files?|profile|list|data|"
    r"history)(?: (?:u|you) keep)?)+\W*$",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(
    r",\s(?=(?:i|we|he|she|it|they|nobody|no one|that|this|the|there|because|as|since|so)\b)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """[start, end) of the turn's text that asks, and [first, last) of it that says what is to be forgotten."""

    start: int
    end: int
    first: int
    last: int


def forgetting(sentence: Sentence, before: Sentence | None) -> Forgetting | None:
    """What a sentence asks to forget, or None. `before` is the sentence before it, in which a mere 'it' may have been named."""
    if not sentence.units or sentence.end - sentence.start > SENTENCE_CHARS:
        return None
    if sentence.units[0].words.language == "zh":
        return _chinese(sentence, before)
    return _english(sentence, before)


def _english(sentence: Sentence, before: Sentence | None) -> Forgetting | None:
    words = general_en.lexicon()
    spans = [(unit.view, unit.start, unit.body) for unit in sentence.units if not unit.supposed]
    if len(sentence.units) > 1:  # 'I'd be grateful if you would …' is two clauses and one request
        spans.append((sentence.view, sentence.start, sentence.units[0].body))
    for view, base, body in spans:
        passive = words["passive"].search(view, body)
        if passive:
            return _of(base + passive.start("what"), base + passive.end(), *_at(base, passive, "what"))
        verb = _asking().match(view, body)
        if verb is None:
            enough = words["enough"].match(view, body)
            if enough and words["held"].search(sentence.view):
                return _of(base + enough.start(), base + len(view.rstrip(PUNCTUATION)), *_at(base, enough, "what"))
            continue
        what = verb["what"]
        if words["pronoun"].match(what):
            named = before is not None and before.question and before.end > before.start
            if (
                named
                and before is not None
                and (
                    words["held"].search(before.view)
                    or re.match(r"\W*(?:that|the|my|you know)\b", before.view, re.IGNORECASE)
                )
            ):
                return _of(before.start, base + len(view.rstrip(PUNCTUATION)), before.start, before.end)
            continue
        lasting = re.match(
            r"(?:no longer|stop|don't|do not)\b", view[verb.end() - len(verb[0]) :].lstrip(), re.IGNORECASE
        )
        mine = re.match(
            r"(?:my|our|what|that|whatever|everything|anything|the (?:fact|bit|part|thing))\b", what, re.IGNORECASE
        )
        keeps = re.search(
            r"\b(?:no longer|stop|don't|do not)\b", verb[0][: verb.start("what") - verb.start()], re.IGNORECASE
        )
        if words["held"].search(view) or ((lasting or keeps) and mine):
            aside = _ASIDE.search(what)
            what = what[: aside.start()] if aside else what
            tail = _TAIL.search(what)
            kept = what[: tail.start()] if tail and tail.start() > 2 else what.rstrip(PUNCTUATION)
            first = base + verb.start("what")
            return _of(
                base + verb.start(), first + len(what.rstrip(PUNCTUATION)), first, first + len(kept.rstrip(PUNCTUATION))
            )
    return None


@cache
def _asking() -> re.Pattern[str]:
    words = general_en.lexicon()
    parts = (words["polite"].pattern, words["drop"].pattern, r"(?: out| off| away| down)?\s(?P<what>.+)")
    return re.compile("".join(parts), re.IGNORECASE)


def _chinese(sentence: Sentence, before: Sentence | None) -> Forgetting | None:
    words, view = general_zh.lexicon(), sentence.view
    verb = words["drop"].search(view)
    if (
        verb is None
        or words["never_drop"].search(view)
        or general_zh.asks(view.strip(PUNCTUATION))
        or sentence.question
    ):
        return None
    held = words["held"].search(view)
    if held is None:
        return None
    start = sentence.start
    cut = re.search(r"[,，](?=[^,，]*$)", view[: verb.start()]) if verb.start() > held.end() else None
    end = next((unit.end for unit in sentence.units if unit.start <= start + verb.start() < unit.end), sentence.end)
    begin = next(
        (unit.start for unit in sentence.units if unit.start <= start + min(held.start(), verb.start()) < unit.end),
        start,
    )
    last = start + (cut.start() if cut else verb.start()) if verb.start() > begin - start + 2 else end
    first = begin if verb.start() > begin - start + 2 else start + verb.end()
    return _of(begin, end, first, max(last, first + 1))


def _at(base: int, match: re.Match[str], name: str) -> tuple[int, int]:
    return base + match.start(name), base + match.end(name)


def _of(start: int, end: int, first: int, last: int) -> Forgetting | None:
    return Forgetting(start=start, end=end, first=first, last=last) if 0 < last - first <= WHAT_CHARS else None


def forgotten_of(found: Forgetting, turn: Turn) -> Candidate | None:
    """The candidate of such a request; its content is what to forget. None where that is a mere pointer."""
    content = turn.text[found.first : found.last].strip(PUNCTUATION)
    if len(content) < 2:
        return None
    return Candidate(
        content=content,
        memory_type=MemoryType.FACT,
        scope=Scope.USER,
        quote=turn.text[found.start : found.end],
        quote_span=(found.start, found.end),
        confidence=CONFIDENCE,
        basis=Basis.STATED,
        intent=Intent.FORGET,
        extractor_model=NAME,
        extractor_version=VERSION,
        valid_from_known=False,
    )
