"""Values that a name beside them calls a password or a secret: 'the wifi password is …', 密码是…, `api_key = …`.

Belongs here: assignments in code and in talk, and phrases of words that restore a wallet. Does not belong here: what is told
by its own form (`secrets.py`), sentences in which more stands between (`password_talk.py`), tables and markup
(`password_layout.py`), the names (`secret_names.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from muniment.text.finding import MASK, Finding
from muniment.text.lexicon import lexicon
from muniment.text.secret_names import SHAPED, latin_names, not_values, other_names, sentence_words, speaks_of_one

VALUE_LIMIT: Final = 128
_STRENGTH_RULE = re.compile(
    r"^\s?(?:位|个|字符|天|分钟|小时|秒|次|年|月|日|号|元|digits?\b|characters?\b|chars?\b|letters?\b|words?\b|days?\b|minutes?\b"
    r"|times?\b|attempts?\b|-digit|[- ]?(?:character|letter)s?\b)"
)
_CODE = re.compile(r"[A-Za-z_][\w.]{0,60}(?:\(|\[[\"'A-Za-z_])")
"""A call or a look-up of a program: `os.environ['KEY']`, `getpass()`."""
_MEMBER = re.compile(r"[A-Za-z_]\w{0,40}(?:\.[A-Za-z_]\w{0,40}){1,4}")
"""A member of an object, `args.password`."""
_ENVIRONMENT = re.compile(
    r"(?<![A-Za-z0-9_])[A-Z0-9]{1,24}(?:_[A-Z0-9]{1,24}){0,5}_(?P<kind>KEY|TOKEN|SECRET|PASS|PASSWORD|PWD|PW|CREDENTIALS?)"
    rf"[\"']?\s?[:=]\s?[\"']?(?P<value>[!-~]{{6,{VALUE_LIMIT}}})"
)
_PHRASE = re.compile(
    r"(?i)(?:(?:recovery|seed|secret|mnemonic|backup|wallet)[ _-]?(?:phrase|words|mnemonic|seed)s?|mnemonic|助记词|恢复短语"
    r"|(?:12|24|twelve|twenty-four)[ -]words?(?: (?:of|for|to|from) (?:my|our|the) [a-z ]{0,20}wallet)?"
    r"|(?:12|24|十二|二十四)个词)"
    r"\W{0,3}(?:(?:is|are|was)\b|是|为)?\W{0,3}"
    r"((?:(?:\d{1,2}[.):]?\s)?[a-z]{3,8}[ \n,，、]{1,2}){11,23}(?:\d{1,2}[.):]?\s)?[a-z]{3,8})(?![a-z])"
)
_HEX_KEY = re.compile(r"(?i)(?:private[ _-]?key|私钥)\W{0,3}(?:is|是|为)?\W{0,3}((?:0x)?[0-9a-f]{64})(?![0-9a-z])")
_OPENED: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "‘": "’",
    "「": "」",
    "『": "』",
    "«": "»",
    "《": "》",
    "„": "“",
    "【": "】",
}
_OPENING = re.compile(f"[{''.join(_OPENED)}]")
_QUOTED_LIMIT: Final = 80
_WORDS = re.compile(r"[A-Za-z0-9'’-]{1,20}(?:[ -][A-Za-z0-9'’-]{1,20}){2,9}")
_PHRASE_END = re.compile(r"\s*(?:[.,;:!?)。，；！？]|\n|$)")
_LINE = re.compile(r"[^\n]*")


def find_passwords(text: str) -> Iterator[Finding]:
    """Every value that a name beside it calls a password or secret; the span is that of the value alone. Spans may overlap.

    For texts in which a name can stand at all (`secret_names.speaks_of_one`).
    """
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


@cache
def _assignment(kind: str) -> re.Pattern[str]:
    """'<name> = value', '<name>: value', '<name> is value', '<name> 8Value9', 密码是…, with what may stand between."""
    latin = latin_names(kind)
    han, firsts = other_names(kind)
    words = lexicon("secrets")["words"]
    property_ = "|".join(words["property"])
    signed = "|".join(words["signed"]) if kind == "password" else "(?!)"
    mark = r"[\"'`*_]{0,3}"
    quote = f"(?P<open>[{''.join(_OPENED)}*_]{{0,3}})"
    name = rf"(?<![a-z0-9])(?=[a-z23])(?:[a-z0-9]{{1,20}}[_-]){{0,4}}(?:{latin})(?![a-z0-9])"
    joined = rf"(?<=[a-z0-9])(?:{latin})(?=[\"'`]?\s?(?:=|:(?!//)))"
    # `password2 = …`, `password_db: …`, but not `password_length = …`
    ending = rf"(?<![a-z0-9])(?:{latin})(?:[ _-]?\d{{1,2}}|[_-](?!(?:{property_})\b)[a-z]{{1,16}})(?=[\"'`]?\s?(?:=|:(?!//)))"
    short = (
        rf"(?P<short>(?<![a-z0-9])(?:(?:{signed})(?=[\"'`*]{{0,3}}\s?=(?!=))"
        rf"|(?<![a-z0-9] )(?:{signed})(?=[\"'`*]{{0,3}}\s?:(?!//))))"
    )
    of = (
        r"(?: (?:for|to|of|on|at|in) [\w@'’-]{1,24}(?:\.[\w-]{1,24}){0,3}(?: [\w@'’-]{1,24}){0,4}?)?"
        r"(?:\s?[(（][^()（）\n]{1,40}[)）])?"
    )
    sign = rf"{of}{mark}\s{{0,2}}(?:=>|:=|==?|:|：|->|→)\s{{0,2}}(?:[|>]-?\s{{1,8}}|\n\s{{0,8}})?"
    dash = r"\s[-–—]\s(?=[!-~]{0,64}[0-9])(?=[!-~]{0,64}[A-Za-z])"
    verb = (
        rf"{of}(?:(?<=\w)['’]s|[ ]\b(?:(?:is|was|are|to|as|be|(?:has|have|had) been|used to be|remains?|stays?|equals|reads)"
        r"|(?:will|should|shall|must|would|could|can|may|might) be))"
        r"(?: (?:now|still|currently|actually|simply|just|always|literally|again|set to|changed to|called|probably))*:?\s{1,2}\n?"
        r"|\s?(?:就是|还是|都是|是|为)\s?"
    )
    bare = r"\s{1,2}(?=[!-~]{0,64}[0-9])(?=[!-~]{0,64}[A-Za-z!-/:-@]|[0-9]{3,12}(?![\w.]))"
    han_link = (
        r"[:=是为叫]|→|->|改成|改为|设成|设为|设置为|设置成|设置的是|换成|变成|就是|还是"
        r"|都是|仍是|应该是|一直是|以前是|现在是|原来是|大概是|可能是|就用|用的是"
    )
    han_sign = (
        rf"(?:\s?[(（][^()（）\n]{{1,20}}[)）])?[*_`\"]{{0,3}}[ \t]?(?:{han_link})?[ \t]?[了呢]?[ \t]?[*_`]{{0,3}}"
        r"(?:[:：]\s?)?\s?[*_`]{0,3}\s?"
    )
    spelt = "[零〇一二三四五六七八九幺]{4,12}(?![个位年月日\u4e00-\u9fff])"
    return re.compile(
        rf"(?i)(?:{name}|{joined}|{ending}|{short})(?P<plain>{sign}|{verb}|{dash}|{bare}){quote}(?P<value>[!-~]{{3,{VALUE_LIMIT}}}|(?<=\S)[^\s!-~])"
        rf"|(?=[{firsts}])(?:{han})(?P<han>{han_sign})(?P<open2>[{''.join(_OPENED)}]?)"
        rf"(?P<value2>[!-~]{{4,{VALUE_LIMIT}}}|[0-9]{{3}}(?![\w])|{spelt}|(?<=[{''.join(_OPENED)}])[^\s!-~])"
    )


def _assigned(text: str, kind: str) -> Iterator[Finding]:
    place = 0
    while match := _assignment(kind).search(text, place):
        group = "value" if match["value"] else "value2"
        raw = match[group]
        start = match.start(group)
        if raw[0] in "\"'`":
            raw, start = raw[1:], start + 1
        sign = match["plain"] or match["han"] or ""
        assigned = bool(re.search(r"[=:：>→是为叫成用–—-]", sign))
        quoted = _quoted(text, start)
        value = raw if quoted else _trimmed(raw)
        end = start + len(value)
        if quoted:
            whole = text[start:quoted]
            if _is_quoted(whole, kind):
                yield Finding(kind=kind, span=(start, quoted), detector=f"assignment.{kind}.quoted")
                start = quoted
        elif kind == "password" and (ends := _phrase(text, start, assigned=assigned, sign=sign, name=match[0])):
            yield Finding(kind=kind, span=(start, ends), detector="assignment.phrase")
            start = ends
        elif ("\n" in sign and raw.endswith(":")) or (" back" in match[0].lower() and not value.isdigit()):
            pass  # the next field of a form; the words beside the digits on a card
        elif match["short"] and not (any(map(str.isdigit, value)) and any(map(str.isalpha, value)) and len(value) >= 6):
            pass
        elif _is_value(value, raw, text, start, kind, assigned=assigned, quoted=False):
            yield Finding(kind=kind, span=(start, end), detector=f"assignment.{kind}")
            start = end
        # What runs on without a space may hold the next name: only the value itself is behind us.
        place = max(start, match.start() + 1)


def _quoted(text: str, start: int) -> int | None:
    """Where the quotation ends that begins just before `start`, on the same line; None where none does."""
    closing = _OPENED.get(text[start - 1 : start])
    if closing is None:
        return None
    end = text.find(closing, start, start + _QUOTED_LIMIT)
    return end if end > start and "\n" not in text[start:end] else None


def _is_quoted(whole: str, kind: str) -> bool:
    """Whether what stands in quotes after a name is its value: any is a password, what has a digit a secret."""
    word = whole.strip("*_- ").casefold()
    if not word or MASK.search(whole) or whole.startswith(("<", "{", "$", "%(")) or word in not_values():
        return False
    return kind == "password" or (len(whole) >= 8 and any(map(str.isdigit, whole)))


def _phrase(text: str, start: int, *, assigned: bool, sign: str, name: str) -> int | None:
    """Where a password of several words ends: up to the end of the sentence none of them is a word sentences are made of, and
    one is a number, or the name says that it is a phrase, or a colon introduces it."""
    match = _WORDS.match(text, start)
    if match is None or not _PHRASE_END.match(text, match.end()):
        return None
    words = re.split("[ -]", match[0].casefold())
    if len(words) < 3 or any(word in sentence_words() for word in words) or "-" in match[0].partition(" ")[0]:
        return None
    numbered = any(word.isdigit() for word in words) and not words[0].isdigit()
    introduced = bool(re.search("[:=：]", sign)) or re.match(r"(?i)\W*pass[ _-]?phrase", name)
    if not (numbered or introduced):
        return None
    lowered = match[0].islower()
    return match.end() if lowered and (numbered or introduced) else None


def _trimmed(raw: str) -> str:
    """A value without what closes the sentence or the literal it stands in."""
    closed = re.match(r"[^\"'`<>]*", raw)
    first = closed[0] if closed and len(closed[0]) >= 3 else raw
    return first.rstrip(".,;:!?)]}>\"'`") or first


def _is_value(value: str, raw: str, text: str, start: int, kind: str, *, assigned: bool, quoted: bool) -> bool:
    """Whether what follows 'password is' is a password and not more of the sentence."""
    word = value.strip("\"'`*_-").casefold()
    if not word or MASK.match(text, start) or raw.startswith(("<", "{", "$", "%(")) or word in not_values():
        return False
    if (_CODE.match(text, start) or (_MEMBER.fullmatch(value) and speaks_of_one(value))) and not quoted:
        return False
    if _STRENGTH_RULE.match(text[start + len(value) : start + len(value) + 12]):
        return False
    shaped = bool(SHAPED.search(value))
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
