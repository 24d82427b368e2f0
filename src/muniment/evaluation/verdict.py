"""Whether an answer is what a case expects, and if not, in which channel and by which text.

What a case wants absent may still stand in what says of itself that it is history (or, in `search`, that it is under
suspicion); what was to be forgotten may stand nowhere.

Belongs here: the judgement on one answer. Does not belong here: running a case (`builtin`), the form of cases (`case_files`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from muniment.domain.answers import Hit
from muniment.domain.contexts import Context, ContextItem
from muniment.domain.records import Evidence, Fact
from muniment.evaluation.case_files import Case
from muniment.text.folding import narrow

MARKED: Final = frozenset({"history", "past", "elsewhere", "quarantined"})
"""Flags by which a hit says that it does not hold, or may not be relied on."""

NO_FACT: Final = frozenset({"not_remember", "authority", "forget"})
"""Classes in which no fact may hold what is `absent`, found or not."""

EVIDENCE_STAYS: Final = frozenset({"not_remember"})
"""Classes whose `absent` is about facts alone: what was said stays evidence, and may be found as what was said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back: the hits, the context, and every fact in force for who asked."""

    hits: Sequence[Hit]
    context: Context
    facts: Sequence[Fact]


def failures(case: Case, answer: Answer) -> list[str]:
    """What is wrong with an answer, a sentence each; an empty list is a pass."""
    checks: tuple[Callable[[Case, Answer], Iterator[str]], ...] = (
        _sound,
        _present,
        _absent,
        _never,
        _disagree,
        _first,
        _facts,
    )
    return [said for check in checks for said in check(case, answer)]


def remembered(context: Context) -> str:
    """The part of a context that is memory: inside its fence, so without the question and the caller's rules."""
    return context.text.partition("<memory")[2]


def _sound(case: Case, answer: Answer) -> Iterator[str]:
    if answer.context.degraded:
        yield f"context: degraded: {', '.join(answer.context.degraded)}"


def _present(case: Case, answer: Answer) -> Iterator[str]:
    told = [hit for hit in answer.hits if not MARKED & set(hit.why.flags)]
    for text in case.expect.present:
        if not _holds(remembered(answer.context), text):
            yield f"context: lacks {text!r}"
        found = [hit for hit in told if _holds(hit.text, text)]
        if not found:
            yield f"search: no hit has {text!r}"
        elif case.kind == "remember" and not any(isinstance(hit.item, Fact) for hit in found):
            yield f"search: {text!r} is in evidence only, no fact was made of it"


def _absent(case: Case, answer: Answer) -> Iterator[str]:
    for text in case.expect.absent:
        for fact in answer.facts if case.kind in NO_FACT else ():
            if _holds(fact.content, text):
                yield f"facts: one in force has {text!r}: {fact.content!r}"
        if case.kind in EVIDENCE_STAYS:
            continue
        excused = frozenset() if case.kind == "forget" else MARKED
        for place, hit in enumerate(answer.hits, start=1):
            if _holds(hit.text, text) and not excused & set(hit.why.flags):
                yield f"search: hit {place} ({_what(hit)}) has {text!r}: {hit.text!r}"
        for item in answer.context.items:
            inside = item.text in remembered(answer.context)
            if inside and _holds(item.text, text) and not excused & _flags(item):
                yield f"context: [{item.section}] has {text!r}: {item.text!r}"


def _never(case: Case, answer: Answer) -> Iterator[str]:
    for text in case.expect.never:
        for place, hit in enumerate(answer.hits, start=1):
            if _holds(hit.text, text):
                yield f"search: hit {place} ({_what(hit)}) has {text!r}, which may stand nowhere"
        if _holds(remembered(answer.context), text):
            yield f"context: has {text!r}, which may stand nowhere"
        if any(_holds(f"{fact.content} {fact.value or ''}", text) for fact in answer.facts):
            yield f"facts: one has {text!r}, which may stand nowhere"


def _disagree(case: Case, answer: Answer) -> Iterator[str]:
    sides = case.expect.disagree
    if sides and not any(all(_holds(said, side) for side in sides) for said in answer.context.conflicts):
        yield f"context: no conflict names {' and '.join(map(repr, sides))}"


def _first(case: Case, answer: Answer) -> Iterator[str]:
    """Of the hits alone: the order of a context's sections is fixed, whatever was asked."""
    text = case.expect.first
    if text is not None and not (answer.hits and _holds(answer.hits[0].text, text)):
        shown = repr(answer.hits[0].text) if answer.hits else "nothing"
        yield f"search: the first hit lacks {text!r}; it is {shown}"


def _facts(case: Case, answer: Answer) -> Iterator[str]:
    wanted = case.expect.facts
    if wanted is None and case.kind == "not_remember":
        wanted = 0
    found = {fact.fact_id: fact.content for fact in answer.facts}
    if wanted is not None and len(found) != wanted:
        yield f"facts: {len(found)} in force, not {wanted}: {sorted(found.values())}"


def _holds(text: str, wanted: str) -> bool:
    return narrow(wanted).casefold() in narrow(text).casefold()


def _flags(item: ContextItem) -> frozenset[str]:
    return frozenset() if item.hit is None else frozenset(item.hit.why.flags)


def _what(hit: Hit) -> str:
    if isinstance(hit.item, Evidence):
        return f"evidence of {hit.item.actor.value.lower()}"
    return (hit.item.memory_type.value if isinstance(hit.item, Fact) else type(hit.item).__name__).lower()
