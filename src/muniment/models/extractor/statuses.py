"""Statuses: 'X is now at step 3', 'status: …', 进度改为…, and the plain 'key: value' lines of tools and documents.

The key is the predicate; a status names what is in progress, never a person. Belongs here: reading them. Does not belong
here: whether a task's own row wins over talk (the service).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from muniment.config import Policy
from muniment.domain.enums import MemoryType
from muniment.domain.statement import canonical
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.units import PUNCTUATION, Unit

_MOVING: Final = re.compile(
    r"\b(?:now|currently|already|just|finally|has been)\b|\b(?:order|ticket|task|project|deploy\w*|build|release|pr|job|"
    r"pipeline|application|"
    r"request|invoice|payment|shipment|package|migration|server|service|contract|deployment|issue|bug|booking|refund|import|"
    r"export|backup|sync|review|rollout|upgrade|report|parcel|claim|merge|branch|sprint|milestone)\b",
    re.IGNORECASE,
)
_FEELS: Final = re.compile(
    r"\b(?:life|dinner|lunch|day|heart|mood|game|movie|show|family|kids?|weather|school|party|music|food)\b",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(
    r"^[ \t]{0,16}(?:[-*][ \t]{0,8})?(?P<key>[A-Za-z\u4e00-\u9fff][\w \u4e00-\u9fff./#-]{0,40}?)[ \t]?"
    r"[:：=][ \t]*(?P<value>[^\s{\[(][^\n]{0,120}?)[ \t]{0,8}[,;]?$",
    re.MULTILINE,
)
_PLAIN: Final = re.compile(
    r"^(?:the |a |an )?(?P<key>[\w#./-]+(?: [\w#./-]+){0,4}?) (?:is|are|remains?) (?:now |currently )?"
    r"(?P<value>[\w%./-]+(?: [\w%./-]+){0,5})$|"
    r"^(?P<key_zh>[^,，是我你他她它这那]{2,24}?)(?:的)?(?:当前|目前|现在)?(?:状态)?(?:是|为|处于)(?P<value_zh>[^,，]{1,30})$",
    re.IGNORECASE,
)
PLAIN_CONFIDENCE: Final = 0.6


def status(unit: Unit, policy: Policy) -> Draft | None:
    """The status a person reports, or None."""
    words = unit.words
    match = words.pattern("status", "labelled").match(unit.said)
    if match:
        key, value = match["key"] or "", match["value"]
    else:
        stepped = words.pattern("status", "at").match(unit.said)
        match = stepped or words.pattern("status", "now").match(unit.said)
        if match is None or _FEELS.search(match["key"]):
            return None
        if words.language == "en" and not stepped and not _MOVING.search(match[0]):
            return None
        key, value = match["key"], match["value"]
    key = re.sub(
        r"^(?:the|my|our|this|that)\s+|^(?:我们?的?|这个|该|当前)|的$", "", key.strip(PUNCTUATION), flags=re.IGNORECASE
    )
    if match.re is words.pattern("status", "labelled") and key and words.language == "en":
        key = f"{key} status"
    predicate, _ = policy.predicate(key or "status")
    value = words.compiled("@tail$").sub("", value) if words.language == "zh" else value
    if not value.strip(PUNCTUATION):
        return None
    return Draft(memory_type=MemoryType.STATUS, predicate=predicate, value=value.strip(PUNCTUATION), confidence=0.86)


def plain_states(text: str) -> Iterator[tuple[tuple[int, int], str, str]]:
    """(span, key, value) of the 'key: value' lines of a text that is no conversation."""
    for match in _LABEL.finditer(text):
        value = match["value"].strip("\"' ")
        if value and not value.startswith("//"):
            yield match.span(), canonical(match["key"]), value


def plain_state(unit: Unit) -> tuple[str, str] | None:
    """(subject, value) of a plain 'X is Y' in such a text."""
    match = _PLAIN.match(unit.said)
    if match is None:
        return None
    key, value = match["key"] or match["key_zh"], match["value"] or match["value_zh"]
    if re.match(r"(?:it|this|that|there|he|she|they|you|i|we|what|which|here)\b", key, re.IGNORECASE):
        return None
    return key, value
