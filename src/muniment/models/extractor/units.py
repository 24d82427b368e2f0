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
from itertools import groupby, pairwise
from typing import Final, Literal

from muniment.domain.time import Moment
from muniment.models.extractor import subjects_zh
from muniment.models.extractor.wording import Wording, wording
from muniment.text.clauses import FILLER, Clause, clauses, own_words
from muniment.text.folding import narrow
from muniment.text.handed import without_handed
from muniment.text.language import language
from muniment.text.simplified import simplified
from muniment.text.timex import TimeExpression, time_expressions

CLAUSE_CHARS: Final = 400
"""A longer clause is no plain declaration, and no candidate may exceed 500 characters."""

_COMMA: Final = re.compile(r",\s*(?=\S)")
MOST_READ: Final = 8_000
"""Clauses of one text that are read, from its start: some 150 000 characters of talk, in about a second."""

_OPENER_CHARS: Final = 80
_ELIDED_S: Final = re.compile(
    r"(?:and\s+)?(?=(?:(?:also|now|usually|always|never|rarely|often|mostly|really)\s)*(?:lives|works|prefers|loves|hates|likes|"
    r"dislikes|enjoys|speaks|studies|avoids|doesn't|is allergic|is from|was born)\s)",
    re.IGNORECASE,
)
_OTHERS_EN: Final = re.compile(
    r"(?:he|she|they|it|you|his|her|their|its|your|this|that|these|those|there|(?:my|our|the|an?) [\w' -]{2,40}? "
    r"(?:is|are|was|were|has|have|had|likes?|loves?|hates?|lives?|works?|wants?|prefers?|does|do|can|will|moved|says?|said)"
    r")(?:'|\b)",
    re.IGNORECASE,
)
_ORDER_EN: Final = re.compile(
    r"(?:also |now )?(?:always|never|usually|rarely|often|don't)\s(?!(?:been|had|lived|worked|liked|loved|was|were|am|have|want|"
    r"wear|sit|eat|drink|sleep|walk|take|like|love|feel|need|prefer|enjoy|forget|remember|brush|do|did)\b)"
    r"[a-z]+(?: [\w'-]+){0,3}? (?:my|me|us|our)\b",
    re.IGNORECASE,
)
"""'Always approve my expenses' behind a comma: as likely told to the hearer as of oneself."""
_OPENS_I: Final = re.compile(r"(?:i|we)(?:'|\b)|我|本人|咱|俺", re.IGNORECASE)
_ELIDED_EN: Final = re.compile(
    r"(?:and\s+)?(?=(?:(?:also|now|usually|always|never|rarely|often|mostly|really)\s)*(?:live|work|prefer|love|hate|like|dislike|enjoy|usually|"
    r"always|never|rarely|often|speak|study|avoid|don't|can't|am|have|own|joined|moved|switched|started)\s)",
    re.IGNORECASE,
)
_ELIDED_ZH: Final = re.compile(
    r"(?:现在|目前|平时|一般|通常|特别|非常|很|也|都|还|又|最|一直|从小|今年|已经|尽量|习惯|从不|从来不|不再|只|每|老家|家住|家在)*(?:住在?|在|喜欢|热爱|酷爱|爱|不|讨厌|会|有|养|是|叫|对|来自|"
    r"毕业|就读|就职|任职|入职|加入|跳槽|从事|做|今年|生日|职业|电话|邮箱|身高|怕|开|学|搬|单身|已婚|未婚|离异|\d{1,3}岁|尽量|一般|通常|习惯|每天|每周|从不|只)"
)
_TOPIC_ZH: Final = re.compile(
    r"我[\u4e00-\u9fff]{1,10}的((?:(?![住在是有喜爱不没会了去来要说想讨])[\u4e00-\u9fffA-Za-z0-9]){2,24})"
)
_TURN_ZH: Final = re.compile("(?:但是?|不过(?!敏)|可是|而且|并且|同时|而|却)[,，]?(?=[^,，])")
_PRONOUN_ZH: Final = re.compile(r"(?:其(?!实|他|它|中|次)|[他她它](?!们))(?:的)?")
PUNCTUATION: Final = " \t\r\n,，.。;；:：!！?？、~～-–—…"


@dataclass(frozen=True, kw_only=True)
class Unit:
    """text = turn.text[start:end]; `view` is the same with code and quotations filled over, letter for letter.

    `body` is where, in it, the content begins (behind lead-in words), `head` where the statement proper does (behind an
    opening adverbial too). `prefix` is an elided subject that stands for view[head : head + drop]; `rests_on` are the things that
    a remark on it says it depends on. `of_another`: its subject is left out and is not the speaker.
    """

    start: int
    end: int
    text: str
    view: str
    body: int
    head: int
    words: Wording
    occurred: Moment | None
    question: bool = False
    supposed: bool = False
    reported: bool = False
    prefix: str = ""
    drop: int = 0
    rests_on: tuple[str, ...] = ()
    of_another: bool = False

    @cached_property
    def said(self) -> str:
        """What patterns are matched against: the elided subject, then the statement."""
        return self.prefix + self.view[self.head + self.drop :].rstrip(PUNCTUATION)

    def place(self, said_offset: int) -> int:
        """The offset in `view` of an offset in `said`."""
        return self.head + self.drop + max(0, said_offset - len(self.prefix))

    def original(self, start: int, end: int) -> str:
        """The speaker's own characters between two offsets of `said`."""
        return self.text[self.place(start) : self.place(end)]

    @cached_property
    def times(self) -> list[TimeExpression]:
        """The time expressions of the whole unit, spans in `view`; the tense chooses between readings."""
        lean: Literal["past", "future"] | None = None
        if self.words.pattern("mood", "coming").search(self.view):
            lean = "future"
        elif self.words.pattern("mood", "bygone").search(self.view):
            lean = "past"
        return time_expressions(self.view, self.occurred, lean=lean)

    @cached_property
    def content(self) -> str:
        """The statement in the speaker's words, lead-in words and end marks left off, an elided subject put in."""
        opener, rest = self.text[self.body : self.head], self.text[self.head + self.drop :]
        return f"{opener}{self.prefix}{rest}".strip(PUNCTUATION)

    def within(self, start: int, end: int) -> Unit:
        """The part of the unit between two offsets of its text, its statement found anew."""
        text, view = self.text[start:end], self.view[start:end]
        gap = len(view) - len(view.lstrip(PUNCTUATION))
        body = gap + lead_end(view[gap:], self.words)
        fresh = replace(
            self, start=self.start + start, end=self.start + start + len(text), text=text, view=view, body=body, head=body,
            prefix="", drop=0, supposed=bool(self.words.pattern("mood", "hypothetical").match(view, body)),
        )  # fmt: skip
        return replace(fresh, head=body + _inner_opener(fresh))


def joined(units: list[Unit], text: str) -> Unit:
    """Units of `text` that stand side by side as one."""
    first, last = units[0], units[-1]
    gaps = [text[one.end : two.start] for one, two in pairwise(units)]
    view = first.view + "".join(gap + unit.view for gap, unit in zip(gaps, units[1:], strict=True))
    return replace(first, end=last.end, text=text[first.start : last.end], view=view)


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """The units of one sentence, its span, and the view of the whole."""

    start: int
    end: int
    view: str
    question: bool
    units: list[Unit] = field(default_factory=list)

    def part(self, start: int, end: int) -> list[Unit]:
        """The units of view[start:end], cut to it."""
        first, last = self.start + start, self.start + end
        found = []
        for unit in self.units:
            low, high = max(unit.start, first), min(unit.end, last)
            if low < high and self.view[low - self.start : high - self.start].strip(PUNCTUATION):
                whole = low == unit.start and high == unit.end
                found.append(unit if whole else unit.within(low - unit.start, high - unit.start))
        return found


def sentences(text: str, occurred: Moment | None, *, own: bool = False) -> Iterator[Sentence]:
    """The sentences of a text, lazily, each with its units in order; of a turn that is somebody's `own`, only what they say
    themselves."""
    plain = without_handed(own_words(text)) if own else own_words(text)
    view = simplified(narrow(plain))
    about: str | None = None
    for _, group in groupby(clauses(plain)[:MOST_READ], key=lambda clause: clause.sentence):
        members = list(group)
        start, end = members[0].start, members[-1].end
        whole = view[start:end]
        if not whole.strip(FILLER + PUNCTUATION):
            continue
        words = wording(language(whole))
        asked = members[-1].question
        units = list(_units(text, view, members, words, occurred))
        units, about = _standing(units, words, about if words.language == "zh" else None)
        yield Sentence(start=start, end=end, view=whole, question=asked, units=units)


def _units(text: str, view: str, members: list[Clause], words: Wording, occurred: Moment | None) -> Iterator[Unit]:
    """Clauses as units, an adverbial set off by a comma joined to the clause it opens."""
    opener = words.pattern("head", "opener")
    begun: int | None = None
    for place, clause in enumerate(members):
        piece = view[clause.start : clause.end]
        lead = lead_end(piece, words)
        start = clause.start if begun is None else begun
        bare = piece[lead:].strip(PUNCTUATION)
        if place < len(members) - 1 and len(bare) <= _OPENER_CHARS and opener.fullmatch(bare):
            begun = clause.start + lead if begun is None else begun
            continue
        head = clause.start - start + lead
        unit = Unit(
            start=start,
            end=clause.end,
            text=text[start : clause.end],
            view=view[start : clause.end],
            body=head if begun is None else 0,
            head=head,
            words=words,
            occurred=occurred,
            question=clause.question,
        )
        begun = None
        yield replace(unit, head=head + _inner_opener(unit))


_INNER_EN: Final = re.compile(
    r"(?:from (?:now|today|here) on(?:wards?)?|by (?:trade|profession|training)|"
    r"whenever possible|where possible|as a rule|by default|"
    r"in general|going forward|in (?:the )?future|these days|nowadays|currently|usually|normally|"
    r"generally|typically|"
    r"(?:since|until|as of|from|in|on|starting) [\w ]{2,24}?|for this [a-z]+|this time|on this [a-z]+|every [a-z]+)\s"
    r"(?=(?:i|i'm|my|we|our|the)\b)",
    re.IGNORECASE,
)
_INNER_ZH: Final = re.compile(
    r"(?:(?:从|自)?[^我,，]{1,12}?(?:起|开始|以来|为止|之前|之后|以后|的时候|时)|从今(?:以后|往后)|以后|今后|往后|平时|平常|一般|通常|目前|现在|最近|今年|去年|前年|明年|"
    r"[^我,，说让叫问觉认为知道告诉想你您他她它们是被把给对跟和请劝夸骂看见记得如果要假但因所以的了吗谁怎]{2,8}?(?=我(?:喜欢|偏好|更喜欢|习惯|一般|通常|都|只|更|从不|从来|不喜欢|倾向))|"
    r"上个?月|下个?月|这次|本次|此次|其实|每次|出差|昨天|今天|上周末?|下周末?|[\d一二三四五六七八九十]{1,4}[年月](?:[\d一二三四五六七八九十]{1,3}[月日号]){0,2}份?|在家|工作日|周末){1,2}"
    r"(?=我|本人|咱|俺)"
)


def _inner_opener(unit: Unit) -> int:
    """Length of an adverbial before the subject that no comma sets off ('since March I …', 以后我…)."""
    pattern = _INNER_ZH if unit.words.language == "zh" else _INNER_EN
    match = pattern.match(unit.view, unit.head)
    if match is None and unit.words.language == "en":
        comma = unit.view.find(",", unit.head, unit.head + _OPENER_CHARS)
        opener = unit.words.pattern("head", "opener")
        match = _COMMA.match(unit.view, comma) if comma > 0 and opener.fullmatch(unit.view, unit.head, comma) else None
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


def _standing(units: list[Unit], words: Wording, before: str | None) -> tuple[list[Unit], str | None]:
    """Units told whether they are supposed or reported, with the subject they take from the clause before; and whom the last
    is about. `before` is whom the sentence before them was about."""
    supposed, reported = words.pattern("mood", "hypothetical"), words.pattern("mood", "not_mine")
    ends = words.pattern("mood", "hypothetical_end") if words.language == "zh" else None
    found: list[Unit] = []
    conditional = told = False
    subject = before
    for unit in units:
        if len(unit.view) > CLAUSE_CHARS:
            continue
        head = unit.view[unit.head :]
        starts = bool(supposed.match(head)) or bool(ends and ends.search(unit.said))
        conditional = conditional or starts
        told = told or bool(reported.search(unit.view))
        unit = _with_subject(unit, subject)
        found.append(replace(unit, supposed=conditional, reported=told))
        about = _subject_of(unit)
        subject = subject if about is None else about
    return found, subject if words.language == "zh" and subject != subjects_zh.SPEAKER else None


def _subject_of(unit: Unit) -> str | None:
    """The subject a following elliptic clause would have: the speaker ('I ', 我), or the third person just introduced; '' for
    somebody that it cannot be given, None where the clause says nothing of it."""
    if unit.words.language == "en":
        if re.match(r"(?:[\w' ]{2,30}: )?i(?:'|\b)", unit.said, re.IGNORECASE):
            return "I "
        kin = unit.words.compiled("@kin").match(unit.said)
        if kin and re.match(r"\s[a-z]", unit.said[kin.end() :]):
            return f"{kin[0].rstrip(',')} "
        return "" if _OTHERS_EN.match(unit.said) else None
    named = unit.words.compiled(r"([\u4e00-\u9fff·]{2,4}?)(?:是|就是)@kin$").match(unit.said)
    if named:
        return named[1]
    topic = _TOPIC_ZH.fullmatch(unit.said)
    if topic:
        return topic[1]
    return subjects_zh.subject_of(unit.said)


def _with_subject(unit: Unit, subject: str | None) -> Unit:
    if subject is None or _OPENS_I.match(unit.said):
        return unit
    if unit.words.language == "en":
        pattern = _ELIDED_EN if subject == "I " else _ELIDED_S
        elided = pattern.match(unit.view, unit.head) if subject else None
        if elided is None or (subject == "I " and _ORDER_EN.match(unit.view, elided.end())):
            return unit
        return replace(unit, prefix=subject, drop=elided.end() - unit.head)
    pronoun = _PRONOUN_ZH.match(unit.view, unit.head)
    if pronoun and subject not in (subjects_zh.SPEAKER, subjects_zh.OTHER):
        return replace(
            unit, prefix=subject + ("的" if pronoun[0][-1] in "的其" else ""), drop=pronoun.end() - unit.head
        )
    turn = _TURN_ZH.match(unit.view, unit.head)
    drop = turn.end() - unit.head if turn else 0
    if subject and _ELIDED_ZH.match(unit.view, unit.head + drop):
        return replace(unit, prefix=subject, drop=drop)
    other = subject != subjects_zh.SPEAKER and subjects_zh.left_out(unit.said)
    return replace(unit, of_another=True) if other else unit
