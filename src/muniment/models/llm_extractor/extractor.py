"""The extractor that asks a language model, part by part of a turn, and the one that asks it for what wording alone left.

Belongs here: what a model is shown, the parts of a long turn, what was answered before, limits and doubles. Does not belong here:
the check of an item (`checks`), transactions (ingestion/).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from muniment.config import Policy
from muniment.domain.enums import ActorType, EvidenceType, MemoryType
from muniment.domain.records import Candidate
from muniment.models.extractor.builtin import BuiltinExtractor
from muniment.models.llm.prompts import prompt
from muniment.models.llm_extractor.checks import Handle, Reading, judged
from muniment.models.llm_extractor.merging import doubled, merged, unsure
from muniment.models.llm_extractor.quotes import Quotable
from muniment.models.llm_extractor.shape import Found, Memory
from muniment.models.llm_extractor.standing import Said, Span
from muniment.models.llm_extractor.wording import polite
from muniment.ports.llm import LLM, Budget, Unreadable
from muniment.ports.models import Kept, Turn
from muniment.text.passages import spans

PROMPT: Final = "extract-1"
POLITE_CHARS: Final = 200
"""Characters over which a turn is no mere thanks."""
LEAST_LETTERS: Final = 4
"""Letters under which nothing is asked ('ok', 好的): a Chinese character counts for two."""
BEFORE_CHARS: Final = 600
"""Characters of each earlier turn that are shown, its end."""


class LLMExtractor:
    """Candidates by a language model, each checked against the text. See `muniment.ports.models.Extractor`.

    `extract` raises `ModelError` when the model fails or the budget is used up. What was answered until then stays with the
    turn's `kept`, so that the next try goes on behind it.
    """

    local: bool = False

    def __init__(self, llm: LLM, policy: Policy, builtin: BuiltinExtractor) -> None:
        self.id = llm.id
        self._llm = llm
        self._policy = policy
        self._builtin = builtin
        listed = ", ".join(sorted(policy.predicates))
        limits = policy.extraction
        self._prompt = prompt(PROMPT, {"predicates": listed, "facts": str(limits.facts), "rules": str(limits.rules)})
        self.version = self._prompt.version

    def extract(self, turn: Turn) -> list[Candidate]:
        """At most the policy's numbers of candidates for each part of the turn, in reading order."""
        return self.beside(turn, ())

    def beside(self, turn: Turn, found: Sequence[Candidate]) -> list[Candidate]:
        """What the model finds beside what was found already."""
        said = Said(turn)
        if not self._worth_asking(said, found):
            return []
        asking = self._policy.llm
        budget = Budget(seconds=asking.seconds, calls=asking.calls, tokens=asking.tokens)
        sure = list(found) or self._builtin.extract(turn)
        parts = list(_parts(said.offered, self._policy.extraction.chunk_chars, self._policy.extraction.overlap_chars))
        taken: list[Candidate] = []
        for place, part in enumerate(parts):
            handles = [*(Handle(known=item) for item in turn.known), *(Handle(found=item) for item in (*found, *taken))]
            for item in self._part(said, part, handles, sure, budget):
                if not doubled(item, taken):
                    taken.append(item)
            if turn.progress is not None:
                turn.progress(place + 1, len(parts))
        return sorted(taken, key=lambda item: item.quote_span or (0, 0))

    def _worth_asking(self, said: Said, found: Sequence[Candidate]) -> bool:
        """Whether anything is left in the turn that could be remembered."""
        turn = said.turn
        if (
            turn.for_audit
            or turn.actor is ActorType.AGENT
            or turn.evidence_type.value not in self._policy.extraction.reads
        ):
            return False
        if turn.actor is not ActorType.USER and turn.evidence_type is EvidenceType.CONVERSATION:
            return False
        if said.withheld:
            return False
        text = said.offered
        for item in found:
            if item.quote_span is not None:
                start, end = item.quote_span
                text = text[:start] + " " * (end - start) + text[end:]
        left = sum(2 if char >= "\u2e80" else 1 for char in text if char.isalnum())
        return left >= LEAST_LETTERS and not (len(text) <= POLITE_CHARS and polite(text))

    # -- one part ---------------------------------------------------------------------------------------------------

    def _part(
        self, said: Said, part: Span, handles: Sequence[Handle], sure: Sequence[Candidate], budget: Budget
    ) -> list[Candidate]:
        """The candidates of one part, asked for or remembered, within the limits."""
        turn, offered = said.turn, said.offered[slice(*part)]
        answer, shown = self._answer(turn, part, offered, handles, budget)
        reading = Reading(
            said=said,
            part=part,
            quotable=Quotable(offered),
            handles=shown,
            policy=self._policy,
            model=self._llm.id,
            version=self.version,
            sure=sure,
        )
        kept: list[Candidate] = []
        for item in answer.memories:
            result = judged(item, reading)
            if isinstance(result, str):
                _lay_by(turn.kept, result, item)
            elif not doubled(result, kept):
                kept.append(result)
        within = self._limited(kept)
        for candidate in kept:
            if candidate not in within:
                _lay_by(turn.kept, "it is over the policy's number for one turn", candidate.content)
        return within

    def _answer(
        self, turn: Turn, part: Span, offered: str, handles: Sequence[Handle], budget: Budget
    ) -> tuple[Found, Sequence[Handle]]:
        """What the model says of a part, and what the numbers stood for when it was asked."""
        key = _key(self.id, self.version, turn, part, offered)
        before = turn.kept.answered(key) if turn.kept is not None else None
        if before is not None:
            _lay_by_all(turn.kept, before["unread"])
            return Found(memories=[Memory(**item) for item in before["memories"]]), _restored(before["shown"], handles)
        spent = budget.spent
        try:
            reply = self._llm.answer(self._prompt.text, _shown(turn, offered, handles), Found, budget)
        except Exception as error:
            if turn.kept is not None:
                turn.kept.spent(budget.spent - spent)
                if isinstance(error, Unreadable):
                    turn.kept.lay_by("the whole answer keeps to no shape", _unescaped(error.said))
            raise
        if turn.kept is not None:
            shown = ["" if item.known is None else str(item.known.fact_id) for item in handles]
            memories = [vars(item) for item in reply.value.memories]
            answer = {"memories": memories, "unread": list(reply.unread), "shown": shown}
            turn.kept.keep(key, answer, budget.spent - spent)
            _lay_by_all(turn.kept, reply.unread)
        return reply.value, handles

    def _limited(self, found: Sequence[Candidate]) -> list[Candidate]:
        """The surest within the numbers of the policy, in reading order."""
        limits = self._policy.extraction
        left = {"rules": limits.rules, "statuses": limits.statuses, "facts": limits.facts}
        kept = []
        for item in sorted(found, key=lambda item: (-item.confidence, item.quote_span or (0, 0))):
            kind = {MemoryType.RULE: "rules", MemoryType.STATUS: "statuses"}.get(item.memory_type, "facts")
            if left[kind] > 0:
                left[kind] -= 1
                kept.append(item)
        return sorted(kept, key=lambda item: item.quote_span or (0, 0))


class BothExtractor:
    """The built-in extractor first, the model for what it left: one set of candidates, nothing twice."""

    local: bool = False

    def __init__(self, builtin: BuiltinExtractor, model: LLMExtractor) -> None:
        self.id = f"{builtin.id} + {model.id}"
        self.version = model.version
        self._builtin = builtin
        self._model = model

    def extract(self, turn: Turn) -> list[Candidate]:
        """What wording alone finds, and beside it what the model does. Raises `ModelError` when the model fails."""
        found = self._builtin.extract(turn)
        return merged(found, self._model.beside(turn, [item for item in found if not unsure(item)]))


# -- what the model is shown ---------------------------------------------------------------------------------------------


def _parts(text: str, most: int, overlap: int) -> Iterator[Span]:
    """The spans of a text that are shown one by one; each but the first begins a little before the one before it ends, at a
    word's start, so that what is said across the border is read whole once."""
    for start, end in spans(text, most - overlap):
        if start and overlap:
            back = max(0, start - overlap)
            cut = re.search(r"[。！？!?\n]\s*|\.\s+|\s", text[back:start])
            start = back + cut.end() if cut else back
        yield start, end


def _shown(turn: Turn, offered: str, handles: Sequence[Handle]) -> str:
    """The turn, what was said before it and what is known, each in a fence that nothing said can close. No id in it."""
    blocks = [_block(f"turn of the {_who(turn.actor)}", offered)]
    if turn.before:
        lines = [f"{_who(actor)}: {text[-BEFORE_CHARS:]}" for actor, text in turn.before]
        blocks.insert(0, _block("before", "\n".join(map(_line, lines))))
    if handles:
        rows = [f"[{place}] {_named(item)}" for place, item in enumerate(handles, 1)]
        blocks.insert(0, _block("known", "\n".join(map(_line, rows))))
    return "\n".join(blocks)


def _named(item: Handle) -> str:
    if item.known is not None:
        return f"{item.known.memory_type.value}: {item.known.content}"
    found = item.found
    return "" if found is None else f"found, {found.memory_type.value}: {found.content}"


def _who(actor: ActorType) -> str:
    return actor.value.lower()


def _line(text: str) -> str:
    return " ".join(text.split())


def _block(kind: str, text: str) -> str:
    tag = kind.partition(" ")[0]
    return f"<{kind}>\n{text.replace('<', '‹').replace('>', '›').strip()}\n</{tag}>"


# -- what was answered before --------------------------------------------------------------------------------------------


def _key(model: str, version: str, turn: Turn, part: Span, offered: str) -> str:
    """By what an answer is found again: who was asked, with which instructions, about which words."""
    named = "\x1f".join([model, version, turn.evidence_id.hex, str(part), offered])
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _restored(shown: Sequence[str], handles: Sequence[Handle]) -> list[Handle]:
    """What the numbers stood for when the answer was given; one that is gone since stands for nothing that can be changed."""
    by_id = {str(item.known.fact_id): item for item in handles if item.known is not None}
    return [by_id.get(ref, Handle()) for ref in shown]


def _lay_by_all(kept: Kept | None, unread: Sequence[str]) -> None:
    for line in unread:
        _lay_by(kept, "it did not keep to the shape", line)


def _unescaped(text: str) -> str:
    """Words that an answer spells by their numbers, as words, so that an erase finds them."""
    return re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)


def _lay_by(kept: Kept | None, why: str, item: Memory | str) -> None:
    if kept is not None:
        kept.lay_by(why, item if isinstance(item, str) else json.dumps(vars(item), ensure_ascii=False))
