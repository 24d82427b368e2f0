"""The index: derived search over partitions.

Contract. An index proposes references and scores; the store decides what is true, visible and current. Every
statistic it ranks by is over what the query can see: nothing outside its scopes, instants and kinds moves a score.

Belongs here: `Index`, what it reads (`IndexSource`, `IndexRow`, `PartitionState`) and what it is asked
(`IndexQuery`). Does not belong here: how it scores (index/) and how the rows are stored (store/).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, Protocol

from muniment.domain.enums import ItemKind
from muniment.domain.query import Proposal
from muniment.domain.scope import PartitionKey, ScopeSet


@dataclass(frozen=True, slots=True)
class PartitionState:
    """How far a partition has been written: its version, the version its packed segments cover (0: none), and how many
    index rows it holds. A count that does not follow from the rows since a version says that some were erased."""

    version: int
    segment_version: int
    count: int


class IndexRow(NamedTuple):
    """One stored index entry as raw columns, in `IndexItem`'s terms.

    `seq` orders the partition's rows and never changes; `touched` is the partition version that last wrote the row.
    Instants are microseconds since 1970 in UTC, None where there is none. `tokens` and `tail` are packed
    little-endian uint32 hashes; `vectors` is float16, chunks x dimension of the model `model_id`, b"" where there is
    none.
    """

    seq: int
    touched: int
    kind: str
    ref: bytes
    revision: int
    segment: int
    scope: str
    user: str | None
    department: str | None
    agent: str | None
    session: str | None
    task: str | None
    speaker: str
    role: str
    asks: bool
    tokens: bytes
    tail: bytes
    vectors: bytes
    occurred_at: int | None
    valid_from: int | None
    valid_until: int | None
    recorded_at: int | None
    retracted_at: int | None
    expires_at: int | None
    hidden_at: int | None
    eligibility: str
    memory_type: str
    standing: str
    model_id: str


class IndexSource(Protocol):
    """Where an index reads its truth from; one consistent snapshot for the length of a search."""

    def partition_states(self, keys: Sequence[PartitionKey]) -> dict[PartitionKey, PartitionState]:
        """The state of each partition that exists; one never written is left out."""
        ...

    def index_rows(self, key: PartitionKey, since_version: int) -> Sequence[IndexRow]:
        """The partition's rows with `touched` greater than `since_version`, ordered by `seq`."""
        ...

    def index_segments(self, key: PartitionKey) -> Sequence[tuple[int, bytes]]:
        """The partition's packed segments as (version up to which they cover, bytes), in order of version."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """What a search asks of the index.

    `text` feeds the keyword side, `vector` (float32, unit length) the meaning side; None searches by keyword only.
    Instants are microseconds since 1970 in UTC. `now`, `valid_at`, `known_at`: None means the present; `known_marks`
    gives what `known_at` means partition by partition, for a token of several. `since`/`until` bound what is
    proposed, not what is counted: by `occurred_at`, for facts by their valid period. `eligibility` names the values
    admitted, `types` the memory types of facts (None: all). `include_history` admits what is retracted, expired or
    not valid at the instant.
    """

    text: str
    vector: Any | None
    kinds: frozenset[ItemKind]
    scopes: ScopeSet
    partitions: tuple[PartitionKey, ...]
    k: int = 10
    now: int | None = None
    valid_at: int | None = None
    known_at: int | None = None
    known_marks: Mapping[PartitionKey, int] | None = None
    since: int | None = None
    until: int | None = None
    include_history: bool = False
    include_contenders: bool = False
    eligibility: frozenset[str] = frozenset({"ELIGIBLE"})
    types: frozenset[str] | None = None
    preset: Literal["measured", "seed"] = "measured"
    role_prior: bool = False
    question_at: datetime | None = None


class Index(Protocol):
    """Proposes the entries that best answer a question."""

    def search(self, source: IndexSource, query: IndexQuery) -> list[Proposal]:
        """At most `query.k` proposals, best first; the order is the same for the same rows and query."""
        ...

    def pack(self, source: IndexSource, key: PartitionKey) -> tuple[int, bytes] | None:
        """The partition's next segment as (version it covers up to, bytes), or None when segments cover all of it."""
        ...

    def forget(self, key: PartitionKey) -> None:
        """Drops what is held of a partition; the next search reads it afresh."""
        ...

    def holding(self, text: str) -> list[PartitionKey]:
        """Partitions held in which some row has every token of a text."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        ...
