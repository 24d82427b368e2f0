"""Rules for the agent's behaviour: 'always answer in …', 'don't remind me', 以后…之前先问我.

Belongs here: telling a standing instruction from a request of the moment and from chat. Does not belong here: whether a rule
may take effect (governance asks a person).
"""

from __future__ import annotations

import re
from typing import Final

from muniment.domain.enums import MemoryType
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.units import Unit
from muniment.models.extractor.wording import Wording

CONFIDENCE: Final = 0.8
"""Below acceptance: orders are told from talk by their wording alone, and governance asks about a rule in any case."""
_LABEL = re.compile(r"(?:update|correction|change|note|fyi|reminder|edit)\s?:", re.IGNORECASE)
_SELF = re.compile(r"(?:i|we)(?:'|\b)|我(?!的|跟)|本人|咱", re.IGNORECASE)


def agent_rule(unit: Unit) -> Draft | None:
    """The standing instruction a unit gives, or None. One-off requests ('book the flight') are none."""
    words, said = unit.words, unit.said
    first = words.pattern("rules_for_agent", "ask_first").match(said)
    if not first and words.pattern("rules_for_agent", "chat").match(said):
        return None
    spoken = words.pattern("rules_for_agent", "language").search(said)
    named = first or any(words.pattern("rules_for_agent", name).match(said) for name in ("manner", "dont"))
    someone = words.pattern("rules_for_agent", "someone").match(said)
    if not (named or _told(someone, unit) or _standing(unit)):
        return None
    return Draft(
        memory_type=MemoryType.RULE,
        predicate="language" if spoken else None,
        value=spoken["value"] if spoken else None,
        confidence=CONFIDENCE,
    )


def _told(match: re.Match[str] | None, unit: Unit) -> bool:
    """'I want you to always …': a rule only if it is meant to last."""
    return bool(match) and _lasts(unit)


def _lasts(unit: Unit) -> bool:
    return bool(
        unit.words.pattern("rules_for_agent", "standing").search(unit.view)
        or unit.words.pattern("rules_for_agent", "dont").match(unit.said)
    )


def _standing(unit: Unit) -> bool:
    """A word of permanence beside an imperative to the agent."""
    words = unit.words
    mark = words.pattern("rules_for_agent", "standing").search(unit.view)
    if mark is None or _SELF.match(unit.said) or _LABEL.match(unit.said):
        return False
    if words.language == "en":
        return bool(_imperative(words).match(unit.said))
    rest = unit.view[mark.end() :]
    orders = re.search(r"都|要|请|必须|务必|先|一律|别|不要|只|优先|不准|不许|禁止|得|不用|直接|用", rest)
    return bool(orders) and not re.match(r".{0,4}我(?:就|会|要|想|都|也|只|不|尽量|一般|打算|准备|们)", rest)


def _imperative(words: Wording) -> re.Pattern[str]:
    verb = words.source("rules_for_agent", "verb")
    return re.compile(
        rf"(?:please |pls |and |so |also |then |you (?:should |must |can |need to )?|make sure (?:to |you )|remember to |"
        rf"be sure to )*"
        rf"(?:always |never |only |don't |do not )?{verb}\b",
        re.IGNORECASE,
    )
