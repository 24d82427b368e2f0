"""The built-in summariser: no language model; everything it tells stands in what was said or is held.

Belongs here: the five fields put together. Does not belong here: how each is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from muniment.config import Policy
from muniment.domain.enums import ActorType
from muniment.domain.summaries import Draft, Line
from muniment.models.summarisers.central import central
from muniment.models.summarisers.outstanding import outstanding
from muniment.models.summarisers.sentences import Sentence, sentences
from muniment.models.summarisers.signs import signs
from muniment.models.summarisers.things import things
from muniment.ports.models import Material
from muniment.text.language import language
from muniment.text.tokenizer import tokenize

SAYS_NO_MORE: Final = 0.8
"""Share of a sentence's words in a fact from which the fact says all of it."""
MOST: Final = 50
"""Facts that sentences are compared with."""


class ExtractiveSummariser:
    """Central sentences, governed facts, what is left open, who and what was named, signs of mood and intent."""

    id = "extractive-1"

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def summarise(self, material: Material) -> Draft:
        """The five fields of all turns given; the version before is not used."""
        said = list(sentences(material.turns))
        tongue = language(" ".join(item.text for item in said if item.actor is ActorType.USER)[:20_000])
        left = outstanding(said)
        facts = [frozenset(tokenize(fact.content)) for fact in material.facts[-MOST:]]
        elsewhere = {line.text for line in left} | {item.told for item in said if _says_a_fact(item, facts)}
        topic = central(material.turns, said, spare=elsewhere) or central(material.turns, said)
        return Draft(
            topic=topic,
            confirmed=confirmed(material),
            open_items=left,
            entities=things(material.turns, material.facts, self._policy),
            mood=signs(said, tongue),
        )


def _says_a_fact(item: Sentence, facts: Sequence[frozenset[str]]) -> bool:
    """Whether a sentence says no more than a governed fact, which is told as such."""
    words = {token for token in item.tokens if len(token) > 1}
    return any(len(words & fact) >= SAYS_NO_MORE * len(words) for fact in facts)


def confirmed(material: Material) -> tuple[Line, ...]:
    """The governed facts in their own words, the latest first."""
    return tuple(
        Line(text=" ".join(fact.content.split()), rests_on=(fact.fact_id,)) for fact in reversed(material.facts)
    )
