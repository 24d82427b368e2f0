"""One turn, or one question, read for whether a later turn took over from an earlier one.

Belongs here: tokens, cues and values of one text. Does not belong here: pairs (`takeover_pairs`), what is made of them
(`takeover`), and the words themselves (`takeover.toml`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

from muniment.text.folding import narrow
from muniment.text.tokenizer import tokenize

READ_CHARS: Final = 400
"""Characters of a turn that are read: a change is told early, and a long turn tells of many things."""

MOST: Final = 3
"""What more of a cue than this adds is nothing."""

CUES: Final = ("ends", "starts", "wrong", "back", "forget", "asides", "others", "settled", "told", "delicate", "kin")
"""Sections of `takeover.toml` whose words are counted in a turn."""

_CHINESE: Final = re.compile("[\u4e00-\u9fff]")
_LETTER: Final = re.compile("[a-z]")
_PERFECT: Final = re.compile(
    r"(?:\b(?:have|has|had)|'ve|'s|'d) (?:\w+ly |all |just |already |now |since )?"
    r"(?:\w{2,}ed|\w+(?:ne|wn|en|pt|ught)|been|got|put|cut|let|sold|told|made|left|lost|found|gone|had)\b"
)
_DONE: Final = re.compile(r"了(?:[，。！；,!;]|$)")
_ASKING: Final = re.compile(r"[?？]|吗[。]?$")
_ENDS_ASKING: Final = re.compile(r"[?？][^?？]{0,25}$|吗[。]?$")
_QUOTED: Final = re.compile(r"^[\"“「]|[\"“「][^\"”」]{12,}[\"”」]")
_DAY: Final = re.compile(r"\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜)([一二三四五六日天])")
_MONTH: Final = re.compile(
    r"\b(january|february|march|april|may|june|july|august|september|october|november|december)\b"
    r"|(\d{1,2}|[一二三四五六七八九十]{1,2})月"
)
_NUMBER: Final = re.compile(
    r"(?<![\w.])[£$€]?(\d[\d,]*(?:[.:]\d+)*)"
    r"|([零一二两三四五六七八九十百千万]{1,8}(?:点|[号日斤块台个平年页公里盆岁口滴米]|半|(?=[，。]|$)))"
    r"|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred"
    r"|half past \w+)\b"
)
_NAME: Final = re.compile(
    r"(?<=[a-z,;:'’] )([A-Z][A-Za-z]+)"
    r"|(?:^|[.!?] )([A-Z][a-z]+)(?='s|’s| (?:has|is|was|had|and|goes|went|moved|took|left|wanted|can|could))"
    r"|(老(?![板师家婆公人年是样街实])[\u4e00-\u9fff]|小(?![店时学区孩心组程说吃费数])[\u4e00-\u9fff]|阿(?!姨)[\u4e00-\u9fff])|([\u4e00-\u9fff](?:姐|哥|总|工|姨|叔|师傅|老师|大夫|医生|先生|女士|经理|记))"
    r"|(?<![A-Za-z])([A-Z][A-Za-z0-9]{2,})"
)
_NOT_NAMES: Final = frozenset(
    [
        *("the", "it", "its", "he", "she", "they", "we", "you", "my", "our", "his", "her", "their"),
        *("this", "that", "there", "and", "but", "so", "if", "all", "no", "yes", "well"),
    ]
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read of a text: its tokens, how often each cue stands in it, and the values by kind (day, month, number, name)."""

    tokens: frozenset[str]
    cues: Mapping[str, int]
    values: Mapping[str, frozenset[str]]
    chinese: bool


@lru_cache(maxsize=4096)
def tokens_of(text: str) -> frozenset[str]:
    """The tokens of the part of a text that is read."""
    return frozenset(tokenize(narrow(text[:READ_CHARS])))


@lru_cache(maxsize=4096)
def reading(text: str) -> Reading:
    """A text, read. Linear in `READ_CHARS`."""
    part = narrow(text[:READ_CHARS]).replace("’", "'")
    plain = part.lower()
    cues = {name: min(count(name, plain), MOST) for name in CUES}
    cues["perfect"] = int(bool(_PERFECT.search(plain))) + int(bool(_DONE.search(plain)))
    cues["asking"] = int(bool(_ASKING.search(plain)))
    cues["ends_asking"] = int(bool(_ENDS_ASKING.search(plain)))
    cues["quoted"] = int(bool(_QUOTED.search(part)))
    names = {next(filter(None, match.groups())) for match in _NAME.finditer(part)}
    values = {
        "day": _values(_DAY, plain),
        "month": _values(_MONTH, plain),
        "number": _values(_NUMBER, plain),
        "name": frozenset(name.lower() for name in names if name.lower() not in _NOT_NAMES),
    }
    return Reading(tokens_of(text), cues, values, bool(_CHINESE.search(part)))


def count(section: str, plain: str) -> int:
    """How many of a section's words stand in a text in lower case."""
    english, chinese = _patterns(section)
    found = sum(1 for _ in english.finditer(plain)) if _LETTER.search(plain) else 0
    return found + (sum(1 for _ in chinese.finditer(plain)) if _CHINESE.search(plain) else 0)


def says(section: str, text: str) -> bool:
    """Whether one of a section's words stands in a question."""
    return count(section, narrow(text).replace("’", "'").lower()) > 0


@cache
def function_characters() -> frozenset[str]:
    """Chinese characters that say nothing of what a text is about."""
    return frozenset(_lexicon()["function"]["zh"])


def _values(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    return frozenset(next(filter(None, match.groups())) for match in pattern.finditer(text) if any(match.groups()))


@cache
def _lexicon() -> Mapping[str, Any]:
    return tomllib.loads((resources.files("muniment.retrieval") / "takeover.toml").read_text(encoding="utf-8"))


@cache
def _patterns(section: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = _lexicon()[section]
    return re.compile(rf"(?<![a-z])(?:{_sorted(words['en'])})(?![a-z])"), re.compile(_sorted(words["zh"]))


def _sorted(words: Sequence[str]) -> str:
    """The alternatives under their first letter, so that most places of a text are passed over with one look."""
    under: dict[str, list[str]] = {}
    for word in words:
        under.setdefault(word[0] if word[0].isalnum() and word[1:2] not in ("?", "*") else "", []).append(word)
    return "|".join(f"(?={first})(?:{'|'.join(some)})" if first else "|".join(some) for first, some in under.items())
