"""What is told of things and people in English: 'our wiki runs on Lore', 'we moved the wiki to Quill', 'Marta attends Hillside'.

A thing that something runs on, is written in or was moved to has one such value at a time, which is its slot `value`; what
somebody does stands under the verb. Every value is a name, a code or an address: what is told in plain words is left alone.

Belongs here: reading that, and a pronoun that goes on about what the clause before named. Does not belong here: the words
(lexicons/things_en.toml), attributes ('the port is …', `attribute_statements_en`), the speaker's own affairs (`declarations`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.config import Policy
from muniment.domain.enums import Intent, MemoryType
from muniment.models.extractor.declarations import subject_of
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.statements import VALUE
from muniment.models.extractor.units import PUNCTUATION, Sentence, Unit
from muniment.models.extractor.wording import wording

CONFIDENCE: Final = 0.85
_DETERMINER: Final = re.compile(r"(?:the|our|my)\s+", re.IGNORECASE)
_NOW: Final = re.compile(r"\bnow\b|\bthese days\b|\bnowadays\b|\bas of\b|\bgoing forward\b", re.IGNORECASE)
_KIND: Final = re.compile(r"[A-Z][\w.'&-]* (?P<kind>[a-z][\w-]+(?: [a-z][\w-]+)?)$")
"""What a value says that it is a kind of, by which it is asked for: the food of 'Meadow dog food'."""
_SUBJECT_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class _Words:
    """The patterns, put together once; `verbs` by predicate, the changes first."""

    things: tuple[tuple[re.Pattern[str], bool], ...]
    verbs: tuple[tuple[str, re.Pattern[str], bool], ...]
    tool: re.Pattern[str]
    task: re.Pattern[str]
    uses: re.Pattern[str]
    used: tuple[re.Pattern[str], ...]
    topic: re.Pattern[str]
    pronoun: re.Pattern[str]


def thing_told(unit: Unit, policy: Policy) -> Draft | None:
    """What the unit tells of a thing or of somebody, or None."""
    if unit.words.language != "en":
        return None
    words, said = _words(), _untimed(unit)
    for pattern, changed in words.things:
        match = pattern.fullmatch(said)
        if match:
            return _of_thing(match["thing"], _value(unit, match), changed=changed or bool(_NOW.search(said)))
    return _used(unit, words) or _deed(unit, said, words, policy)


def _of_thing(thing: str, value: str, *, changed: bool) -> Draft:
    """The one thing that a thing is on, in or with."""
    return Draft(
        memory_type=MemoryType.FACT,
        predicate=VALUE,
        subject=_DETERMINER.sub("", thing, count=1).strip(),
        value=value,
        confidence=CONFIDENCE,
        tense="change" if changed else "present",
        intent=Intent.CHANGE if changed else Intent.ASSERT,
        sole=True,
    )


def tool_told(unit: Unit, policy: Policy) -> Draft | None:
    """What the speaker uses as something: 'I switched to Nib as my editor' is what 'my editor is Nib' would be."""
    words = _words()
    said = _untimed(unit)
    match = words.tool.fullmatch(said) or words.task.fullmatch(said) if unit.words.language == "en" else None
    if match is None or unit.words.pattern("values", "pointing").match(match["value"]):
        return None
    noun = match["noun"].strip().lower()
    # 'For my email' is what it serves: the address of that name is another thing.
    listed = bool(words.uses.fullmatch(noun)) or noun.endswith("ing") or noun in policy.names
    return Draft(
        memory_type=MemoryType.FACT,
        predicate="uses" if listed else noun,
        qualifier=noun if listed else None,
        value=_value(unit, match),
        confidence=CONFIDENCE,
        sole=True,
    )


def _used(unit: Unit, words: _Words) -> Draft | None:
    """What is used for a thing named before it: 'for the intranet we use hugo'."""
    whole = unit.view[unit.body :].strip(PUNCTUATION)
    match = next((found for pattern in words.used if (found := pattern.fullmatch(whole))), None)
    if match is None or unit.words.pattern("values", "pointing").match(match["value"]):
        return None

    def own(name: str) -> str:
        return unit.text[unit.body + match.start(name) : unit.body + match.end(name)].strip(PUNCTUATION)

    return Draft(
        memory_type=MemoryType.FACT,
        predicate="uses",
        subject=None if match["thing"].lower() == "we" else own("thing"),
        value=own("value"),
        confidence=CONFIDENCE,
    )


def _deed(unit: Unit, said: str, words: _Words, policy: Policy) -> Draft | None:
    """What somebody named, or an animal or relative of the speaker's, does: the verb with a name behind it."""
    for predicate, pattern, changed in words.verbs:
        match = pattern.fullmatch(said)
        if match is None:
            continue
        changed = changed or bool(_NOW.search(said))
        value = _value(unit, match).removeprefix("the ")
        named = _KIND.search(value) if predicate not in policy.names else None
        kind = named["kind"] if named else None
        known = kind in policy.names  # a name of the catalogue's is about the user, and may have many values
        return Draft(
            memory_type=MemoryType.FACT,
            predicate=predicate if kind is None or known else kind,
            qualifier=kind if known else None,
            subject=subject_of(match["who"]),
            value=value,
            confidence=CONFIDENCE,
            tense="change" if changed else "present",
            intent=Intent.CHANGE if changed else Intent.ASSERT,
        )
    return None


def _value(unit: Unit, match: re.Match[str]) -> str:
    return unit.original(*match.span("value")).strip(PUNCTUATION)


def _untimed(unit: Unit) -> str:
    """The statement without the times behind it ('last night', 'on Monday'); 'now' stays, which says that it changed."""
    said = unit.said.strip(PUNCTUATION)
    size = len(said)
    for item in reversed(unit.times):
        start = item.span[0] - unit.head - unit.drop + len(unit.prefix)
        behind = item.span[1] - unit.head - unit.drop + len(unit.prefix) >= len(said[:size].rstrip(PUNCTUATION))
        if behind and 0 < start < size and not _NOW.fullmatch(item.phrase.strip()):
            size = start
    said = said[:size].rstrip(PUNCTUATION)
    return re.sub(r"\s(?:on|in|at|since|from)$", "", said)


def continued(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
    """The sentences, each 'it is now …' or 'she now …' given the thing or person that the clause before it says has changed."""
    for sentence in sentences:
        units: list[Unit] = []
        for unit in sentence.units:
            units.append(_about(units[-1], unit) if units and unit.words.language == "en" else unit)
        yield replace(sentence, units=units)


def _about(before: Unit, unit: Unit) -> Unit:
    words = _words()
    topic = words.topic.match(before.said)
    pronoun = words.pronoun.match(unit.view, unit.head) if topic and not unit.prefix else None
    if topic is None or pronoun is None or len(topic["who"]) > _SUBJECT_CHARS:
        return unit
    link = " is " if pronoun["be"] else " "
    return replace(unit, prefix=before.original(*topic.span("who")) + link, drop=pronoun.end() - unit.head)


@cache
def lexicon() -> dict[str, Any]:
    """The words of things in English."""
    path = Path(__file__).parent / "lexicons" / "things_en.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _words() -> _Words:
    data = lexicon()
    word, owner, name = data["word"], data["owner"], data["name"]
    noun, kin = rf"{word}(?: {word}){{0,3}}", wording("en").expand("@kin")
    tool, task, used = _of_tools(data, noun)
    return _Words(
        things=tuple((_compiled(source), changed) for source, changed in _of_things(data, noun)),
        verbs=_of_deeds(data, rf"(?P<who>{kin}|(?:my|our) (?:{word} )?{name}|{name})"),
        tool=_compiled(tool),
        task=_compiled(task),
        uses=_compiled(data["uses"]),
        used=tuple(map(_compiled, used)),
        topic=_compiled(
            rf"(?P<who>{kin}|{owner} {noun}|{name})(?: (?:has|have)|'s|'ve)? {data['adverb']}"
            r"(?:changed|switched|moved|left|quit|started|got|been)\b"
        ),
        pronoun=_compiled(
            r"(?:and |so )?(?:he|she|it|they)(?P<be>'s|'re| is| are)? (?=(?:is |are )?now\b|.{2,60}\bnow\W*$)"
        ),
    )


def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


def _of_things(data: Mapping[str, Any], noun: str) -> tuple[tuple[str, bool], ...]:
    """The ways to say what a thing is on, in or with, each told whether it is a change by its form."""
    value, adverb, now, moved = data["value"], data["adverb"], data["now"], data["moved"]
    owned = rf"(?P<thing>{data['owner']} {noun})"
    bare = rf"(?P<thing>(?:{data['word']} ){{0,3}}{data['kind']})"
    any_thing = rf"(?P<thing>(?:{data['owner']} )?{noun})"
    into = r"(?: over| across)?(?: from [^,;]{1,40}?)? (?:to|onto|into|in)"
    been = rf"(?:(?:has|have|was|were|is|are|got|had) )?(?:been )?{adverb}"
    on = r"(?:in|on|with|using|running on)"
    return (
        (rf"(?:(?:i|we)(?:'ve| have)? ?)?{adverb}{moved} {owned}{into} {value}{now}?", True),
        (rf"{owned} {been}{moved}{into} {value}{now}?", True),
        (rf"{bare} {been}{moved}{into} {value}{now}?", True),
        (rf"{owned} {adverb}{data['runs']} {value}{now}?", False),
        (rf"{bare} (?:is|are) (?:(?:{on}|at|by) )?{value}{now}", True),
        (rf"{owned} (?:is|are) {on} {value}{now}", True),
        (rf"{any_thing} (?:goes|go|are sent|is sent|get sent|gets sent) to {value}{now}", True),
    )


def _of_deeds(data: Mapping[str, Any], who: str) -> tuple[tuple[str, re.Pattern[str], bool], ...]:
    """What somebody does, by predicate; whether the verb itself says that it changed."""
    return tuple(
        (predicate, _compiled(rf"{who} {data['adverb']}(?:{verb}) {data['value']}{data['now']}?"), changed)
        for table, changed in (("was", True), ("verbs", False))
        for predicate, verb in data[table].items()
    )


def _of_tools(data: Mapping[str, Any], noun: str) -> tuple[str, str, tuple[str, ...]]:
    """What is used as something of the speaker's, for a task, and for a thing or by 'us' at large."""
    adverb, now, owner = data["adverb"], data["now"], data["owner"]
    taken = r"use|switched(?: over)? to|moved(?: over)? to|changed to|went with|migrated to|settled on|adopted|chose"
    tool = r"(?P<value>[\w.+/#@-]{2,30}(?: (?:(?-i:[A-Z])[\w.+/#-]*|\d\S*))?)"
    end = rf"(?:,? (?:not|instead of|rather than) .{{1,60}})?{now}?"
    return (
        rf"(?:(?:i|we)(?:'ve| have)? ?)?{adverb}(?:{taken}) {data['value']} (?:as|for) (?:my|our) "
        rf"(?P<noun>[a-z -]{{3,30}}?){now}?(?:,.{{3,120}})?",
        rf"(?:i|we) {adverb}use {tool} for (?P<noun>[a-z]{{3,12}}ing){end}",
        (
            rf"(?:for|in|on|at) {owner} (?P<thing>{noun}),? (?:i|we) {adverb}use {tool}{end}",
            rf"(?:i|we) {adverb}use {tool} (?:for|in|on) {owner} (?P<thing>{noun}){end}",
            rf"(?P<thing>we) {adverb}use {tool}{end}",
        ),
    )
