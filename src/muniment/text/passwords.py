"""Values that the words beside them call a password or a secret: 'the wifi password is …', 密码是…, `api_key = …`.

Belongs here: assignments in code and in talk, and phrases of words that restore a wallet. Does not belong here: what is told
by its own form (`secrets.py`). The words are in `lexicons/secrets.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from muniment.text.finding import MASK, Finding
from muniment.text.lexicon import lexicon

VALUE_LIMIT: Final = 128
_SHAPED = re.compile(r"[0-9]|[!-/:-@\[-`{-~](?=.)|[a-z][A-Z]|[A-Z][a-z]+[A-Z]")
_STRENGTH_RULE = re.compile(
    r"^\s?(?:位|个|字符|天|分钟|小时|次|年|月|digits?\b|characters?\b|chars?\b|letters?\b|days?\b|times?\b|attempts?\b|-digit)"
)
_CODE = re.compile(r"[A-Za-z_][\w.]{0,60}(?:\(|\[[\"'A-Za-z_])")
"""A call or a look-up of a program: `os.environ['KEY']`, `getpass()`."""
_ENVIRONMENT = re.compile(
    r"(?<![A-Za-z0-9_])[A-Z0-9]{1,24}(?:_[A-Z0-9]{1,24}){0,5}_(?P<kind>KEY|TOKEN|SECRET|PASS|PASSWORD|PWD|PW|CREDENTIALS?)"
    rf"[\"']?\s?[:=]\s?[\"']?(?P<value>[!-~]{{6,{VALUE_LIMIT}}})"
)
_PHRASE = re.compile(
    r"(?i)(?:(?:recovery|seed|secret|mnemonic|backup|wallet)[ _-]?(?:phrase|words|mnemonic|seed)s?|mnemonic|助记词|恢复短语)"
    r"\W{0,3}(?:(?:is|are|was)\b|是|为)?\W{0,3}((?:[a-z]{3,8}[ ,，、]{1,2}){11,23}[a-z]{3,8})(?![a-z])"
)
_HEX_KEY = re.compile(r"(?i)(?:private[ _-]?key|私钥)\W{0,3}(?:is|是|为)?\W{0,3}((?:0x)?[0-9a-f]{64})(?![0-9a-z])")


def find_passwords(text: str) -> Iterator[Finding]:
    """Every value that the text calls a password or secret; the span is that of the value alone. Spans may overlap."""
    if not _speaks_of_one(text):
        return
    for match in _PHRASE.finditer(text):
        yield Finding(kind="secret", span=match.span(1), detector="phrase")
    for match in _HEX_KEY.finditer(text):
        yield Finding(kind="secret", span=match.span(1), detector="hex_key")
    for kind in ("password", "secret"):
        yield from _assigned(text, kind)
    for match in _ENVIRONMENT.finditer(text):
        kind = "password" if match["kind"].startswith("P") else "secret"
        value = _trimmed(match["value"])
        start = match.start("value")
        if _is_value(value, match["value"], text, start, kind, assigned=True, quoted=False):
            yield Finding(kind=kind, span=(start, start + len(value)), detector="environment")
    for match in _named_after().finditer(text):
        group = "value" if match["value"] else "value2"
        start, value = match.start(group), match[group]
        if _is_value(value, value, text, start, "password", assigned=False, quoted=text[start - 1] in "\"'`“‘「") and (
            any(map(str.isdigit, value)) or text[start - 1] in "\"'`“‘「"
        ):
            yield Finding(kind="password", span=match.span(group), detector="assignment.after")


def named_kind(name: str, value: object) -> str | None:
    """What the value of a field is by the field's name alone: 'password' or 'secret', None where it is neither.

    `value` is text or a number; `{"dbPassword": "correct horse"}` is a password, `{"token_count": 42}` nothing.
    """
    if isinstance(value, bool) or not isinstance(value, str | int) or not _speaks_of_one(name):
        return None
    text = str(value).strip()
    if not text or len(text) > 4_000 or MASK.fullmatch(text) or text.casefold() in _not_values():
        return None
    if text.startswith(("<", "{{", "$", "%(")):
        return None
    for kind in ("password", "secret"):
        if _field(kind).search(name):
            drawn = len(text) >= 8 and not re.search(r"\s", text) and any(map(str.isdigit, text))
            return kind if kind == "password" or drawn else None
    return None


@cache
def _field(kind: str) -> re.Pattern[str]:
    """A field's name that ends in one of the words, in any spelling: db_password, dbPassword, DB-PASSWORD, 数据库密码."""
    words = lexicon("secrets")["words"][kind]
    latin = "|".join(word for word in words if word[0].isascii())
    han = "|".join(word for word in words if not word[0].isascii())
    short = "" if kind == "secret" else "|(?<![a-z])pass|(?<![a-z])pw"
    return re.compile(rf"(?i)(?:(?:(?<![a-z])|(?<=[a-z_-]))(?:{latin}{short})|{han})\W*$")


def _speaks_of_one(text: str) -> bool:
    """Whether any of the words can stand in the text at all: most texts have none of their roots, and are done with."""
    lowered = text.lower()
    return any(root in lowered for root in lexicon("secrets")["words"]["roots"])


@cache
def _assignment(kind: str) -> re.Pattern[str]:
    """'<name> = value', '<name>: value', '<name> is value', '<name> 8Value9', 密码是…, with what may stand between."""
    words = lexicon("secrets")["words"][kind]
    latin = "|".join(word for word in words if word[0].isascii())
    han = "|".join(word for word in words if not word[0].isascii())
    firsts = "".join(sorted({word[0] for word in words if not word[0].isascii()}))
    quote = "[\"'`“‘「]?"
    name = rf"(?<![a-z0-9])(?=[a-z])(?:[a-z0-9]{{1,20}}[_-]){{0,4}}(?:{latin})(?![a-z0-9])"
    joined = rf"(?<=[a-z0-9])(?:{latin})(?=[\"'`]?\s?(?:=|:(?!//)))"
    of = r"(?: (?:for|to|of|on|at|in) [\w@'-]{1,24}(?:\.[\w-]{1,24}){0,3}(?: [\w@'-]{1,24}){0,4}?)?"
    sign = rf"{of}[\"'`]?\s?(?:=>|:=|==?|:|：|->|→)\s?"
    verb = rf"{of}[ ]?\b(?:is|was|are|to|be|will be)(?: now| set to| changed to| called| again)?:?\s{{1,2}}"
    bare = r"\s(?=[!-~]{0,64}[0-9])(?=[!-~]{0,64}[A-Za-z!-/:-@]|[0-9]{4,12}(?![\w.]))"
    han_sign = r"\s?(?:[:：=是为叫]|改成|改为|设成|设为|设置为|设置成|换成|就是|还是|都是|仍是)?\s?了?\s?(?:[:：])?\s?"
    return re.compile(
        rf"(?i)(?:{name}|{joined})(?P<plain>{sign}|{verb}|{bare}){quote}(?P<value>[!-~]{{3,{VALUE_LIMIT}}})"
        rf"|(?=[{firsts}])(?:{han})(?P<han>{han_sign}){quote}(?P<value2>[!-~]{{4,{VALUE_LIMIT}}})"
    )


@cache
def _named_after() -> re.Pattern[str]:
    """'use <value> as the password', 用…当密码: the value stands before its name."""
    words = lexicon("secrets")["words"]["password"]
    latin = "|".join(word for word in words if word[0].isascii())
    han = "|".join(word for word in words if not word[0].isascii())
    return re.compile(
        r"(?i)\b(?:use|used|set|try|with|enter|type|put)\s[\"'`“‘]?(?P<value>[!-~]{4,64}?)[\"'`”’]?\s(?:as|for)\s"
        rf"(?:(?:the|my|our|your|his|her|their|a)\s)?(?:[\w-]{{1,20}}\s){{0,2}}(?:{latin})(?![a-z])"
        rf"|[用把将以]\s?[\"'“‘「]?(?P<value2>[!-~]{{4,64}}?)[\"'”’」]?\s?(?:作为|作|当作|当|做|设为|设成|设置成)\s?[\u4e00-\u9fffA-Za-z]{{0,8}}?(?:{han})"
    )


def _assigned(text: str, kind: str) -> Iterator[Finding]:
    place = 0
    while match := _assignment(kind).search(text, place):
        group = "value" if match["value"] else "value2"
        raw = match[group]
        start = match.start(group)
        if raw[0] in "\"'`":
            raw, start = raw[1:], start + 1
        value = _trimmed(raw)
        sign = match["plain"] or match["han"] or ""
        assigned = bool(re.search(r"[=:：>→是为叫成]", sign))
        if _is_value(value, raw, text, start, kind, assigned=assigned, quoted=text[start - 1] in "\"'`“‘「"):
            yield Finding(kind=kind, span=(start, start + len(value)), detector=f"assignment.{kind}")
            start += len(value)
        # What runs on without a space may hold the next name: only the value itself is behind us.
        place = start


def _trimmed(raw: str) -> str:
    """A value without what closes the sentence or the literal it stands in."""
    closed = re.match(r"[^\"'`<>]*", raw)
    first = closed[0] if closed and len(closed[0]) >= 3 else raw
    return first.rstrip(".,;:!?)]}>\"'`") or first


def _is_value(value: str, raw: str, text: str, start: int, kind: str, *, assigned: bool, quoted: bool) -> bool:
    """Whether what follows 'password is' is a password and not more of the sentence."""
    word = value.strip("\"'`*_-").casefold()
    if not word or MASK.match(text, start) or raw.startswith(("<", "{", "$", "%(")) or word in _not_values():
        return False
    if _CODE.match(text, start) and not quoted:
        return False
    if _STRENGTH_RULE.match(text[start + len(value) : start + len(value) + 12]):
        return False
    shaped = bool(_SHAPED.search(value))
    if kind == "secret":
        return shaped and len(value) >= 8 and any(char.isdigit() or char in "_-+/" for char in value)
    if shaped or quoted:
        return True
    following = text[start + len(raw) : start + len(raw) + 2].strip(" ")
    ends = raw != value or not following or not (following[0].isascii() and following[0].isalnum())
    return ends and (assigned or _owned(text, start))


def _owned(text: str, start: int) -> bool:
    """Whether the sentence says whose password it is, as 'my wifi password is sunshine' does."""
    return bool(
        re.search(r"(?i)\b(?:my|our|his|her|their|the|wi-?fi)\b[^.!?\n]{0,40}$", text[max(0, start - 60) : start])
    )


@cache
def _not_values() -> frozenset[str]:
    return frozenset(lexicon("secrets")["words"]["not_a_value"])
