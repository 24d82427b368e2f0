"""Units: what the readers of this package look at, one asserted clause at a time.

Belongs here: clauses with the words before them that belong to them, the subject that an elliptic clause takes from the
clause before, and what the clause's sentence says of its standing (asked, supposed, reported). Does not belong here: what a
unit declares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Final, Literal

from muniment.domain.time import Moment
from muniment.models.extractor.wording import Wording, wording
from muniment.text.clauses import FILLER, Clause, clauses, own_words
from muniment.text.folding import narrow
from muniment.text.language import language
from muniment.text.timex import TimeExpression, time_expressions

CLAUSE_CHARS: Final = 400
"""A longer clause is no plain declaration, and no candidate may exceed 500 characters."""

_OPENS_I: Final = re.compile(r"(?:i|we)(?:'|\b)|我|本人|咱|俺", re.IGNORECASE)
_ELIDED_EN: Final = re.compile(
    r"(?:and\s+)?(?=(?:(?:also|now|usually|always|never|rarely|often|mostly|really)\s)*(?:live|work|prefer|love|hate|like|dislike|enjoy|usually|"
    r"always|never|rarely|often|speak|study|avoid|don't|can't|am|have|own)\s)",
    re.IGNORECASE,
)
_PRONOUN_ZH: Final = re.compile(r"(?:其(?!实|他|它|中|次)|[他她它](?!们))(?:的)?")
_PUNCTUATION: Final = " \t\r\n,，.。;；:：!！?？、~～-–—…"


@dataclass(frozen=True, kw_only=True)
class Unit:
    """text[start:end] of the turn. `view` is that stretch with code and quotations filled over, letter for letter;
    `head` is where, in it, the statement begins behind its lead-in. `prefix` is an elided subject."""

    start: int
    end: int
    text: str
    view: str
    head: int
    words: Wording
    occurred: Moment | None
    question: bool = False
    supposed: bool = False
    reported: bool = False
    prefix: str = ""
    drop: int = 0

    @cached_property
    def said(self) -> str:
        """What patterns are matched against: the elided subject, then the statement."""
        return self.prefix + self.view[self.head + self.drop :].rstrip(_PUNCTUATION)

    def place(self, said_offset: int) -> int:
        """The offset in `view` of an offset in `said`."""
        return self.head + self.drop + max(0, said_offset - len(self.prefix))

    def original(self, start: int, end: int) -> str:
        """The speaker's own characters between two offsets of `said`."""
        return self.text[self.place(start) : self.place(end)]

    @cached_property
    def times(self) -> list[TimeExpression]:
        """The time expressions of the whole unit, spans in `view`."""
        lean: Literal["past", "future"] | None = None
        if self.words.pattern("mood", "coming").search(self.view):
            lean = "future"
        elif self.words.pattern("mood", "bygone").search(self.view):
            lean = "past"
        return time_expressions(self.view, self.occurred, lean=lean)

    @cached_property
    def content(self) -> str:
        """The statement in the speaker's words, with an opening adverbial kept, lead-in words and end marks left off."""
        opener = self.view[: self.head]
        keeps = bool(opener.strip(_PUNCTUATION)) and self.keeps_opener
        body = self.text[0 if keeps else self.head :].strip(_PUNCTUATION)
        if not self.prefix:
            return body
        rest = self.text[self.head + self.drop :].strip(_PUNCTUATION)
        return f"{self.text[: self.head].strip()} {self.prefix}{rest}".strip() if keeps else f"{self.prefix}{rest}"

    keeps_opener: bool = False


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """The units of one sentence, its span, and the view of the whole."""

    start: int
    end: int
    view: str
    question: bool
    units: list[Unit] = field(default_factory=list)


def sentences(text: str, occurred: Moment | None) -> Iterator[Sentence]:
    """The sentences of a text, lazily, each with its units in order."""
    plain = own_words(text)
    view = narrow(plain)
    for _, group in groupby(clauses(plain), key=lambda clause: clause.sentence):
        members = list(group)
        start, end = members[0].start, members[-1].end
        whole = view[start:end]
        if not whole.strip(FILLER + _PUNCTUATION):
            continue
        words = wording(language(whole))
        asked = members[-1].question
        units = list(_units(text, view, members, words, occurred))
        yield Sentence(start=start, end=end, view=whole, question=asked, units=_standing(units, words))


def _units(text: str, view: str, members: list[Clause], words: Wording, occurred: Moment | None) -> Iterator[Unit]:
    """Clauses as units, openers joined to the clause they open."""
    opener = words.pattern("head", "opener")
    begun: int | None = None
    for place, clause in enumerate(members):
        piece = view[clause.start : clause.end]
        last = place == len(members) - 1
        bare = piece[lead_end(piece, words) :].strip(_PUNCTUATION)
        if not last and len(bare) <= 80 and opener.fullmatch(bare):
            begun = clause.start + lead_end(piece, words) if begun is None else begun
            continue
        start = clause.start if begun is None else begun
        yield unit_of(text, view, start, clause.end, clause.start, words, occurred, question=clause.question)
        begun = None


def unit_of(
    text: str, view: str, start: int, end: int, main: int, words: Wording, occurred: Moment | None, *, question: bool
) -> Unit:
    """The unit text[start:end] whose statement begins at `main`, or behind an adverbial there that no comma sets off."""
    stretch = view[start:end]
    head = main - start
    head += lead_end(stretch[head:], words)
    own = head
    keeps = main > start
    unit = Unit(
        start=start, end=end, text=text[start:end], view=stretch, head=head, words=words, occurred=occurred,
        question=question, keeps_opener=keeps,
    )  # fmt: skip
    if len(stretch) > CLAUSE_CHARS:
        return unit
    inner = _inner_opener(unit)
    if inner:
        cut = stretch[own:] if not keeps else None
        unit = replace(unit, head=own + inner, keeps_opener=True)
        if cut is not None and own:
            unit = replace(
                unit, start=start + own, text=unit.text[own:], view=stretch[own:], head=inner
            )
    return unit


_INNER_EN: Final = re.compile(
    r"(?:from (?:now|today|here) on(?:wards?)?|these days|nowadays|currently|usually|normally|generally|typically|"
    r"(?:since|until|as of|from|in|on|starting) [\w ]{2,24}?|for this [a-z]+|this time|on this [a-z]+|every [a-z]+)\s(?=(?:i|i'm|my|we|our|the)\b)",
    re.IGNORECASE,
)
_INNER_ZH: Final = re.compile(
    r"(?:(?:从|自)?[^我,，]{1,12}?(?:起|开始|以来|为止|之前|之后|以后|的时候|时)|以后|今后|往后|平时|平常|一般|通常|目前|现在|最近|今年|去年|前年|明年|"
    r"上个?月|下个?月|这次|本次|此次|其实|每次|出差|昨天|今天|上周末?|下周末?|[\d一二三四五六七八九十]{1,4}[年月](?:[\d一二三四五六七八九十]{1,3}[月日号]){0,2}份?|在家|工作日|周末){1,2}"
    r"(?=我|本人|咱|俺)"
)


def _inner_opener(unit: Unit) -> int:
    """Length of an adverbial before the subject that no comma sets off ('since March I …', 以后我…)."""
    pattern = _INNER_ZH if unit.words.language == "zh" else _INNER_EN
    match = pattern.match(unit.view, unit.head)
    return match.end() - unit.head if match else 0


def lead_end(piece: str, words: Wording) -> int:
    """Where the statement begins behind words that only lead in ('and by the way', 对了)."""
    lead = words.pattern("head", "lead")
    place = 0
    for _ in range(6):
        match = lead.match(piece, place)
        if not match or match.end() == place:
            break
        after = match.end()
        if words.language == "en":
            gap = re.compile(r"[,:!.]?\s+").match(piece, after)
            if not gap:
                break
            after = gap.end()
        place = after
    return place


def _standing(units: list[Unit], words: Wording) -> list[Unit]:
    """Units told whether they are supposed or reported, with the subject they take from the clause before."""
    supposed, reported = words.pattern("mood", "hypothetical"), words.pattern("mood", "not_mine")
    ends = words.pattern("mood", "hypothetical_end") if words.language == "zh" else None
    found: list[Unit] = []
    conditional = told = False
    subject: str | None = None
    for unit in units:
        if len(unit.view) > CLAUSE_CHARS:
            continue
        head = unit.view[unit.head :]
        starts = bool(supposed.match(head)) or bool(ends and ends.search(unit.said))
        conditional = conditional or starts
        told = told or bool(reported.search(unit.view))
        unit = _with_subject(unit, subject)
        found.append(replace(unit, supposed=conditional, reported=told))
        subject = _subject_of(unit) or subject
    return found


def _subject_of(unit: Unit) -> str | None:
    """The subject a following elliptic clause would have: the speaker ('I', 我), or the third person just introduced."""
    if unit.words.language == "en":
        return "I " if re.match(r"i(?:'|\b)", unit.said, re.IGNORECASE) else ("" if unit.said else None)
    kin = re.match(unit.words.expand("@kin"), unit.said)
    if kin:
        return kin[0]
    named = re.match(unit.words.expand(r"([\u4e00-\u9fff·]{2,4}?)(?:是|就是)@kin$"), unit.said)
    if named:
        return named[1]
    return "我" if _OPENS_I.match(unit.said) else None


def _with_subject(unit: Unit, subject: str | None) -> Unit:
    if not subject or _OPENS_I.match(unit.said):
        return unit
    if unit.words.language == "en":
        elided = _ELIDED_EN.match(unit.view, unit.head)
        return replace(unit, prefix=subject, drop=elided.end() - unit.head) if elided else unit
    pronoun = _PRONOUN_ZH.match(unit.view, unit.head)
    if pronoun and subject != "我":
        return replace(unit, prefix=subject + ("的" if pronoun[0][-1] in "的其" else ""), drop=pronoun.end() - unit.head)
    return unit
