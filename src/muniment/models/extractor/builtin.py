"""The built-in extractor: reads a turn sentence by sentence and proposes what was plainly said. Precision before recall.

Belongs here: the order in which readers look at a sentence, and who may state what. Does not belong here: the readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from muniment.config import Policy
from muniment.domain.enums import ActorType, Basis, EvidenceType, Intent, MemoryType, Scope
from muniment.domain.records import Candidate
from muniment.domain.statement import canonical
from muniment.models.extractor.afterthoughts import bounded, in_jest, only_jest, only_time, with_exceptions
from muniment.models.extractor.agent_rules import agent_rule
from muniment.models.extractor.attribute_statements_en import EnglishStatements
from muniment.models.extractor.attribute_statements_zh import ChineseStatements
from muniment.models.extractor.attributes import Attributes
from muniment.models.extractor.belongings import belonging, single
from muniment.models.extractor.carried_zh import topical
from muniment.models.extractor.corrections import earlier_of, in_place, restated
from muniment.models.extractor.declarations import declared, habit
from muniment.models.extractor.dependencies import (
    VERBATIM,
    Succession,
    announced,
    resting,
    succession,
    successor,
    verbatim,
)
from muniment.models.extractor.descriptions_en import described
from muniment.models.extractor.drafts import (
    EXPLICIT,
    NAME,
    VERSION,
    Draft,
    candidate,
    explicit,
    misnamed,
    unsure,
)
from muniment.models.extractor.forgetting import forgetting, forgotten_of
from muniment.models.extractor.general import Around, contrasted, correction, corrects, general, prompts, told_before
from muniment.models.extractor.general_en import supposes
from muniment.models.extractor.general_zh import carries, subject_of
from muniment.models.extractor.named import named_of
from muniment.models.extractor.practices import one_answer, practice
from muniment.models.extractor.requests import (
    Request,
    forgotten,
    only_denies,
    own_noun,
    request_of,
    tail_request,
    thing_named,
    to_forget,
)
from muniment.models.extractor.statements import Grammar, grammar_for, of_another, opened, stated
from muniment.models.extractor.statuses import PLAIN_CONFIDENCE, plain_state, plain_states, status
from muniment.models.extractor.temporary import ending, temporary
from muniment.models.extractor.thing_states import carried, thing_state
from muniment.models.extractor.things_en import continued, thing_told, tool_told
from muniment.models.extractor.told_zh import told
from muniment.models.extractor.units import PUNCTUATION, Sentence, Unit, joined, sentences
from muniment.models.extractor.values import only_filler
from muniment.ports.models import Turn
from muniment.text.language import Language
from muniment.text.standing import marks, withheld

MOST: Final = 50
"""Candidates of one turn at most; who says more in one breath pastes a document."""

_CHANGED: Final = re.compile(r"\b(?:chang|switch|mov|renam|updat|replac)\w*|[换改变搬]|更新", re.IGNORECASE)
"""Words that only announce what the clause behind them tells."""
TALK_CHARS: Final = 20_000
"""Characters of a turn in which plain statements without a slot are looked for: who says more pastes a document."""
NEAR: Final = 6
"""Clauses before one in which is looked for whom it is about, and whether it is only supposed."""
NEAR_CHARS: Final = 400
_ANAPHORA: Final = re.compile(
    r"(?:that|this|it|them|these|those|the (?:following|above))?\W*|(?:这个?|那个?|以下|下面|上面|这些|这点)?\W*",
    re.IGNORECASE,
)


_SAMPLES: Final = ("Aberdeen Ltd", "7", "2030-01-01")
"""Values of three shapes, of which a slot takes at least one."""
_TELLS: Final = re.compile(r"\b(?:i|i'm|my|we|our|me|us|is|are|was|were|has|have|expires?|will)\b|[:=]", re.IGNORECASE)
"""What tells a thing to keep from encouragement ('Remember, just do it')."""


class BuiltinExtractor:
    """Candidates by wording alone: no model, no network, linear time. See `muniment.ports.models.Extractor`."""

    id: str = NAME
    version: str = VERSION
    local: bool = True

    def __init__(self, policy: Policy) -> None:
        """Reads the wordings and prepares the policy's predicate catalogue."""
        self._policy = policy
        self._attributes = Attributes(policy)
        self._grammars: dict[Language, Grammar] = {"en": EnglishStatements(), "zh": ChineseStatements()}

    def extract(self, turn: Turn) -> list[Candidate]:
        """At most 50 candidates, in reading order, each with a quote that is exactly turn.text[quote_span].

        The user's own words may state anything about the user; an agent's words nothing; tools, documents and databases only
        plain states of things, with a confidence that never passes unasked.
        """
        own = turn.actor is ActorType.USER and turn.evidence_type is EvidenceType.CONVERSATION
        if turn.actor is ActorType.AGENT or (own and (withheld(turn.text) or prompts(turn.text))):
            return []
        found: list[Candidate] = []
        seen: set[tuple[MemoryType, str]] = set()
        for item in self._statements(turn) if own else self._states(turn):
            key = (item.memory_type, canonical(item.content))
            if key not in seen:
                seen.add(key)
                found.append(item)
            if len(found) >= MOST:
                break
        return found

    # -- the user's own words ---------------------------------------------------------------------------------------

    def _statements(self, turn: Turn) -> Iterator[Candidate]:
        """Sentence by sentence; 'please remember that' in a sentence of its own reaches back to the one before, and on to
        the next where there is nothing to reach back to; 'No.' turns the next into a correction."""
        asked = denied = False
        waiting: list[Candidate] = []
        before: Sentence | None = None
        read: set[str] = set()
        kept = list(verbatim(turn.text))
        for span, words in kept:
            yield _verbatim(turn, span, words)
        for sentence in announced(
            topical(continued(carried(sentences(turn.text, turn.occurred, own=True), turn.text)))
        ):
            if any(start < sentence.end and sentence.start < end for (start, end), _ in kept):
                continue
            if len(sentence.units) == 1 and tail_request(sentence.units[0]):
                waiting = [_asked(item) for item in waiting]
                asked = not waiting
                continue
            if not only_jest(sentence):
                yield from waiting
            again = sentence.view in read and not (asked or denied)
            read.add(sentence.view)
            if only_jest(sentence):
                waiting = []
                continue
            waiting = [] if again else list(self._sentence(sentence, turn, asked=asked, denied=denied, before=before))
            before = sentence
            asked, denied = False, only_denies(sentence)
        yield from waiting

    def _sentence(
        self, sentence: Sentence, turn: Turn, *, asked: bool, denied: bool, before: Sentence | None
    ) -> Iterator[Candidate]:
        if marks(sentence.view) or in_jest(sentence):
            return
        declared_next = succession(sentence, turn.text)
        if declared_next is not None:
            yield from self._successor(declared_next, sentence, turn, asked=asked)
            return
        request = request_of(sentence)
        dropped = forgetting(sentence, before) if request is None or request.kind != "forget" else None
        if dropped is not None:
            made = forgotten_of(dropped, turn)
            if made is not None:
                yield made
                return
        if request is None and denied:
            request = Request(kind="correct", start=0, end=len(sentence.view))
        if sentence.question and (request is None or request.kind == "correct"):
            yield from self._units(told_before(sentence), sentence, turn, asked=asked, intent=Intent.ASSERT)
            return
        if request is None:
            units = sentence.units
            asked = asked or (len(units) > 1 and tail_request(units[-1]))
            yield from self._units(units, sentence, turn, asked=asked, intent=Intent.ASSERT)
            return
        units = [replace(unit, question=False) for unit in sentence.part(request.start, request.end)]
        if units:
            read = {"remember": self._remember, "forget": self._forget, "correct": self._correct}[request.kind]
            yield from read(units, sentence, turn)

    def _units(
        self, units: list[Unit], sentence: Sentence, turn: Turn, *, asked: bool, intent: Intent
    ) -> Iterator[Candidate]:
        """The candidates of units that are asserted by the speaker."""
        made: Candidate | None = None
        loose: list[Candidate] = []
        slotted = False
        skipped = 0
        corrected: set[int] = set()
        for place, unit in enumerate(units):
            if skipped:
                skipped -= 1
                continue
            unit, skipped, gone_again = with_exceptions(units[place:], turn.text, self._read)
            if gone_again:
                continue
            if made is not None and (longer := bounded(made, unit)) is not None:
                made = longer
                continue
            if made is not None:
                yield made
            made = None
            if place in corrected:
                continue
            if not skipped and place + 1 < len(units) and contrasted(unit, units[place + 1], turn):
                corrected.add(place + 1)
                whole = joined(units[place : place + 2], turn.text)
                put = candidate(correction(), whole, turn)
                if put is not None:
                    yield put
                continue
            draft = self._read(unit, asked=asked or bool(unit.rests_on))
            if draft is None and place + 1 < len(units) and only_time(units[place + 1]):
                unit = joined(units[place : place + 2], turn.text)
                draft = self._read(unit)
            if draft is not None and misnamed(draft):
                draft = None
            if unit.of_another and (draft is None or _of_speaker(draft)):
                yield from loose
                loose = []
                continue
            if draft is None:
                yield from loose
                loose = list(self._general(unit, sentence, turn, asked=asked and not slotted, intent=intent))
                slotted = slotted or bool(loose)
                continue
            # 'My mail has changed, it's now …': what the slot says now says that it changed.
            yield from (item for item in loose if not _CHANGED.search(item.content))
            loose, slotted = [], True
            if _conditional(draft, units[place : place + 2]):
                unit = joined(units[place : place + 2], turn.text)
            if unit.rests_on and draft.predicate is not None:
                rests = resting(unit.rests_on, unit.words.language, self._slot_named)
                draft = replace(draft, metadata={**draft.metadata, **rests})
            if asked:
                draft = explicit(draft)
            if intent is Intent.CORRECT and draft.intent is not Intent.CHANGE:
                draft = replace(draft, intent=intent)
            if draft.sole and draft.intent is Intent.ASSERT:
                draft = replace(draft, intent=Intent.CHANGE)
            made = candidate(draft, unit, turn, context=sentence.view)
        if made is not None:
            yield made
        yield from loose

    def _general(
        self, unit: Unit, sentence: Sentence, turn: Turn, *, asked: bool, intent: Intent
    ) -> Iterator[Candidate]:
        """What a unit tells that fills no slot, clause by clause."""
        if unit.question or unit.reported or unsure(unit) or only_filler(unit.view) or unit.start > TALK_CHARS:
            return
        at = next((at for at, other in enumerate(sentence.units) if other.start == unit.start), 0)
        near = sentence.units[max(0, at - NEAR) : at + 1]
        around = Around(
            before=turn.text[max(0, unit.start - NEAR_CHARS) : unit.start],
            behind=turn.text[unit.end : min(sentence.end, unit.end + NEAR_CHARS)],
            answering=bool(turn.before),
            in_task=turn.reader.task is not None,
            corrects=corrects(turn),
            supposed=unit.words.language == "en" and any(supposes(other.view[other.body :]) for other in near),
            follows=next(filter(None, (carries(other.said) for other in reversed(near[-3:-1]))), None)
            if unit.words.language == "zh"
            else None,
            about=next(filter(None, (subject_of(other.said) for other in reversed(near))), None),
        )
        found = general(unit, around)
        for place, (draft, part) in enumerate(found):
            said = _kept(draft) if asked and not place and intent is Intent.ASSERT else draft
            if intent is Intent.CORRECT and said.intent is not Intent.CHANGE:
                said = replace(said, intent=intent)
            made = candidate(said, part, turn, context=sentence.view)
            if made is not None:
                yield made

    def _read(self, unit: Unit, *, asked: bool = False) -> Draft | None:
        """The first reading that fits; none for what is asked, supposed, reported, quoted or not sure."""
        if unit.question or unit.reported or unsure(unit) or only_filler(unit.view):
            return None
        rule = agent_rule(unit)
        if rule is not None:
            return rule
        if unit.supposed:
            return None
        unit = _without_hedge(unit)
        unit = opened(unit, grammar_for(self._grammars, unit))
        state = thing_state(unit) or described(unit) or told(unit, self._policy)
        if state is not None:
            return state
        attribute = self._attributes.read(unit)
        said = self._stated(unit, asked=asked or attribute is not None)
        if said is not None and of_another(said, self._policy):
            return ending(single(said, unit, self._policy), unit)
        found = status(unit, self._policy) or attribute or tool_told(unit, self._policy) or declared(unit)
        found = belonging(unit, self._policy) if found is None else single(found, unit, self._policy)
        found = found or practice(unit) or thing_told(unit, self._policy) or habit(unit) or said
        found = None if found is None else one_answer(found, unit)
        return temporary(unit) if found is None else ending(found, unit)

    def _successor(self, found: Succession, sentence: Sentence, turn: Turn, *, asked: bool) -> Iterator[Candidate]:
        """What something will be when another changes: kept as it was said, for whoever follows the change."""
        whole = replace(joined(sentence.units, turn.text), supposed=False)
        draft = successor(found, whole.words.language, self._slot_named)
        made = candidate(explicit(draft) if asked else draft, whole, turn) if draft is not None else None
        if made is not None:
            yield made

    def _slot_named(self, phrase: str, spoken: Language) -> dict[str, str] | None:
        """The slot in which a statement about what the phrase names would be filed, whatever the shape of its value."""
        for value in _SAMPLES:
            said = f"{phrase}是{value}" if spoken == "zh" else f"The {phrase} is {value}"
            unit = next((unit for sentence in sentences(said, None) for unit in sentence.units), None)
            draft = None if unit is None else self._read(unit, asked=True)
            if draft is not None and draft.predicate is not None:
                slot = {"subject": draft.subject or "user", "predicate": draft.predicate}
                return {"name": phrase, **slot, "qualifier": draft.qualifier or ""}
        return None

    def _stated(self, unit: Unit, *, asked: bool) -> Draft | None:
        """A plain statement of a thing, where there is a grammar for the unit's language."""
        grammar = grammar_for(self._grammars, unit)
        found = grammar.read(unit, introduced=asked) if grammar is not None else None
        return None if found is None else stated(found, unit, self._policy)

    def _remember(self, units: list[Unit], sentence: Sentence, turn: Turn) -> Iterator[Candidate]:
        """What the user asked to keep: by slot where one is recognised, else in their own words."""
        audience = units[0].words.pattern("scope", "audience").match(units[0].view, units[0].body)
        if audience is not None:
            units = [replace(units[0], body=audience.end(), head=audience.end()), *units[1:]]
        found = list(self._units(units, sentence, turn, asked=True, intent=Intent.ASSERT))
        yield from found
        whole = joined(units, turn.text)
        body = whole.view[whole.body :]
        if found or len(body) < 2 or _ANAPHORA.fullmatch(body) or only_filler(body) or whole.supposed:
            return
        introduced = sentence.view[: whole.start - sentence.start + whole.body].rstrip().lower().endswith(("that", ":"))
        if whole.words.language == "en" and not introduced and not _TELLS.search(body):
            return
        made = candidate(Draft(memory_type=MemoryType.FACT, explicit=True), replace(whole, head=whole.body), turn)
        if made is not None:
            yield made

    def _forget(self, units: list[Unit], sentence: Sentence, turn: Turn) -> Iterator[Candidate]:
        """A request to forget: its content is what to forget, with the slot where that is recognisable."""
        whole = joined(to_forget(units), turn.text)
        what = whole.within(0, forgotten(whole.words, whole.view))
        thing, mine = thing_named(what.words, what.view)
        what = what.within(*thing)
        if len(what.content) < 2 or _ANAPHORA.fullmatch(what.content):
            return
        own, whose = named_of(what.content, what.words, self._policy)
        own = own or (own_noun(what.content, what.words) if mine else None)
        slot = None if own else self._slot(what)
        sure = slot is not None and of_another(slot, self._policy)
        named = slot if sure else self._read(replace(what, supposed=False), asked=True) or slot
        draft = Draft(
            memory_type=named.memory_type if named else MemoryType.FACT,
            predicate=named.predicate if named else own,
            value=named.value if named else None,
            subject=named.subject if named else whose,
            qualifier=named.qualifier if named else None,
            intent=Intent.FORGET,
            explicit=True,
            scope=Scope.USER,  # what to forget is looked for everywhere, whatever 'for this trip' its name contains
        )
        made = candidate(draft, replace(what, head=what.body, prefix="", drop=0), turn)
        if made is not None:
            yield made

    def _slot(self, what: Unit) -> Draft | None:
        """The slot of a thing that a noun phrase names, with its value where one follows ('the gate code: 4711')."""
        grammar = grammar_for(self._grammars, what)
        found = grammar.named(what.content) if grammar is not None else None
        if found is None or found.subject is None:
            return None
        return Draft(memory_type=MemoryType.FACT, predicate=found.predicate, subject=found.subject, value=found.value)

    def _correct(self, units: list[Unit], sentence: Sentence, turn: Turn) -> Iterator[Candidate]:
        """A correction: a statement of its own, or a bare value for what the user said just before."""
        found = list(self._units(units, sentence, turn, asked=True, intent=Intent.CORRECT))
        if any(item.predicate is not None for item in found):
            yield from (in_place(item, turn, self.extract) for item in found)
            return
        first = units[0]
        match = first.words.pattern("requests", "ellipsis").fullmatch(first.said)
        earlier = earlier_of(turn, self.extract) if match and not first.question else None
        if match is not None and earlier is not None and earlier.value:
            value = first.original(*match.span("value")).strip(PUNCTUATION)
            draft = restated(earlier, value, turn, self.extract)
            made = candidate(draft, first, turn) if draft is not None else None
            if made is not None:
                found = [made]
        yield from found

    # -- tools, documents, databases --------------------------------------------------------------------------------

    def _states(self, turn: Turn) -> Iterator[Candidate]:
        """Plain states of things: 'key: value' lines, and 'X is Y'."""
        for span, key, value in plain_states(turn.text):
            yield _state(turn, span, key, value, MemoryType.STATUS)
        for sentence in sentences(turn.text, turn.occurred):
            for unit in sentence.units:
                if unit.question or unit.supposed or unit.reported:
                    continue
                said = status(unit, self._policy)
                if said is not None and said.predicate and said.value:
                    yield _state(turn, (unit.start, unit.end), said.predicate, said.value, MemoryType.STATUS)
                elif plain := plain_state(unit):
                    yield _state(turn, (unit.start, unit.end), *plain, MemoryType.FACT)


def _state(turn: Turn, span: tuple[int, int], subject: str, value: str, memory_type: MemoryType) -> Candidate:
    quote = turn.text[span[0] : span[1]]
    return Candidate(
        content=quote.strip(PUNCTUATION) or quote,
        memory_type=memory_type,
        subject=canonical(subject),
        predicate="status",
        qualifier="",
        value=value,
        quote=quote,
        quote_span=span,
        confidence=PLAIN_CONFIDENCE,
        basis=Basis.STATED,
        extractor_model=NAME,
        extractor_version=VERSION,
        valid_from_known=False,
    )


def _verbatim(turn: Turn, span: tuple[int, int], words: str) -> Candidate:
    """Words that the speaker asked to keep to the letter."""
    quote = turn.text[slice(*span)]
    return Candidate(
        content=quote.strip(),
        memory_type=MemoryType.FACT,
        predicate=VERBATIM,
        value=words,
        quote=quote,
        quote_span=span,
        confidence=EXPLICIT,
        basis=Basis.STATED,
        explicit=True,
        extractor_model=NAME,
        extractor_version=VERSION,
        valid_from_known=False,
    )


def _conditional(draft: Draft, units: list[Unit]) -> bool:
    """Whether a habit is told together with when it applies: 'I usually take the tram when it rains'."""
    habitual = draft.memory_type is MemoryType.PREFERENCE and draft.predicate is None
    return habitual and len(units) > 1 and units[1].supposed and not units[0].supposed


def _of_speaker(draft: Draft) -> bool:
    """Whether a draft is of the speaker themselves, rather than an order, a limit, or of something that it names."""
    return draft.subject in (None, "user") and draft.memory_type in (MemoryType.FACT, MemoryType.PREFERENCE)


def _without_hedge(unit: Unit) -> Unit:
    """The unit with its statement beginning behind 'I think that', 我觉得; the words still lower its confidence."""
    match = unit.words.pattern("mood", "hedge_head").match(unit.view, unit.head)
    if match is None or unit.prefix or match.end() >= len(unit.view):
        return unit
    return replace(
        unit, head=match.end() + len(unit.view[match.end() :]) - len(unit.view[match.end() :].lstrip(PUNCTUATION))
    )


def _asked(item: Candidate) -> Candidate:
    """A candidate of the sentence before, now that the user asked to keep it."""
    return replace(
        item, explicit=True, confidence=max(item.confidence, 0.95) if item.confidence >= 0.82 else item.confidence
    )


def _kept(draft: Draft) -> Draft:
    """What the speaker asked to keep: a fact, where its kind is open."""
    open_kind = draft.memory_type in (MemoryType.EXPERIENCE, MemoryType.STATUS, MemoryType.DECISION)
    return explicit(replace(draft, memory_type=MemoryType.FACT) if open_kind else draft)
