"""Stores, questions and the floor's features of what is proposed: what `fit_floor` learns from and is judged by.

Each conversation of a set is a store of its own. Beside them stand stores of other sizes: whole sets and several sets as one
(broad), a few turns of one conversation, a few preferences (small). Every store is asked its own questions, those of
`unrelated_questions.toml`, and questions of other sets; where speakers have names, questions of another conversation also with
these speakers' names in them. Rows are what the product indexes of a turn, held in memory; the features are the product's own.

Belongs here: making and asking the stores. Does not belong here: the regression and the tables (`fit_floor`).
"""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from muniment.domain.enums import ItemKind, OwnerType
from muniment.domain.errors import InvalidInput
from muniment.domain.scope import PartitionKey, Reader, visible_to
from muniment.index import relevance
from muniment.index.local import LocalIndex
from muniment.ports.index import IndexQuery, IndexRow, PartitionState
from muniment.ports.models import Embedder
from muniment.service.formats import zone_named
from muniment.text.clock_times import clock_time
from muniment.text.passages import CHUNK_CHARS, pieces
from muniment.text.tokenizer import analyse

ENGLISH: Final = ("locomo", "realtalk", "longmemeval_pool", "beam_100k", "bfcl_memory")
CHINESE: Final = "memdaily_pool_zh"
BROAD: Final = {
    "beam, one store": ("beam_100k",),
    "locomo, one store": ("locomo",),
    "three sets, one store": ("locomo", "realtalk", "beam_100k"),
    "two sets, one store": ("longmemeval_pool", "beam_100k"),
}
SIZES: Final = (1, 2, 4, 8, 16, 32)
PROPOSED: Final = 20
"""What `search` looks at for ten hits."""
NEAR: Final = 10
KEY: Final = PartitionKey(tenant="fit", kind=OwnerType.USER, target="u")
READER: Final = visible_to(Reader.of(tenant="fit", user="u"))
ROLES: Final = {"user": "USER", "assistant": "AGENT"}

Record = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """`kind`: real, fit, held, cross (of another set) or swap (of another conversation, with these names). `near`: its subject
    is spoken of in the store. `gold` are rows' places."""

    kind: str
    text: str
    gold: frozenset[int] = frozenset()
    category: str = ""
    time: str | None = None
    near: bool = False


@dataclass(frozen=True)
class Asked:
    """A question with its proposals' features, one row each, best ranked first."""

    set: str
    conversation: int
    question: Question
    chinese: bool
    gold: np.ndarray
    features: dict[str, np.ndarray]


@dataclass
class Rows:
    """The rows of one store, as the index reads them."""

    held: list[IndexRow]

    def partition_states(self, keys: Sequence[PartitionKey]) -> dict[PartitionKey, PartitionState]:
        return {KEY: PartitionState(version=len(self.held), segment_version=0, count=len(self.held))}

    def index_rows(self, key: PartitionKey, since_version: int) -> list[IndexRow]:
        return self.held[since_version:]

    def index_segments(self, key: PartitionKey) -> list[tuple[int, bytes]]:
        return []


def read(data: Path, name: str) -> list[Record]:
    return [json.loads(line) for line in (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


class Stores:
    """All stores, made and asked one after the other; everything random follows from the seed."""

    def __init__(self, data: Path, questions: Path, embedder: Embedder, seed: int) -> None:
        self.records = {name: read(data, name) for name in (*ENGLISH, CHINESE)}
        self.preferences = read(data, "prefeval")
        self.unrelated = tomllib.loads(questions.read_text(encoding="utf-8"))
        self.embedder, self.seed = embedder, seed

    def all(self) -> Iterator[Asked]:
        """Every question of every store."""
        for name, records in self.records.items():
            for place, record in enumerate(records):
                yield from self._asked(name, place, *self._conversation(name, place, record))
        for name, sets in BROAD.items():
            yield from self._asked(name, 0, *self._broad(name, sets))
        for name, sets in (("small, en", ENGLISH), ("small, zh", (CHINESE,))):
            for place in range(300):
                yield from self._asked(name, place, *self._small(name, place, sets))
        for place in range(160):
            yield from self._asked("preferences", place, *self._few_preferences(place))

    def _asked(self, name: str, place: int, docs: Sequence[Record], questions: Sequence[Question]) -> Iterator[Asked]:
        index, source = LocalIndex(self.embedder, 1 << 34), Rows([self._row(at, doc) for at, doc in enumerate(docs)])
        end = max((row.occurred_at or 0 for row in source.held), default=0) or 1_700_000_000_000_000
        for question in questions:
            at = _micros(question.time) or end
            query = IndexQuery(
                text=question.text,
                vector=self.embedder.encode([question.text], "query")[0],
                kinds=frozenset({ItemKind.EVIDENCE}),
                scopes=READER,
                partitions=(KEY,),
                k=PROPOSED,
                now=max(end, at) + 1,
                question_at=datetime.fromtimestamp(at / 1e6, UTC),
            )
            with patch.object(relevance, "probability", wraps=relevance.probability) as spy:
                found = index.search(source, query)
            if found:
                gold = np.array([int.from_bytes(item.ref.bytes, "big") in question.gold for item in found])
                chinese = spy.call_args.kwargs["chinese"]
                yield Asked(name, place, question, chinese, gold, spy.call_args.args[0])

    def _row(self, at: int, doc: Record) -> IndexRow:
        found, speaker = analyse(doc["text"]), str(doc.get("speaker") or "")
        vectors = np.asarray(self.embedder.encode(pieces(doc["text"], CHUNK_CHARS) or [doc["text"]], "document"))
        missing = dict.fromkeys(IndexRow._fields)
        values: dict[str, Any] = {
            **missing,
            "seq": at + 1,
            "touched": at + 1,
            "kind": "EVIDENCE",
            "ref": at.to_bytes(16, "big"),
            "revision": 0,
            "segment": 0,
            "scope": "USER",
            "user": "u",
            "session": doc.get("session"),
            "speaker": "" if speaker in ROLES else speaker,
            "role": ROLES.get(speaker, "USER"),
            "asks": found.asks,
            "tokens": found.tokens,
            "tail": found.tail,
            "vectors": vectors.astype("<f2").tobytes(),
            "occurred_at": _micros(doc.get("time")),
            "recorded_at": 0,
            "eligibility": "ELIGIBLE",
            "memory_type": "",
            "standing": "",
            "model_id": self.embedder.id,
        }
        return IndexRow(**values)

    def _conversation(self, name: str, place: int, record: Record) -> tuple[list[Record], list[Question]]:
        dice = random.Random(f"{self.seed} {name} {place}")
        docs, chinese = record["docs"], name == CHINESE
        own = _questions(record, {str(doc["id"]): at for at, doc in enumerate(docs)})
        share = slice(place % 7, None, 7) if chinese else slice(None)
        asked = [*own, *self._unrelated("zh" if chinese else "en", docs, share)]
        if chinese:
            others = [
                query["question"] for other in self.records[name] if other is not record for query in other["queries"]
            ]
            return docs, [*asked, *(Question("cross", text) for text in dice.sample(others, 15))]
        asked += self._of_others([name], dice)
        if name in ("locomo", "realtalk"):
            asked += self._renamed(record, dice)
        return docs, asked

    def _broad(self, name: str, sets: Sequence[str]) -> tuple[list[Record], list[Question]]:
        dice = random.Random(f"{self.seed} {name}")
        docs: list[Record] = []
        own: list[Question] = []
        for part in sets:
            for record in self.records[part]:
                places = {str(doc["id"]): len(docs) + at for at, doc in enumerate(record["docs"])}
                mark = f"{part} {record['conv_id']} "
                docs += [{**doc, "session": f"{mark}{doc.get('session')}"} for doc in record["docs"]]
                own += _questions(record, places)
        own = dice.sample(own, min(len(own), 300))
        return docs, [*own, *self._unrelated("en", docs), *self._of_others(sets, dice)]

    def _small(self, name: str, place: int, sets: Sequence[str]) -> tuple[list[Record], list[Question]]:
        dice = random.Random(f"{self.seed} {name} {place}")
        chosen, size = dice.choice(sets), dice.choice(SIZES)
        record = dice.choice(self.records[chosen])
        docs = record["docs"]
        places = {str(doc["id"]): at for at, doc in enumerate(docs)}
        able = [item for item in _questions(record, places) if 0 < len(item.gold) <= size]
        real = dice.sample(able, min(len(able), 3 if size >= 8 else 1))
        kept = {at for item in real for at in item.gold}
        rest = [at for at in range(len(docs)) if at not in kept]
        order = sorted(kept | set(dice.sample(rest, max(0, min(size - len(kept), len(rest))))))
        held = [{**docs[at], "session": None} for at in order]
        renumbered = [
            Question("real", item.text, frozenset(order.index(at) for at in item.gold), item.category, item.time)
            for item in real
        ]
        language = "zh" if chosen == CHINESE else "en"
        unrelated = self._unrelated(language, held)
        few = [item for kind in ("fit", "held") for item in dice.sample([q for q in unrelated if q.kind == kind], 6)]
        cross = [] if chosen == CHINESE else dice.sample(self._of_others([chosen], dice), 3)
        return held, [*renumbered, *few, *cross]

    def _few_preferences(self, place: int) -> tuple[list[Record], list[Question]]:
        """Preferences with the questions they bear on, mostly without a word in common, and questions on other topics."""
        dice = random.Random(f"{self.seed} preferences {place}")
        own = dice.sample(self.preferences, dice.choice(SIZES))
        docs = [{"text": item["preference"]} for item in own]
        real = [Question("real", item["question"], frozenset({at})) for at, item in enumerate(own[:6])]
        topics = {item["topic"] for item in own}
        others = [item["question"] for item in self.preferences if item["topic"] not in topics]
        unrelated = self._unrelated("en", docs)
        few = [item for kind in ("fit", "held") for item in dice.sample([q for q in unrelated if q.kind == kind], 8)]
        return docs, [*real, *few, *(Question("cross", text) for text in dice.sample(others, min(4, len(others))))]

    def _unrelated(self, language: str, docs: Sequence[Record], share: slice = slice(None)) -> list[Question]:
        said = "\n".join(doc["text"] for doc in docs).lower()
        return [
            Question(kind, item["text"], near=any(word in said for word in item["about"]))
            for kind in ("fit", "held")
            for item in self.unrelated[kind][language][share]
        ]

    def _of_others(self, sets: Sequence[str], dice: random.Random) -> list[Question]:
        texts = [
            query["question"]
            for name in ENGLISH
            if name not in sets
            for record in self.records[name]
            for query in record["queries"]
        ]
        return [Question("cross", text) for text in dice.sample(texts, 150)]

    def _renamed(self, record: Record, dice: random.Random) -> list[Question]:
        mine = _speakers(record)
        texts = []
        for name in ("locomo", "realtalk"):
            for other in self.records[name]:
                if other is not record:
                    names: Mapping[str, str] = dict(zip(_speakers(other), mine, strict=False))
                    texts += [_replaced(query["question"], names) for query in other["queries"]]
        return [Question("swap", text) for text in dice.sample(texts, 150)]


def _questions(record: Record, places: Mapping[str, int]) -> list[Question]:
    return [
        Question(
            "real",
            query["question"],
            frozenset(places[str(gold)] for gold in query.get("gold") or () if str(gold) in places),
            str(query.get("category") or ""),
            query.get("time"),
        )
        for query in record["queries"]
    ]


def _speakers(record: Record) -> list[str]:
    return sorted({doc["speaker"] for doc in record["docs"] if doc["speaker"]})


def _replaced(text: str, names: Mapping[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(old, new)
    return text


def _micros(time: str | None) -> int | None:
    """A set's own spelling of a time, in microseconds; None where it cannot be read."""
    try:
        return int(clock_time(time, zone_named("UTC")).timestamp() * 1_000_000) if time else None
    except InvalidInput:
        return None
