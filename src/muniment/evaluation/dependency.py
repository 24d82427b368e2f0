"""Kind `dependency`: does a context follow when something changes that other things rest on?

Two levels, each an episode at a time, every write at its own instant, every question through `context`:

*structured*: facts by `add_fact` with `derived_from`, conditional successors by `add_successor`, changes by `change`,
deletions by `forget`. The entities of the data are declared as single-valued predicates, as an application would declare its
keys; nothing of the gold is read before it is asked for.
*text*: the same lines, by `observe` alone.

The questions for before the change are asked when the line that changes things is the next; the others after the last.

Belongs here: the course of the suite. Does not belong here: the records (`episodes`), judging (`answers`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from muniment.bootstrap import open_memory
from muniment.config import Policy, Predicate
from muniment.evaluation.answers import answered
from muniment.evaluation.episodes import TYPES, Episode, Line, Task, episode
from muniment.evaluation.options import ReplayClock, Run
from muniment.service.formats import zone_named
from muniment.service.reader import Reader

LEVELS: Final = ("structured", "text")
SUBJECT: Final = {"en": "household", "zh": "家里"}
LATER: Final = timedelta(minutes=1)


@dataclass(slots=True)
class Counts:
    """For each (level, moment, type) how many tasks were answered, of how many."""

    episodes: int = 0
    right: dict[tuple[str, str, str], int] = field(default_factory=dict)
    asked: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def add(self, level: str, moment: str, task: Task, right: bool) -> None:
        """Counts one task."""
        key = (level, moment, task.type)
        self.asked[key] = self.asked.get(key, 0) + 1
        self.right[key] = self.right.get(key, 0) + right


def evaluate(records: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """The figures of each dataset and split among the records. Raises `InvalidInput` for malformed ones."""
    zone = zone_named(run.options.zone)
    chosen = [record for record in records if run.options.split in (None, record.get("split"))][: run.options.limit]
    episodes = [episode(record, zone) for record in chosen]
    counts: dict[tuple[str, str], Counts] = {}
    with tempfile.TemporaryDirectory(prefix="muniment-eval-") as folder:
        suite = _Suite(run, run.options.db or f"sqlite:///{Path(folder) / 'eval.db'}", episodes)
        try:
            for done, (record, item) in enumerate(zip(chosen, episodes, strict=True), 1):
                dataset = str(record.get("dataset", "dependency"))
                count = counts.setdefault((dataset, str(record.get("split", "all"))), Counts())
                count.episodes += 1
                suite.measure(item, dataset, count)
                if run.options.progress is not None:
                    run.options.progress(f"episodes of {dataset}", done, len(episodes))
        finally:
            suite.close()
            run.save()
    return [_figures(dataset, split, count) for (dataset, split), count in counts.items()]


def declared(policy: Policy, episodes: Sequence[Episode]) -> Policy:
    """The policy with the entities of the episodes as single-valued predicates; one the policy knows stays as it is."""
    names = sorted({line.entity for item in episodes for line in item.lines})
    return replace(policy, predicates={**{name: Predicate(single=True) for name in names}, **policy.predicates})


class _Suite:
    """One store, written to by a memory that knows the entities (structured) and one that does not (text)."""

    def __init__(self, run: Run, url: str, episodes: Sequence[Episode]) -> None:
        self._clock = ReplayClock()
        policies = {"structured": declared(run.policy, episodes), "text": run.policy}
        self._memories = {
            level: open_memory(
                url, policy=policies[level], embedder=run.embedder, clock=self._clock, settings=run.settings
            )
            for level in LEVELS
        }

    def close(self) -> None:
        """Closes the memories."""
        for memory in self._memories.values():
            memory.close()

    def measure(self, item: Episode, dataset: str, count: Counts) -> None:
        """One episode on both levels."""
        for level in LEVELS:
            reader = self._memories[level].reader(tenant=f"evaluation-{dataset}-{level}"[:128], user=item.id)
            say = _Structured(reader, item).say if level == "structured" else _observed(reader, item)
            for place, line in enumerate(item.lines):
                self._clock.at = line.at
                if place == item.probe:
                    self._ask(reader, item.before, level, "before", count)
                say(place, line)
            self._clock.at = _end(item)
            if item.probe >= len(item.lines):
                self._ask(reader, item.before, level, "before", count)
            self._ask(reader, item.after, level, "after", count)

    @staticmethod
    def _ask(reader: Reader, tasks: Sequence[Task], level: str, moment: str, count: Counts) -> None:
        for task in tasks:
            text = reader.context(task.question).text
            count.add(level, moment, task, answered(task, text, before=moment == "before"))


def _end(item: Episode) -> datetime:
    return max(line.at for line in item.lines) + LATER


def _observed(reader: Reader, item: Episode) -> Callable[[int, Line], None]:
    def say(place: int, line: Line) -> None:
        reader.observe(line.text, occurred_at=line.at, idempotency_key=f"{item.id}/{place}")

    return say


class _Structured:
    """Writes the lines of one episode by the structured calls; knows which fact each entity is by now."""

    def __init__(self, reader: Reader, item: Episode) -> None:
        self._reader = reader
        self._id = item.id
        self._subject = SUBJECT.get(item.lang, SUBJECT["en"])
        self._facts: dict[str, UUID] = {}

    def say(self, place: int, line: Line) -> None:
        """Writes one line."""
        key = f"{self._id}/{place}"
        if line.kind == "delete":
            self._reader.forget(fact=self._facts[line.entity], idempotency_key=key)
            return
        if line.kind == "rule":
            when = self._facts[line.when or ""]
            self._reader.add_successor(self._facts[line.entity], when=when, value=line.value, idempotency_key=key)
            return
        if line.kind == "change":
            receipt = self._reader.change(
                self._facts[line.entity], value=line.value, content=line.text, at=line.at, idempotency_key=key
            )
        else:
            receipt = self._reader.add_fact(
                line.text,
                subject=self._subject,
                predicate=line.entity,
                value=line.value,
                derived_from=[self._facts[root] for root in line.depends_on],
                occurred_at=line.at,
                idempotency_key=key,
            )
        if receipt.fact_id is not None:
            self._facts[line.entity] = receipt.fact_id


def _figures(dataset: str, split: str, counts: Counts) -> dict[str, Any]:
    """One result of the report: for each level the share answered, by type with its n, and the same for before."""
    shown: dict[str, Any] = {"dataset": dataset, "kind": "dependency", "split": split, "n": counts.episodes}
    for level in LEVELS:
        shown[level] = _moment(counts, level, "after") | {"before": _moment(counts, level, "before")}
    return shown


def _moment(counts: Counts, level: str, moment: str) -> dict[str, Any]:
    asked = {name: counts.asked.get((level, moment, name), 0) for name in TYPES}
    right = {name: counts.right.get((level, moment, name), 0) for name in TYPES}
    total = sum(asked.values())
    return {
        "accuracy": round(sum(right.values()) / total, 4) if total else None,
        "by_type": {name: {"right": right[name], "n": asked[name]} for name in TYPES if asked[name]},
    }
