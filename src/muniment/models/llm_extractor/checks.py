"""From an item of a model's answer to a candidate, or to the reason why it is none.

What is not in the words is not taken from the model: no quote, no candidate; a value that is not quoted is left out; a sentence
that says more than its quote gives way to the quote; dates are ours; what counts as an explicit act is read off the words.

Belongs here: those checks, item by item. Does not belong here: how words stand (`standing`), limits and doubles (`extractor`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from muniment.config import Policy
from muniment.domain.enums import Basis, Intent, MemoryType, Scope
from muniment.domain.records import Candidate
from muniment.domain.statement import canonical
from muniment.models.extractor.drafts import CONTENT_CHARS
from muniment.models.extractor.statuses import PLAIN_CONFIDENCE
from muniment.models.llm_extractor.quotes import Quotable, says
from muniment.models.llm_extractor.shape import Memory
from muniment.models.llm_extractor.standing import Place, Said, Span
from muniment.models.llm_extractor.wording import denies, faithful, negations, shared, speaker
from muniment.ports.models import Known
from muniment.text.clauses import clauses
from muniment.text.folding import narrow
from muniment.text.identifiers import identifiers

INTENT: Final = {"say": Intent.ASSERT, "change": Intent.CHANGE, "correct": Intent.CORRECT, "forget": Intent.FORGET}
ASKS: Final = 0.81
"""Confidence at most of what takes something away without being asked for in so many words, or of which the model said more than
was said: a person is asked."""
OF_THINGS: Final = frozenset({MemoryType.FACT, MemoryType.STATUS})
"""What tools, documents and databases may tell of: states of things."""
_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_END: Final = " \t\r\n,，.。;；"
NAME_CHARS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Handle:
    """What a number in a prompt stands for: a memory that is held, or a candidate that was found in the turn already."""

    known: Known | None = None
    found: Candidate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an item is judged with: the turn, the part of it that was shown, what the numbers stand for, who asked."""

    said: Said
    part: Span
    quotable: Quotable
    handles: Sequence[Handle]
    policy: Policy
    model: str
    version: str
    sure: Sequence[Candidate] = ()


def judged(item: Memory, reading: Reading) -> Candidate | str:
    """The candidate, its quote exactly turn.text[quote_span], or why there is none."""
    said, kind, intent = reading.said, MemoryType(item.type), INTENT[item.act]
    if (found := reading.quotable.span(item.quote)) is None:
        return "its quote is not in the text"
    span = (found[0] + reading.part[0], found[1] + reading.part[0])
    handle, trouble = _handle(item, intent, reading)
    if trouble is not None:
        return trouble
    place = said.place(span)
    request = said.request(place) if said.own else None
    if why := said.unsaid(span, place, rule=kind is MemoryType.RULE, asked=request in ("remember", "forget")):
        return why
    if not _says_something(said.turn.text[slice(*span)]):
        return "its quote says nothing by itself"
    subject, trouble = _subject(item, span, place, reading)
    if trouble is not None:
        return trouble
    if not said.own and (kind not in OF_THINGS or subject == "user" or intent is not Intent.ASSERT):
        return "what a tool or document says is none of the user's words"
    draft = _Draft(item=item, kind=kind, intent=intent, span=span, place=place, subject=subject, handle=handle)
    return _candidate(draft, reading, request)


def _handle(item: Memory, intent: Intent, reading: Reading) -> tuple[Handle | None, str | None]:
    if item.known is None:
        return None, None
    if not 1 <= item.known <= len(reading.handles):
        return None, f"it names number {item.known}, which was not shown"
    handle = reading.handles[item.known - 1]
    if handle.found is not None and intent is Intent.ASSERT:
        return None, "it was found already"
    if handle.known is not None and intent is not Intent.ASSERT and not _spoken_of(handle.known, item, reading):
        return None, "it names a memory that the words do not speak of"
    return handle, None


def _spoken_of(known: Known, item: Memory, reading: Reading) -> bool:
    """Whether a quote has anything to do with the memory that it is said to change or end: its words or its slot's names; for
    a change also the same predicate, named a second time."""
    if shared(known.content, item.quote):
        return True
    name = known.predicate or ""
    entry = reading.policy.predicates.get(name)
    names = [name.replace("_", " "), *(entry.synonyms if entry else ())]
    if any(each and says(item.quote, each) for each in names):
        return True
    if item.act == "forget" or item.predicate is None:
        return False
    return bool(name) and reading.policy.predicate(item.predicate.replace("_", " "))[0] == name


def _says_something(quote: str) -> bool:
    """Whether a quote is more than a word that can be found anywhere."""
    letters = [char for char in quote if char.isalnum()]
    han = sum(char >= "\u2e80" for char in letters)
    return han >= 3 or len(quote.split()) >= 2 or (han and len(letters) >= 4) or ":" in quote or "：" in quote


# -- whom it is about ----------------------------------------------------------------------------------------------------


def _subject(item: Memory, span: Span, place: Place, reading: Reading) -> tuple[str, str | None]:
    """Whom or what it is about, as far as the words say so: 'user' for the speaker. A model that takes the speaker's mother for
    the speaker is corrected by the clause itself, and by what is plain to the built-in extractor."""
    said = reading.said
    own = said.turn.text[slice(*span)]
    other = said.other(place)
    plain = next((each for each in reading.sure if _overlaps(each.quote_span, span) and each.subject), None)
    if plain is not None and plain.subject is not None and canonical(plain.subject) != "user":
        return plain.subject, None
    if speaker(item.subject):
        if other is not None:
            return canonical(other), None
        if said.own and said.reported(place):
            return "user", "it is what others say"
        return "user", None
    name = (item.subject or "").strip()
    heard = [own, said.around(place, span), *(text for _, text in said.turn.before)]
    if len(name) > NAME_CHARS or not any(says(text, name) for text in heard):
        return "user", "it is about somebody or something that is not named"
    return canonical(name), None


def _overlaps(one: Span | None, other: Span) -> bool:
    return one is not None and one[0] < other[1] and other[0] < one[1]


# -- the candidate -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    item: Memory
    kind: MemoryType
    intent: Intent
    span: Span
    place: Place
    subject: str
    handle: Handle | None


def _candidate(draft: _Draft, reading: Reading, request: str | None) -> Candidate | str:
    said, item = reading.said, draft.item
    quote = said.turn.text[slice(*draft.span)]
    known = None if draft.handle is None else draft.handle.known
    slot = _slot(draft, quote, reading.policy, known)
    content, own_words = _content(draft, quote, reading)
    if not content or len(content) > CONTENT_CHARS:
        return "its words are too long for a memory"
    explicit = request == ("forget" if draft.intent is Intent.FORGET else "remember") or (
        request == "correct" and draft.intent is Intent.CORRECT
    )
    ceiling = said.ceiling(draft.place) if said.own else PLAIN_CONFIDENCE
    if not explicit and (draft.intent in (Intent.FORGET, Intent.CORRECT) or not own_words):
        ceiling = min(ceiling, ASKS)
    candidate = Candidate(
        content=known.content if known is not None and draft.intent is Intent.FORGET else content,
        memory_type=draft.kind,
        scope=Scope.USER if draft.intent is Intent.FORGET else _scope(draft, reading),
        quote=quote,
        quote_span=draft.span,
        confidence=round(min(item.confidence, ceiling), 4),
        basis=Basis.STATED,
        intent=draft.intent,
        explicit=explicit and said.own,
        stable=not (draft.kind is MemoryType.PREFERENCE and said.passing(draft.place)) or explicit,
        extractor_model=reading.model,
        extractor_version=reading.version,
        **slot,
    )
    return replace(candidate, **_times(draft, reading))


def _slot(draft: _Draft, quote: str, policy: Policy, known: Known | None) -> dict[str, Any]:
    """Subject, predicate and value, where the quote holds the value and the catalogue or the quote the predicate; else nothing
    but a subject that is not the user. What changes, corrects or ends a known memory is filed where that is."""
    item = draft.item
    value = _value(item.value, quote)
    if known is not None and known.predicate:
        kept = value if value or draft.intent is not Intent.FORGET else known.value
        if kept or draft.intent is Intent.FORGET:
            return {
                "subject": known.subject, "predicate": known.predicate, "qualifier": known.qualifier or "", "value": kept,
            }  # fmt: skip
    alone: dict[str, Any] = {} if draft.subject == "user" else {"subject": draft.subject}
    if item.predicate is None or (value is None and draft.intent is not Intent.FORGET):
        return alone
    name, _ = policy.predicate(item.predicate.replace("_", " "))
    listed = name in policy.predicates
    if name is None or (not listed and not says(quote, name)):
        return alone
    negative = denies(name)
    if negative is not None and (negations(quote) % 2 == 1) is not negative:
        return alone
    return {"subject": draft.subject, "predicate": name, "qualifier": "", "value": value}


def _value(value: str | None, quote: str) -> str | None:
    """The value, where it stands in the quote, or is an exact key (an amount, a date, a number) that does in another spelling."""
    if value is None or not value.strip() or len(value) > CONTENT_CHARS:
        return None
    if says(quote, value):
        return value.strip()
    if number := _NUMBER.fullmatch(value.strip()):
        return _number(number[0], quote)
    exact = identifiers(value)
    if len(exact) == 1 and exact[0].span == (0, len(value)):
        same = next(
            (each for each in identifiers(quote) if (each.kind, each.value) == (exact[0].kind, exact[0].value)), None
        )
        return None if same is None else quote[slice(*same.span)]
    return None


def _number(value: str, quote: str) -> str | None:
    """A number as the quote has it, with its currency or unit where that makes an amount; None where it is not there."""
    plain = value.replace(",", "")
    same = next((each for each in _NUMBER.finditer(narrow(quote)) if each[0].replace(",", "") == plain), None)
    if same is None:
        return None
    spans = (each.span for each in identifiers(quote))
    span = next((each for each in spans if each[0] <= same.start() and same.end() <= each[1]), same.span())
    return quote[slice(*span)]


def _content(draft: _Draft, quote: str, reading: Reading) -> tuple[str, bool]:
    """The memory's words: the model's sentence where it says exactly what its ground says, else the quote, grown to its clause
    so that no 'not' is cut off; and whether these are words to go by (the model was not caught at saying more)."""
    said = reading.said
    sentence = (draft.item.content or "").strip()
    around = said.around(draft.place, draft.span)
    if (
        sentence
        and (draft.subject == "user" or shared(draft.subject, sentence))
        and len(sentence) <= CONTENT_CHARS
        and faithful(sentence, quote)
        and (negations(quote) % 2 == negations(_clause(quote, draft, said)) % 2)
    ):
        return sentence, True
    own = _clause(quote, draft, said).strip(_END)
    return own, not sentence or says(around, sentence)


def _clause(quote: str, draft: _Draft, said: Said) -> str:
    """The quote with the rest of the clauses that it cuts."""
    starts = [unit.start for unit in draft.place.units]
    ends = [unit.end for unit in draft.place.units]
    whole = said.turn.text[min([*starts, draft.span[0]]) : max([*ends, draft.span[1]])]
    return whole if len(clauses(whole)) <= max(2, len(clauses(quote)) + 1) and len(whole) <= CONTENT_CHARS else quote


def _scope(draft: _Draft, reading: Reading) -> Scope | None:
    """What the words ask for; else what the model says, which may only make it narrower."""
    worded = reading.said.scope(draft.place)
    if worded is not None or draft.item.scope is None:
        return worded
    scope = Scope(draft.item.scope)
    if scope is Scope.TASK and not reading.said.turn.reader.task:
        scope = Scope.SESSION
    if scope is Scope.SESSION and not reading.said.turn.reader.session:
        return None
    return None if scope is Scope.USER else scope


def _times(draft: _Draft, reading: Reading) -> dict[str, Any]:
    """Valid time by the phrase that the model names, if it stands with the quote; what it means is computed here, never there."""
    if draft.item.when is None or draft.intent is Intent.FORGET:
        return {"valid_from_known": False}
    said = reading.said
    around = said.around(draft.place, draft.span)
    base = said.turn.text.index(around, max(0, draft.span[0] - len(around)))
    named = Quotable(around).span(draft.item.when)
    if named is None:
        return {"valid_from_known": False}
    start = end = None
    phrases = []
    for each in said.times((named[0] + base, named[1] + base), draft.place):
        if not each.resolved:
            continue
        phrases.append({"phrase": each.phrase, "ambiguous": each.ambiguous})
        begins = each.role == "from" or (each.role == "during" and draft.intent is Intent.CHANGE)
        start = start or (each.start if begins or (each.role == "during" and each.end and _both(each.phrase)) else None)
        end = end or (each.end if each.role == "until" or (each.role == "during" and _both(each.phrase)) else None)
    if start and end and end <= start:
        start = end = None
    at = said.turn.occurred.at if said.turn.occurred else None
    lost = end is not None and start is None and at is not None and end <= at
    return {
        "valid_from": start,
        "valid_until": None if lost else end,
        "valid_from_known": start is not None,
        "placed": not lost,
        "metadata": {"when": phrases} if phrases else {},
    }


def _both(phrase: str) -> bool:
    """Whether a phrase names both ends ('from 3 to 9 May')."""
    return any(word in f" {phrase} " for word in (" to ", " until ", " till ", " through ", "到", "至", "-", "–", "~"))
