"""What passwords and secrets are called, in talk, in code and as names of fields.

Belongs here: the words of `lexicons/secrets.toml` as patterns, and what a field's name alone says of its value. Does not belong
here: the syntax between a name and its value (`passwords.py`, `password_talk.py`, `password_layout.py`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from muniment.text.finding import MASK
from muniment.text.folding import plainly
from muniment.text.lexicon import lexicon

SHAPED: Final = re.compile(r"[0-9]|[!-/:-@\[-`{-~](?=.)|[a-z][A-Z]|[A-Z][a-z]+[A-Z]")
"""What hardly any word of a sentence has: digits, signs inside, capitals inside."""
_CREDENTIAL_FIELD = re.compile(r"(?i)^(?:(?:proxy|x|http)[-_])?(?:authorization|(?:set-)?cookie)$")
_PLACEHOLDER = ("<", "{{", "$", "%(", "${")


def speaks_of_one(text: str) -> bool:
    """Whether any of the words can stand in the text at all: most texts have none of their roots, and are done with."""
    lowered = text.lower()
    return any(root in lowered for root in lexicon("secrets")["words"]["roots"])


@cache
def not_values() -> frozenset[str]:
    """Words that stand after 'password is' when no password does."""
    return frozenset(lexicon("secrets")["words"]["not_a_value"])


@cache
def sentence_words() -> frozenset[str]:
    """Words that say that what follows 'password is' is a sentence and no phrase."""
    return not_values() | frozenset(lexicon("secrets")["words"]["sentence"])


@cache
def latin_names(kind: str) -> str:
    """An alternation (source) of the names in Latin letters, for 'password' or 'secret'."""
    return "|".join(word for word in lexicon("secrets")["words"][kind] if word[0].isascii())


@cache
def other_names(kind: str) -> tuple[str, str]:
    """The same of names in other scripts, which have no boundary to match at; and the characters they begin with."""
    words = [word for word in lexicon("secrets")["words"][kind] if not word[0].isascii()]
    return "|".join(words), "".join(sorted({word[0] for word in words}))


@cache
def any_name() -> str:
    """A pattern (source) for a password's name in any script, whole."""
    return rf"(?:(?<![a-z0-9])(?:{latin_names('password')})(?![a-z0-9])|{other_names('password')[0]})"


def named_kind(name: str, value: object) -> str | None:
    """What the value of a field is by the field's name alone: 'password' or 'secret', None where it is neither.

    `value` is text or a number; `{"dbPassword": "correct horse"}` is a password, `{"token_count": 42}` nothing.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text, name = str(value).strip(), plainly(name).text
    if MASK.search(name):
        return None  # a mask names what stood there, not what stands beside it
    if not text or len(text) > 4_000 or MASK.search(text) or text.casefold() in not_values():
        return None
    if text.startswith(_PLACEHOLDER):
        return None
    if _CREDENTIAL_FIELD.match(name.strip()):
        return "secret" if any(map(str.isdigit, text)) and len(text) >= 6 else None
    if not speaks_of_one(name):
        return None
    for kind in ("password", "secret"):
        if _field(kind).search(name):
            return kind if kind == "password" or _drawn(text, name) else None
    return None


def is_field(name: str) -> bool:
    """Whether the head of a table's column or the like names passwords."""
    return len(name) <= 40 and bool(_field("password").search(name)) and len(name.split()) <= 3


def _drawn(text: str, name: str) -> bool:
    """Whether a secret's value is one: 'family recipe' is none. A name of two words, as 'api_key', says enough of any word."""
    compound = bool(re.search(r"(?i)[a-z][ _-]?(?:key|token|secret)s?\W*$", name)) and not re.match(
        r"(?i)\W*(?:key|token|secret)s?\W*$", name
    )
    return len(text) >= 8 and not re.search(r"\s", text) and (any(map(str.isdigit, text)) or compound)


@cache
def _field(kind: str) -> re.Pattern[str]:
    """A field's name that ends in one of the words, in any spelling: db_password, dbPassword, DB-PASSWORD, 数据库密码."""
    han, _ = other_names(kind)
    short = "" if kind == "secret" else "|(?<![a-z])pass"
    return re.compile(
        rf"(?i)(?:(?:(?<![a-z])|(?<=[a-z_-]))(?:{latin_names(kind)}{short})(?:[_-]?\d{{1,2}})?|{han})\W*$"
    )
