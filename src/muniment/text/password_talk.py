"""Passwords in sentences where more than a sign or a verb stands between the name and the value.

'use … as the password', '… is my password', 'the password, as you know, is …', 'not … but …', 密码从…改成…, a user's name and a
password side by side. Belongs here: such wordings. Does not belong here: a name with its value (`passwords.py`), tables and
markup (`password_layout.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from muniment.text.finding import MASK, Finding
from muniment.text.secret_names import SHAPED, any_name, not_values

REACH: Final = 100
"""Characters behind a name in which the same sentence may still say what it is."""
_SENTENCE_END = re.compile(
    r"[.!?](?=\s|$)|[。！？；\n]|(?i:(?:,|;|\band\b|\bbut\b)\s(?:my|our|the|his|her|their|I|we|he|she|they)\b)|了[,，](?![^。！？\n]{0,6}[是用为])"
)
"""The end of a sentence, or a clause with a subject of its own."""
_TOKEN = re.compile(r"(?<![A-Za-z0-9_@./#+=&%~-])[A-Za-z0-9!-/:-@_^~$%&*+#]{4,64}")
_CLOSING: Final = ".,;:!?)]}>\"'`*"
_LINK = re.compile(
    r"(?i)\b(?:is|was|are|be|been|being|remains?|set|changed?|use|used|make|try|to|also)\b|['’]s\b|[:=：→]|->"
    r"|[是为成用叫设改换]|记一下|记住|记下|生日"
)
_NO_LINK = re.compile(
    r"(?i)\b(?:for|of|on|at|in|into|from|with|by|the|a|an|my|your|our|his|her|their|this|that)\s$|[在给到第]\s?$"
)
_NOT_BEFORE = re.compile(r"^(?:\s?的|['’]s\b|\s?(?:号|位|个|次|年|月|日|天|秒|分|元|块|版|楼|室|米|人))")
_MEASURE = re.compile(
    r"(?i)^(?:v?\d+(?:[.,:/-]\d+)*[a-z]{0,9}|\d+(?:st|nd|rd|th|am|pm)|[a-z]+\d|[a-z]{1,3}-?\d{1,3}|[a-z]+://.*|.*@.*\..*|\d{4}-\d\d.*"
    r"|[0-9a-f]{7,40}|.*=.*|.*[\w.][(\[].*|.*(?:password|passwd|token|secret).*|[\w./-]+\.(?:py|js|ts|txt|md|com|org|net|io|cn|html?|pdf|docx?|xlsx?|png|jpe?g|json|ya?ml|toml|sh|exe))$"
)
_BIRTHDAY = re.compile(r"(?<![0-9A-Za-z.-])[0-9]{6,12}(?![0-9A-Za-z.-])")
_OTHER_NUMBER = re.compile(r"[号单元价编]|电话|手机|(?i:phone|order|number|\bno\b|room|tel|ticket|invoice|call)")
_OTHER_NUMBER_IN_LINE: Final = 24
_NOT_ITSELF: Final = r"(?![ -](?:manager|app|vault|hint|polic(?:y|ies)|reset|field|box)|管理|本|学)"
"""What makes of a name something other than the password."""
_USER = r"(?:[\w.+-]{1,40}@[\w-]{1,30}(?:\.[\w-]{1,20}){1,3}|[A-Za-z][\w.-]{1,30})"
_PAIR = re.compile(
    r"(?i)(?:(?<![a-z])(?:log[ -]?in|log me in|sign[ -]?in|credentials?|creds|account|user ?name)(?![a-z])"
    r"|[账帐][号户]|登[录陆入]|凭[据证])"
    rf"[^\n/|.!?。]{{0,30}}?(?<![A-Za-z0-9_.@+-])(?P<user>{_USER})(?P<gap>\s(?:/|\||,|;)\s|\s?[:：]\s?|[/|])(?P<value>[!-~]{{5,64}})"
)


def find_spoken_passwords(text: str) -> Iterator[Finding]:
    """Every value that a sentence calls a password though more stands between them; spans may overlap.

    For texts in which a name can stand at all (`secret_names.speaks_of_one`).
    """
    for pattern, detector in (
        (_used_as(), "talk.used_as"),
        (_value_first(), "talk.value_first"),
        (_from_to(), "talk.from"),
    ):
        for match in pattern.finditer(text):
            for group, value in match.groupdict().items():
                if value:
                    yield from _shaped(text, *match.span(group), detector)
    for match in _PAIR.finditer(text):
        value = match["value"].rstrip(_CLOSING)
        spaced = match["gap"][0].isspace() or "@" in match["user"] or match["gap"].strip() in (":", "：")
        if spaced and _drawn(value) and match["user"].casefold() not in ("http", "https"):
            yield Finding(
                kind="password", span=(match.start("value"), match.start("value") + len(value)), detector="talk.pair"
            )
    for name in _name().finditer(text):
        yield from _behind(text, name.end())


def _behind(text: str, start: int) -> Iterator[Finding]:
    """Words of letters and digits behind a name, in the same sentence, after a word that links them; and in Chinese a
    number of six digits or more, which is a birthday more often than not."""
    stop = _SENTENCE_END.search(text, start, start + REACH)
    end = stop.start() if stop else min(len(text), start + REACH)
    for token in _TOKEN.finditer(text, start, min(len(text), end + 64)):
        if token.start() >= end:
            break
        value = token[0].rstrip(_CLOSING)
        between = text[start : token.start()]
        if (
            _drawn(value)
            and _LINK.search(between)
            and not _NO_LINK.search(between)
            and not _NOT_BEFORE.match(text[token.start() + len(value) :][:8])
            and not MASK.match(text, token.start() - 1)
        ):
            yield Finding(kind="password", span=(token.start(), token.start() + len(value)), detector="talk.behind")
    for number in _BIRTHDAY.finditer(text, start, min(end, start + _OTHER_NUMBER_IN_LINE)):
        between = text[start : number.start()]
        if (
            re.search(r"[\u4e00-\u9fff]", between)
            and _LINK.search(between + ("记住" if "一样" in between else ""))
            and not _OTHER_NUMBER.search(between)
            and not _NOT_BEFORE.match(text[number.end() :][:8])
        ):
            yield Finding(kind="password", span=number.span(), detector="talk.birthday")


def _shaped(text: str, start: int, end: int, detector: str) -> Iterator[Finding]:
    """The span as a finding, where it is no common word and no mask."""
    value = text[start:end].rstrip(_CLOSING)
    quoted = text[start - 1 : start] in ('"', "'", "`", "“", "‘", "「", "«", "《") and start > 0
    if (
        value.strip("*_").casefold() in not_values()
        or value.startswith(("<", "{", "$"))
        or MASK.search(text, max(0, start - 1), end + 1)
    ):
        return
    digits = any(map(str.isdigit, value))
    measured = bool(re.fullmatch(r"(?i)\d{1,3}|\d+(?:st|nd|rd|th|am|pm)|[a-z]+://.*|.*@.*\..*", value))
    if quoted or (digits and SHAPED.search(value) and not measured):
        yield Finding(kind="password", span=(start, start + len(value)), detector=detector)


def _drawn(value: str) -> bool:
    """Whether a word has letters and digits as passwords have, and is no measure, date, address or name with one digit."""
    return (
        len(value) >= 6
        and any(map(str.isdigit, value))
        and sum(char.isalpha() for char in value) >= 2
        and not _MEASURE.match(value)
    )


@cache
def _name() -> re.Pattern[str]:
    return re.compile(f"(?i){any_name()}{_NOT_ITSELF}")


@cache
def _used_as() -> re.Pattern[str]:
    """'use <value> as the password', 用…当密码: the value stands before its name."""
    quoted = r"[\"'`“‘«「]?"
    closed = r"[\"'`”’»」]?"
    return re.compile(
        rf"(?i)\b(?:use|used|using|set|try|with|enter|type|put|have|had|took|chose|picked)\s{quoted}(?P<one>[!-~]{{4,64}}?){closed}\s(?:as|for)\s"
        rf"(?:(?:the|my|our|your|his|her|their|a)\s)?(?:[\w'’-]{{1,20}}\s){{0,3}}{any_name()}{_NOT_ITSELF}"
        rf"|[用把将以拿]\s?[\"'“‘「]?(?P<two>[!-~]{{4,64}}?)[\"'”’」]?\s?(?:作为|作|当作|当|做|设为|设成|设置成|来当)\s?"
        rf"[\u4e00-\u9fffA-Za-z]{{0,8}}?{any_name()}"
    )


@cache
def _value_first() -> re.Pattern[str]:
    """'<value> is my password', '<value>, that's the wifi password', …就是wifi密码."""
    return re.compile(
        r"(?i)(?<![A-Za-z0-9_@./:#+=&%~-])(?P<one>[A-Za-z0-9!-/:-@_^~]{4,64}?)[\"'`”’»]?"
        r"(?:,? (?:that )?(?:is|was|are|will be|['’]s)"
        r"|,? (?:that|this|it)(?:['’]s| is)|\s[-–—])"
        r"\s(?:now |still |also )?(?:my|our|the|his|her|their|your|[a-z]+['’]s)\s(?:[\w'’-]{1,20}\s){0,3}?"
        rf"{any_name()}{_NOT_ITSELF}"
        r"|(?<![A-Za-z0-9_@./:#+=&%~-])(?P<two>[A-Za-z0-9!-/:-@_^~]{4,64}?)[\"'”’」]?\s?[,，]?\s?(?:就是|这是|那是|是)"
        rf"[\u4e00-\u9fff]{{0,6}}\s?[A-Za-z-]{{0,12}}\s?[\u4e00-\u9fff]{{0,4}}?{any_name()}"
    )


@cache
def _from_to() -> re.Pattern[str]:
    """'change the password from <value> to <value>', 'is not <value> but <value>', 密码从…改成…."""
    value = r"[\"'`“‘「]?(?P<one>[!-~]{4,64}?)[\"'`”’」]?"
    other = r"[\"'`“‘「]?(?P<two>[!-~]{4,64})"
    return re.compile(
        rf"(?i){any_name()}(?: [\w'’-]{{1,20}}){{0,4}}? (?:from|not|isn['’]t|was) {value},?"
        rf"\s(?:to|but|now|and now)(?: (?:it['’]s|it is|is))? {other}"
        rf"|{any_name()}[^。！？\n!-~]{{0,8}}(?:从|由|不是|不再是|以前是|原来是)\s?"
        r"(?P<one_zh>[!-~]{4,64}?)\s?[,，]?\s?[\u4e00-\u9fff]{1,6}\s?(?P<two_zh>[!-~]{4,64})"
    )
