"""How the words stand that a model quotes: said, or only asked, supposed, reported, quoted, pasted; doubted; asked for outright.

The same reading of the sentence that the built-in extractor goes by: a model does not decide what counts as said.

Belongs here: that. Does not belong here: what the words say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from muniment.domain.enums import ActorType, EvidenceType, Scope
from muniment.models.extractor.drafts import EXPLICIT, HEARSAY, HEDGED, scope_of, unsure
from muniment.models.extractor.requests import request_of, tail_request
from muniment.models.extractor.units import Sentence, Unit, sentences
from muniment.ports.models import Turn
from muniment.text.authority import Suspicion, suspicions
from muniment.text.clauses import FILLER, own_words
from muniment.text.pasted import pasted
from muniment.text.standing import marks, withheld
from muniment.text.timex import TimeExpression, time_expressions

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Place:
    """The sentences and clauses that a quote touches."""

    sentences: tuple[Sentence, ...]
    units: tuple[Unit, ...]


class Said:
    """A turn's text, read once for all that is quoted from it."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.own = turn.actor is ActorType.USER and turn.evidence_type is EvidenceType.CONVERSATION
        self.pasted: list[Span] = pasted(turn.text)
        self.withheld: list[Span] = withheld(turn.text) if self.own else []

    @cached_property
    def _sentences(self) -> list[Sentence]:
        return list(sentences(self.turn.text, self.turn.occurred))

    @cached_property
    def _suspicions(self) -> Sequence[Suspicion]:
        return suspicions(self.turn.text, source_is_user=self.own)

    @cached_property
    def _view(self) -> str:
        return own_words(self.turn.text)

    @property
    def offered(self) -> str:
        """The text as a model may be shown it: what nobody said in it, or asked not to keep, is blank; same length."""
        text = self.turn.text
        for start, end in (*self.pasted, *self.withheld):
            text = text[:start] + " " * (end - start) + text[end:]
        return text

    def place(self, span: Span) -> Place:
        """Where a quote stands."""
        touched = tuple(item for item in self._sentences if item.start < span[1] and span[0] < item.end)
        units = tuple(unit for item in touched for unit in item.units if unit.start < span[1] and span[0] < unit.end)
        return Place(sentences=touched, units=units)

    def around(self, place: Place, span: Span) -> str:
        """The whole sentences of a quote, which tell what it leaves out ('not', 'if')."""
        starts, ends = [item.start for item in place.sentences], [item.end for item in place.sentences]
        return self.turn.text[min([*starts, span[0]]) : max([*ends, span[1]])]

    def unsaid(self, span: Span, place: Place, *, rule: bool, asked: bool) -> str | None:
        """Why what is quoted is not something that was said to hold; None where it was."""
        if _touches(span, self.pasted) or _touches(span, self.withheld):
            return "it rests on words that nobody said here, or that are not to be kept"
        view = self._view[slice(*span)]
        letters = [char for char in view if not char.isspace()]
        if self.own and letters.count(FILLER) * 2 >= max(1, len(letters)):
            return "it rests on words that were only quoted"
        if any(_touches(span, [item.span]) for item in self._suspicions):
            return "it rests on words that give orders or claim authority"
        if any(marks(item.view) for item in place.sentences):
            return "the words say of themselves that they do not hold"
        if place.units and not asked and all(unit.question for unit in place.units):
            return "it was asked, not said"
        if place.units and not rule and all(unit.supposed for unit in place.units):
            return "it was supposed, not said"
        if any(unsure(unit) for unit in place.units):
            return "the speaker says that they do not know"
        return None

    def reported(self, place: Place) -> bool:
        """Whether others are said to think so."""
        return any(unit.reported for unit in place.units)

    def other(self, place: Place) -> str | None:
        """Whom the clause is about, where it opens with somebody the speaker has ('my mother', 我妈妈)."""
        for unit in place.units:
            match = unit.words.compiled("@kin").match(unit.said)
            if match and len(match[0]) < len(unit.said):
                return match[0]
        return None

    def request(self, place: Place) -> str | None:
        """What is asked of the memory in so many words in the quote's sentence or right behind it: remember, forget, correct."""
        for item in place.sentences:
            found = request_of(item)
            if found is not None:
                return found.kind
            if len(item.units) > 1 and tail_request(item.units[-1]):
                return "remember"
            behind = self._sentences.index(item) + 1
            following = self._sentences[behind : behind + 1]
            if following and len(following[0].units) == 1 and tail_request(following[0].units[0]):
                return "remember"
        return None

    def ceiling(self, place: Place) -> float:
        """The confidence that the speaker's own doubts allow at most."""
        hedged = any(unit.words.pattern("mood", "hedge").search(unit.view) for unit in place.units)
        heard = any(unit.words.pattern("mood", "hearsay").search(unit.view) for unit in place.units)
        if hedged and heard:
            return 0.5
        return HEARSAY if heard else HEDGED if hedged else EXPLICIT

    def passing(self, place: Place) -> bool:
        """Whether it is of the day only."""
        return any(unit.words.pattern("mood", "passing").search(unit.view) for unit in place.units)

    def scope(self, place: Place) -> Scope | None:
        """The scope that the words ask for."""
        found = (scope_of(unit, self.turn, "".join(item.view for item in place.sentences)) for unit in place.units)
        return next((scope for scope in found if scope is not None), None)

    def times(self, span: Span, place: Place) -> list[TimeExpression]:
        """The time expressions that a quote touches, as the clauses around it are read, resolved against the turn's own time."""
        found: list[TimeExpression] = []
        for unit in place.units:
            for item in unit.times:
                if unit.start + item.span[0] < span[1] and span[0] < unit.start + item.span[1]:
                    found.append(item)
        return found or time_expressions(self.turn.text[slice(*span)], self.turn.occurred)


def _touches(span: Span, spans: Sequence[Span]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in spans)
