"""What a Chinese clause takes from the clause before it: '我的邮箱换了，现在是…' is said of the mailbox, '豆豆六岁了，作息时间改成…'
of 豆豆, and 奶奶 without more is the speaker's own.

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
        found = None if before is None else _topic(before, bare)
        if found is not None:
            return replace(unit, prefix=found, drop=0)
    return unit


def _topic(before: Unit, bare: str) -> str | None:
    """The words to stand before a clause, taken from the one before it; None where it needs none."""
    said = before.view[before.head :].strip(PUNCTUATION)
    now, present = pattern("carry_now").match(bare), pattern("carry_present").match(bare)
    changed = pattern("carry_changed").fullmatch(said)
    if changed is not None and now is not None:
        return said[: changed.end("thing")]
    swapped = pattern("carry_swapped").fullmatch(said)
    if swapped is not None and now is not None:
        return f"我的{swapped['thing']}"
    if swapped is not None and present is not None:
        return "我"
    person = pattern("carry_person").fullmatch(said)
    if person is None:
        return None
    if present is not None:
        return person["name"]
    return f"{person['name']}的" if pattern("carry_attribute").match(bare) else None
