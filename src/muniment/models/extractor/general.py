"""What no reader of a slot knows: a unit cut into clauses, each typed by its grammar.

Belongs here: where a unit is cut, what its clauses must not be, and the subject that a pronoun stands for. Does not belong
here: any language's words (`general_en`, `general_zh`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from muniment.domain.enums import Intent, MemoryType
from muniment.models.extractor import general_en, general_zh
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.units import PUNCTUATION, Sentence, Unit
from muniment.ports.models import Turn
from muniment.text.clauses_en import asks, parse

MOST_PIECES: Final = 8
_CUT: Final = re.compile(
    r"\s*[,:]\s+|\s+(?=(?:and|but|so|because|cos|since|though|although|while)\s)|\s+(?:-|–|—)\s+", re.IGNORECASE
)
_JOINER: Final = re.compile(r"(?:(?:and|but|so|because|cos|since|though|although|while)\s+)?", re.IGNORECASE)
_BEFORE: Final = re.compile(
    r"[\s,:–—-]*(?:\b(?:and|but|so|because|cos|since|though|although|while)\s+)?$", re.IGNORECASE
)
_NEGATIVE: Final = re.compile(r"(?:no|not|nothing|nor|neither)\s", re.IGNORECASE)
RUNS_ON: Final = 16
"""Characters of a Chinese clause without a comma from which it may be two."""
_RUN_ON: Final = re.compile("以后(?=.{0,16}(?:别|不要|都|就|请|一律))|所以|但是|不过|结果|因为|而且")
_IS_NOT: Final = re.compile("不是[^,，]{1,20}$")
_IS: Final = re.compile("(?:^|[^不])(?:而)?(?:应该|其实)?是[^,，]{1,24}$")
_ONLY_NOT: Final = re.compile("(?:而|并)?不是[^,，]{1,16}$")
_SAID_SO: Final = re.compile(
    r"\W*(?:he|she|they|somebody|someone) (?:said|says|claims?|claimed|told me|reckons?)\b", re.IGNORECASE
)
"""'…, she said': the words before it are another's."""
_HELD: Final = (MemoryType.FACT, MemoryType.PREFERENCE, MemoryType.CONSTRAINT)
"""Kinds of which something was said before, where the words say that it was wrong or is otherwise now."""
READ: Final = 2_000
"""Characters in which a pasted prompt shows itself."""
UNSURE: Final = 0.58
"""Confidence of what is passed on from others, or told with a remark on how sure one is."""
_THIRD: Final = re.compile(r"^\W*(?:(?:and|but|so|because|also)\s+)*(?:he|she|they)\b(?:'s|'re|'ve)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What stands around a unit.

    `before`, `behind`: the words of the turn on either side. `answering`: other turns went before, in which a 'they' may have
    been named. `in_task`: a task is at hand. `supposed`: an earlier clause made it a supposition. `about`: whom the clauses
    before it were about (Chinese leaves the subject out as a rule); `follows`: what the one before it was, where that goes on.
    `corrects`: the turn says that what was said before was wrong.
    """

    before: str = ""
    behind: str = ""
    answering: bool = False
    in_task: bool = False
    supposed: bool = False
    about: str | None = None
    follows: MemoryType | None = None
    corrects: bool = False


def prompts(text: str) -> bool:
    """Whether a text is a prompt for a model or a pasted memory, not what somebody says of themselves."""
    return general_en.prompts(text[:READ]) or general_zh.prompts(text[:READ])


def contrasted(unit: Unit, after: Unit, turn: Turn) -> bool:
    """Whether two clauses say what is so and what is not, as a correction of what was said before: 是周三，不是周二."""
    if unit.words.language != "zh" or after.words.language != "zh" or unit.question or unit.supposed:
        return False
    first, second = unit.view[unit.body :].strip(PUNCTUATION), after.view[after.body :].strip(PUNCTUATION)
    pair = (_IS_NOT.search(first) and _IS.match(second)) or (_IS.search(first) and _ONLY_NOT.match(second))
    return bool(pair) and (bool(turn.before) or general_zh.corrects(turn.text))


def correction() -> Draft:
    """The draft of such a pair."""
    return Draft(memory_type=MemoryType.FACT, confidence=0.66, intent=Intent.CORRECT)


def told_before(sentence: Sentence) -> list[Unit]:
    """The clauses of a sentence that ends in a question which were told before it: 'we are 300 metres up, what copes here?'.

    None where no clause has the form of a question: then the mark asks about all of it.
    """
    for place, unit in enumerate(sentence.units):
        chinese = unit.words.language == "zh"
        if general_zh.only_asks(unit.view[unit.body :].strip(PUNCTUATION)) if chinese else asks(unit.view, unit.body):
            return [replace(told, question=False) for told in sentence.units[:place]]
    return []


def corrects(turn: Turn) -> bool:
    """Whether a turn says that what was said before it was wrong; English words of that kind need something said before."""
    return general_zh.corrects(turn.text[:READ]) or (bool(turn.before) and general_en.corrects(turn.text))


def general(unit: Unit, around: Around) -> Iterator[tuple[Draft, Unit]]:
    """The clauses of a unit that are worth proposing, each with the part of the unit that says it."""
    otherwise = (general_zh if unit.words.language == "zh" else general_en).otherwise
    for draft, part in _clauses(unit, around):
        held = draft.memory_type in _HELD and draft.intent is Intent.ASSERT
        if held and around.corrects:
            yield replace(draft, intent=Intent.CORRECT), part
        elif held and otherwise(part.view):
            yield replace(draft, intent=Intent.CHANGE), part
        else:
            yield draft, part


def _clauses(unit: Unit, around: Around) -> Iterator[tuple[Draft, Unit]]:
    if unit.words.language == "zh":
        yield from _chinese(unit, around)
        return
    if general_en.recites(unit.view[unit.body :]) or _SAID_SO.match(around.behind):
        return
    start = unit.head + general_en.sureness(unit.view[unit.head :])
    heard = general_en.reported(unit.view[start:])
    decided = False
    last_draft: Draft | None = None
    for first, last in _pieces(unit.view, start):
        piece = unit.view[first:last]
        skip = heard if first == start and not general_en.typed(_said(unit, first, last, around)) else 0
        said = _said(unit, first + skip, last, around)
        draft = general_en.typed(said)
        if decided and said.parsed is not None and said.parsed.form != "order" and not said.supposed:
            draft = general_en.decision()
        decided = draft is not None and general_en.only_announces(piece, draft)
        if draft is None or decided or (last_draft is not None and general_en.contrasts(piece)):
            continue
        last_draft = draft
        if skip or start > unit.head:
            draft = replace(draft, confidence=min(draft.confidence, UNSURE))
        first += skip
        part = unit if (first, last) == (unit.head, len(unit.view)) else unit.within(first, last)
        yield _named(draft, said, part), part


def _chinese(unit: Unit, around: Around) -> Iterator[tuple[Draft, Unit]]:
    """A Chinese unit is a clause already."""
    if around.supposed or unit.supposed:
        return
    start = unit.head
    hedge = unit.words.pattern("mood", "hedge_head").match(unit.view, start)
    if general_zh.recites(unit.view[unit.body :]) or (hedge and hedge[0].startswith("我想")):
        return
    text = unit.view[hedge.end() if hedge else start :].strip(PUNCTUATION)
    said = general_zh.Said(text=text, subject=around.about, in_task=around.in_task, follows=around.follows)
    runs_on = _RUN_ON.search(unit.view, start + 2)
    if runs_on is not None and len(text) > RUNS_ON:
        for first, last in ((start, runs_on.start()), (runs_on.start(), len(unit.view))):
            piece = unit.view[first:last].strip(PUNCTUATION)
            found = general_zh.typed(replace(said, text=piece))
            if found is not None:
                yield found, unit.within(first, last)
        return
    draft = general_zh.typed(said)
    if draft is not None:
        yield replace(draft, confidence=min(draft.confidence, UNSURE)) if hedge else draft, unit


def _said(unit: Unit, first: int, last: int, around: Around) -> general_en.Said:
    piece = unit.view[first:last]
    behind = unit.view[last:].strip(PUNCTUATION) or around.behind.strip(PUNCTUATION)
    return general_en.Said(
        text=piece,
        parsed=parse(piece),
        antecedent=general_en.antecedent(f"{around.before} {unit.view[:first]}") or ("" if around.answering else None),
        in_task=around.in_task,
        supposed=around.supposed,
        recurs=general_en.recurring(behind),
    )


def _pieces(view: str, start: int) -> list[tuple[int, int]]:
    """[start, end) of the clauses in a view, cut where what follows is a clause of its own."""
    cuts = [start]
    for match in _CUT.finditer(view, start):
        if len(cuts) >= MOST_PIECES:
            break
        begins = match.end() + len(_JOINER.match(view, match.end())[0])  # type: ignore[index]
        later = next((other.start() for other in _CUT.finditer(view, begins)), len(view))
        follows = parse(view, begins, later)
        whole = follows is not None and (follows.kind != "none" or (follows.form == "past" and "," in match[0]))
        if whole and match.start() > cuts[-1] + 3 and not _NEGATIVE.match(view, begins):
            cuts.append(begins)
    ends = [*(_BEFORE.search(view, 0, cut).start() for cut in cuts[1:]), len(view)]  # type: ignore[union-attr]
    spans = []
    for first, last in zip(cuts, ends, strict=True):
        text = view[first:last]
        lead = len(text) - len(text.lstrip(PUNCTUATION))
        spans.append((first + lead, first + len(text.rstrip(PUNCTUATION))))
    return [(first, last) for first, last in spans if last > first]


def _named(draft: Draft, said: general_en.Said, part: Unit) -> Draft:
    """The draft with the person that its pronoun stands for, so that it can be read by itself."""
    parsed = said.parsed
    if parsed is None or parsed.kind != "person" or not said.antecedent:
        return draft
    match = _THIRD.match(part.text)
    if match is None:
        return draft
    tail = {"'s": " is", "'re": " are", "'ve": " have"}.get(
        match[0][-3:] if match[0][-3:] in ("'re", "'ve") else match[0][-2:], ""
    )
    content = f"{said.antecedent}{tail}{part.text[match.end() :]}".strip(PUNCTUATION)
    return replace(draft, content=content, subject=None)
