"""Kind `state`: which claim is current, which took over from which, and is the same found from the words alone?

*Claims given.* Each claim is stated by `add_fact` in the order of its events: its slot is the predicate, its event's time
the start; the catalogue of the memory declares every slot the data names as single-valued, for a slot is a state and a
state has one value. The claims say no more of a thing than its name; which part of it is meant (one of two deployments)
stands only in the event's words, so the qualifier is what the product itself reads in them, and a claim about a period
that its words say was over by then is stated for that period. A claim without a slot is a statement that stands alone.

*From text.* Only the events' words, by `observe`, each at its time; see `found_in_text` for what counts as right.

Belongs here: the course of the suite. Does not belong here: the records (`bundles`), comparison and figures (`states`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from muniment.bootstrap import open_memory
from muniment.config import Policy, Predicate
from muniment.domain.records import Fact
from muniment.domain.statement import canonical
from muniment.domain.time import Moment
from muniment.evaluation.bundles import Bundle, Claim, Happening, bundle, has_claims, in_order
from muniment.evaluation.options import ReplayClock, Run
from muniment.evaluation.states import Counts, Measured, Stated, edges_of, figures, found_in_text, in_force
from muniment.service.formats import zone_named
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.text.timex import time_expressions

LATER = timedelta(minutes=1)
"""After the last event: when the questions are asked."""
LISTED = 1_000
"""Facts of one bundle that are looked through, far more than it has."""


def evaluate(records: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """The figures of each dataset and split among the records. Raises `InvalidInput` for malformed ones."""
    counts: dict[tuple[str, str], Counts] = {}
    chosen = [record for record in records if run.options.split in (None, record.get("split"))]
    zone = zone_named(run.options.zone)
    bundles: list[tuple[str, Bundle, Counts]] = []
    for record in chosen:
        dataset = str(record.get("dataset", "state"))
        count = counts.setdefault((dataset, str(record.get("split", "all"))), Counts())
        if not has_claims(record):
            count.unmeasured += 1
        elif run.options.limit is None or len(bundles) < run.options.limit:
            bundles.append((dataset, bundle(record, zone), count))
    with tempfile.TemporaryDirectory(prefix="muniment-eval-") as folder:
        suite = _Suite(run, run.options.db or f"sqlite:///{Path(folder) / 'eval.db'}", [item for _, item, _ in bundles])
        try:
            for done, (dataset, item, count) in enumerate(bundles, 1):
                count.measured.append(suite.measure(item, dataset))
                if run.options.progress is not None:
                    run.options.progress(f"bundles of {dataset}", done, len(bundles))
        finally:
            suite.close()
            run.save()
    return [figures(dataset, split, count) for (dataset, split), count in counts.items()]


def declared(policy: Policy, bundles: Sequence[Bundle]) -> Policy:
    """The policy with every slot of the data as a single-valued predicate, by its name and nothing else of the data."""
    slots = sorted({claim.slot for item in bundles for claim in item.claims if claim.slot is not None})
    return replace(policy, predicates={**policy.predicates, **{slot: Predicate(single=True) for slot in slots}})


class _Suite:
    """One store, read by a memory of the run's policy (text) and one that knows the data's slots (claims)."""

    def __init__(self, run: Run, url: str, bundles: Sequence[Bundle]) -> None:
        self._clock = ReplayClock()
        self._zone = zone_named(run.options.zone)
        policies = {"text": run.policy, "claims": declared(run.policy, bundles)}
        self._memories: dict[str, Muniment] = {
            name: open_memory(url, policy=policy, embedder=run.embedder, clock=self._clock, settings=run.settings)
            for name, policy in policies.items()
        }

    def close(self) -> None:
        """Closes the memories."""
        for memory in self._memories.values():
            memory.close()

    def measure(self, item: Bundle, dataset: str) -> Measured:
        """One bundle on both levels."""
        readers = {
            name: memory.reader(tenant=f"evaluation-{dataset}-{name}"[:128], user=item.id)
            for name, memory in self._memories.items()
        }
        grounds = self._observe(readers["text"], item)
        end = max(event.at for event in item.events) + LATER
        self._clock.at = end
        text = found_in_text(item, readers["text"].facts(valid_at=end, limit=LISTED), grounds)
        stated = self._state(readers["claims"], item, self._qualifiers(readers["text"], item, grounds))
        self._clock.at = end
        held = readers["claims"].facts(valid_at=end, limit=LISTED)
        return Measured(
            category=item.category,
            current=in_force(held, stated) == item.current,
            edges=edges_of(self._timeline(readers["claims"], stated), stated),
            gold=item.edges,
            text=text,
        )

    def _observe(self, reader: Reader, item: Bundle) -> dict[str, frozenset[UUID]]:
        """Says each event at its time; for each, the evidence it became."""
        found: dict[str, frozenset[UUID]] = {}
        for event in sorted(item.events, key=lambda event: event.at):
            self._clock.at = event.at
            receipt = reader.observe(event.text, occurred_at=event.at, idempotency_key=event.id)
            found[event.id] = frozenset(receipt.evidence)
        return found

    def _qualifiers(
        self, reader: Reader, item: Bundle, grounds: Mapping[str, frozenset[UUID]]
    ) -> dict[tuple[str, str], str]:
        """For each (event, value) that the product read, which part of the thing it is about; value '' stands for the
        event's only reading, since some claims only name their value."""
        held = [row for row in self._everything(reader, item) if row.predicate is not None]
        found: dict[tuple[str, str], str] = {}
        for event in item.events:
            rows = [row for row in held if grounds[event.id] & set(row.evidence)]
            found |= {(event.id, canonical(row.value or "")): row.qualifier or "" for row in rows}
            if len({row.fact_id for row in rows}) == 1:
                found[event.id, ""] = rows[0].qualifier or ""
        return found

    @staticmethod
    def _everything(reader: Reader, item: Bundle) -> list[Fact]:
        """What was in force at any of the bundle's events."""
        return [row for event in item.events for row in reader.facts(valid_at=event.at, limit=LISTED)]

    def _state(self, reader: Reader, item: Bundle, qualifiers: Mapping[tuple[str, str], str]) -> list[Stated]:
        """States each claim in the order of its events."""
        stated = []
        for claim in in_order(item.claims, item.events):
            event = item.events[claim.events[0]]
            self._clock.at = event.at
            start, end = _period(event, claim)
            slotted: dict[str, Any] = {}
            if claim.slot is not None:
                qualifier = qualifiers.get((event.id, canonical(claim.value)), qualifiers.get((event.id, "")))
                slotted = {
                    "subject": claim.subject,
                    "predicate": claim.slot,
                    "value": claim.value,
                    "qualifier": qualifier,
                }
            receipt = reader.add_fact(
                " ".join(part for part in (claim.subject, claim.slot, claim.value) if part),
                valid_from=start,
                valid_until=end,
                occurred_at=event.at,
                idempotency_key=claim.id,
                **slotted,
            )
            if receipt.fact_id is not None:
                stated.append(Stated(claim=claim, fact_id=receipt.fact_id, start=start, receipt=receipt))
        return stated

    @staticmethod
    def _timeline(reader: Reader, stated: Sequence[Stated]) -> list[Fact]:
        """What is believed now of the slots' whole timelines."""
        rows = {
            (row.fact_id, row.revision, row.segment): row
            for item in stated
            for row in reader.history(item.fact_id)
            if row.retracted_at is None
        }
        return list(rows.values())


def _period(event: Happening, claim: Claim) -> tuple[datetime, datetime | None]:
    """The period a claim of the event is for: one that the line about its subject names and that was over when it was said,
    else from the event on."""
    for line in event.text.splitlines():
        if claim.subject is None or claim.subject not in line:
            continue
        for item in time_expressions(line, Moment.of(event.at)):
            if item.start is not None and item.end is not None and item.end <= event.at:
                return item.start, item.end
    return event.at, None
