"""A store filled by the million: rows of the same shape as observed turns, written past the pipeline, straight into its tables.

Words follow a Zipf distribution over made-up words, vectors are random directions; every row passes the read path as any
other. What this leaves out is what the measurements do not touch: idempotency keys, receipts, exact keys.

Belongs here: rows and their insertion. Does not belong here: measurements.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Table, select, update

from muniment.domain.enums import Basis, Change, FactStatus, ItemKind, MemoryType, OwnerType, Relation, Scope, Standing
from muniment.domain.query import IndexItem
from muniment.domain.records import Fact
from muniment.domain.scope import PartitionKey, Placement, Reader
from muniment.domain.statement import SlotKey
from muniment.ports.store import Locks, Slot, Told, WriteUnit
from muniment.service.muniment import Muniment
from muniment.store.tables.chain import event, evidence
from muniment.store.tables.shelves import index_item, partition
from muniment.text.tokenizer import TOKENIZER_ID, analyse, hash_tokens, tokenize

DIMENSION: Final = 512
VOCABULARY: Final = 20_000
WORDS: Final = (6, 24)
"""Words of a turn, from and to."""
SESSION: Final = 40
"""Turns of a session."""
SLICE: Final = 5_000
"""Rows of one transaction."""
START: Final = datetime(2025, 1, 1, tzinfo=UTC)
_SYLLABLES: Final = [c + v for c in ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "t", "z") for v in "aeiou"]


class Speech:
    """Made-up turns. The same seed says the same."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        made: dict[str, None] = {}
        while len(made) < VOCABULARY:
            made.setdefault("".join(self._random.choice(_SYLLABLES, self._random.integers(2, 5))))
        self.words = list(made)
        self._hashes = [hash_tokens(tokenize(word)) for word in self.words]
        ranks = np.arange(1, VOCABULARY + 1, dtype=np.float64)
        self._chances = np.cumsum(1 / ranks) / np.sum(1 / ranks)

    def turns(self, count: int) -> Iterator[tuple[str, bytes]]:
        """Texts with their packed token hashes."""
        sizes = self._random.integers(*WORDS, count)
        chosen = np.searchsorted(self._chances, self._random.random(int(sizes.sum())))
        at = 0
        for size in sizes.tolist():
            places = chosen[at : at + size].tolist()
            at += size
            yield " ".join(self.words[place] for place in places), b"".join(self._hashes[place] for place in places)

    def vectors(self, count: int) -> NDArray[np.float16]:
        """Random unit vectors."""
        raw = self._random.standard_normal((count, DIMENSION), dtype=np.float32)
        raw /= np.linalg.norm(raw, axis=1, keepdims=True)
        return raw.astype("<f2")

    def question(self) -> tuple[str, NDArray[np.float32]]:
        """Six words, of which a turn may hold some, and a vector."""
        places = np.searchsorted(self._chances, self._random.random(6)).tolist()
        vector = self.vectors(1)[0].astype(np.float32)
        return "what about " + " ".join(self.words[place] for place in places), vector


def fill(memory: Muniment, user: str, count: int, speech: Speech) -> None:
    """Gives a user that many turns more, in sessions of `SESSION`."""
    store: Any = memory.parts.store
    key = home(user)
    with store.write(Reader.of(tenant=key.tenant, user=user), Locks(partitions=(key,))):
        pass  # makes the partition
    for start in range(0, count, SLICE):
        with store.database.writing() as connection:
            _slice(connection, store, key, min(SLICE, count - start), speech)


def fill_slot(memory: Muniment, user: str, count: int, *, since: datetime) -> None:
    """States one residence an hour, `count` times, all in one slot: what `add_fact` would leave, without folding the slot
    anew for each, which takes hours at ten thousand."""
    me = memory.reader(user=user)
    ground = me.observe("We moved again and again.").evidence[0]
    place = Placement(scope=Scope.USER, user=user)
    key = SlotKey.of(subject=None, predicate="residence")
    assert key is not None
    slot = Slot(key=key, placement=place)
    for start in range(0, count, SLICE):
        with memory.parts.store.write(me.identity, Locks(slots=(slot,), partitions=(home(user),))) as unit:
            for number in range(start, min(start + SLICE, count)):
                begins, ends = (since + timedelta(hours=number + more) for more in (0, 1))
                _stated(unit, slot, number, ground, begins, ends if number + 1 < count else None)


def _stated(
    unit: WriteUnit, slot: Slot, number: int, ground: uuid.UUID, begins: datetime, ends: datetime | None
) -> None:
    """One open statement that holds until the next one begins, as head, statement, version, link and index entry."""
    content, value = f"lives at number {number}", f"number {number}"
    fact = Fact(
        fact_id=uuid.uuid4(), revision=1, placement=slot.placement, memory_type=MemoryType.FACT, content=content,
        status=FactStatus.ACTIVE, standing=Standing.HELD, confidence=1.0, basis=Basis.STATED, trust=80,
        recorded_at=unit.recorded_at, subject="user", predicate="residence", value=value, stated_from=begins,
        valid_from=begins, valid_until=ends, change=Change.ASSERT, actor=f"user:{slot.placement.user}",
    )  # fmt: skip
    told = Told(
        fact_id=fact.fact_id, ordinal=0, content=content, value=value, stated_from=begins, stated_until=None,
        valid_from_known=True, placed=True, trust=80, confidence=1.0, source="bench", evidence_id=ground,
    )  # fmt: skip
    unit.add_head(fact, slot=slot)
    unit.tell(told, slot=slot)
    unit.record([fact], slot=slot)
    unit.link_evidence(fact.fact_id, 1, [ground], Relation.SUPPORT)
    analysis = analyse(content)
    entry = IndexItem(
        kind=ItemKind.FACT, ref=fact.fact_id, placement=slot.placement, tokens=analysis.tokens, vectors=b"", revision=1,
        occurred_at=begins, valid_from=begins, valid_until=ends, memory_type="FACT", standing="HELD",
    )  # fmt: skip
    unit.add_index(PartitionKey.of(unit.reader.tenant, slot.placement), [entry])


def home(user: str) -> PartitionKey:
    """The partition of a user of the default tenant."""
    return PartitionKey(tenant="default", kind=OwnerType.USER, target=user)


def _slice(connection: Connection, store: Any, key: PartitionKey, count: int, speech: Speech) -> None:
    held = connection.execute(
        select(partition).where(
            partition.c.tenant_id == key.tenant, partition.c.kind == key.kind.value, partition.c.target == key.target
        )
    ).one()
    at = max(datetime.now(UTC), held.last_recorded_at + timedelta(microseconds=1))
    vectors = speech.vectors(count)
    rows = [
        _row(held, key, held.next_seq + place, at, text, tokens, vectors[place].tobytes(), store.embedder_id)
        for place, (text, tokens) in enumerate(speech.turns(count))
    ]
    for table in (event, evidence, index_item):
        _insert(connection, table, [row[table.name] for row in rows])
    connection.execute(
        update(partition)
        .where(partition.c.tenant_id == key.tenant, partition.c.partition_id == held.partition_id)
        .values(version=held.version + 1, next_seq=held.next_seq + count, last_recorded_at=at)
    )


def _insert(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Past SQLAlchemy's handling of each value, which would be most of the time: values are as SQLite keeps them."""
    names = list(rows[0])
    statement = f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
    connection.exec_driver_sql(statement, [tuple(row.values()) for row in rows])


def _row(
    held: Any, key: PartitionKey, seq: int, at: datetime, text: str, tokens: bytes, vector: bytes, model: str
) -> dict[str, dict[str, Any]]:
    """One turn as rows of the three tables."""
    session = f"{key.target}-{seq // SESSION}"
    said = START + timedelta(minutes=7 * seq)
    recorded = at.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    occurred = said.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    ids = uuid.uuid4().bytes, uuid.uuid4().bytes
    actor = "USER" if seq % 2 == 0 else "AGENT"
    placed = {"tenant_id": key.tenant, "scope": "USER", "user_id": key.target}
    return {
        "event": placed
        | {"event_id": ids[0], "actor_type": actor, "actor_id": key.target, "session_id": session}
        | {"event_type": "message", "source": "bench", "occurred_at": occurred, "occurred_offset": 0}
        | {"recorded_at": recorded, "lane_key": session, "seq": seq % SESSION},
        "evidence": placed
        | {"evidence_id": ids[1], "event_id": ids[0], "evidence_type": "CONVERSATION", "source_system": "bench"}
        | {"session_id": session, "content": text, "actor_type": actor, "trust": 80, "occurred_at": occurred}
        | {"occurred_offset": 0, "recorded_at": recorded, "redacted": 0, "eligibility": "ELIGIBLE"},
        "index_item": placed
        | {"partition_id": held.partition_id.bytes, "seq": seq, "touched": held.version + 1, "kind": "EVIDENCE"}
        | {"ref": ids[1], "revision": 0, "segment": 0, "session_id": session, "role": actor, "asks": 0}
        | {"tokens": tokens, "tail": b"", "vectors": vector, "occurred_at": _micros(said), "recorded_at": _micros(at)}
        | {"eligibility": "ELIGIBLE", "memory_type": "", "standing": "", "model_id": model}
        | {"tokenizer_id": TOKENIZER_ID},
    }


def _micros(at: datetime) -> int:
    return int((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))
