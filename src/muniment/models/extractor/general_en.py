"""Plain English statements that fill no slot: what kind of thing a clause tells, by its grammar and the class of its verb.

The last reader of a clause. What it proposes stands alone, in the speaker's words, and most of it is asked about, not accepted:
its confidence is the share of such readings that are right (docs/extraction.md has the table).

Belongs here: from a parsed clause to a type. Does not belong here: the grammar (`text/clauses_en`), where a unit is cut into
clauses (`general`), the words (lexicons/general_en.toml).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.domain.enums import Intent, MemoryType
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.wording import wording
from muniment.text.clauses_en import Parsed, parse

LEAST_CHARS: Final = 8
_PAST: Final = re.compile(r"\b(?:would|could|was|were|did|had)\b", re.IGNORECASE)
_HAS_SUBJECT: Final = re.compile(
    r"\b(?:i|we|you|they|he|she|it|to|'ll|will|can|must|should|don't|do not|never|always)$", re.IGNORECASE
)
"""What makes the verb behind it no order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A clause to be typed: its text, its parse (None: a fragment), whose 'he' or 'they' is, and where it was said."""

    text: str
    parsed: Parsed | None
    antecedent: str | None = None
    in_task: bool = False
    supposed: bool = False
    recurs: bool = False
    """Whether a case that comes again stands behind it ('put it there when you block out my week')."""


def typed(said: Said) -> Draft | None:
    """What the clause is kept as, or None."""
    words = lexicon()
    text = said.text
    if len(text) < LEAST_CHARS or words["remark"].match(text):
        return None
    if words["never"].search(text) or words["rights"].search(text):
        return None
    found = _case(said) or _ordered(said) or _chosen(said)
    if found is not None:
        return found
    parsed = said.parsed
    if parsed is None:
        return _draft(MemoryType.CONSTRAINT, 0.62) if words["fragment"].match(text) else None
    if parsed.form == "order":
        return _order(said, parsed)
    if words["to_be"].search(text):
        return _draft(MemoryType.RULE, 0.6)
    if said.supposed and not (parsed.when and parsed.tense == "past"):
        return None
    if parsed.kind == "hearer" or (parsed.kind == "person" and said.antecedent is None):
        return None
    if parsed.kind in ("thing", "it", "name") and words["empty_subject"].match(text[slice(*parsed.subject)].lower()):
        return None
    if parsed.verb in _verbs("taste") and words["pointed"].match(text[parsed.rest :]):
        return None
    return _liked(said, parsed) or _limited(said, parsed) or _told(said, parsed)


def _draft(
    memory_type: MemoryType, confidence: float, *, intent: Intent = Intent.ASSERT, tense: str = "present"
) -> Draft:
    return Draft(memory_type=memory_type, confidence=confidence, intent=intent, tense=tense)


def _case(said: Said) -> Draft | None:
    """An order for every time that something comes: 'when I paste Portuguese, translate it', 'before you send it show me'."""
    words = lexicon()
    head = words["case"].match(said.text)
    if head is None or words["once"].search(said.text) or _PAST.search(said.text):
        return None
    told = (said.text[head.end() : act.start()].strip() for act in words["act"].finditer(said.text, head.end()))
    if not any(before and not _HAS_SUBJECT.search(before) for before in told):
        return None
    return _draft(MemoryType.RULE, 0.72)


def _ordered(said: Said) -> Draft | None:
    """What somebody with a say over the speaker told them to do or not."""
    match = lexicon()["ordered"].search(said.text)
    told = match is not None and re.search(r"\b(?:no|not|never|to|avoid|stop)\b", said.text[match.end() :])
    if match is None or not (told or lexicon()["limit"].search(said.text)):
        return None
    return _draft(MemoryType.CONSTRAINT, 0.62)


def _chosen(said: Said) -> Draft | None:
    """A choice that was made: 'we settled on …', 'going with …', 'let's take …'."""
    words, parsed = lexicon(), said.parsed
    if parsed is not None and parsed.modal == "let":
        if parsed.form != "order" or words["hortative_never"].match(
            said.text[parsed.rest - len(parsed.verb) :].strip()
        ):
            return None
        return _draft(MemoryType.DECISION, 0.66)
    if said.supposed or re.search(
        r"\b(?:if|whether|haven't|not (?:yet )?decided|might|maybe|perhaps|should|would|could|thinking)\b",
        said.text,
        re.IGNORECASE,
    ):
        return None
    if words["chosen"].search(said.text) or words["chosen_head"].match(said.text):
        return _draft(MemoryType.DECISION, 0.74)
    if parsed is None or parsed.modal or re.match(r"\s*(?:,|$)", said.text[parsed.rest :]):
        return None
    if (
        parsed.verb in _verbs("choose")
        and parsed.form in ("past", "perfect")
        and not parsed.negated
        and parsed.kind != "hearer"
    ):
        return _draft(MemoryType.DECISION, 0.68)
    if parsed.verb == "go" and not re.match(r"\s*(?:with|for|ahead with)\b", said.text[parsed.rest :], re.IGNORECASE):
        return None
    going_on = parsed.form == "progressive" and parsed.tense == "present" and " been " not in said.text
    mine = parsed.verb in _verbs("opted") and parsed.kind in ("speaker", "none")
    trouble = re.match(r"\s*(?:to|a hard|trouble|problems|issues)\b", said.text[parsed.rest :])
    return _draft(MemoryType.DECISION, 0.63) if going_on and mine and not trouble else None


def _order(said: Said, parsed: Parsed) -> Draft | None:
    """A standing order to the agent; one of the moment is none."""
    words = lexicon()
    rest = said.text[parsed.rest :]
    if parsed.verb in _verbs("taste") and not parsed.negated:
        pointed = re.match(r"\s*(?:you|ya|u|this|that|these|those|the (?:idea|plan|sound|look))\b", rest, re.IGNORECASE)
        return None if pointed or len(rest.strip()) < 4 else _draft(MemoryType.PREFERENCE, 0.66)
    if parsed.verb in _verbs("courtesy") and not (words["standing"].search(said.text) or said.recurs):
        return None
    if words["once"].search(said.text) or wording("en").pattern("rules_for_agent", "chat").match(said.text):
        return None
    if words["standing"].search(said.text) or said.recurs:
        return _draft(MemoryType.RULE, 0.7)
    if parsed.negated and re.match(r"\s*(?:my|me|any|anything|anyone|[a-z]+s\b)", rest) and not said.in_task:
        return _draft(MemoryType.RULE, 0.6)
    return None


def _liked(said: Said, parsed: Parsed) -> Draft | None:
    words = lexicon()
    taste = parsed.verb in _verbs("taste") and parsed.form in ("present", "perfect")
    untaste = parsed.verb in _verbs("untaste") and parsed.negated and parsed.form == "modal"
    if (taste and parsed.modal) or parsed.tense == "past":
        return None
    if taste or untaste:
        return _draft(MemoryType.PREFERENCE, 0.8 if parsed.kind in ("speaker", "own") else 0.78)
    if words["attitude"].search(said.text) and parsed.kind in ("speaker", "own", "person", "name", "none", "thing"):
        return _draft(MemoryType.PREFERENCE, 0.78 if parsed.kind in ("speaker", "own") else 0.7)
    if words["liking"].search(said.text) and parsed.kind != "hearer":
        return _draft(MemoryType.PREFERENCE, 0.66)
    return None


def _limited(said: Said, parsed: Parsed) -> Draft | None:
    if parsed.tense == "past":
        return None
    if lexicon()["means"].search(said.text) and parsed.kind in ("speaker", "thing", "own", "name"):
        return _draft(MemoryType.CONSTRAINT, 0.64)
    if not lexicon()["limit"].search(said.text):
        return None
    if parsed.modal in ("would", "might", "may", "will") and parsed.verb not in ("need", "have", "be"):
        return None
    return _draft(MemoryType.CONSTRAINT, 0.62)


def _told(said: Said, parsed: Parsed) -> Draft | None:
    """A state or an event, by tense and subject."""
    words = lexicon()
    rest = said.text[parsed.rest :]
    if parsed.modal:
        return None
    mental = "mental" if parsed.tense == "present" else "idle_mind"
    if parsed.verb in _verbs(mental) and parsed.form != "passive":
        return None
    mine = parsed.kind in ("speaker", "own", "person", "none")
    if parsed.form == "being":
        if words["opinion"].match(rest) or (parsed.kind in ("speaker", "person", "none") and words["mood"].match(rest)):
            return None
        if len(rest.strip()) < 2 or rest.startswith((" to ", " about to")):
            return None
        if parsed.tense == "past":
            return _draft(MemoryType.EXPERIENCE, 0.56) if mine and len(rest.split()) > 2 else None
        if parsed.kind in ("thing", "name", "it") and (words["state"].search(rest) or words["placed"].match(rest)):
            return _draft(MemoryType.STATUS, 0.62)
        if parsed.kind == "it":
            return None
        if not mine and not words["tied"].search(said.text):
            return None
        return _draft(MemoryType.FACT, 0.68 if mine else 0.6)
    if parsed.tense == "past" or parsed.form in ("past",):
        if (
            parsed.verb in _verbs("change")
            and parsed.kind in ("speaker", "own", "none", "person", "name")
            and not parsed.when
        ):
            return _draft(MemoryType.FACT, 0.66, intent=Intent.CHANGE, tense="change")
        if parsed.verb in _verbs("idle") and len(rest.split()) < 4:
            return None
        if mine or (parsed.kind in ("name", "thing") and words["self_person"].search(said.text)):
            return _draft(MemoryType.EXPERIENCE, 0.64 if mine else 0.56)
        return None
    if parsed.form in ("perfect", "progressive", "passive"):
        if parsed.kind == "it" and not words["state"].search(rest):
            return None
        if parsed.kind in ("thing", "name", "it") or said.in_task:
            return _draft(MemoryType.STATUS, 0.6)
        if parsed.form == "perfect":
            kind = (
                MemoryType.FACT
                if parsed.verb in _verbs("change") or parsed.verb in ("be", "have")
                else MemoryType.EXPERIENCE
            )
            return _draft(kind, 0.58)
        if parsed.kind == "none" or words["mood"].match(f"{parsed.verb} {rest}") or parsed.verb in _verbs("idle"):
            return None
        return _draft(MemoryType.FACT, 0.62)
    if parsed.kind in ("none", "it") or (not mine and not words["tied"].search(said.text)):
        return None
    return _draft(MemoryType.FACT, 0.64 if mine else 0.58)


def decision() -> Draft:
    """What follows 'it's settled:' and the like."""
    return _draft(MemoryType.DECISION, 0.66)


def only_announces(text: str, draft: Draft) -> bool:
    """Whether a clause says only that a choice was made ('it's settled', 'the board voted last night'), and not which."""
    return draft.memory_type is MemoryType.DECISION and bool(lexicon()["announces"].fullmatch(text))


def contrasts(text: str) -> bool:
    """Whether a clause only names what the one before is set against ('…, not the second car')."""
    return bool(re.match(r"\W*(?:and |but )?(?:not|instead of|rather than)\b", text, re.IGNORECASE))


def sureness(text: str) -> int:
    """How much of a text only says how sure its speaker is."""
    match = lexicon()["unsure_head"].match(text)
    return match.end() if match else 0


def prompts(text: str) -> bool:
    """Whether a text is a prompt for a model or a pasted memory, rather than what somebody says of themselves."""
    return bool(lexicon()["prompt"].search(text))


def corrects(text: str) -> bool:
    """Whether a turn begins like one that corrects what was said before it."""
    return bool(lexicon()["corrects"].match(text))


def otherwise(text: str) -> bool:
    """Whether the words say that something is otherwise than it was."""
    return bool(lexicon()["otherwise"].search(text))


def recites(text: str) -> bool:
    """Whether a text only hands over words to work on ('translate: …')."""
    return bool(lexicon()["recites"].match(text))


def reported(text: str) -> int:
    """How much of a text only names the office or trade whose word is passed on ('the courier says')."""
    match = lexicon()["reporter"].match(text)
    return match.end() if match else 0


def recurring(text: str) -> bool:
    """Whether a text begins with a case that comes again ('when you …', 'if I ever …')."""
    return bool(lexicon()["case"].match(text))


def supposes(text: str) -> bool:
    """Whether what follows is only supposed: 'if …', or 'when' and the like before what has not happened."""
    words = lexicon()
    if words["supposing"].match(text):
        return True
    later = words["later"].match(text)
    if later is None:
        return False
    parsed = parse(text[later.end() :])
    return parsed is not None and parsed.kind != "none" and parsed.tense == "present" and parsed.form != "perfect"


def antecedent(text: str) -> str | None:
    """The last person or animal of the speaker's, or name, in the words before a 'he', 'she' or 'they'."""
    words = lexicon()
    people = [(match.end(), match[0]) for name in ("people", "name") for match in words[name].finditer(text)]
    return max(people)[1] if people else None


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "lexicons" / "general_en.toml").read_text(encoding="utf-8"))


@cache
def _verbs(name: str) -> frozenset[str]:
    return frozenset(_data()["verbs"][name].split())


@cache
def lexicon() -> dict[str, re.Pattern[str]]:
    """The patterns of the lexicon, compiled, by name."""
    data = _data()
    return {
        name: re.compile(source, re.IGNORECASE)
        for name, source in {**data["patterns"], **data["antecedent"], **data["forgetting"]}.items()
    }
