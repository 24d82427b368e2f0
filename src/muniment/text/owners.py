"""Who is named as having what stands between two pieces of text: "Ben's phone is" …, … 是小王的.

Read off the words and the lexicon's few verbs; what merely looks like a name ('order', 这个) is none.

Belongs here: that. Does not belong here: what stands there (`belonging`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from muniment.domain.statement import canonical
from muniment.text.folding import narrow
from muniment.text.lexicon import lexicon

SELF: Final = "user"
"""The owner of what the speaker calls their own."""

MOST_MENTIONED: Final = 16
READ_CHARS: Final = 2_000
"""What of a text is read for the names in it."""

_NAME: Final = r"[A-Z][\w’-]{0,30}(?: [A-Z][\w’-]{1,30}){0,2}"
_KIN: Final = r"[a-z-]{2,20}(?: [a-z-]{2,20})?"
_LABEL: Final = r"(?:[A-Za-z][\w-]{0,15}\.? ){0,4}?[A-Za-z][\w-]{0,15}\.?"
_IS: Final = (
    r"(?:(?:is|was|are|:|=|at|has changed to|changed to|is now|became|used to be|not|is not|isn’t|were)"
    r"\s?(?:now |still |not |#)?)?"
)
_BEGINS: Final = r"(?:^|(?<=[\s,，]))"
_HAN: Final = r"[\u4e00-\u9fff·]"
_HAN_LABEL: Final = (
    r"(?:(?:新|旧|现在|最新|常用)的?)?[\u4e00-\u9fffA-Za-z]{0,6}?(?:号码?|编号|邮箱|电话|手机|地址|单|网址|车牌)?\s?"
)
_HAN_IS: Final = (
    r"(?:现在|目前|以前|之前|原来|曾经|过去)?(?:已经?)?"
    r"(?:不是|是|为|：|:|=|(?:改|换|变|更新|更换|修改|变更)(?:成|为)了?)?\s?$"
)
_HAN_BEGINS: Final = r"(?:^|[，,。；、\s])"
_HAN_ONE: Final = r"了?(?:一[个张份])?"


_MENTION: Final = re.compile(rf"(?<![\w’-])(?P<name>{_NAME})|(?<!{_HAN})(?P<han>{_HAN}{{2,6}})")


def owner_of(before: str, after: str) -> str | None:
    """The canonical name of who has it, by what stands before it, else behind it; `SELF` for the speaker; None where nobody
    is named. Apostrophes are expected as ’."""
    for pattern in _before():
        if (match := pattern.search(before)) and (name := _name(match)) is not None:
            return name
    for pattern in _after():
        if (match := pattern.match(after)) and (name := _name(match)) is not None:
            return name
    return None


def _name(match: re.Match[str]) -> str | None:
    """The canonical name a pattern found; None where what stands there is none."""
    found = match.groupdict()
    if found.get("self"):
        return SELF
    if found.get("kin"):
        return canonical(f"user's {found['kin']}")
    if found.get("kinzh"):
        return f"我{canonical(found['kinzh'])}"
    words = lexicon("belonging")
    name = re.sub(r"(?:以前|之前|原来|曾经|过去|现在|目前)$", "", found.get("name") or "")
    for role in words["roles"]["zh"]:
        if name.startswith(role) and len(name) > len(role):
            name = name[len(role) :]
    parts = name.split(" ")
    while parts and canonical(parts[0]) in (*words["roles"]["en"], *words["names"]["en"]):
        parts = parts[1:]
    name = canonical(re.sub(r"’s?$", "", " ".join(parts)).replace("’", "'"))
    known = {*words["names"]["en"], *words["names"]["zh"]}
    if (
        len(name) < 2
        or name in known
        or any(map(str.isdigit, name))
        or any(name.startswith(word) for word in words["names"]["zh"])
    ):
        return None
    return name


def mentioned(text: str) -> list[str]:
    """The canonical names that may be people's in a text: words with a capital, and the beginnings of Chinese clauses; at most
    `MOST_MENTIONED`. What is no name among them does no harm: nobody is asked about by it."""
    found: dict[str, None] = {}
    for match in _MENTION.finditer(narrow(text[:READ_CHARS]).replace("'", "’")):
        if match["name"]:
            name = _name(match)
            found |= {name: None} if name else {}
        else:
            start = match["han"]
            for role in lexicon("belonging")["roles"]["zh"]:
                start = start.removeprefix(role)
            found |= {start[:length]: None for length in (2, 3) if len(start) >= length}
        if len(found) >= MOST_MENTIONED:
            break
    return list(found)[:MOST_MENTIONED]


def either(words: Sequence[str]) -> str:
    """The words as one alternative, longest first; Latin ones whole and in any case (`_` counts as a break)."""
    longest = sorted(words, key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in longest if word.isascii())
    other = "|".join(re.escape(word) for word in longest if not word.isascii())
    both = [rf"(?<![A-Za-z])(?i:{latin})(?![A-Za-z])"] if latin else []
    return "|".join([*both, *([other] if other else [])])


@cache
def _before() -> tuple[re.Pattern[str], ...]:
    """What stands before a key and says whose it is, surest first."""
    words = lexicon("belonging")
    held_en, held_zh = either(words["held"]["en"]), either(words["held"]["zh"])
    roles = f"(?:{either(words['roles']['zh'])})?"
    label = rf"(?:{_LABEL}\s?)?"
    mine = rf"(?P<self>(?i:my own|my|our))(?! {_KIN}’s)|(?i:my|our) (?P<kin>{_KIN})’s"
    patterns = (
        rf"(?<![\w’-])(?:{mine}|(?P<name>{_NAME})(?:’s|(?<=s)’)) {label}{_IS}$",
        rf"(?i:the )?{_LABEL} (?:of|for) (?P<name>{_NAME})\s?{_IS}$",
        rf"{_BEGINS}(?:(?P<self>I|We)|(?P<name>{_NAME})) (?:used to have |no longer )?(?:{held_en}) "
        rf"(?i:the |an? |another )?{label}{_IS}$",
        rf"(?:(?P<self>我|本人|咱)|我(?P<kinzh>{_HAN}{{1,4}}?)|(?<!{_HAN}){roles}(?P<name>{_HAN}{{2,4}}))的{_HAN_LABEL}{_HAN_IS}",
        rf"{_HAN_BEGINS}(?P<self>我)(?:{held_zh}){_HAN_ONE}{_HAN_LABEL}{_HAN_IS}",
        rf"{_HAN_BEGINS}{roles}(?P<name>{_HAN}{{2,3}}?)(?:{held_zh}){_HAN_ONE}{_HAN_LABEL}{_HAN_IS}",
        rf"(?<![\w’-])(?P<name>{_NAME})’s {label}(?:has )?changed[,;:]? (?i:the |his |her |their )?new {label}{_IS}$",
        rf"(?<!{_HAN}){roles}(?P<name>{_HAN}{{2,4}}?)的{_HAN}{{1,6}}?(?:换|变|改)了[，,：:]\s?(?:现在|新){_HAN_LABEL}{_HAN_IS}",
        rf"{_BEGINS}(?P<name>{_NAME})\s?[(:,，：-]\s?(?:{_LABEL}:?\s)?$",
        rf"{_HAN_BEGINS}{roles}(?:[：:]\s?)?(?P<name>{_HAN}{{2,4}})\s?[（(：:，,]\s?{_HAN_LABEL}{_HAN_IS}",
    )
    return tuple(map(re.compile, patterns))


@cache
def _after() -> tuple[re.Pattern[str], ...]:
    """What stands behind a key and says whose it is."""
    words = lexicon("belonging")
    to_en, to_zh = either(words["owned"]["en"]), either(words["owned"]["zh"])
    roles = f"(?:{either(words['roles']['zh'])})?"
    mine = r"(?P<self>(?i:mine|my|me))(?![\w’])|(?i:my|our) (?P<kin>[a-z-]{2,20})"
    mine_zh = rf"(?P<self>我|本人)(?:的|$|[，,。])|我(?P<kinzh>{_HAN}{{1,4}}?)的"
    patterns = (
        rf"\s?[(（]\s?(?P<name>{_NAME}|{_HAN}{{2,4}})\s?[)）]",
        rf",? is (?:no longer|not) {_NAME}(?:’s)?(?: {_LABEL})?[,;] (?:but |it is |it’s |now )+(?P<name>{_NAME})(?!\w)",
        rf"\s?(?:已经?)?不再?是{_HAN}{{2,4}}?的(?:{_HAN}{{2,4}})?[，,](?:而是|现在是|是){roles}(?P<name>{_HAN}{{2,4}}?)的",
        rf",? (?:(?:which|that) )?(?:{to_en}) (?:{mine}|(?P<name>{_NAME})(?!\w))",
        rf"\s?[，,]?(?:这个?号码?)?(?:{to_zh})(?:{mine_zh}|{roles}(?P<name>{_HAN}{{2,4}}?)(?:的|所有|名下|$|[，,。]))",
    )
    return tuple(map(re.compile, patterns))
