"""Plain Chinese statements that fill no slot: what kind of thing a clause tells, by its modal and aspect words.

The counterpart of `general_en`: the last reader of a clause, whose proposals stand alone, in the speaker's words.

Belongs here: from a clause to a type. Does not belong here: the words (lexicons/general_zh.toml), where a unit is cut.
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

LEAST_CHARS: Final = 3
MOST_CHARS: Final = 60
ITEM_CHARS: Final = 24
_NO_ITEM: Final = re.compile("^(?:我|咱|他|她|包括|因为|不然|免得|省得)|[了啊呀]|也|吧$|都算")
_OPEN: Final = (MemoryType.FACT, MemoryType.STATUS, MemoryType.EXPERIENCE)
_CARRIED: Final = (MemoryType.RULE, MemoryType.DECISION)
UNSURE: Final = 0.58


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A clause to be typed. `subject`: whom the clauses before it were about. `follows`: the type of the one before it, where
    that was a rule or a choice: what only names the next item of it is one too."""

    text: str
    subject: str | None = None
    in_task: bool = False
    follows: MemoryType | None = None


def typed(said: Said) -> Draft | None:
    """What the clause is kept as, or None."""
    text = said.text
    if _ignored(text):
        return None
    found = _ordered(said) or _chosen(said) or _bound(said) or _told(said)
    if said.follows is MemoryType.DECISION and (found is None or found.memory_type in _OPEN):
        return _draft(MemoryType.DECISION, UNSURE)
    if found is None and said.follows is MemoryType.RULE and len(text) <= ITEM_CHARS and not _NO_ITEM.search(text):
        return _draft(MemoryType.RULE, UNSURE)
    return found


def _ignored(text: str) -> bool:
    """What is asked, told to do now, imagined, another's, a courtesy, or about the talk itself."""
    words = lexicon()
    if len(text) < LEAST_CHARS or len(text) > MOST_CHARS:
        return True
    return any(words[name].match(text) for name in ("courtesy", "request", "settled")) or any(
        words[name].search(text) for name in ("asks", "jest", "imagined", "reported", "mood", "meta", "rights")
    )


def _draft(
    memory_type: MemoryType, confidence: float, *, intent: Intent = Intent.ASSERT, tense: str = "present"
) -> Draft:
    return Draft(memory_type=memory_type, confidence=confidence, intent=intent, tense=tense)


def _ordered(said: Said) -> Draft | None:
    """An order to the agent that is meant to last, or what somebody with a say told the speaker."""
    words, text = lexicon(), said.text
    authority = words["authority"].search(text)
    if authority:
        if words["limit"].search(text) or re.search("别|不|禁|忌", text[authority.end() :]):
            return _draft(MemoryType.CONSTRAINT, 0.64)
        return _draft(MemoryType.STATUS, UNSURE) if words["state"].search(text[authority.end() :]) else None
    mark = words["standing"].search(text)
    mine = re.match("我(?!的|家|妈|爸|们)|本人|咱", text)
    if (
        mark
        and not mine
        and not text.endswith("了")
        and not text.startswith("人")
        and words["orders"].search(text, mark.end())
    ):
        return _draft(MemoryType.RULE, 0.7)
    if words["manner"].search(text):
        return _draft(MemoryType.RULE, 0.68)
    if words["ask_first"].search(text) and not mine:
        return _draft(MemoryType.RULE, 0.66)
    if (words["forbids"].match(text) or words["never_again"].match(text)) and not words["once"].search(text):
        return _draft(MemoryType.RULE, 0.62)
    return None


def _chosen(said: Said) -> Draft | None:
    words, text = lexicon(), said.text
    if not words["chosen"].search(text) or words["chosen_never"].search(text):
        return None
    return _draft(MemoryType.DECISION, 0.66)


def _bound(said: Said) -> Draft | None:
    """A taste or a limit."""
    words, text = lexicon(), said.text
    if words["empty"].match(text):
        return None
    liked, limited = words["liking"].search(text), words["limit"].search(text)
    if liked and (words["pointed"].search(text) or words["bygone"].search(text)):
        return None
    if liked and not (limited and limited.start() < liked.start()):
        return _draft(MemoryType.PREFERENCE, 0.8 if words["plainly"].search(text) else 0.7)
    if limited and not words["change"].match(text):
        return _draft(MemoryType.CONSTRAINT, 0.62)
    return None


def _told(said: Said) -> Draft | None:
    """A change, a state, an event or a plain fact."""
    words, text = lexicon(), said.text
    if words["empty"].match(text) or words["opinion"].search(text) or words["about_to"].match(text):
        return None
    if words["counted"].search(text):
        return _draft(MemoryType.EXPERIENCE, 0.6)
    if words["stay"].search(text):
        return _draft(MemoryType.STATUS, 0.58)
    person = words["own"].match(text) or words["kin"].match(text) or words["named"].match(text)
    mine = person or said.subject is not None
    if (mine and words["change"].search(text)) or words["change_head"].match(text):
        return _draft(MemoryType.FACT, 0.64, intent=Intent.CHANGE, tense="change")
    if words["event"].search(text) and (person or not words["state"].search(text)):
        return _draft(MemoryType.EXPERIENCE, 0.6) if words["pastness"].search(text) else None
    if words["own_state"].match(text) or (words["state"].search(text) and not words["own"].match(text)):
        return _draft(MemoryType.STATUS, 0.6)
    label = words["labelled"].match(text)
    if label:
        name = label["label"] or label["label2"]
        value = label["value"] or label["value2"]
        told = bool(person) or bool(re.search(r"[\dA-Za-z]", value)) or "的" in name
        if told and not words["label_never"].match(name) and not words["value_never"].search(value):
            return _draft(MemoryType.FACT, 0.66 if re.search(r"[\dA-Za-z]", value) or person else 0.6)
        return None
    if words["numbered"].match(text) and not words["numbered_never"].search(text):
        return _draft(MemoryType.FACT, 0.6)
    if words["passing_place"].match(text) or words["not_yet"].match(text):
        return None
    kin = words["kin"].match(text)
    if kin and len(text) - kin.end() >= LEAST_CHARS and not text.endswith(("了", "呢")):
        return _draft(MemoryType.FACT, 0.6)
    if person and words["verbs"].search(text, person.end()):
        return _draft(MemoryType.FACT, 0.62)
    if words["alone"].match(text) or (said.subject is not None and words["goes_on"].match(text)):
        return _draft(MemoryType.FACT, 0.6)
    return None


def subject_of(text: str) -> str | None:
    """Whom a clause is about: the speaker (我), one of their people, a named person; None where it does not say."""
    words = lexicon()
    for name in ("kin", "own", "named"):
        match = words[name].match(text)
        if match:
            return match[0]
    return None


def prompts(text: str) -> bool:
    """Whether a text is a prompt for a model or a pasted memory, rather than what somebody says of themselves."""
    return bool(lexicon()["prompt"].search(text))


def otherwise(text: str) -> bool:
    """Whether the words say that something is otherwise than it was."""
    return bool(lexicon()["otherwise"].search(text))


def recites(text: str) -> bool:
    """Whether a text only hands over words to work on (翻译：…)."""
    return bool(lexicon()["recites"].match(text))


def carries(text: str) -> MemoryType | None:
    """RULE or DECISION where a clause is one, so that fragments behind it may go on with it."""
    said = Said(text=text)
    if lexicon()["settled"].match(text):
        return MemoryType.DECISION
    found = None if _ignored(text) else _ordered(said) or _chosen(said)
    return found.memory_type if found is not None and found.memory_type in _CARRIED else None


def corrects(text: str) -> bool:
    """Whether the words say that what was said before was wrong."""
    return bool(lexicon()["corrects"].search(text))


def only_asks(text: str) -> bool:
    """Whether a clause asks or tells to do something now, so that what stood before it was told."""
    words = lexicon()
    return bool(words["asks"].search(text) or words["request"].match(text))


def asks(text: str) -> bool:
    """Whether a clause has the form of a question."""
    return bool(lexicon()["asks"].search(text))


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "lexicons" / "general_zh.toml").read_text(encoding="utf-8"))


@cache
def lexicon() -> dict[str, re.Pattern[str]]:
    """The patterns of the lexicon, compiled, by name."""
    data = _data()
    return {
        name: re.compile(source, re.IGNORECASE) for name, source in {**data["patterns"], **data["requests"]}.items()
    }
