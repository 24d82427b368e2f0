"""Models: embedder, extractor, summariser, reranker, token counter, clock.

Belongs here: what the core asks of them. Does not belong here: which library answers; language models (`ports.llm`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol
from uuid import UUID

from muniment.domain.enums import ActorType, EvidenceType, MemoryType
from muniment.domain.records import Candidate, Fact
from muniment.domain.scope import Reader
from muniment.domain.summaries import Draft, Summary
from muniment.domain.time import Moment
from muniment.domain.usage import Usage


class Embedder(Protocol):
    """Turns text into vectors. `id` names model and version, and is stored with every vector; a store never mixes ids.

    `encode` returns a float32 array (len(texts), dimension), rows of unit length, a zero row for text with nothing to
    embed; it never raises for odd text (empty, NUL, surrogates, very long) and raises `ModelError` when the model fails.
    """

    @property
    def id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str], kind: Literal["document", "query"] = "document") -> Any: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A fact that is held, as an extractor may speak of it: 'that has changed', 'forget that'."""

    fact_id: UUID
    memory_type: MemoryType
    content: str
    subject: str | None = None
    predicate: str | None = None
    qualifier: str | None = None
    value: str | None = None


class Kept(Protocol):
    """What was answered about a turn before, as plain data by the key of its part, so that nothing is paid for twice.

    `keep` is durable when it returns. `lay_by` keeps what of an answer could not be used, for whoever looks into it; `spent`
    counts what was asked in vain.
    """

    def answered(self, key: str) -> Mapping[str, Any] | None: ...
    def keep(self, key: str, answer: Mapping[str, Any], usage: Usage) -> None: ...
    def lay_by(self, why: str, said: str) -> None: ...
    def spent(self, usage: Usage) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What an extractor sees: the text as it is kept (redacted), who said it, when, to whom, and the turns before it.

    `before` holds up to a few earlier texts of the session, oldest first, as (actor, text). `for_audit` marks words that no
    reader may see: they are shown to no model. An extractor that asks one is also given what is `known` of the user, where to
    keep what was answered (`kept`), and whom to tell of its `progress` (parts done, parts in all).
    """

    text: str
    actor: ActorType
    evidence_type: EvidenceType
    occurred: Moment | None
    reader: Reader
    evidence_id: UUID
    speaker: str | None = None
    before: tuple[tuple[ActorType, str], ...] = ()
    for_audit: bool = False
    known: tuple[Known, ...] = ()
    kept: Kept | None = field(default=None, compare=False, repr=False)
    progress: Callable[[int, int], object] | None = field(default=None, compare=False, repr=False)


class Extractor(Protocol):
    """Turns one turn into candidates, each with its quote (a span of the text) and confidence; nothing when unsure.

    `local` says that it calls no model and no network, so that it may run before the write without a second transaction.
    Raises `ModelError` when its model fails; the event is kept and the turn is tried again.
    """

    id: str
    version: str
    local: bool

    def extract(self, turn: Turn) -> Sequence[Candidate]: ...


class Reranker(Protocol):
    """Reads a question with each text and says how well the text answers it.

    `rerank` returns a score for each text, in their order: finite, higher is better, comparable within the call only; None
    for a text it has no score for. It may call a network, and raises `ModelError` when the model fails.
    """

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float | None]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn as a summariser sees it: the words that may be told from, who said them (`speaker` by name, where there is
    one), when it was said and when it was recorded; `vectors` are float16 rows of the embedder's dimension, b"" where there
    are none."""

    evidence_id: UUID
    text: str
    actor: ActorType
    at: datetime
    recorded_at: datetime
    speaker: str | None = None
    vectors: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a summary is made of: turns, oldest first, the governed facts that hold and were told in them, and the version
    before, with only the lines that still stand."""

    turns: tuple[Said, ...]
    facts: tuple[Fact, ...]
    earlier: Summary | None = None


class Summariser(Protocol):
    """Turns what was said into the five fields, each line with the facts and evidence it rests on, the best line of a field
    first; it may give more than will fit. `id` names what it is and its version, at most 100 characters.

    Raises `ModelError` when its model fails.
    """

    id: str

    def summarise(self, material: Material) -> Draft: ...


class TokenCounter(Protocol):
    """Counts tokens exactly as the named encoding does."""

    encoding: str

    def count(self, text: str) -> int: ...


class Clock(Protocol):
    """Gives the current instant, aware, in UTC."""

    def __call__(self) -> datetime: ...
