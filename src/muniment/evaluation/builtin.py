"""Kind `builtin`: our own suite, each case run through write, read, amend and forget, offline, without a model of language.

Every case is in a tenant of its own, which no other case's can be seen from, in a new store in memory (a store for each would
spend most of the run on making tables), and its clock stands where the case says. It is asked through `search` and through
`context`.

Belongs here: running cases and adding them up. Does not belong here: what a right answer is (`verdict`), the cases (`cases/`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

import muniment
from muniment.domain.errors import InvalidInput, MunimentError
from muniment.evaluation.case_files import CLASSES, Case, Say, Who, Write, case_of
from muniment.evaluation.options import Progress, ReplayClock, Run
from muniment.evaluation.verdict import Answer, failures

if TYPE_CHECKING:
    from muniment.domain.records import Receipt
    from muniment.service.muniment import Muniment
    from muniment.service.reader import Reader

FOUND = 10
"""Hits of the search that a case is judged by."""


def evaluate(rows: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """Runs the cases of the chosen split; one result. Raises `InvalidInput` for a case that is malformed, before any is run,
    and for a split that has none."""
    cases = [case_of(row, where=f"case {row.get('id')!r}") for row in rows]
    wanted = run.options.split
    chosen = [case for case in cases if wanted is None or case.split == wanted][: run.options.limit]
    if not chosen:
        raise InvalidInput(
            f"no case of split {wanted!r}; known are {', '.join(sorted({case.split for case in cases}))}"
        )
    progress = run.options.progress
    return [_result(wanted or "all", run_cases(chosen, run, progress=progress))]


def run_cases(cases: Sequence[Case], run: Run, *, progress: Progress | None = None) -> list[tuple[Case, list[str]]]:
    """Each case with what is wrong with the answer to it; an empty list is a pass."""
    clock = ReplayClock()
    outcomes: list[tuple[Case, list[str]]] = []
    with muniment.open(":memory:", policy=run.policy, embedder=run.embedder, clock=clock) as memory:
        for done, case in enumerate(cases, start=1):
            outcomes.append((case, _run(case, memory, clock)))
            if progress is not None:
                progress("builtin cases", done, len(cases))
    return outcomes


def _run(case: Case, memory: Muniment, clock: ReplayClock) -> list[str]:
    if problem := _play(case, memory, clock):
        return [problem]
    clock.at = case.ask.at
    reader = _reader(case, memory, case.ask.who)
    return failures(case, _asked(case, reader, floor=memory.policy.retrieval.floor))


def _asked(case: Case, reader: Reader, *, floor: float) -> Answer:
    """The question put to every way of reading. That nothing bears on it is asked above the floor: without one, `search` gives
    the nearest there is."""
    least = floor if case.kind == "irrelevant" else None
    return Answer(
        hits=reader.search(case.ask.query, k=FOUND, min_score=least),
        context=reader.context(case.ask.query),
        facts=reader.facts(limit=reader.parts.policy.limits.page).items,
    )


def _play(case: Case, memory: Muniment, clock: ReplayClock) -> str | None:
    """Writes what the case says; the problem where a call of it is refused."""
    receipts: list[Receipt] = []
    for place, turn in enumerate(case.turns):
        clock.at = turn.at
        reader = _reader(case, memory, turn.who)
        try:
            receipts.append(_say(reader, turn) if isinstance(turn, Say) else _write(reader, turn, receipts))
        except (MunimentError, TypeError) as error:
            return f"turn {place}: {error}"
    return None


def _reader(case: Case, memory: Muniment, who: Who) -> Reader:
    """The reader a case names, its tenants set apart from those of other cases."""
    return memory.reader(**who.model_dump() | {"tenant": f"{case.id}/{who.tenant}"})


def _say(reader: Reader, turn: Say) -> Receipt:
    if turn.actor == "document":
        return reader.observe_document(turn.say, occurred_at=turn.at)
    return reader.observe(turn.say, actor=turn.actor, occurred_at=turn.at)


def _write(reader: Reader, turn: Write, receipts: Sequence[Receipt]) -> Receipt:
    """A structured call of the same name. Raises `InvalidInput` where the turn it speaks of made no fact."""
    given = dict(turn.args)
    if turn.fact is None:
        if turn.write == "set_status":
            return reader.set_status(given.pop("key"), given.pop("value"), **given)
        stated: Receipt = getattr(reader, turn.write)(given.pop("content"), **given)
        return stated
    fact = _made(receipts[turn.fact])
    if fact is None:
        raise InvalidInput(f"{turn.write}: turn {turn.fact} made no fact")
    if turn.write == "forget":
        return reader.forget(fact=fact, **given)
    amended: Receipt = getattr(reader, turn.write)(fact, **given)
    return amended


def _made(receipt: Receipt) -> UUID | None:
    """The first fact of a receipt."""
    return next(iter(receipt.facts), None)


def _result(split: str, outcomes: Sequence[tuple[Case, list[str]]]) -> dict[str, Any]:
    passed = sum(not failed for _, failed in outcomes)
    by_class = {
        name: {
            lang: _count([failed for case, failed in outcomes if case.kind == name and case.lang == lang])
            for lang in ("en", "zh")
        }
        for name in CLASSES
        if any(case.kind == name for case, _ in outcomes)
    }
    splits = sorted({case.split for case, _ in outcomes})
    return {
        "dataset": "builtin",
        "kind": "builtin",
        "split": split,
        "n": len(outcomes),
        "passed": passed,
        "total": len(outcomes),
        "by_class": by_class,
        "by_split": {name: _count([failed for case, failed in outcomes if case.split == name]) for name in splits},
        "failures": [
            {
                "id": case.id,
                "class": case.kind,
                "lang": case.lang,
                "split": case.split,
                "failed": failed,
                "why": case.expect.why,
            }
            for case, failed in outcomes
            if failed
        ],
    }


def _count(failed: Sequence[list[str]]) -> dict[str, int]:
    return {"passed": sum(not item for item in failed), "total": len(failed)}
