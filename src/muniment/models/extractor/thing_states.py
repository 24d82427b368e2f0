"""States of named things in Chinese talk: 'X 的版本是 v1.2', 'X 的备用节点当前离线', 三号设备的模块尚未更换.

A thing is named by an identifier or by what it is; its state is the value of the slot (thing, `version` or `status`, part
of it). What is planned, demanded, denied, supposed or told by a document is no state. A state of a time that is over is
one of the past; a late entry (补录) holds from the time it names.

Belongs here: that. Does not belong here: its wording (lexicons/things_zh.toml), statuses of the speaker's own affairs
(`statuses`), anything in English.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from muniment.domain.enums import MemoryType
from muniment.domain.statement import canonical
from muniment.models.extractor.drafts import Draft
from muniment.models.extractor.units import PUNCTUATION, Sentence, Unit
from muniment.text.timex import TimeExpression

CONFIDENCE: Final = 0.88
VERSION, STATUS = "version", "status"
_SPACES: Final = re.compile(r"(?<=[\u4e00-\u9fff])\s+|\s+(?=[\u4e00-\u9fff])")
_AND: Final = re.compile(r"(?:但是?|而且?|不过|且|同时|另外|并且)\s*")
_JOINED: Final = re.compile(r"\s*[;；,，、]\s*(?:而|且|同时|并且|另外)?\s*")


@dataclass(frozen=True, slots=True)
class _Wording:
    """The patterns, put together once."""

    shapes: tuple[tuple[str, re.Pattern[str]], ...]
    owner: re.Pattern[str]
    ownerless: re.Pattern[str]
    itself: re.Pattern[str]
    label: re.Pattern[str]
    at: re.Pattern[str]
    not_so: re.Pattern[str]
    reported: re.Pattern[str]
    recorded_later: re.Pattern[str]
    bygone: re.Pattern[str]
    by_then: re.Pattern[str]
    numbered: re.Pattern[str]
    nobody: re.Pattern[str]
    lead: re.Pattern[str]
    moved: re.Pattern[str]


@cache
def _wording() -> _Wording:
    path = Path(__file__).parent / "lexicons" / "things_zh.toml"
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    names, times, states, standing = data["names"], data["times"], data["states"], data["standing"]
    thing = rf"(?P<thing>{names['identifier']}|{names['han'].replace('@kind', names['kind'])})"
    piece = rf"(?:[A-Za-z\d_.#-]+\s*|[\u4e00-\u9fff]{{1,6}}?\s*)?{names['part']}(?:\s*[\w.#-]*[A-Za-z\d])?"
    part = rf"(?:\s*的)?\s*(?P<part>{piece})?(?:\s*的)?\s*"
    now = rf"(?:{times['now']}\s*)"
    return _Wording(
        shapes=_shapes(states, thing + part, now),
        owner=re.compile(rf"{thing}(?=\s|的|[\u4e00-\u9fff]|$)"),
        ownerless=re.compile(
            rf"{now}|(?:[A-Za-z\d_.#-]+\s*|[\u4e00-\u9fff]{{1,4}})?{names['part']}\s*(?:{now}|{states['done']}|{states['not_done']}|{states['status_noun']}|的)|{states['version_noun']}",
            re.IGNORECASE,
        ),
        itself=re.compile(rf"{names['plain']}{names['itself']}", re.IGNORECASE),
        label=re.compile(times["label"]),
        at=re.compile(times["at"]),
        not_so=re.compile(standing["not_so"]),
        reported=re.compile(standing["reported"], re.IGNORECASE),
        recorded_later=re.compile(times["recorded_later"]),
        bygone=re.compile(times["bygone"]),
        by_then=re.compile(times["by_then"]),
        numbered=re.compile(times["numbered"]),
        nobody=re.compile(names["nobody"]),
        lead=re.compile(rf"(?:{states['handled']})?(?:{names['ours']})?"),
        moved=re.compile(states["moved"]),
    )


def _shapes(states: Mapping[str, str], owner: str, now: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The ways to state a state, with the predicate each fills; the first that fits is read."""
    noun, becomes, end = states["version_noun"], states["becomes"], states["end"]
    version = rf"(?:{noun}\s*)?(?P<value>{states['version']})"
    named = rf"(?P<value>{states['version']}|{states['named_version']})"
    moved = rf"(?:成功|正式|全部|自动|手动)?\s*(?:[从由]\s*\S{{1,20}}?\s*)?(?:{states['version_verb']})"
    word = rf"(?P<value>{states['word_zh']}|{states['word']})"
    any_word = rf"(?P<value>{states['word_zh']}|[^,，]{{1,20}}?)"
    mark = rf"(?P<mark>{states['done']}|{states['not_done']})"
    what = r"(?P<what>[\u4e00-\u9fffA-Za-z]{1,8})"
    shapes = (
        (VERSION, rf"{owner}{now}*{noun}\s*{now}*{becomes}\s*{named}{end}"),
        (VERSION, rf"{owner}{now}*{noun}\s*{now}+{version}{end}"),
        (VERSION, rf"{owner}{now}*{moved}\s*{version}{end}"),
        (VERSION, rf"{owner}{now}+{becomes}?\s*{version}{end}"),
        (STATUS, rf"{owner}{now}*{states['status_noun']}\s*{now}*{becomes}\s*{any_word}\s*$"),
        (STATUS, rf"{owner}{now}*(?:处于|处在|进入|恢复到?)\s*{word}\s*(?:状态|模式)?(?:了)?\s*$"),
        (STATUS, rf"{owner}{now}+{becomes}?\s*{word}{end}"),
        (STATUS, rf"{owner}{mark}\s*(?P<verb>{states['verb']})(?:过|了|完)?(?:新的?)?\s*{what}?{end}"),
        (STATUS, rf"{owner}{mark}\s*(?P<verb>{states['verb_alone']})(?:过|了)?{end}"),
    )
    return tuple((predicate, re.compile(source)) for predicate, source in shapes)


def thing_state(unit: Unit) -> Draft | None:
    """The state of a named thing that a unit asserts, or None."""
    if unit.words.language != "zh":
        return None
    words, said = _wording(), unit.said
    start, label = _statement(unit, words)
    if words.nobody.match(said, start):
        return None
    if words.not_so.search(said) or words.reported.search(said) or words.not_so.search(label):
        return None
    for predicate, pattern in words.shapes:
        match = pattern.match(said, start)
        draft = _draft(unit, match, predicate, tense=_tense(unit, label, start, words)) if match else None
        if draft is not None:
            return draft
    return None


def _statement(unit: Unit, words: _Wording) -> tuple[int, str]:
    """Where in `said` the thing is named, behind a label ('补录：') and the time it was so; and the label."""
    said, place, label = unit.said, 0, ""
    match = words.label.match(said)
    if match is not None:
        place, label = match.end(), match["label"]
    for item in _times(unit, words):
        if item.span[0] == unit.place(place) and not unit.prefix:
            place += item.span[1] - item.span[0]
            at = words.at.match(said, place)
            place = at.end() if at else place
    lead = words.lead.match(said, place)
    return (lead.end() if lead else place), label


def _times(unit: Unit, words: _Wording) -> list[TimeExpression]:
    """The times a unit names; 三号 before the name of a thing is a number, no day."""
    return [item for item in unit.times if item.resolved and not words.numbered.fullmatch(item.phrase.strip())]


def _tense(unit: Unit, label: str, start: int, words: _Wording) -> str:
    """Past where it speaks of a time that is over; a change where it says from when on, or that something changed then;
    else present."""
    times = _times(unit, words)
    before, said_at = unit.said[:start], unit.occurred.at if unit.occurred else None
    if words.recorded_later.search(label):
        return "change"
    if words.bygone.search(before):
        return "past"
    over = any(item.end is not None and said_at is not None and item.end <= said_at for item in times)
    if over and (words.by_then.search(before) or not words.moved.search(unit.said)):
        return "past"
    return "change" if times else "present"


def _draft(unit: Unit, match: re.Match[str], predicate: str, *, tense: str) -> Draft | None:
    groups = match.groupdict()
    part, value = _close(groups.get("part") or ""), groups.get("value")
    if groups.get("verb"):
        done = match["mark"] in ("已经", "已", "现已")
        value = f"{'已' if done else '未'}{match['verb']}"
        part = part or _close(groups.get("what") or "")
        if "what" in groups and not part:
            return None
    elif value is not None:
        value = unit.original(*match.span("value")).strip(PUNCTUATION)
    if not value:
        return None
    same = _wording().itself.fullmatch(part) if predicate == VERSION else part in ("服务", "系统", "应用", "程序")
    return Draft(
        memory_type=MemoryType.FACT,
        predicate=predicate,
        value=value,
        subject=match["thing"].strip(),
        qualifier="" if same else canonical(part),
        confidence=CONFIDENCE,
        tense=tense,
    )


def _close(words: str) -> str:
    """Without the spaces that may or may not stand beside Chinese characters."""
    return _SPACES.sub("", words).strip()


def carried(sentences: Iterator[Sentence], text: str) -> Iterator[Sentence]:
    """The sentences, each Chinese clause that states a part or a state without its thing given the thing named just before
    it in the same line: '…的 A 服务正常；B 服务异常', '…已回滚，当前版本是…'."""
    thing, end = "", 0
    for sentence in sentences:
        units = []
        for unit in sentence.units:
            if not _JOINED.fullmatch(text, end, unit.start):
                thing = ""
            own, lead = _named(unit), _AND.match(unit.said)
            if not own and thing and _lacks_thing(unit, lead.end() if lead else 0):
                unit = replace(unit, prefix=thing, drop=lead.end() if lead else 0)
            thing, end = own or thing, unit.end
            units.append(unit)
        yield replace(sentence, units=units)


def _named(unit: Unit) -> str:
    """The thing a unit names at the head of its statement, ready to stand before another."""
    if unit.words.language != "zh" or unit.prefix:
        return ""
    words = _wording()
    lead = _AND.match(unit.said)
    if words.ownerless.match(unit.said, lead.end() if lead else 0):
        return ""
    start, _ = _statement(unit, words)
    match = words.owner.match(unit.said, start)
    return f"{match['thing']} " if match else ""


def _lacks_thing(unit: Unit, start: int) -> bool:
    return unit.words.language == "zh" and not unit.prefix and bool(_wording().ownerless.match(unit.said, start))
