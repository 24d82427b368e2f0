"""Which of the user's slots a phrase names without stating it: 'my e-mail address', 'where I live', 我在哪上班.

Belongs here: that. Does not belong here: statements (`declarations`, `attributes`), what is done with the slot (`builtin`).
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

from muniment.config import Policy
from muniment.domain.statement import canonical
from muniment.models.extractor.declarations import subject_of
from muniment.models.extractor.wording import Wording
from muniment.text.language import Language

_OWN: Final = re.compile(r"^(?:what |which |who |where |when )?(?:my|our|the)\s+|^我(?:的|们的?|家的?)?", re.IGNORECASE)
_IS: Final = re.compile(r"\s(?:is|was|are|were)$|(?:是|在)?(?:什么|多少|哪(?:里|儿|天|个)?|几号)$", re.IGNORECASE)
_WHO: Final = re.compile("(?:是|叫)(?:谁|什么|什么名字|哪位|啥)")
"""What, behind a person, asks for their name."""
_HEAD: Final = re.compile(r"\s(?:number|address|details)$|(?:号码|地址|账号|信息)$", re.IGNORECASE)
_PLAIN: Final = re.compile(
    r"^(?:current|new|old|personal|work|private|full|usual)\s+|^(?:现在|目前|新|旧|原来|个人|工作)的?", re.IGNORECASE
)


def named_slot(phrase: str, words: Wording, policy: Policy) -> str | None:
    """The catalogue's predicate that the phrase names, or None. Nothing is guessed by likeness."""
    plain = canonical(phrase)
    for predicate, patterns in _table(words.language):
        if any(pattern.fullmatch(plain) for pattern in patterns):
            return policy.predicate(predicate)[0]
    aliases = words.table("changes", "aliases")
    own = _OWN.sub("", _IS.sub("", plain)).strip()
    for name in (own, _HEAD.sub("", own), _PLAIN.sub("", own), _HEAD.sub("", _PLAIN.sub("", own))):
        known = policy.names.get(canonical(aliases.get(name, name)))
        if known is not None:
            return known
    return None


def named_of(phrase: str, words: Wording, policy: Policy) -> tuple[str | None, str | None]:
    """(predicate, subject) of the slot that the phrase names, of the user's people too ('my sister's name', 我妹妹的名字); the
    subject is None for the user's own."""
    kin = words.compiled("@kin").match(phrase)
    rest = phrase[kin.end() :].lstrip() if kin else ""
    if _WHO.fullmatch(rest) and kin is not None:
        return policy.names.get("name"), subject_of(kin[0])
    what = re.sub(r"^(?:'s\s|的)", "", rest)
    if kin is None or what == rest:
        return named_slot(phrase, words, policy), None
    return policy.names.get(canonical(words.table("changes", "aliases").get(what, what))), subject_of(kin[0])


@cache
def _table(language: Language) -> tuple[tuple[str, tuple[re.Pattern[str], ...]], ...]:
    """The phrases of a language by predicate, compiled once."""
    path = Path(__file__).parent / "lexicons" / "named.toml"
    data = tomllib.loads(path.read_text(encoding="utf-8"))[language]
    return tuple((name, tuple(re.compile(item, re.IGNORECASE) for item in patterns)) for name, patterns in data.items())
