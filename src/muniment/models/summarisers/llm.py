"""The summariser that asks a language model, and believes it only as far as it can be checked.

Everything the model sees is numbered; every line it gives must name the numbers it rests on. A line that rests on nothing, that
holds an identifier, an amount or a number which is in none of what it names, that gives orders, or that says 'confirmed' of what
no governed fact says, is thrown out. Names are taken from the built-in summariser too, since those it finds are certain.

Belongs here: the prompt, the shape of the answer, the check. Does not belong here: which model (models/llm.py), what happens
when it fails (service/summaries.py).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from muniment.domain.enums import ActorType
from muniment.domain.errors import ModelError
from muniment.domain.summaries import FIELDS, Draft, Line
from muniment.model_knobs import Asking
from muniment.models.llm.prompts import prompt
from muniment.models.summarisers.extractive import ExtractiveSummariser, confirmed
from muniment.ports.llm import LLM, Budget
from muniment.ports.models import Material, Said
from muniment.text.authority import suspicions
from muniment.text.identifiers import identifiers
from muniment.text.redact import masked_kinds
from muniment.text.sanitise import sanitise

PROMPT: Final = "summary-1"
PASS_CHARS: Final = 24_000
"""Characters of turns that one request shows: about 6 000 tokens of English."""
PASSES: Final = 12
"""Requests for one summary at most; of a longer conversation the turns before those go in by the built-in summariser."""
FACTS: Final = 100
"""Facts that one request shows, the latest."""
MOST_CHARS: Final = 300
"""Characters of a line; a longer one is no line of a summary."""
_DIGITS: Final = re.compile(r"\d+")
_SPACE: Final = re.compile(r"\s+")
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")

log = logging.getLogger(__name__)


@dataclass
class Told:
    """One line of the summary, and the numbers of the items it rests on."""

    text: str
    rests_on: list[int]


@dataclass
class Answer:
    """The summary in five fields."""

    topic: list[Told] = field(default_factory=list)
    confirmed: list[Told] = field(default_factory=list)
    open_items: list[Told] = field(default_factory=list)
    entities: list[Told] = field(default_factory=list)
    mood: list[Told] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Item:
    """One numbered item: what kind it is, its words, and what a line that rests on it rests on."""

    kind: str
    text: str
    refs: tuple[UUID, ...]


class LLMSummariser:
    """Summaries by a language model, checked line by line."""

    def __init__(self, llm: LLM, builtin: ExtractiveSummariser, asking: Asking) -> None:
        self._prompt = prompt(PROMPT)
        self.id = f"{self._prompt.version} {llm.id}"[:100]
        self._llm = llm
        self._builtin = builtin
        self._asking = asking

    def summarise(self, material: Material) -> Draft:
        """The five fields, the version before carried on with the turns since. Raises `ModelError` when the model fails."""
        carried, fresh = self._carried(material)
        passes = list(_passes(fresh))
        if len(passes) > PASSES:
            before = [turn for some in passes[:-PASSES] for turn in some]
            carried = self._builtin.summarise(Material(turns=tuple(before), facts=()))
            passes = passes[-PASSES:]
        budget = Budget(seconds=self._asking.seconds, calls=self._asking.calls, tokens=self._asking.tokens)
        for turns in passes or [[]]:
            carried = self._told(carried, turns, material, budget)
        spent = budget.spent
        log.info("%s: %d requests, %d + %d tokens", self.id, spent.calls, spent.tokens_in, spent.tokens_out)
        certain = self._builtin.summarise(Material(turns=material.turns, facts=material.facts))
        return Draft(
            topic=carried.topic,
            confirmed=carried.confirmed or confirmed(material),
            open_items=carried.open_items,
            entities=_joined(certain.entities, carried.entities),
            mood=carried.mood,
        )

    def _carried(self, material: Material) -> tuple[Draft, list[Said]]:
        """The lines to carry on and the turns that are new to them: those of a model's version of which something still stands;
        else none, and all turns."""
        earlier = material.earlier
        if earlier is None or earlier.derived_by != self.id or earlier.through is None:
            return Draft(), list(material.turns)
        known = {turn.evidence_id for turn in material.turns if turn.recorded_at <= earlier.through}
        if known.isdisjoint(earlier.rests_on):
            return Draft(), list(material.turns)
        fresh = [turn for turn in material.turns if turn.evidence_id not in known]
        return Draft(**{name: getattr(earlier, name) for name in FIELDS}), fresh

    def _told(self, carried: Draft, turns: Sequence[Said], material: Material, budget: Budget) -> Draft:
        """What the model makes of the lines so far, the facts and some turns, as far as it holds. Raises `ModelError` where
        nothing does."""
        items = list(_items(carried, turns, material))
        if not items:
            return carried
        reply = self._llm.answer(self._prompt.text, _prompt(items), Answer, budget)
        draft = Draft(**{name: tuple(_checked(name, getattr(reply.value, name), items)) for name in FIELDS})
        told = sum(len(getattr(reply.value, name)) for name in FIELDS)
        if lost := told - len(draft.lines) + len(reply.unread):
            log.info("%s: %d line(s) that do not hold were left out", self.id, lost)
        if not draft.lines:
            raise ModelError(f"{self._llm.id} gave no line that holds")
        return draft


def _passes(turns: Sequence[Said]) -> Iterator[list[Said]]:
    """The turns in stretches that one request shows."""
    some: list[Said] = []
    size = 0
    for turn in turns:
        if some and size + len(turn.text) > PASS_CHARS:
            yield some
            some, size = [], 0
        some.append(turn)
        size += len(turn.text)
    if some:
        yield some


def _items(carried: Draft, turns: Sequence[Said], material: Material) -> Iterator[_Item]:
    """Lines so far, facts, turns, in the order of their numbers, which begin at 1."""
    for name in FIELDS:
        for line in getattr(carried, name):
            yield _Item(f"summary so far, {name}", line.text, line.rests_on)
    for fact in material.facts[-FACTS:]:
        yield _Item("fact", fact.content, (fact.fact_id,))
    for turn in turns:
        if not masked_kinds(turn.text) and not suspicions(turn.text, source_is_user=turn.actor is ActorType.USER):
            who = turn.speaker or turn.actor.value.lower()
            yield _Item(f"turn of {who}, {turn.at:%Y-%m-%d %H:%M}", turn.text, (turn.evidence_id,))


def _prompt(items: Sequence[_Item]) -> str:
    """The items, each on its own line in a fence that nothing said can close."""
    rows = []
    for number, item in enumerate(items, 1):
        kind, words = (_SPACE.sub(" ", text).replace("<", "‹").replace(">", "›") for text in (item.kind, item.text))
        rows.append(f"<item n={number} kind={kind!r}>{words}</item>")
    return "\n".join(rows)


def _checked(name: str, told: Sequence[Told], items: Sequence[_Item]) -> Iterator[Line]:
    """The lines that hold."""
    seen: set[str] = set()
    for line in told:
        text = _SPACE.sub(" ", sanitise(str(line.text)).text).strip()
        numbers = list(dict.fromkeys(line.rests_on))
        if not text or len(text) > MOST_CHARS or text in seen or not numbers:
            continue
        if not all(0 < number <= len(items) for number in numbers):
            continue
        grounds = [items[number - 1] for number in numbers]
        if name == "confirmed" and not all(item.kind in ("fact", "summary so far, confirmed") for item in grounds):
            continue
        ground = " ".join(item.text for item in grounds)
        # What the learned detector suspects was held back when it was said; a line tells it again in other words.
        if not _nothing_new(text, ground) or suspicions(text, source_is_user=False, learned=None):
            continue
        if _HAN.search(text) and not _HAN.search(ground):
            continue  # told in a language in which nothing was said
        seen.add(text)
        yield Line(text=text, rests_on=tuple(dict.fromkeys(ref for item in grounds for ref in item.refs)))


def _nothing_new(text: str, ground: str) -> bool:
    """Whether every identifier, amount and number of a line is in what it rests on."""
    known = {(item.kind, item.value) for item in identifiers(ground)}
    if any(
        (item.kind, item.value) not in known and text[slice(*item.span)] not in ground for item in identifiers(text)
    ):
        return False
    numbers = set(_DIGITS.findall(ground))
    return all(digits in numbers for digits in _DIGITS.findall(text)) and not masked_kinds(text)


def _joined(certain: Sequence[Line], told: Sequence[Line]) -> tuple[Line, ...]:
    """Both, each thing once: what the model names in other words after what is certain."""
    names = [line.text.casefold() for line in certain]
    fresh = [line for line in told if not any(line.text.casefold() in name for name in names)]
    return (*certain, *fresh)
