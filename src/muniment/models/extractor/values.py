"""From the words after a verb to a value: where it ends, and whether it looks like what the predicate asks for.

Belongs here: the shapes of values (place, person, organisation, amount, date, …). Does not belong here: which predicate a
statement fills.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Final

from muniment.models.extractor.units import PUNCTUATION, Unit
from muniment.text.amounts import amounts, english_number, han_number, plain_number
from muniment.text.clauses import FILLER
from muniment.text.exact_dates import exact_dates
from muniment.text.lexicon import lexicon
from muniment.text.timex import time_expressions

Span = tuple[int, int]

VALUE_CHARS: Final = 160
_QUOTES: Final = "\"'“”‘’「」『』«»《》"
_CAPITALS: Final = re.compile(
    r"(?:[A-Z\u2592][\w'.&\u2592-]*|\d+)"
    r"(?:,? (?:(?:de|la|le|of|the|upon|am|del|di|da|du|von|van|bin|al|and|&|der|den) )*[A-Z\u2592][\w'.&\u2592-]*)*"
)
_NUMBER: Final = re.compile(
    r"(?<![\w.,])(?P<digits>\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:\.\d{3}){2,}|\d[\d,]*(?:\.\d+)?)\s?(?P<scale>thousand|million|[kK](?![a-z])|万|千|百|亿)?(?![\d%]|\w*\s?(?:am|pm)\b)"
)
_SPOKEN: Final = re.compile(
    r"(?<![\d.])(?P<digits>\d{1,4})(?P<scale>[万千])(?P<rest>\d)(?P<next>[千百]?)(?!\d)(?P<yuan>元|块)?"
)
_HAN_NUMBER: Final = re.compile(
    r"[一二两三四五六七八九][零一二两三四五六七八九十百千万亿]{1,12}|十[一二三四五六七八九]?"
)
_SCALES: Final = {
    "thousand": 1_000,
    "k": 1_000,
    "千": 1_000,
    "百": 100,
    "万": 10_000,
    "million": 1_000_000,
    "亿": 100_000_000,
}
_ONES: Final = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SYMBOL: Final = re.compile(r"[$€£¥￥₹₩₽]|元|块|刀|美金|人民币|[A-Za-z]{3,}|港币|欧|英镑|卢布")
_EMAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,6}", re.ASCII)
_PHONE: Final = re.compile(r"\+?\d(?:[ ().-]{0,2}\d){5,15}")
_ZONE: Final = re.compile(
    r"(?:UTC|GMT)\s?[+-]?\d{0,2}(?::\d\d)?|[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+|[A-Z]{2,5}\b|"
    r"[东西][一二三四五六七八九十]{1,2}区|[\u4e00-\u9fff]{2,6}时间|\w+ (?:standard |daylight )?time",
    re.IGNORECASE,
)
_NEAR: Final = re.compile(r"(?:the |an? |our |my )?(?:[\w-]+ ){0,4}(?:in|near|of|at|outside|called) ")
_BEFORE: Final = re.compile(r"\bbefore\b|\bprior\b|前$")
_BIRTH: Final = re.compile(
    r"(?:in |on )?((?:19|20)\d\d(?:年(?:\d{1,2}月)?)?(?!\d)|"
    r"(?:early |mid |late )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
    r"(?: (?:19|20)\d\d)?(?![a-z])|"
    r"(?:农历|阴历|阳历|公历)?[正腊一二三四五六七八九十\d]{1,3}月(?:初|廿|[一二三四五六七八九十\d]){0,4}[日号]?)",
    re.IGNORECASE,
)
_HAN_TEXT: Final = re.compile(r"[\u4e00-\u9fffA-Za-z0-9\u2592·&() -]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """The value as it is kept, and what the shape knows besides (currency)."""

    text: str
    metadata: Mapping[str, str] = field(default_factory=dict)


def read_value(shape: str, unit: Unit, span: Span) -> Value | None:
    """The value of that shape in unit.said[span], or None where the words there do not look like one."""
    start, end = span
    if shape == "date":
        return _date(unit, start, end)
    if shape not in ("birthday", "age", "email", "phone", "money"):
        end = _before_times(unit, start, end)
    said = unit.said[start:end]
    if shape not in ("email", "phone", "money"):
        said = said[: _stop(unit, said)]
    if shape in ("money", "number") and _MINUS.match(said):
        return None
    lead = len(said) - len(said.lstrip(PUNCTUATION))
    said = said.strip(PUNCTUATION)
    if not said or len(said) > VALUE_CHARS:
        return None
    found = _SHAPES.get(shape, _text)(unit, said)
    if isinstance(found, tuple):
        first = start + lead + found[0]
        kept = unit.original(first, first + found[1] - found[0]).strip(PUNCTUATION + _QUOTES)
        return Value(text=kept) if kept else None
    return found


def _stop(unit: Unit, said: str) -> int:
    """Where the value ends before words that go on about it; not behind a word that needs what follows ('my not |so small
    house'), nor before the 'but' of 'everything but fish'."""
    pattern, dangling = unit.words.pattern("values", "stop"), unit.words.pattern("values", "dangling")
    excepts = unit.words.pattern("values", "universal").match(said)
    for match in pattern.finditer(said, 1):
        exception = excepts is not None and match[0].strip(" ,").lower() == "but"
        if not exception and not dangling.search(said, 0, match.start()):
            return match.start()
    return len(said)


def _before_times(unit: Unit, start: int, end: int) -> int:
    """Where the value ends if a time expression follows inside it; one at its very start leaves nothing."""
    first, last = unit.place(start), unit.place(end)
    cuts = [item.span[0] for item in unit.times if first <= item.span[0] < last]
    return end if not cuts else max(start, end - (last - min(cuts)))


def _tail(unit: Unit, said: str) -> str:
    """Without final particles (了, 的, 吧)."""
    if unit.words.language != "zh":
        return said
    return unit.words.compiled("@tail$").sub("", said)


def _starts(unit: Unit, name: str, said: str) -> bool:
    return bool(unit.words.pattern("values", name).match(said))


def _text(unit: Unit, said: str) -> Span | None:
    said = _tail(unit, said)
    if not said or _starts(unit, "pointing", said) or _starts(unit, "not_fact", said):
        return None
    return 0, len(said)


def _claim(unit: Unit, said: str) -> Span:
    return 0, len(_tail(unit, said))


def _thing(unit: Unit, said: str) -> Span | None:
    """What is liked, owned or avoided: not something only pointed at ('it', 'the book', 'your photo', 这个)."""
    said = _tail(unit, said)
    shortest = 1 if unit.words.language == "zh" or not said[:1].isascii() else 2
    if len(said) < shortest or any(_starts(unit, name, said) for name in ("pointing", "definite", "not_thing")):
        return None
    return None if unit.words.pattern("values", "anaphora").search(said) else (0, len(said))


def _place(unit: Unit, said: str) -> Span | None:
    stop = unit.words.pattern("values", "place_stop").search(said, 2)
    cut = said[: stop.start()] if stop else said
    if unit.words.language == "zh":
        cut = _tail(unit, cut)
        sound = 2 <= len(cut) <= 30 and _HAN_TEXT.fullmatch(cut)
        return (
            (0, len(cut))
            if sound and not _starts(unit, "not_place", cut) and not _starts(unit, "pointing", cut)
            else None
        )
    for match in _CAPITALS.finditer(said):
        before = said[: match.start()]
        if not before or before == "the " or _NEAR.fullmatch(before):
            return match.span()
    if unit.view != unit.view.lower() and re.search(r"(?<=\w)\W+[A-HJ-Z][a-z]", unit.view):
        return None
    plain = re.fullmatch(r"[a-z][\w'-]+(?: [a-z][\w'-]+){0,2}", cut)
    return (0, len(cut)) if plain and not _starts(unit, "not_place", cut) else None


def _person(unit: Unit, said: str) -> Span | None:
    said = _tail(unit, said)
    if unit.words.language == "zh":
        sound = 1 <= len(said) <= 12 and _HAN_TEXT.fullmatch(said)
        return (
            (0, len(said))
            if sound and not _starts(unit, "pointing", said) and not _starts(unit, "not_fact", said)
            else None
        )
    match = _CAPITALS.match(said)
    if match and not _starts(unit, "pointing", said):
        return match.span()
    plain = re.match(r"[a-z][a-z'-]{1,20}(?: [a-z][a-z'-]{1,20})?$", said)
    return (
        plain.span() if plain and not _starts(unit, "not_fact", said) and not _starts(unit, "pointing", said) else None
    )


def _org(unit: Unit, said: str) -> Span | None:
    if unit.words.language == "zh":
        stop = unit.words.pattern("values", "org_stop").search(said, 2)
        cut = _tail(unit, said[: stop.start()] if stop else said)
        if unit.words.pattern("values", "regions").fullmatch(cut):
            return None
        sound = 2 <= len(cut) <= 30 and cut[-1] not in "上里家边面地" and _HAN_TEXT.fullmatch(cut)
        return (
            (0, len(cut))
            if sound and not _starts(unit, "pointing", cut) and not _starts(unit, "not_place", cut)
            else None
        )
    stop = unit.words.pattern("values", "org_stop").search(said, 2)
    cut = said[: stop.start()] if stop else said
    if re.match(r"(?:the )?[A-Z\u2592][\w\u2592]", cut) or re.match(r"an? (?:[\w&'-]+ ?){1,5}$", cut):
        match = _CAPITALS.match(said)
        return (0, max(len(cut), match.end()) if match and not stop else len(cut))
    return None


def _date(unit: Unit, start: int, end: int) -> Value | None:
    """The day that the words name, ahead of the day they were said where both are possible; ISO 8601 where it is known."""
    first, last = unit.place(start), unit.place(end)
    for item in time_expressions(unit.view, unit.occurred, lean="future"):
        if item.span[0] >= last or item.span[1] <= first or not item.resolved:
            continue
        bound = item.end or item.start
        if bound is None or unit.occurred is None:
            return Value(text=item.phrase.strip())
        excluded = item.end is None or _BEFORE.search(item.phrase)
        day = bound if excluded else bound - timedelta(microseconds=1)
        return Value(text=day.astimezone(unit.occurred.tz()).date().isoformat())
    exact = next(exact_dates(unit.said[start:end]), None)
    return Value(text=exact[1]) if exact else None


def _birthday(unit: Unit, said: str) -> Value | None:
    """A date as ISO 8601 where it is written out ('--10-23' without a year), else the year, month or lunar day as told."""
    exact = next(exact_dates(said), None)
    if exact:
        return Value(text=exact[1])
    match = _BIRTH.match(said)
    return Value(text=match[1]) if match else None


def _age(unit: Unit, said: str) -> Value | None:
    spelt = _spelt(said)
    number = int(said) if said.isascii() and said.isdigit() else spelt if spelt is not None else han_number(said)
    return Value(text=str(number)) if number is not None and 0 < number <= 120 else None


def _spelt(said: str) -> int | None:
    """A number below a hundred in English words."""
    tens, _, ones = said.lower().replace("-", " ").partition(" ")
    if tens in _TENS and (not ones or ones in _ONES[1:10]):
        return 10 * (_TENS.index(tens) + 2) + (_ONES.index(ones) if ones else 0)
    return _ONES.index(tens) if tens in _ONES and not ones else None


def amount(said: str) -> tuple[str, str | None] | None:
    """(number, ISO 4217 code or None) of the first amount in a text; a bare number has no currency."""
    spoken = _SPOKEN.search(said)
    if spoken:  # 1万2 is 12 000: the digit after the unit counts the next smaller one
        unit = _SCALES[spoken["scale"]]
        rest = int(spoken["rest"]) * (unit // 10 if not spoken["next"] else _SCALES[spoken["next"]])
        return str(int(spoken["digits"]) * unit + rest), "CNY" if spoken["yuan"] else None
    for span, value in amounts(said):
        number, _, code = value.partition(" ")
        return number, code if _SYMBOL.search(said[span[0] : span[1]]) else None
    spelt = english_number(said)
    if spelt and not re.search(r"\d", said[: spelt[0][0]]):
        return str(spelt[1]), next((code for word, code in _spelt_currencies() if word.match(said, spelt[0][1])), None)
    match = _NUMBER.search(said)
    if match:
        scaled = float(plain_number(match["digits"]) or 0) * _SCALES.get((match["scale"] or "").lower(), 1)
        return (f"{scaled:f}".rstrip("0").rstrip("."), None) if len(match["digits"]) < 16 else None
    han = _HAN_NUMBER.search(said)
    counted = han_number(han[0]) if han else None
    return (str(counted), None) if counted else None


_MINUS: Final = re.compile(r"\s*[-−–]\s?[$€£¥]?\s?\d")


@cache
def _spelt_currencies() -> list[tuple[re.Pattern[str], str]]:
    """The words for a currency behind an amount in words ('five thousand dollars'), with its code."""
    units = lexicon("money")["units"]
    words = sorted((word for word in units if word.isascii()), key=len, reverse=True)
    return [(re.compile(rf"\s?{re.escape(word)}\b", re.IGNORECASE), units[word]) for word in words]


_DENIED: Final = re.compile(
    r"(?:\b(?:not|isn'?t|aren'?t|wasn'?t|never|n't)\b"
    r"(?! (?:more|over|above|to exceed|exceed|exceeding|higher|greater|a (?:cent|penny) more))|"
    r"不是|并非|不到(?!了)|没有|没(?=\d))[^,，.。;；\d]{0,16}$",
    re.IGNORECASE,
)
"""Words before an amount that say it is not so: no amount to keep."""


def _money(unit: Unit, said: str) -> Value | None:
    found = amount(said)
    first = re.search(r"\d", said)
    if first is not None and _DENIED.search(said, 0, first.start()):
        return None
    if found is None or re.match(r"\d+(?:\.\d+)?\s?(?:%|percent)", said):
        return None
    return Value(text=found[0], metadata={"currency": found[1]} if found[1] else {})


def _number(unit: Unit, said: str) -> Value | None:
    found = amount(said)
    return None if found is None else Value(text=found[0])


def _seat(unit: Unit, said: str) -> Value | None:
    word = re.sub(r"\s*seats?$|\s+row$", "", said.strip(), flags=re.IGNORECASE)
    return Value(text=word) if word and len(word) <= 20 else None


def _pattern(pattern: re.Pattern[str]) -> Callable[[Unit, str], Span | None]:
    def read(unit: Unit, said: str) -> Span | None:
        match = pattern.search(said)
        return match.span() if match and match.start() <= 12 else None

    return read


_SHAPES: Final[Mapping[str, Callable[[Unit, str], Span | Value | None]]] = {
    "text": _text, "claim": _claim, "thing": _thing, "place": _place, "person": _person, "org": _org,
    "birthday": _birthday, "age": _age,
    "money": _money, "number": _number, "seat": _seat, "email": _pattern(_EMAIL), "phone": _pattern(_PHONE),
    "zone": _pattern(_ZONE), "boolean": _text,
}  # fmt: skip


def only_filler(text: str) -> bool:
    """Whether nothing but filled-over quotation is left."""
    return not text.strip(FILLER + PUNCTUATION)
