"""The words of a statement that was not made in these words: a held fact with another value, a request to change one.

Belongs here: such words. Does not belong here: what is done with them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from muniment.domain.enums import Intent
from muniment.domain.records import Candidate, Fact

_ASKED: Final = re.compile(
    r"(?:please |pls |kindly |(?:can|could|would|will) you (?:please )?|i(?:'d| would) like (?:you )?to |i want (?:you )?to |"
    r"you can |let's |now )*(?:change|update|set|switch|move|adjust|correct|raise|increase|lower|reduce|cut|edit|modify|make|"
    r"put|bump) (?P<what>(?:my|our|the|his|her|their|[\w'’-]{1,30}['’]s)\s(?:(?! by | from )[\w' ’-]){2,50}?)"
    r"(?: from [^,.;]{1,40}?)?\s(?:to|as|into|at)(?: be)?\s(?P<value>.+?)(?:,? (?:please|pls|thanks|thank you|now))*",
    re.IGNORECASE | re.DOTALL,
)
_ASKED_ZH: Final = re.compile(
    "(?:请|麻烦|帮我|帮忙|给我|你|现在|那就|就|,|，){0,3}(?:把|将)?(?P<what>(?:(?!把|将|别|不|没|，|,|。)[^\\s]){1,20}?)"
    "(?:给我|都|也|再|重新)?(?:改|换|调|设|更新|修改|变更|调整|更改|提高|降低|提|降|增加|减少|设置|设定)(?:成|为|到|至|作)(?!了)"
    "[:：]?(?P<value>.+?)(?:吧|谢谢|哦|啊)?",
    re.DOTALL,
)
"""A request to change what is held, with what it is about and what that shall be."""


def as_statement(candidate: Candidate) -> Candidate:
    """The candidate; where its words ask for a change of a slot that was recognised, in words that state what is now so."""
    if not candidate.predicate or not candidate.value or candidate.intent is Intent.FORGET:
        return candidate
    said = candidate.content.strip().rstrip(".。!！")
    match = _ASKED.fullmatch(said)
    if match is not None and candidate.value in match["value"]:
        what = match["what"].strip()
        return replace(candidate, content=f"{what[:1].upper()}{what[1:]} is {match['value'].strip()}")
    match = _ASKED_ZH.fullmatch(said)
    if match is not None and candidate.value in match["value"]:
        return replace(candidate, content=f"{match['what'].strip().removesuffix('的')}是{match['value'].strip()}")
    return candidate


def reworded(fact: Fact | Candidate, *, content: str | None, value: str | None) -> tuple[str, str | None]:
    """Content and value of the new statement; a value alone takes the old one's place in the sentence, where it stands there
    once; with neither, that it is not known."""
    if content is not None:
        return content, value
    if value is None:
        return f"{fact.predicate or fact.content}: unknown", None
    if fact.value and fact.content.count(fact.value) == 1:
        before, _, after = fact.content.partition(fact.value)
        return _joined(before, value, after), value
    subject = fact.subject or "user"
    return f"{subject} {fact.predicate}: {value}" if fact.predicate else value, value


def _joined(before: str, value: str, after: str) -> str:
    """The sentence around a new value, without a unit that the value brings along itself ('8000' EUR, '9000 EUR')."""
    words = value.split()
    if len(words) > 1:
        before = re.sub(rf"(?<!\w){re.escape(words[0])}\s*$", "", before)
        after = re.sub(rf"^\s*{re.escape(words[-1])}(?!\w)", "", after)
    return f"{before}{value}{after}"
