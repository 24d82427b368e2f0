"""Plain statements of things: 'the attribute of the thing is [now] a value', whatever the language.

What is read is a triple (subject, predicate, value) and how it was put: told, confirmed, changed, ended. The words of a language
are in a grammar of its own (`attribute_statements_en`); nothing here knows a word of any. Precision before recall: a grammar
names what it is sure of, the rest stays evidence.

Belongs here: the shape, and what becomes of it. Does not belong here: any language's words, statements of oneself
(`declarations`), attributes of the policy's catalogue (`attributes`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

from muniment.config import Policy
from muniment.domain.enums import Intent, MemoryType, Scope
from muniment.domain.statement import canonical
from muniment.models.extractor.drafts import REPLACES, Draft
from muniment.models.extractor.units import PUNCTUATION, Unit
from muniment.models.extractor.values import VALUE_CHARS, only_filler
from muniment.text.language import Language

How = Literal["told", "confirmed", "changed", "ended"]

VALUE: Final = "value"
"""The predicate of a thing that is an attribute itself ('the gate code is 4711'): what it is."""
NAMED: Final = re.compile(r"[A-Z]{2,}|(?<=\s)[A-Z]|\d|\w[_#/@.]\w|(?<=\s)[#@/~]\w")
"""A name or code in a phrase: capitals, digits, the marks of paths and handles."""
_CONFIDENCE: Final[Mapping[How, float]] = {"told": 0.85, "confirmed": 0.86, "changed": 0.88, "ended": 0.86}
NAME_CHARS: Final = 140


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """`subject` None is the speaker; `value` None where a phrase only names the slot. `old` is the value it ends, if told."""

    subject: str | None
    predicate: str
    value: str | None = None
    how: How = "told"
    old: str | None = None


class Grammar(Protocol):
    """One language's reading of plain statements."""

    def opening(self, unit: Unit) -> int:
        """How much of `said` only announces what follows ('Update: '); 0 where nothing does."""
        ...

    def read(self, unit: Unit, *, introduced: bool) -> Statement | None:
        """The statement a unit makes; `introduced` says that the speaker asked to keep it or announced it, so that less
        is needed to trust the form."""
        ...

    def named(self, words: str) -> Statement | None:
        """The slot that a noun phrase names, with the value where one follows ('the gate code: 4711')."""
        ...


def stated(statement: Statement, unit: Unit, policy: Policy) -> Draft | None:
    """The draft of a statement, or None where its names or value cannot be kept.

    A predicate that the catalogue does not know is multi-valued; only a change replaces what is held for it.
    """
    this_once, statement = _this_once(statement, unit)
    statement = _of_catalogue(statement, policy)
    names = [statement.predicate, statement.subject or ""]
    value = statement.value
    if value is None or not value or len(value) > VALUE_CHARS or only_filler(value):
        return None
    if any(len(name) > NAME_CHARS for name in names) or not canonical(statement.predicate):
        return None
    known, entry = policy.predicate(statement.predicate)
    if entry.type == "money" and value.startswith("-"):
        return None
    ended = statement.how == "ended"
    moved = statement.how in ("changed", "ended")
    return Draft(
        memory_type=entry.memory_type if canonical(statement.predicate) in policy.names else MemoryType.FACT,
        predicate=known,
        subject=statement.subject,
        value=f"no longer {value}" if ended else value,
        confidence=_CONFIDENCE[statement.how],
        tense="change" if moved else "present",
        intent=Intent.CHANGE if moved else Intent.ASSERT,
        scope=None if this_once else _scope(statement, unit),
        metadata={REPLACES: value} if ended else {},
    )


def _this_once(statement: Statement, unit: Unit) -> tuple[bool, Statement]:
    """Whether a subject was read with words that only say where it holds ('in this task Zed'), and the statement without them."""
    match = unit.words.pattern("scope", "once").match(statement.subject or "")
    rest = (statement.subject or "")[match.end() :].strip(PUNCTUATION + "里中内上的") if match else ""
    return bool(rest), replace(statement, subject=rest) if rest else statement


def _of_catalogue(statement: Statement, policy: Policy) -> Statement:
    """A statement whose whole phrase is a predicate of the catalogue ('the tech stack is now …') is one of that predicate, as
    it is where its owner is named."""
    if statement.predicate == VALUE and statement.subject and canonical(statement.subject) in policy.names:
        return replace(statement, predicate=statement.subject, subject=None)
    return statement


def of_another(draft: Draft, policy: Policy) -> bool:
    """Whether a statement is of an attribute of something named, and of none that the catalogue reads in its own way (an
    amount, a date, a limit): no other reader knows such an attribute better."""
    if draft.subject is None or draft.predicate in (None, VALUE):
        return False
    words = canonical(draft.predicate or "").split()
    for name in (*(" ".join(words[place:]) for place in range(len(words))), f"{draft.predicate} of {draft.subject}"):
        known = policy.names.get(canonical(name))
        if known is not None:
            entry = policy.predicates[known]
            return name != " ".join(words) and entry.type == "text" and entry.memory_type is MemoryType.FACT
    return True


def _scope(statement: Statement, unit: Unit) -> Scope | None:
    """The user's, where words like 'for the current project' only tell which named thing is meant; else by the wording."""
    if statement.subject is None or not NAMED.search(f" {statement.subject}"):
        return None
    opener = unit.view[unit.body : unit.head]
    return None if unit.words.pattern("scope", "once").search(opener) else Scope.USER


def opened(unit: Unit, grammar: Grammar | None) -> Unit:
    """The unit with its statement beginning behind what announces it, for every reader alike."""
    size = 0 if grammar is None or unit.prefix else grammar.opening(unit)
    return replace(unit, head=unit.place(size), drop=0) if size else unit


def plain(text: str) -> str:
    """Words without the marks and spaces around them."""
    bare = text.strip(PUNCTUATION + "\"'")
    return f"-{bare}" if _MINUS.match(text.lstrip(" :：\"'")) else bare


_MINUS: Final = re.compile(r"[-−–][$€£¥]?\d")


def grammar_for(grammars: Mapping[Language, Grammar], unit: Unit) -> Grammar | None:
    """The grammar of the unit's language, or None where there is none."""
    return grammars.get(unit.words.language)
