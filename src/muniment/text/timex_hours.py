"""Times of day beside a date: 'at 3:30 pm', 'from 2 to 4', 'tomorrow morning', 晚上八点半, 下午.

Belongs here: clock times, stretches of them and the parts of a day, as offsets from its midnight. Does not belong here: the
day (`timex`); stamps that stand alone (`clock_times`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from muniment.text.lexicon import lexicon
from muniment.text.timex_calendar import DAY
from muniment.text.timex_spellings import NUMBER_WORD, number

_HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """[start, end) from a day's midnight; `ambiguous` where it may be twelve hours later, or the words are vague. An instant
    ends where its minute, second or hour does."""

    start: timedelta
    end: timedelta
    ambiguous: bool = False
    part: bool = False
    instant: bool = True


_CLOCK = (
    r"(?:(?P<h{n}>[01]?\d|2[0-4])(?:[:.](?P<m{n}>[0-5]\d)(?::(?P<s{n}>[0-5]\d))?)?|(?P<w{n}>"
    + NUMBER_WORD
    + r"))(?:\s?(?P<ap{n}>[ap])\.?\s?(?:m\b\.?|(?![a-z]))|\s?(?P<oc{n}>o'?clock))?"
)
_MINUTE_WORDS = NUMBER_WORD
_NOON = r"(?P<noon>noon|midday|midnight)"
_IN_PART = r"(?:\s+in\s+the\s+(?P<in>morning|afternoon|evening)|\s+at\s+(?P<atnight>night))?"
_ZONE = r"(?:\s+(?:[ECMP][SD]?T|GMT|UTC|CET|CEST|AEST|AEDT|SGT|IST|BST|(?:eastern|pacific|central|mountain)(?:\s+time)?)\b)?"

ENGLISH_CLOCK: Final = re.compile(
    rf"(?:(?<![\w/-])|(?<=\dT))(?<!\d[.,:])(?:{_NOON}|(?:(?P<past>half|(?:a\s+)?quarter|"
    rf"{NUMBER_WORD}(?:\s+minutes)?|\d\d?\s+minutes)\s+(?P<side>past|to)\s+)?{_CLOCK.format(n=1)}(?:[\s-](?"
    rf"P<wm>{_MINUTE_WORDS})(?![\w-]))?){_IN_PART}(?![\w/%])(?![.:,]\d){_ZONE}",
    re.IGNORECASE,
)
ENGLISH_SPAN: Final = re.compile(
    rf"(?<![\w/-])(?:from\s+|between\s+)?{_CLOCK.format(n=1)}\s*(?:-|–|—|to|until|till|and|"
    rf"through)\s*{_CLOCK.format(n=2)}{_IN_PART}(?![\w/%]|[-.:]\d){_ZONE}",
    re.IGNORECASE,
)
ENGLISH_PART: Final = re.compile(
    r"(?<!\w)(?:(?:in|during)\s+the\s+|this\s+|at\s+|the\s+)?(?:(?P<edge>early|late|mid)[\s-]+)?"
    r"(?P<part>mornings?|afternoon|evening|nite|night(?!s)|lunch\s?time|noontime|midday|"
    r"daytime)(?!\w)|(?<!\w)(?P<half>am|pm)(?!\w)",
    re.IGNORECASE,
)
_ZH_PART = (
    r"(?P<part{n}>凌晨|清晨|早晨|早上|一早|上午|中午|午后|下午|傍晚|晚上|夜里|夜间|深夜|"
    r"半夜|午夜|[早晚晨夜](?!报|餐|饭|年|期|会|就|点[^\d]))"
)
_ZH_CLOCK = (
    rf"(?:{_ZH_PART})?\s?(?:(?P<h{{n}}>[01]?\d|2[0-4]|[零一二两三四五六七八九十]{{{{1,3}}}})"
    rf"\s?(?:[:：](?P<m{{n}}>[0-5]\d)(?::(?P<s{{n}}>[0-5]\d))?|[点點时時](?:(?P<half{{n}}>半)"
    rf"|(?P<quarter{{n}}>[一三])刻|"
    rf"(?P<zm{{n}}>[0-5]?\d|[零一二三四五六七八九十]{{{{1,3}}}})分?|[整钟鐘])?))"
)
CHINESE_CLOCK: Final = re.compile(_ZH_CLOCK.format(n=1) + r"(?:左右|前后)?")
CHINESE_SPAN: Final = re.compile(
    r"(?:从)?"
    + _ZH_CLOCK.format(n=1)
    + r"\s?(?:到|至|-|–|—|~)\s?"
    + _ZH_CLOCK.format(n=2).replace(r"[点點时時]", r"[点點时時]")
)
CHINESE_PART: Final = re.compile(_ZH_PART.format(n=""))


def part_of_day(name: str, edge: str = "") -> Hours:
    """The hours of 'morning', 晚上 … (`lexicons/hours.toml`), or the first or last half of them."""
    first, last = lexicon("hours")["parts"][name]
    start, end = first * _HOUR, last * _HOUR
    if edge.lower() == "early":
        end = start + (end - start) / 2
    elif edge.lower() == "late":
        start = start + (end - start) / 2
    return Hours(start=start, end=end, ambiguous=True, part=True, instant=False)


def english_part(match: re.Match[str]) -> Hours:
    """'early morning', 'the afternoon', 'pm'."""
    if match["half"]:
        return part_of_day({"am": "morning", "pm": "afternoon"}[match["half"].lower()])
    name = "".join(match["part"].lower().split())
    return part_of_day({"nite": "night", "mornings": "morning"}.get(name, name), match["edge"] or "")


def english_clock(match: re.Match[str], day_part: str | None = None) -> Hours | None:
    """An instant, or None where the number may as well be something else ('3' without anything that tells)."""
    if match.groupdict().get("noon"):
        hour = 12 if match["noon"].lower() != "midnight" else 0
        return Hours(start=hour * _HOUR, end=hour * _HOUR + timedelta(minutes=1))
    hours = _instant(match, "1", (match["in"] or ("night" if match["atnight"] else None) or day_part))
    groups = match.groupdict()
    if hours is None or not (groups.get("past") or groups.get("wm")):
        return hours
    said = (groups.get("past") or groups.get("wm") or "").lower().removesuffix("minutes").strip()
    minutes = 30 if said == "half" else 15 if said.endswith("quarter") else number(said)
    shift = timedelta(minutes=-minutes if (groups.get("side") or "").lower() == "to" else minutes)
    return replace(hours, start=hours.start + shift, end=hours.end + shift)


def is_certain(match: re.Match[str]) -> bool:
    """Whether a match of `ENGLISH_CLOCK` tells itself that it is a time, without 'at' before it."""
    groups = match.groupdict()
    told = ("noon", "ap1", "oc1", "in", "atnight", "past")
    return any(groups.get(name) for name in told) or bool(groups.get("m1") and ":" in match[0])


def _instant(match: re.Match[str], n: str, part: str | None, ap: str | None = None) -> Hours | None:
    hour = int(match[f"h{n}"]) if match[f"h{n}"] else number(match[f"w{n}"])
    minute, second = int(match[f"m{n}"] or 0), int(match[f"s{n}"] or 0)
    ap = (match[f"ap{n}"] or ap or "").lower()
    if hour > 24 or (ap and not 1 <= hour <= 12 and not (ap == "p" and hour < 24)):
        return None
    ambiguous = False
    if ap:
        hour = hour % 12 + (12 if ap == "p" else 0) if hour <= 12 else hour
    elif part:
        hour = _in_part(hour, part)
    elif 1 <= hour <= 12:
        ambiguous = True
        hour = hour + 12 if hour < 7 else hour
    step = timedelta(seconds=1) if match[f"s{n}"] else timedelta(minutes=1)
    start = hour * _HOUR + timedelta(minutes=minute, seconds=second)
    return Hours(start=start, end=start + step, ambiguous=ambiguous)


def next_at(hours: Hours, now: datetime) -> datetime:
    """The first time of day of those words that is not past: twelve hours later where they leave that open, else tomorrow."""
    first = now.replace(hour=0, minute=0, second=0, microsecond=0) + hours.start
    options = (first, first + timedelta(hours=12), first + DAY) if hours.ambiguous else (first, first + DAY)
    return next((at for at in options if at >= now), options[-1])


def last_at(hours: Hours, now: datetime) -> datetime:
    """The latest time of day of those words that has been."""
    first = now.replace(hour=0, minute=0, second=0, microsecond=0) + hours.start
    return next(at for at in (first, first - timedelta(hours=12), first - DAY, first - 2 * DAY) if at <= now)


def _in_part(hour: int, part: str) -> int:
    """An hour of the twelve-hour clock within a part of the day."""
    late = lexicon("hours")["afternoon"]
    if part in late and 1 <= hour < 12:
        return hour if part in lexicon("hours")["night"] and hour < 5 else hour + 12
    if part in lexicon("hours")["night"] and hour == 12:
        return 24
    if part in lexicon("hours")["noon"] and hour in (1, 2):
        return hour + 12
    return 0 if part in lexicon("hours")["before_dawn"] and hour == 12 else hour


def english_span(match: re.Match[str], day_part: str | None = None) -> Hours | None:
    """'from 2 to 4 pm', 'between 9:30 and 3'. The end's half of the day is the start's where that leaves order."""
    part = match["in"] or ("night" if match["atnight"] else None) or day_part
    last = _instant(match, "2", part)
    ap = match["ap2"] or None
    first = _instant(match, "1", part, ap) if ap and not match["ap1"] else _instant(match, "1", part)
    if first is None or last is None:
        return None
    start, end = first.start, last.start
    if start >= end and ap and not match["ap1"] and start >= 12 * _HOUR:
        start -= 12 * _HOUR
    if start >= end:
        end += 12 * _HOUR if end < 12 * _HOUR and start < end + 12 * _HOUR else DAY
    return Hours(start=start, end=end, ambiguous=first.ambiguous and last.ambiguous, instant=False)


def chinese_clock(match: re.Match[str], part: str | None = None) -> Hours | None:
    """晚上八点半, 5点, 19:30."""
    return _han_instant(match, "1", match["part1"] or part)


def chinese_span(match: re.Match[str], part: str | None = None) -> Hours | None:
    """晚上七点到八点."""
    first_part = match["part1"] or part
    first = _han_instant(match, "1", first_part)
    last = _han_instant(match, "2", match["part2"] or first_part)
    if first is None or last is None:
        return None
    end = last.start if last.start > first.start else last.start + DAY
    return Hours(start=first.start, end=end, ambiguous=first.ambiguous, instant=False)


def _han_instant(match: re.Match[str], n: str, part: str | None) -> Hours | None:
    word = match[f"h{n}"]
    hour = int(word) if word.isascii() else 0 if word == "零" else number(word)
    if hour > 24:
        return None
    groups = match.groupdict()
    spelt = groups.get(f"zm{n}")
    minute = (
        30
        if groups.get(f"half{n}")
        else 15
        if groups.get(f"quarter{n}") == "一"
        else 45
        if groups.get(f"quarter{n}")
        else (
            int(groups[f"m{n}"])
            if groups.get(f"m{n}")
            else 0
            if not spelt
            else int(spelt)
            if spelt.isascii()
            else number(spelt.removeprefix("零"))
        )
    )
    ambiguous = False
    if part:
        hour = _in_part(hour, part)
    elif 1 <= hour <= 12 and not groups.get(f"m{n}"):
        ambiguous = True
    start = hour * _HOUR + timedelta(minutes=minute)
    return Hours(start=start, end=start + timedelta(minutes=1), ambiguous=ambiguous)
