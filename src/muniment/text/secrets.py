"""Keys and tokens in a text, told by their own form or the syntax they stand in.

Belongs here: formats that providers issue, tokens built like one, private key blocks, credentials in URLs, headers,
cookies and commands. Does not belong here: what only the words beside it call a secret (`passwords.py`), entropy tests over
all words (they flag almost every sentence), and what is done with a finding (`redact.py`, policy).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Final

from muniment.text.finding import MASK, Finding
from muniment.text.lexicon import lexicon

_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s]|\\[nr])*")
_PUTTY = re.compile(r"PuTTY-User-Key-File-[23]:[^\n]{0,80}(?:\n[^\n]{1,200}){1,400}")
_CREDENTIALS = re.compile(
    r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s/:@\[\]]{0,64}:([^\s/@\[\]]{1,128}|\[[^\s/@]{1,128})@"
)
_HEADER = re.compile(
    r"(?i)(?:(?<![a-z])(?:bearer|basic|ssws)|\bauthorization[\"']?\s?[:=]\s?[\"']?(?:[a-z]{2,16}\s)?)"
    r"\s?([A-Za-z0-9+/._~-]{16,4000}={0,2})(?![A-Za-z0-9])"
)
_COOKIE = re.compile(r"(?i)(?<![a-z])(?:set-)?cookie[\"']?\s?[:=]\s?[\"']?([^\n\"']{4,4000})")
_COOKIE_PAIR = re.compile(r"(?i)(?<![^;\s])([\w.-]{1,64})=([^;\s,]{8,2000})")
_COOKIE_NAME = re.compile(r"(?i)sess|sid|token|auth|jwt|csrf|xsrf|remember|login|secret|key|uid|ticket")
_COMMAND = re.compile(r"(?<!\S)(?:-u|--user|--proxy-user)[ =][\"']?[\w.@-]{1,64}:([^\s\"']{3,128})")
_OPTION = re.compile(
    r"(?<![\w./-])(?:(?:mysql\w{0,12}|mariadb\w{0,12}|mongo\w{0,12})\s(?:[^\n|;]{0,120}?\s)?-p|sshpass\s-p\s?"
    r"|redis-cli\s(?:[^\n|;]{0,80}?\s)?-a\s|7z\s(?:[^\n|;]{0,80}?\s)?-p|(?:un)?zip\s(?:[^\n|;]{0,80}?\s)?-P\s?|-pass(?:in|out)?\spass:)"
    r"[\"']?([^\s\"'-][^\s\"']{2,127})"
)
"""Options of commands that take a password; `mysql -p db` asks for one."""
_LOGIN = re.compile(r"(?i)\blogin\s+\S{1,64}\s+password\s+(\S{3,128})")
_SHAPED = re.compile(r"[0-9]|[!-/:-@\[-`{-~](?=.)|[a-z][A-Z]|[A-Z][a-z]+[A-Z]")
_LONG_WORD: Final = re.compile(r"[A-Za-z0-9_+/.:=$~-]{16}")
_BUILT = re.compile(
    r"(?<![A-Za-z0-9_.+/@-])[A-Za-z][A-Za-z0-9]{0,255}(?:[_.-][A-Za-z0-9]{1,256}){1,8}(?![A-Za-z0-9_@-]|[./]\w)"
)
_PREFIX = re.compile(r"[a-z]{1,12}[0-9]{0,2}|[A-Z]{2,10}[0-9]{0,2}")
_WORD = re.compile(r"[A-Z]?[a-z]{4,}|[A-Z]{4,}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_BREAK = re.compile(
    r"(?<![A-Za-z0-9_+/.=-])(?P<left>[A-Za-z0-9_+/.=-]{8,400})(?P<gap>\\?[ \t]?\r?\n[ \t>]{0,8}| )"
    r"(?=(?P<right>[A-Za-z0-9_+/=-]{4,400})(?![A-Za-z0-9_+/=-]))"
)
_DIGIT_AND_LETTER = re.compile(r"(?=[^A-Za-z]*[A-Za-z])(?=\D*\d)")
_REST: Final = 12
_SHORT_BODY: Final = 20
_MIXED_BODY: Final = 30
_LONG_BODY: Final = 32
_SPOKEN_OF = re.compile(
    r"(?i)(?<![a-z])(?:api|keys?|tokens?|secrets?|credentials?|auth|bearer)(?![a-z])|密钥|秘钥|令牌|凭证|凭据"
)
_MEANT_TO_BE_SEEN = re.compile(r"(?i)public|publishable|idempotency|公钥|公开")
_BARE = re.compile(r"(?<![A-Za-z0-9_.+/@=?&%#-])[A-Za-z0-9_-]{20,400}(?![A-Za-z0-9_@+/=%-]|[.]\w)")
_SPOKEN_REACH: Final = 48


def find_secrets(text: str) -> Iterator[Finding]:
    """Every secret and private key found, most certain first; spans may overlap (`finding.settle`).

    The span of what a header, cookie or URL carries is that of the value alone. An existing mask such as `[password]` is
    never a value.
    """
    yield from _private_keys(text)
    if _LONG_WORD.search(text):
        scanner, names = _formats()
        for match in scanner.finditer(text):
            yield Finding(kind="secret", span=match.span(), detector=f"format.{names[match.lastgroup or '']}")
        for match in _BUILT.finditer(text):
            if len(match[0]) >= _SHORT_BODY + 3 and built_like_a_token(match[0]):
                yield Finding(kind="secret", span=match.span(), detector="structure")
        yield from _spoken_of(text)
    if "://" in text:
        for match in _CREDENTIALS.finditer(text):
            if not MASK.match(text, match.start(1)):
                yield Finding(kind="password", span=match.span(1), detector="url.credentials")
    for match in _HEADER.finditer(text):
        if _SHAPED.search(match[1]):
            yield Finding(kind="secret", span=match.span(1), detector="header")
    for match in _COOKIE.finditer(text):
        yield from _cookies(text, match)
    for name, pattern in (("command", _COMMAND), ("option", _OPTION), ("login", _LOGIN)):
        for match in pattern.finditer(text):
            if not (MASK.match(text, match.start(1)) or match[1].startswith(("$", "<", "{"))):
                yield Finding(kind="password", span=match.span(1), detector=name)


def joined_lines(text: str) -> tuple[str, list[int] | None]:
    """The text with the pieces of a token that a line break cuts in two joined, and where each character stood; the text itself
    and None where there are none. A space counts as a break where the rest is long. Both pieces have letters and digits, so
    that no sentence is joined to the next."""
    kept: list[int] = []
    place = 0
    for match in _BREAK.finditer(text):
        if all(_DIGIT_AND_LETTER.search(match[piece]) for piece in ("left", "right")) and (
            "\n" in match["gap"] or len(match["right"]) >= _REST
        ):
            kept += range(place, match.start("gap"))
            place = match.end("gap")
    if not place:
        return text, None
    kept += range(place, len(text))
    return "".join(text[index] for index in kept), kept


def built_like_a_token(word: str) -> bool:
    """Whether a word is made as providers make tokens: short words that say what it is, then a body drawn at random.

    'tvly-' and 32 letters and digits is; 'text-embedding-3-small', 'trace-' and a digest, 'web-' and a build are not. The
    bounds are set so that the public identifiers of common services (24 characters and fewer, or after a word of `public`)
    stay.
    """
    parts = re.split(r"[_.-]", word)
    lead = 0
    while lead < len(parts) and _PREFIX.fullmatch(parts[lead]) and not _random(parts[lead]):
        lead += 1
    prefix, body = [part.lower() for part in parts[:lead]], parts[lead:]
    if not prefix or not body or len(body) > 6 or any(_WORD.fullmatch(part) for part in body):
        return False
    if "." in word and not all(_random(part) for part in body):
        return False
    structure = _structure()
    if prefix[0] in structure["published"]:
        return False
    public = prefix[0] in structure["public"]
    secretive = any(name in structure["secretive"] for name in (prefix[1:] if public else prefix))
    if (public or _UUID.fullmatch("-".join(body))) and not secretive:
        return False
    joined = "".join(body)
    least = _SHORT_BODY if secretive else _MIXED_BODY if _mixed(joined) else _LONG_BODY
    return len(joined) >= least and _random(joined)


def _spoken_of(text: str) -> Iterator[Finding]:
    """Strings drawn at random, of capitals, small letters and digits, after a word that says a key or token is the subject:
    'here is my key, keep it safe: …'."""
    cues = [match.end() for match in _SPOKEN_OF.finditer(text)]
    if not cues:
        return
    for match in _BARE.finditer(text):
        near = text[max(0, match.start() - _SPOKEN_REACH) : match.start()]
        if any(0 <= match.start() - cue <= _SPOKEN_REACH for cue in cues) and not _MEANT_TO_BE_SEEN.search(near):
            joined = re.sub(r"[_-]", "", match[0])
            words = any(_WORD.fullmatch(part) for part in re.split(r"[_-]", match[0]))
            if _mixed(joined) and _random(joined) and not words:
                yield Finding(kind="secret", span=match.span(), detector="structure.spoken_of")


def _random(body: str) -> bool:
    """Whether letters and digits alternate as they do in what was drawn at random, not in what somebody named.

    Of a random string of 62 characters about .55 of the neighbours differ in class, of 36 about .4, of hexadecimal digits
    about .47.
    """
    if len(body) < 16 or sum(map(str.isdigit, body)) < 2 or not any(map(str.isalpha, body)):
        return False
    changes = sum(_class(one) != _class(two) for one, two in pairwise(body))
    return changes >= (0.35 if _mixed(body) else 0.25) * (len(body) - 1)


def _mixed(body: str) -> bool:
    """Whether both cases have a fair share of it."""
    least = len(body) / 7
    return sum(map(str.isupper, body)) >= least and sum(map(str.islower, body)) >= least


def _class(char: str) -> int:
    return 0 if char.isdigit() else 1 if char.isupper() else 2


def _cookies(text: str, header: re.Match[str]) -> Iterator[Finding]:
    """The values of a cookie header that let somebody in: named so, or long and shaped like a token."""
    for pair in _COOKIE_PAIR.finditer(text, *header.span(1)):
        if MASK.match(text, pair.start(2)):
            continue
        if _COOKIE_NAME.search(pair[1]) or (len(pair[2]) >= _SHORT_BODY and _random(re.sub(r"\W", "", pair[2]))):
            yield Finding(kind="secret", span=pair.span(2), detector="cookie")


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
    return re.compile(rf"(?<![A-Za-z0-9_+-])(?=[A-Za-z0-9])(?:{'|'.join(parts)})(?![A-Za-z0-9_])"), names


@cache
def _structure() -> dict[str, frozenset[str]]:
    return {name: frozenset(words) for name, words in lexicon("secrets")["structure"].items()}
