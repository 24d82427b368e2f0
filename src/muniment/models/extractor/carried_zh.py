"""What a Chinese clause takes from the clause before it: '我的座机换了，现在是…' is said of the telephone,
'妞妞七岁了，作息时间改成…' of 妞妞, and 外婆 without more is the speaker's own.

Belongs here: that. Does not belong here: the subject 'I' of an elliptic clause (`units`), things with states (`thing_states`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from muniment.models.extractor.told_zh import pattern
from muniment.models.extractor.units import PUNCTUATION, Sentence, Unit


def topical(sentences: Iterator[Sentence]) -> Iterator[Sentence]:
    """The sentences, each Chinese clause that leaves out what it is about given that."""
    for sentence in sentences:
        units: list[Unit] = []
        before: Unit | None = None
        for unit in sentence.units:
            units.append(unit if unit.words.language != "zh" else _completed(unit, before))
            before = unit
        yield replace(sentence, units=units)


def _completed(unit: Unit, before: Unit | None) -> Unit:
    intro = pattern("carry_alone").match(unit.view, unit.body)
    if intro is not None and intro.end() < len(unit.view):
        rest = unit.view[intro.end() :]
        own = rest.startswith(("我", "本人"))
        return replace(unit, body=intro.end(), head=intro.end(), prefix="" if own else "我", drop=0)
    if unit.prefix in ("", "我"):
        bare = unit.view[unit.head :].strip(PUNCTUATION)
        if pattern("carry_elder").match(bare):
            return replace(unit, prefix="我", drop=0)
        if (
            before is not None
            and not unit.prefix
            and before.said.startswith("我")
            and pattern("carry_own_next").match(bare)
        ):
            return replace(unit, prefix="我", drop=0)
        found = None if before is None else _topic(before, bare)
        if found is not None:
            return replace(unit, prefix=found[0], drop=found[1])
    return unit


def _topic(before: Unit, bare: str) -> tuple[str, int] | None:
    """The words to stand before a clause, taken from the one before it, and how much of it they stand for; None where it needs
    none."""
    said = before.view[before.head :].strip(PUNCTUATION)
    now, present = pattern("carry_now").match(bare), pattern("carry_present").match(bare)
    changed = pattern("carry_changed").fullmatch(said)
    if changed is not None and now is not None:
        return said[: changed.end("thing")], 0
    swapped = pattern("carry_swapped").fullmatch(said)
    if swapped is not None:
        return _of_swapped(swapped["thing"] or swapped["thing2"], bare, present=bool(present), now=bool(now))
    person = pattern("carry_person").fullmatch(said)
    if person is None:
        return None
    if present is not None:
        return person["name"], 0
    return (f"{person['name']}的", 0) if pattern("carry_attribute").match(bare) else None


def _of_swapped(thing: str, bare: str, *, present: bool, now: bool) -> tuple[str, int] | None:
    """What a clause behind 'I have a new thing' leaves out: the thing, or whose it is."""
    which, works = pattern("carry_which").match(bare), pattern("carry_works_at").match(bare)
    if which is not None:
        return f"我{which['what']}的{thing}是", which.end()
    if works is not None and thing in ("工作", "单位", "公司", "东家"):
        return "我任职于", works.end()
    if now:
        return f"我的{thing}", 0
    return ("我", 0) if present else None
