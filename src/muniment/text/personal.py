"""Personal data in a text, by the kinds policies name.

Belongs here: `detect`, which brings numbers, secrets, places and delicate subjects together. Does not belong here:
masking (`redact.py`) and what a policy makes of a kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from muniment.text.finding import Finding, settle
from muniment.text.folding import Unveiled, plainly, unescaped
from muniment.text.lexicon import anywhere, lexicon, whole_words
from muniment.text.numbers import bank_cards, national_ids
from muniment.text.password_layout import find_laid_out_passwords
from muniment.text.password_talk import find_spoken_passwords
from muniment.text.passwords import find_passwords
from muniment.text.personal_numbers import KINDS as NUMBERED
from muniment.text.personal_numbers import personal_numbers
from muniment.text.secret_names import speaks_of_one
from muniment.text.secrets import find_secrets, joined_lines

MASKABLE: Final = ("private_key", "secret", "password", "national_id", "bank_card")
SUBJECTS: Final = ("health", "religion", "sexuality", "politics")
KINDS: Final = (*MASKABLE, *SUBJECTS, "precise_location", *NUMBERED)

DIGIT: Final = re.compile(r"\d")
_CLAUSE_REACH: Final = 60
_CLAUSE_END = re.compile(r"[.!?。！？;；\n]")
_COORDINATES = re.compile(
    r"(?<![0-9.])-?\d{1,2}\.\d{4,10}°?\s?[NSns]?\s?[,，;/ ]\s?-?\d{1,3}\.\d{4,10}°?\s?[EWew]?(?![0-9.])"
    r"|\d{1,2}°\s?\d{1,2}['′]\s?[\d.]{0,8}[\"″]?\s?[NS][,，\s]{0,3}\d{1,3}°\s?\d{1,2}['′]\s?[\d.]{0,8}[\"″]?\s?[EW]"
)
_STREET_EN = re.compile(
    r"(?<![0-9A-Za-z.,$#-])(?:\d{1,5}[A-Za-z]?(?:-\d{1,4})?)\s(?:[NSEW]\.?\s)?(?:[A-Z][A-Za-z'.-]{1,20}\s"
    r"|\d{1,3}(?:st|nd|rd|th)\s){1,4}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Way"
    r"|Crescent|Close|Highway|Hwy|Parkway|Pkwy)(?![a-z])"
)
_STREET_ZH = re.compile(
    r"(?:路|街|大道|巷|弄|胡同|里"
    r"|道)\s?[0-9一二三四五六七八九十百零]{1,6}\s?(?:弄\s?[0-9]{1,5}\s?)?号(?:[\u4e00-\u9fff0-9A-Za-z]{0,12}(?:室|单元|栋|幢|楼|座))?"
)
_FLAT_ZH = re.compile(
    r"(?<![0-9])[0-9]{1,4}(?:号楼|栋|幢|座)\s?(?:[0-9一二三四五六七八九十]{1,3}单元)?\s?[0-9]{2,5}\s?(?:室|号|房)"
)
_NAME_ZH = re.compile(r"[\u4e00-\u9fff0-9]{1,12}$")


def detect(text: str, kinds: tuple[str, ...] = KINDS) -> list[Finding]:
    """Findings of the given kinds in reading order; none overlaps another, and what must be masked wins over a subject.

    Never raises on any text; linear in its length.
    """
    wanted = frozenset(kinds)
    return settle(finding for finding in _all(text, wanted) if finding.kind in wanted)


def _all(text: str, wanted: frozenset[str]) -> Iterator[Finding]:
    """Findings in the text as it looks; before them those in what is escaped, and tokens that go on in the next line, which
    reach further than what is found of them in the text as it stands."""
    view = plainly(text)
    meant = unescaped(view)
    if meant is not None:
        yield from _back(_exact(meant.text, wanted), meant)
    if "secret" in wanted:
        yield from _back(_wrapped(view.text), view)
    yield from _back(_exact(view.text, wanted), view)
    if "precise_location" in wanted:
        yield from _back(_places(view.text), view)
    for kind in SUBJECTS:
        if kind in wanted:
            yield from _back(_subject(view.text, kind), view)


def _exact(text: str, wanted: frozenset[str]) -> Iterator[Finding]:
    """Secrets and numbers."""
    if wanted & {"private_key", "secret", "password"}:
        yield from find_secrets(text)
        if speaks_of_one(text):
            yield from find_passwords(text)
            yield from find_laid_out_passwords(text)
            yield from find_spoken_passwords(text)
    if DIGIT.search(text):
        if "national_id" in wanted:
            for span, _, detector in national_ids(text):
                yield Finding(kind="national_id", span=span, detector=detector)
        if "bank_card" in wanted:
            for span, _, detector in bank_cards(text):
                yield Finding(kind="bank_card", span=span, detector=detector)
    if DIGIT.search(text) or "_" in text or "@" in text:
        yield from personal_numbers(text, wanted)


def _wrapped(text: str) -> Iterator[Finding]:
    """Tokens of a known format that a line break cuts in two."""
    joined, positions = joined_lines(text)
    if positions is None:
        return
    for item in find_secrets(joined):
        start, end = item.span
        known = item.detector.startswith("format.")
        if known and positions[end - 1] - positions[start] >= end - start:
            yield Finding(kind=item.kind, span=(positions[start], positions[end - 1] + 1), detector=item.detector)


def _back(found: Iterator[Finding], view: Unveiled) -> Iterator[Finding]:
    """Findings of a view, at their places in the original."""
    if view.positions is None:
        yield from found
        return
    for item in found:
        start, end = item.span
        yield Finding(kind=item.kind, span=(view.at(start), view.at(end)), detector=item.detector)


def _places(text: str) -> Iterator[Finding]:
    """Coordinates to about 10 m, and addresses with a house number."""
    for name, pattern in (("coordinates", _COORDINATES), ("street.en", _STREET_EN), ("flat.zh", _FLAT_ZH)):
        for match in pattern.finditer(text):
            yield Finding(kind="precise_location", span=match.span(), detector=name)
    for match in _STREET_ZH.finditer(text):
        # The street's name stands before its 'street'; reading it backwards keeps the scan linear.
        name_before = _NAME_ZH.search(text[max(0, match.start() - 12) : match.start()])
        if name_before:
            start = match.start() - len(name_before[0])
            yield Finding(kind="precise_location", span=(start, match.end()), detector="street.zh")


def _subject(text: str, kind: str) -> Iterator[Finding]:
    """Strong words anywhere; weak ones only in a clause that speaks of a person."""
    scan, person = _subject_patterns()
    plain = text.replace("’", "'")
    for match in scan[kind].finditer(plain):
        if match["strong"]:
            yield Finding(kind=kind, span=match.span(), detector=f"lexicon.{kind}")
        elif person.search(_clause(plain, match.start(), match.end())):
            yield Finding(kind=kind, span=match.span(), detector=f"lexicon.{kind}.person")


def _clause(text: str, start: int, end: int) -> str:
    """The words around a span, up to the sentence's ends and a bounded reach."""
    before = _CLAUSE_END.split(text[max(0, start - _CLAUSE_REACH) : start])[-1]
    after = _CLAUSE_END.split(text[end : end + _CLAUSE_REACH])[0]
    return f"{before} {after}"


@cache
def _subject_patterns() -> tuple[dict[str, re.Pattern[str]], re.Pattern[str]]:
    words = lexicon("personal")
    scan = {
        kind: re.compile(rf"(?P<strong>{_words(words[kind], 'strong')})|(?P<weak>{_words(words[kind], 'weak')})")
        for kind in SUBJECTS
    }
    return scan, re.compile(f"{whole_words(words['person']['en'])}|{anywhere(words['person']['zh'])}")


def _words(entry: dict[str, Any], strength: str) -> str:
    return f"{whole_words(entry[f'{strength}_en'], plural=True)}|{anywhere(entry[f'{strength}_zh'])}"
