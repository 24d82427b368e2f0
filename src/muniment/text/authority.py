"""Claims of authority and instructions to the agent, found in text that is to be remembered.

Three detectors speak, and each finding says which: patterns (`lexicons/authority.toml`), disguises (`disguises.py`), and the
learned detector (`gate.py`), which only ever suspects.

Belongs here: the reading of the lexicon, what makes a finding weaker (quotation, question), and the union. Memory
never authorises: these findings keep such text from becoming an active memory, they guard no door by themselves. A
bland request inside a document cannot be told by its wording; what came from a tool or document never becomes a rule
anyway (governance).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from muniment.config import Learned
from muniment.text.disguises import disguises
from muniment.text.folding import Unveiled, unveil
from muniment.text.gate import orders
from muniment.text.lexicon import lexicon

Level = Literal["plain", "suspected"]
THRESHOLDS: Final = Learned()
"""What the learned detector is read with where no policy is at hand."""
CUE_REACH: Final = 600
"""Characters within which two different cues count together."""
MARKS_REACH: Final = 200
"""Characters of the sentence before a match that are read for what clears it."""

_SENTENCE_END = re.compile(r"[.!?。！？;；\n](?=\s|$|[\u4e00-\u9fff])")
_QUESTION = re.compile(
    r"(?ai)\b(?:what (?:does|do|is)|explain|meaning of|define|how (?:do|to|can|does)|why|translate"
    r"|the (?:phrase|words?|term|title|song|sentence)|examples? of)\b"
    r"|是什么意思|什么叫|解释|怎么|如何|为什么|翻译|这句话|这个词|所谓"
)
_REPORTED = re.compile(
    r"(?ai)\b(?:said|says|told|tells|asked|claims?|claimed|wrote|reads|he|she|they)\b[^.!?]{0,60}$|(?:说|问|告诉|声称"
    r"|写着|写道)[^。！？]{0,20}$"
)
_GAP_EN: Final = r"[^\w.!?]{1,12}"
_GAPS_EN: Final = rf"(?:{_GAP_EN}\w{{1,30}}){{0,%d}}?{_GAP_EN}"
"""Words and what separates them share no character, so there is one way to read a gap and no backtracking to speak
of."""
_LETTERS: Final = {"en": re.compile("[A-Za-z]"), "zh": re.compile("[\u4e00-\u9fff]")}
_QUOTES: Final = {"“": "”", "「": "」", "『": "』", '"': '"'}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """What was suspected, how sure that is, the span [start, end) in the text as given, and the pattern that said
    so."""

    kind: Literal["authority", "instruction"]
    level: Level
    span: tuple[int, int]
    detector: str


@dataclass(frozen=True, slots=True)
class _Pattern:
    name: str
    script: str
    kind: Literal["authority", "instruction"]
    level: str
    content: bool
    scan: re.Pattern[str]
    unless: re.Pattern[str] | None


def suspicions(text: str, *, source_is_user: bool, learned: Learned | None = THRESHOLDS) -> list[Suspicion]:
    """Every suspicion in reading order; of several about the same words, the strongest. Never raises, linear in length.

    `source_is_user` leaves out what a user may well say to their agent but a tool result or document may not. `learned` are
    the thresholds of the learned detector, as the policy has them; None leaves it out, where only plain findings matter.
    """
    seen = unveil(text)
    found: list[Suspicion] = []
    cues: list[tuple[int, int, str]] = []
    scripts = {script for script, letters in _LETTERS.items() if letters.search(seen.text)}
    for pattern in _patterns():
        if pattern.script not in scripts or (pattern.content and source_is_user):
            continue
        for start, end in _matches(pattern, seen.text):
            if pattern.level == "cue":
                cues.append((start, end, pattern.name))
            else:
                found.append(_suspicion(pattern, seen, start, end))
    found += _together(cues, seen)
    found += _disguised(seen)
    if learned is not None:
        for start, end, lang in orders(seen.text, source_is_user=source_is_user, thresholds=learned):
            span = (seen.at(start), seen.at(end - 1) + 1)
            found.append(Suspicion(kind="instruction", level="suspected", span=span, detector=f"learned.{lang}"))
    return _strongest(found)


def _matches(pattern: _Pattern, text: str) -> Iterator[tuple[int, int]]:
    for match in pattern.scan.finditer(text):
        start, end = match.span()
        if pattern.unless and pattern.unless.match(_around(text, start, end)):
            continue
        yield start, end


def _around(text: str, start: int, end: int) -> str:
    """The sentence from its start (within reach) to a little behind a match."""
    before = _SENTENCE_END.split(text[max(0, start - MARKS_REACH) : start])[-1]
    after = _SENTENCE_END.split(text[end : end + 30])[0]
    return f"{before}{text[start:end]}{after}".replace("\n", " ")


def _suspicion(pattern: _Pattern, seen: Unveiled, start: int, end: int) -> Suspicion:
    """A match as a suspicion; one that is quoted, asked about or reported is only suspected."""
    before = _SENTENCE_END.split(seen.text[max(0, start - MARKS_REACH) : start])[-1]
    weaker = _quoted(seen.text, start, end) or _QUESTION.search(before) or _REPORTED.search(before)
    level: Level = "plain" if pattern.level == "plain" and not weaker else "suspected"
    return Suspicion(kind=pattern.kind, level=level, span=(seen.at(start), seen.at(end - 1) + 1), detector=pattern.name)


def _quoted(text: str, start: int, end: int) -> bool:
    """Whether the words stand inside quotation marks with other words around them."""
    window = text[max(0, start - MARKS_REACH) : start]
    for opening, closing in _QUOTES.items():
        place = window.rfind(opening)
        if place < 0:
            continue
        inside = window.count(opening) % 2 == 1 if opening == closing else closing not in window[place:]
        outside = window[:place].strip() or text[: max(0, start - MARKS_REACH)].strip()
        if inside and outside and closing in text[end : end + MARKS_REACH]:
            return True
    return False


def _together(cues: list[tuple[int, int, str]], seen: Unveiled) -> Iterator[Suspicion]:
    """Two different cues close together make a suspicion over both."""
    cues.sort()
    for (start, end, name), (next_start, next_end, next_name) in _neighbours(cues):
        if name != next_name and 0 <= next_start - end <= CUE_REACH:
            span = (seen.at(start), seen.at(next_end - 1) + 1)
            yield Suspicion(kind="instruction", level="suspected", span=span, detector=f"cues.{name}+{next_name}")


def _neighbours(cues: list[tuple[int, int, str]]) -> Iterator[tuple[tuple[int, int, str], tuple[int, int, str]]]:
    """Each cue with the next one of another name, so that a run of one name does not hide its neighbour."""
    previous: tuple[int, int, str] | None = None
    for cue in cues:
        if previous is not None and previous[2] != cue[2]:
            yield previous, cue
        previous = cue


def _disguised(seen: Unveiled) -> Iterator[Suspicion]:
    """Words that mix alphabets to look Latin, or hide characters between letters or orders in a code: nobody types that by
    accident."""
    for name, start, end in disguises(seen.text):
        span = (seen.at(start), seen.at(end - 1) + 1)
        yield Suspicion(kind="instruction", level="suspected", span=span, detector=f"disguise.{name}")
    for name, spans, needed in (("disguise.alphabet", seen.mixed, 1), ("disguise.hidden", seen.hidden, 1)):
        if len(spans) >= needed:
            yield Suspicion(kind="instruction", level="suspected", span=(spans[0][0], spans[-1][1]), detector=name)


def _strongest(found: list[Suspicion]) -> list[Suspicion]:
    """In reading order, without those that lie inside a plain one, or inside another one of the same kind and level."""
    kept: list[Suspicion] = []
    reach: dict[str, int] = {}
    for item in sorted(found, key=lambda each: (each.span[0], -each.span[1], each.level != "plain")):
        own = "plain" if item.level == "plain" else item.kind
        if max(reach.get("plain", -1), reach.get(own, -1)) >= item.span[1]:
            continue
        reach[own] = max(reach.get(own, -1), item.span[1])
        kept.append(item)
    return kept


@cache
def _patterns() -> tuple[_Pattern, ...]:
    """The lexicon's patterns, compiled on first use."""
    compiled = []
    for language in ("en", "zh"):
        part: dict[str, Any] = lexicon("authority")[language]
        groups = {name: f"(?:{'|'.join(words)})" for name, words in part["words"].items()}
        for entry in part["patterns"]:
            unless = _fill(entry["unless"], groups) if "unless" in entry else None
            compiled.append(
                _Pattern(
                    name=f"{language}.{entry['name']}",
                    script=language,
                    kind=entry["kind"],
                    level=entry["level"],
                    content=entry.get("content", False),
                    scan=re.compile(_sequence(entry["sequence"], groups, language), re.IGNORECASE),
                    unless=re.compile(unless, re.IGNORECASE | re.DOTALL) if unless else None,
                )
            )
    return tuple(compiled)


def _fill(template: str, groups: dict[str, str]) -> str:
    return re.sub(r"\{([a-z_]+)\}", lambda name: groups[name[1]], template)


def _sequence(template: str, groups: dict[str, str], language: str) -> str:
    """A sequence of the lexicon as a pattern. Every gap is bounded, so a scan stays linear in the text."""
    if language == "en":
        return rf"(?<![A-Za-z0-9]){_join(template, groups, _GAP_EN, _GAPS_EN)}(?!(?<=[A-Za-z0-9])[A-Za-z0-9])"
    return _join(template, groups, r"\s?", r"[^。！？!?\n]{0,%d}?")


def _join(template: str, groups: dict[str, str], plain: str, gap: str) -> str:
    """Elements outside brackets are separated by spaces in the lexicon; `~n` between two of them widens their gap."""
    result, between, first = "", plain, True
    for element in _elements(template):
        if re.fullmatch(r"~\d+", element):
            between = gap % int(element[1:])
            continue
        optional = element.endswith("?") and _is_one_bracket(element[:-1])
        body = _fill(element[:-1] if optional else element, groups)
        body = re.sub(r" ~(\d+) ", lambda width: gap % int(width[1]), body)
        body = re.sub(r" (?![^\[]*\])", r"[ \\n]", body)
        if first:
            result += f"(?:{body}{plain})?" if optional else f"(?:{body})"
            first = optional
        else:
            result += f"(?:{between}{body})?" if optional else f"{between}(?:{body})"
        if not optional:
            first = False
        between = plain
    return result


def _is_one_bracket(element: str) -> bool:
    """Whether the whole element is one pair of brackets, so that a '?' behind it speaks of all of it."""
    depth = 0
    for place, char in enumerate(element):
        escaped = element[place - 1 : place] == "\\"
        depth += 0 if escaped else (char in "([{") - (char in ")]}")
        if depth == 0:
            return place == len(element) - 1 and char in ")}"
    return False


def _elements(template: str) -> list[str]:
    """The template split at spaces outside brackets."""
    parts, depth, current, escaped = [], 0, "", False
    for char in template:
        if escaped:
            current, escaped = current + char, False
            continue
        escaped = char == "\\"
        depth += (char in "([{") - (char in ")]}")
        if char == " " and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += char
    return [part for part in [*parts, current] if part]
