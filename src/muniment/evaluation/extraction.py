"""Kind `extraction`: what the write path makes of a labelled turn, beside what a careful reader would keep of it.

Every turn is observed, at its own time, by a user of its own in a new store in memory: the turns before it first, then the
turn; in a session, and in a task where the label says so. What is judged are the candidates of that last turn as they stand
behind governance: accepted, asked about, or refused.

Belongs here: the form of the labels, and the course of the suite. Does not belong here: what counts as right
(`extraction_scoring`), tables (`extraction_report`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator

import muniment
from muniment.domain.enums import Intent, MemoryType, Scope
from muniment.domain.errors import InvalidInput
from muniment.domain.records import Candidate
from muniment.evaluation.extraction_scoring import Read, figures
from muniment.evaluation.options import ReplayClock, Run

if TYPE_CHECKING:
    from muniment.service.muniment import Muniment

BETWEEN: Final = timedelta(minutes=1)
"""From one turn of a session to the next."""

Text = Annotated[str, Field(min_length=1)]
Actor = Literal["user", "agent", "tool", "document", "system"]


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Expected(_Record):
    """One statement to keep. `type` and `scope` list what is acceptable, the best first; `quote` is the smallest clause of the
    turn that states it, `value` the words that are its value. `optional`: no miss without it, and not wrong with it.
    `subject_alt`, `intent_alt`, `polarity_either`: other readings that are as fair."""

    type: tuple[MemoryType, ...] = Field(min_length=1)
    subject: Text
    quote: Text
    scope: tuple[Scope, ...] = Field(min_length=1)
    intent: Intent = Intent.ASSERT
    negated: bool = False
    value: str | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    hedged: bool = False
    optional: bool = False
    subject_alt: str | tuple[str, ...] = ()
    intent_alt: Intent | tuple[Intent, ...] = ()
    polarity_either: bool = False

    @property
    def intents(self) -> tuple[Intent, ...]:
        """Every intent that is fair."""
        other = (self.intent_alt,) if isinstance(self.intent_alt, Intent) else self.intent_alt
        return (self.intent, *other)

    @property
    def subjects(self) -> tuple[str, ...]:
        """Every subject that is fair."""
        other = (self.subject_alt,) if isinstance(self.subject_alt, str) else self.subject_alt
        return (self.subject, *other)


class Labelled(_Record):
    """One labelled turn; no statements mean that there is nothing to keep."""

    kind: Literal["extraction"]
    id: Text
    lang: Text
    split: Text = "all"
    dataset: Text = "extraction"
    at: AwareDatetime
    actor: Actor = "user"
    source: Text = "conversation"
    task: bool = False
    before: tuple[tuple[Actor, Text], ...] = ()
    text: Text
    expected: tuple[Expected, ...]
    tags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _quoted(self) -> Labelled:
        for item in self.expected:
            for name, words in (("quote", item.quote), ("value", item.value)):
                if words and words not in self.text:
                    raise ValueError(f"{name} {words!r} does not stand in the text")
        return self


def evaluate(rows: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """The figures of each dataset, language and split. Raises `InvalidInput` for a malformed label, before any is run."""
    chosen = [row for row in rows if run.options.split in (None, row.get("split", "all"))]
    labels = [labelled(row) for row in chosen][: run.options.limit]
    groups: dict[tuple[str, str, str], list[Read]] = {}
    for read in read_turns(labels, run):
        key = (read.label.dataset, read.label.lang, read.label.split)
        groups.setdefault(key, []).append(read)
    return [
        {"dataset": dataset, "kind": "extraction", "lang": lang, "split": split, **figures(reads)}
        for (dataset, lang, split), reads in groups.items()
    ]


def labelled(row: Mapping[str, Any]) -> Labelled:
    """A checked label. Raises `InvalidInput` naming it and the field that is wrong."""
    try:
        return Labelled.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the label"
        raise InvalidInput(f"label {row.get('id')!r}: {field}: {first['msg']}") from None


def read_turns(labels: Sequence[Labelled], run: Run) -> list[Read]:
    """Each labelled turn with the candidates that were made of it."""
    clock = ReplayClock()
    found: list[Read] = []
    with muniment.open(":memory:", policy=run.policy, embedder=run.embedder, clock=clock) as memory:
        for done, label in enumerate(labels, start=1):
            found.append(Read(label=label, candidates=_candidates(label, memory, clock)))
            if run.options.progress is not None:
                run.options.progress("labelled turns", done, len(labels))
    return found


def _candidates(label: Labelled, memory: Muniment, clock: ReplayClock) -> tuple[Candidate, ...]:
    reader = memory.reader(
        tenant=f"labelled/{label.dataset}"[:128],
        user=label.id,
        session="talk",
        task="task" if label.task else None,
        departments=("own",),
    )
    clock.at = label.at
    if label.actor == "document":
        event = reader.observe_document(label.text, occurred_at=label.at).event
    else:
        talk = [*label.before, (label.actor, label.text)]
        said = [
            {"content": text, "actor": actor, "occurred_at": label.at - BETWEEN * (len(talk) - 1 - place)}
            for place, (actor, text) in enumerate(talk)
        ]
        event = reader.observe_many(said)[-1].event
    with reader.parts.store.read(reader.identity) as unit:
        return tuple(unit.candidates(events=[event]))
