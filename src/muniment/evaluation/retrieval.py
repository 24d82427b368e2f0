"""Kind `retrieval`: are the turns that answer a question among the first hits?

Each conversation becomes a user of its own; every question is put to the product's own `search`. A hit stands for the
documents it rests on: evidence for the document it was, a fact for those of its evidence. Recall is the mean, over questions
with gold documents, of the share of those among the first k documents.

Belongs here: the course of the suite. Does not belong here: figures (`tally`), baselines (`baselines`), tables (`report`).
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from muniment.bootstrap import open_memory
from muniment.config import Policy
from muniment.domain.answers import Hits
from muniment.domain.records import Evidence
from muniment.evaluation.baselines import Baselines
from muniment.evaluation.options import ReplayClock, Run
from muniment.evaluation.tally import PRODUCT, Asked, Tally, figures
from muniment.service.formats import zone_named
from muniment.service.importing import ImportReport, write
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.service.transcripts import conversation
from muniment.service.turns import Conversation, Turn
from muniment.text.clock_times import clock_time

DEPTH: Final = 20
"""Hits asked for: the deepest figure."""


def evaluate(records: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """The figures of each dataset and split among the records, in their order. Raises `InvalidInput` for malformed ones."""
    tallies: dict[tuple[str, str], Tally] = {}
    left = run.options.limit
    chosen = _chosen(records, run.options.split, left)
    total = sum(count for _, count in chosen)
    with tempfile.TemporaryDirectory(prefix="muniment-eval-") as folder:
        suite = _Suite(run, run.options.db or f"sqlite:///{Path(folder) / 'eval.db'}")
        try:
            for record, count in chosen:
                key = (str(record.get("dataset", "retrieval")), str(record.get("split", "all")))
                suite.conversation(record, count, tallies.setdefault(key, Tally()), total)
        finally:
            suite.close()
            run.save()
            if run.options.rankings is not None:
                lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in suite.rankings)
                Path(run.options.rankings).write_text("".join(lines), encoding="utf-8")
    return [
        figures(dataset, split, tally) | {"switches": run.switches()} for (dataset, split), tally in tallies.items()
    ]


def _chosen(
    records: Iterable[Mapping[str, Any]], split: str | None, limit: int | None
) -> list[tuple[Mapping[str, Any], int]]:
    """The conversations that are asked of, each with how many of its questions."""
    chosen, left = [], limit
    for record in records:
        if split is not None and record.get("split") != split:
            continue
        count = len(record.get("queries", ()))
        count = count if left is None else min(count, left)
        if count:
            chosen.append((record, count))
        if left is not None:
            left -= count
    return chosen


class _Suite:
    """A memory (and, to compare, one of the plain preset over the same store) that conversations are put into and asked."""

    def __init__(self, run: Run, url: str) -> None:
        self._run = run
        self._clock = ReplayClock()
        self._memories = {PRODUCT: self._open(url, run.policy)}
        if run.options.compare:
            self._memories["seed"] = self._open(url, run.seed_policy)
        self._zone = zone_named(run.options.zone)
        self._done = 0
        self.rankings: list[dict[str, Any]] = []

    def _open(self, url: str, policy: Policy) -> Muniment:
        return open_memory(
            url, policy=policy, embedder=self._run.embedder, clock=self._clock, settings=self._run.settings
        )

    def close(self) -> None:
        """Closes the memories."""
        for memory in self._memories.values():
            memory.close()

    def conversation(self, record: Mapping[str, Any], count: int, tally: Tally, total: int) -> None:
        """Imports one conversation and asks its first `count` questions."""
        said = conversation(record, where=str(record.get("conv_id", "?")), zone=self._zone)
        self._clock.at = _end(said)
        tenant = f"evaluation-{said.dataset}"[:128]
        report = self._import(said, tenant)
        tally.conversations += 1
        tally.turns += report.new + report.present
        tally.facts += report.facts
        tally.import_seconds += report.seconds
        readers = {name: memory.reader(tenant=tenant, user=said.name) for name, memory in self._memories.items()}
        texts = [(str(doc["id"]), str(doc["text"])) for doc in record["docs"]]
        beside = Baselines(texts, self._run.embedder) if self._run.options.compare else None
        documents = _Documents()
        for place, query in enumerate(record["queries"][:count]):
            tally.asked.append(self._ask(query, readers, beside, documents, tally, first=place == 0))
            self._done += 1
            self._tell(f"questions of {said.dataset}", self._done, total)

    def _import(self, said: Conversation, tenant: str) -> ImportReport:
        done, of = 0, len(said.turns)

        def progress(count: int) -> None:
            nonlocal done
            done += count
            self._tell(f"turns of {said.name}", done, of)

        return write(self._memories[PRODUCT], [said], origin=said.dataset, tenant=tenant, progress=progress)

    def _ask(
        self,
        query: Mapping[str, Any],
        readers: Mapping[str, Reader],
        beside: Baselines | None,
        documents: _Documents,
        tally: Tally,
        *,
        first: bool,
    ) -> Asked:
        """One question to the product, timed, and to whatever it is compared with."""
        question = str(query["question"])
        at = clock_time(query["time"], self._zone) if query.get("time") else None
        ranked: dict[str, list[str]] = {}
        for name, reader in readers.items():
            started = time.perf_counter()
            hits = self._hits(question, reader, at)
            spent = (time.perf_counter() - started) * 1000
            if name == PRODUCT:
                (tally.first_ms if first else tally.search_ms).append(spent)
                tally.degraded += bool(hits.degraded)
            ranked[name] = documents.of(hits, reader)
            if name == PRODUCT:
                self._note(question, reader, at, hits)
        if beside is not None:
            ranked |= beside.rankings(question, DEPTH)
        return Asked(
            category=str(query.get("category") or "all"),
            gold=tuple(dict.fromkeys(map(str, query.get("gold") or ()))),
            forbidden=tuple(map(str, query.get("forbidden") or ())),
            ranked=ranked,
        )

    def _hits(self, question: str, reader: Reader, at: datetime | None) -> Hits:
        """What a user's own search gives, by the same public call as the command line's."""
        return reader.search(question, k=DEPTH, valid_at=at, role_prior=self._run.options.role_prior or None)

    def _note(self, question: str, reader: Reader, at: datetime | None, hits: Hits) -> None:
        """Keeps what was asked and found, where rankings are wanted."""
        if self._run.options.rankings is None:
            return
        asked_at = at or self._clock.at
        self.rankings.append(
            {
                "tenant": reader.identity.tenant,
                "user": reader.identity.user,
                "question": question,
                "valid_at": None if asked_at is None else asked_at.isoformat(),
                "k": DEPTH,
                "ids": [str(hit.id) for hit in hits],
            }
        )

    def _tell(self, what: str, done: int, of: int) -> None:
        if self._run.options.progress is not None:
            self._run.options.progress(what, done, of)


class _Documents:
    """Which documents hits stand for; what evidence was is asked once."""

    def __init__(self) -> None:
        self._names: dict[UUID, str] = {}

    def of(self, hits: Hits, reader: Reader) -> list[str]:
        """The documents, each once, best first."""
        ranked: dict[str, None] = {}
        for hit in hits:
            if isinstance(hit.item, Evidence) and hit.item.source_id is not None:
                ranked.setdefault(hit.item.source_id)
            # A fact stands for what it rests on, and evidence said several times for each of its tellings.
            ranked.update(dict.fromkeys(self._behind(hit.why.evidence, reader)))
        return list(ranked)

    def _behind(self, evidence: Sequence[UUID], reader: Reader) -> list[str]:
        missing = [ref for ref in evidence if ref not in self._names]
        if missing:
            with reader.parts.store.read(reader.identity) as unit:
                found = unit.evidence(missing)
            self._names.update({ref: found[ref].source_id or "" if ref in found else "" for ref in missing})
        return [self._names[ref] for ref in evidence if self._names[ref]]


def _end(said: Conversation) -> datetime | None:
    """When the last turn was spoken; None where no turn says when."""
    times = (turn.observation.occurred for turn in said.turns if isinstance(turn, Turn))
    return max((moment.at for moment in times if moment is not None), default=None)
