"""Passwords, keys and tokens in a text.

Belongs here: known key formats, private key blocks, and values that the text itself calls a password or a secret. Does
not belong here: entropy tests (they flag almost every sentence) and what is done with a finding (`redact.py`, policy).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from muniment.text.finding import MASK, Finding
from muniment.text.lexicon import lexicon

_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=\s]*")
_PUTTY = re.compile(r"PuTTY-User-Key-File-[23]:[^\n]{0,80}(?:\n[^\n]{1,200}){1,400}")
_CREDENTIALS = re.compile(r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s/:@\[\]]{0,64}:([^\s/@\[\]]{1,128})@")
_HEADER = re.compile(r"(?i)(?<![a-z])(?:bearer|basic)\s([A-Za-z0-9+/._~-]{16,4000}={0,2})(?![A-Za-z0-9])")
_SHAPED = re.compile(r"[0-9]|[!-/:-@\[-`{-~](?=.)|[a-z][A-Z]|[A-Z][a-z]+[A-Z]")
_STRENGTH_RULE = re.compile(
    r"^\s?(?:位|个|字符|天|分钟|小时|次|年|月|digits?\b|characters?\b|chars?\b|letters?\b|days?\b|times?\b|attempts?\b|-digit)"
)
VALUE_LIMIT: Final = 128


def find_secrets(text: str) -> Iterator[Finding]:
    """Every password, secret and private key found, most certain first; spans may overlap (`finding.settle`).

    The span of an assignment is that of the value alone. An existing mask such as `[password]` is never a value.
    """
    yield from _private_keys(text)
    scanner, names = _formats()
    for match in scanner.finditer(text):
        yield Finding(kind="secret", span=match.span(), detector=f"format.{names[match.lastgroup or '']}")
    for match in _CREDENTIALS.finditer(text):
        if not MASK.match(text, match.start(1)):
            yield Finding(kind="password", span=match.span(1), detector="url.credentials")
    for match in _HEADER.finditer(text):
        if _SHAPED.search(match[1]):
            yield Finding(kind="secret", span=match.span(1), detector="header")
    for kind in ("password", "secret"):
        yield from _assigned(text, kind)


def _private_keys(text: str) -> Iterator[Finding]:
    """PEM and PuTTY blocks; one without an end reaches as far as its base64 does."""
    place, ended = 0, True
    while match := _PEM_BEGIN.search(text, place):
        closing = _PEM_END.search(text, match.end()) if ended else None
        ended = closing is not None
        body = _PEM_BODY.match(text, match.end())
        place = closing.end() if closing else (body.end() if body else match.end())
        yield Finding(kind="private_key", span=(match.start(), place), detector="pem")
    for match in _PUTTY.finditer(text):
        yield Finding(kind="private_key", span=match.span(), detector="putty")


@cache
def _formats() -> tuple[re.Pattern[str], dict[str, str]]:
    """All known formats as one scanner, and the name behind each of its groups."""
    formats: dict[str, str] = lexicon("secrets")["formats"]
    names = {f"f{place}": name for place, name in enumerate(formats)}
    parts = [f"(?P<{group}>{formats[name]})" for group, name in names.items()]
    return re.compile(rf"(?<![A-Za-z0-9_+/-])(?=[A-Za-z0-9])(?:{'|'.join(parts)})(?![A-Za-z0-9_])"), names


@cache
def _assignment(kind: str) -> re.Pattern[str]:
    """'<name> = value', '<name>: value', '<name> is value', 密码是…, with what may stand between."""
    words = lexicon("secrets")["words"][kind]
    latin = "|".join(word for word in words if word[0].isascii())
    han = "|".join(word for word in words if not word[0].isascii())
    firsts = "".join(sorted({word[0] for word in words if not word[0].isascii()}))
    quote = "[\"'`“‘「]?"
    name = rf"(?<![a-z0-9])(?=[a-z])(?:[a-z0-9]{{1,20}}[_-]){{0,4}}(?:{latin})(?![a-z0-9])"
    sign = r"[\"'`]?\s?(?:=>|:=|==?|:|：|->|→)\s?"
    verb = (
        r"[ ](?:for (?:my |the |our )?[\w.@-]{1,30} )?(?:is|was|are|to|be|=|will be)"
        r"(?: now| set to| changed to| called)?:?\s{1,2}"
    )
    han_sign = r"\s?(?:[:：=是为叫]|改成|改为|设成|设为|设置为|设置成|换成|就是|还是)?\s?了?\s?"
    return re.compile(
        rf"(?i){name}(?P<plain>{sign}|{verb}){quote}(?P<value>[!-~]{{3,{VALUE_LIMIT}}})"
        rf"|(?=[{firsts}])(?:{han})(?P<han>{han_sign}){quote}(?P<value2>[!-~]{{4,{VALUE_LIMIT}}})"
    )


def _assigned(text: str, kind: str) -> Iterator[Finding]:
    for match in _assignment(kind).finditer(text):
        group = "value" if match["value"] else "value2"
        raw = match[group]
        value = raw.rstrip(".,;!?)]}>\"'`")
        start = match.start(group)
        sign = match["plain"] or match["han"] or ""
        assigned = bool(re.search(r"[=:：>→是为叫成]", sign))
        if _is_value(value, raw, text, start, kind, assigned=assigned, quoted=text[start - 1] in "\"'`“‘「"):
            yield Finding(kind=kind, span=(start, start + len(value)), detector=f"assignment.{kind}")


def _is_value(value: str, raw: str, text: str, start: int, kind: str, *, assigned: bool, quoted: bool) -> bool:
    """Whether what follows 'password is' is a password and not more of the sentence."""
    word = value.strip("\"'`*_-").casefold()
    if not word or MASK.match(text, start) or raw.startswith(("<", "{", "$", "%(")) or word in _not_values():
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
