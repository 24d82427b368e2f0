"""The writes of a reader: observations, proposals, structured statements, amendments.

Belongs here: checking arguments and calling one use case. Does not belong here: reads (`reading`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from muniment.domain.enums import ActorType, MemoryType, Scope
from muniment.domain.errors import InvalidInput, NotFound
from muniment.domain.observation import Observation, observation
from muniment.domain.records import Candidate, Decision, Receipt
from muniment.domain.scope import Reader as Identity
from muniment.ingestion.acting import Acts
from muniment.ingestion.acts import PREFIX
from muniment.ingestion.agreeing import require_agreement
from muniment.ingestion.documents import Documents
from muniment.ingestion.extracting import Unread, unread_of
from muniment.ingestion.stated import clean_candidate, clean_text, clean_words
from muniment.ports.store import FactFilter
from muniment.service.parts import Parts, as_id, as_instant
from muniment.text.authority import suspicions

BATCH = 200
"""Observations of one transaction in `observe_many`: enough to make its commit cheap."""

Progress = Callable[[int], object]


class Writes:
    """Mixed into `Reader`."""

    parts: Parts
    identity: Identity

    # -- observations -----------------------------------------------------------------------------------------------

    def observe(self, content: str, *, actor: str | None = None, wait: bool = True, **fields: Any) -> Receipt:
        """Records what happened and, with `wait`, what follows from it. Durable when this returns.

        Fields: event_type (message, document, tool_result, api_answer, database_row, system_fact, or one of yours), source,
        source_system, source_id, source_version, locator, metadata, payload, trace_id, occurred_at, idempotency_key, speaker,
        actor_id, session, trust. Without an actor the word is the user's, but that of a document, tool result, API answer or
        database row, which is a tool's, and of a system fact, which is the system's.

        Raises `UnknownField`, `TooLarge`, `InvalidInput`, `IdempotencyConflict`, `Erased`.
        """
        return self._observe([observation(content, actor=actor, **fields)], wait=wait)[0]

    def observe_many(
        self,
        items: Iterable[Observation | Mapping[str, Any]],
        *,
        batch: int = BATCH,
        wait: bool = True,
        progress: Progress | None = None,
    ) -> list[Receipt]:
        """A conversation in order, one transaction per `batch`; `progress` is told how many were done after each.

        Items are `Observation`s or mappings of `observe`'s fields. A batch that is refused leaves the earlier ones written.
        """
        receipts: list[Receipt] = []
        waiting: list[Observation] = []

        def write() -> None:
            receipts.extend(self._observe(waiting, wait=wait))
            if progress is not None:
                progress(len(waiting))
            waiting.clear()

        for item in items:
            waiting.append(item if isinstance(item, Observation) else observation(**dict(item)))
            if len(waiting) >= batch:
                write()
        if waiting:
            write()
        return receipts

    def observe_document(
        self,
        text: str,
        *,
        locator: str | None = None,
        source_id: str | None = None,
        source_system: str | None = None,
        version: str | int | None = None,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        occurred_at: datetime | str | None = None,
        trust: int | None = None,
        idempotency_key: str | None = None,
        wait: bool = True,
        progress: Callable[[int, int], object] | None = None,
        **fields: Any,
    ) -> Receipt:
        """Records a version of a document in passages, each with its place in it; less trusted than the user's own words.

        Versions are of one document by `source_id` (with `source_system`), else by `locator`. A newer one replaces the older,
        whose other passages become history; the same again changes nothing; an older one that comes late is history at once.
        Which is newer: whole or dotted numbers and ISO dates by themselves, else by `occurred_at`. Stopped on its way it shows
        nothing of the new version, and goes on when called again. `progress` is told (passages done, in all); `title` is kept
        with each passage. Further fields are `observe`'s. Raises `Conflict` for other words under a version that is held.
        """
        number = str(version) if isinstance(version, int) else version
        named = {"locator": locator, "source_id": source_id, "source_system": source_system, "source_version": number}
        about = {"metadata": metadata, "occurred_at": occurred_at, "trust": trust, "idempotency_key": idempotency_key}
        given: dict[str, Any] = {"event_type": "document", **named, **about, **fields}
        said = observation(text, actor=given.pop("actor", "tool"), **given)
        title = clean_text(title, self.parts.policy, name="title")
        documents = Documents(pipeline=self.parts.pipeline)
        receipt = self.parts.retrying(
            lambda: documents.observe(self.identity, said, title=title, wait=wait, progress=progress)
        )
        self.parts.upkeep(self.identity, len(receipt.evidence))
        return receipt

    def _observe(self, items: Sequence[Observation], *, wait: bool) -> list[Receipt]:
        receipts = self.parts.retrying(lambda: self.parts.pipeline.observe(self.identity, list(items), wait=wait))
        turns: dict[str, list[tuple[UUID, bool]]] = {}
        for item, receipt in zip(items, receipts, strict=True):
            session = item.session or self.identity.session
            if session is not None and not receipt.replayed:
                first = item.actor is ActorType.USER
                turns.setdefault(session, []).extend((ref, first and not at) for at, ref in enumerate(receipt.evidence))
        written = next((receipt for receipt in receipts if not receipt.replayed), None)
        if written is not None:
            for session, said in turns.items():
                key = (self.identity.tenant, self.identity.user, session)
                self.parts.window.push(key, said, follows=written.follows, known_at=written.known_at)
        self.parts.upkeep(self.identity, sum(len(receipt.evidence) for receipt in receipts))
        return receipts

    def process_pending(
        self, *, limit: int = 1000, parked: bool = False, progress: Callable[[int, int], object] | None = None
    ) -> list[Receipt]:
        """Understands what was received with `wait=False`, or whose extractor failed and is due to be tried again, in the order
        of its sessions; with `parked` also what was given up. `progress` is told (parts done, in all) of an event that a language
        model reads part by part."""
        with self.parts.store.read(self.identity) as unit:
            events = unit.pending(limit=limit, parked=parked)
        return self.parts.pipeline.process(self.identity, events, progress=progress)

    def unread_answers(self, *, failed: bool = False, limit: int = 100) -> list[Unread]:
        """What of a language model's answers could not be used, event by event, with the reasons: of events that were given up,
        of those that were understood all the same, and with `failed` also of those that are to be tried again."""
        with self.parts.store.read(self.identity) as unit:
            found = unit.unread(limit, failed=failed)
            # What was forgotten is not told by what a model said of it.
            return [unread_of(work) for work in found if unit.evidence_of_event(work.event_id)]

    def propose(self, candidates: Sequence[Candidate]) -> list[Decision]:
        """Puts candidates before the rules, with the caller's authority; a candidate that names evidence of the reader's
        rests on that, one that names none on its own words. Returns a decision each."""
        decisions: list[Decision] = []
        for item in candidates:
            said = Observation(content=item.content, actor=ActorType.AGENT, event_type=PREFIX + "proposal")
            decisions += self._direct(said, [item], direct=False).decisions
        return decisions

    # -- structured statements --------------------------------------------------------------------------------------

    def add_fact(
        self,
        content: str,
        *,
        subject: str | None = None,
        predicate: str | None = None,
        value: str | None = None,
        qualifier: str | None = None,
        type: str | None = None,
        scope: str | None = None,
        department: str | None = None,
        valid_from: datetime | str | None = None,
        valid_until: datetime | str | None = None,
        trust: int | None = None,
        confidence: float = 1.0,
        metadata: Mapping[str, Any] | None = None,
        derived_from: Sequence[UUID | str] = (),
        occurred_at: datetime | str | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """States a fact. Without `valid_from` it holds from now on (or `occurred_at`), flagged as not known exactly.
        `derived_from` names facts or evidence it stands and falls with, and whose least confidence bounds its own.

        Raises `InvalidInput` where the text names another value for the predicate than `value`.

        The receipt's `fact_id` is the fact; its line says committed, reinforced, in conflict, needs confirmation or why not.
        """
        name, entry = self.parts.policy.predicate(predicate)
        candidate = Candidate(
            content=content,
            memory_type=entry.memory_type if type is None else _memory_type(type),
            subject=subject if name is None else subject or "user",
            predicate=name,
            qualifier=qualifier,
            value=value,
            scope=None if scope is None else _scope(scope),
            department=department,
            confidence=confidence,
            explicit=True,
            valid_from=as_instant(valid_from, "valid_from"),
            valid_until=as_instant(valid_until, "valid_until"),
            valid_from_known=valid_from is not None,
            trust=trust,
            metadata=metadata or {},
            derived_from=self._roots(derived_from),
        )
        candidate = clean_candidate(candidate, self.parts.policy)
        require_agreement(candidate, self.parts.policy, self.parts.pipeline.extractor, self.identity)
        # Where the predicate alone says that the value is a secret, the sentence by itself does not give it away.
        whole = value is None or clean_text(content, self.parts.policy, name="content") == candidate.content
        words = content if whole else candidate.content
        said = observation(words, occurred_at=occurred_at, idempotency_key=idempotency_key, trust=trust)
        return self._direct(replace(said, event_type=PREFIX + "statement", payload=_payload(candidate)), [candidate])

    def _roots(self, refs: Sequence[UUID | str]) -> tuple[UUID, ...]:
        """The facts and evidence a statement is derived from. Raises `NotFound` for one that this reader cannot see."""
        wanted = tuple(as_id(ref, name="derived_from") for ref in _listed(refs))
        if wanted:
            with self.parts.store.read(self.identity) as unit:
                facts = {row.fact_id for row in unit.facts(FactFilter(ids=wanted, include_inactive=True))}
                missing = set(wanted) - facts - set(unit.evidence(wanted))
            if missing:
                raise NotFound(f"derived_from: no fact or evidence {min(missing)} that you can see")
        return wanted

    def add_rule(self, content: str, **given: Any) -> Receipt:
        """States a rule for the agent's behaviour."""
        return self.add_fact(content, type="RULE", **given)

    def set_status(self, key: str, value: object, **given: Any) -> Receipt:
        """Sets the current value of a status key; the value before it becomes history. The value is text, a number or a boolean.

        Raises `InvalidInput` for a key without a letter or digit, and for any other value.
        """
        name: object = key
        if not isinstance(name, str) or not any(char.isalnum() for char in name):
            raise InvalidInput(f"a status key is a name, such as 'step', not {key!r}")
        if not isinstance(value, str | int | float) or value != value:
            raise InvalidInput(f"the value of status {key!r} is text, a number or a boolean, not {value!r}")
        text = str(value)
        if not text.strip():
            raise InvalidInput(f"status {key!r} needs a value; `delete_status` takes one away")
        return self.add_fact(f"{key}: {text}", predicate=key, value=text, type="STATUS", **given)

    def _direct(self, said: Observation, candidates: Sequence[Candidate], *, direct: bool = True) -> Receipt:
        pipeline = self.parts.pipeline
        return self.parts.retrying(lambda: pipeline.direct(self.identity, said, list(candidates), direct=direct))

    # -- acts on a named fact ---------------------------------------------------------------------------------------

    def change(
        self,
        fact_id: UUID | str,
        *,
        value: str | None = None,
        content: str | None = None,
        at: datetime | str | None = None,
        reason: str | None = None,
        expected_revision: int | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """The world changed at `at` (default now): a new fact, linked by `supersedes_id`; without a value, 'unknown from
        `at`'. What was declared to follow does, and what rested on the fact is queued to be confirmed again.

        Raises `NotFound`, or `Conflict` where the fact moved past `expected_revision`.
        """
        given = {"value": value, "content": content, "at": as_instant(at, "at"), "reason": reason}
        return self._act("change", fact_id, given, expected_revision, idempotency_key)

    def correct(
        self,
        fact_id: UUID | str,
        *,
        value: str | None = None,
        content: str | None = None,
        valid_from: datetime | str | None = None,
        valid_until: datetime | str | None = None,
        reason: str | None = None,
        expected_revision: int | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """The record was wrong: the same fact, next revision. Words with a period correct only that part of it."""
        start, end = as_instant(valid_from, "valid_from"), as_instant(valid_until, "valid_until")
        if (value, content, start, end) == (None, None, None, None):
            raise InvalidInput("a correction needs content=, value=, valid_from= or valid_until=")
        given = {"value": value, "content": content, "valid_from": start, "valid_until": end, "reason": reason}
        return self._act("correct", fact_id, given, expected_revision, idempotency_key)

    def update(self, fact_id: UUID | str, candidate: Candidate) -> Receipt:
        """The seed's name for `change`: the candidate's words from its `valid_from`, or from now."""
        return self.change(fact_id, value=candidate.value, content=candidate.content, at=candidate.valid_from)

    def invalidate(
        self,
        fact_id: UUID | str,
        *,
        reason: str | None = None,
        expected_revision: int | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """No longer believed: the statement leaves the timeline and its predecessor extends again."""
        return self._act("invalidate", fact_id, {"reason": reason}, expected_revision, idempotency_key)

    delete_fact = delete_rule = invalidate

    def delete_status(self, key: str, *, reason: str | None = None) -> list[Receipt]:
        """Takes a status key away: its value, and those before it, which would otherwise be current again. An empty list where
        it has none."""
        name, _ = self.parts.policy.predicate(key)
        wanted = FactFilter(predicate=name, types=frozenset({MemoryType.STATUS}))
        receipts: list[Receipt] = []
        while True:
            with self.parts.store.read(self.identity) as unit:
                rows = unit.facts(wanted)
            if not rows:
                return receipts
            receipts += [self.invalidate(ref, reason=reason) for ref in dict.fromkeys(row.fact_id for row in rows)]

    def add_successor(
        self,
        fact_id: UUID | str,
        *,
        when: UUID | str,
        when_value: str | None = None,
        value: str | None = None,
        content: str | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Declares what the fact becomes when the fact `when` changes ('if the release owner changes, the approver will be
        Ivo'): from that instant `value` takes over, said as `content` or in the fact's own sentence.

        With `when_value`, only when it changes to that, and as long as it stays so. Raises `NotFound` for a fact that is not
        believed, `InvalidInput` without a value.
        """
        root = as_id(when, name="when")
        with self.parts.store.read(self.identity) as unit:
            if not unit.facts(FactFilter(ids=(root,), include_inactive=True)):
                raise NotFound(f"no fact {root} that you can see")
        given = {"when": str(root), "when_value": when_value, "value": value, "content": content}
        return self._act("succeed", fact_id, given, None, idempotency_key)

    def _act(
        self,
        kind: str,
        fact_id: UUID | str,
        given: Mapping[str, Any],
        expected_revision: int | None,
        key: str | None,
    ) -> Receipt:
        """An act as an event of its own, in one transaction with what it does.

        Raises `InvalidInput` or `TooLarge` for words that may not be kept; words that claim authority or give orders are
        never a memory, whoever writes them.
        """
        policy, ref = self.parts.policy, as_id(fact_id)
        stated = {name: clean_words(given.get(name), policy, name=name) for name in ("content", "value", "when_value")}
        stated["reason"] = clean_text(given.get("reason"), policy, name="reason")
        for text in (stated["content"], stated["value"]):
            if any(item.level == "plain" for item in suspicions(text or "", source_is_user=True, learned=None)):
                raise InvalidInput("a claim of authority or an instruction to the agent is never kept as a memory")
        payload = {"fact_id": str(ref), "expected_revision": expected_revision, **given, **stated}
        words = stated["content"] or stated["value"]
        said = Observation(
            content=words or stated["reason"] or f"{kind} {ref}",
            event_type=PREFIX + kind,
            payload={name: plain(value) for name, value in payload.items() if value is not None},
            idempotency_key=key,
        )
        acts = Acts(pipeline=self.parts.pipeline)
        return self.parts.retrying(lambda: acts.act(self.identity, kind, said, words=words))


def plain(value: Any) -> Any:
    """A value as an event's payload holds it."""
    return value.isoformat() if isinstance(value, datetime) else value


def _memory_type(name: str) -> MemoryType:
    try:
        return MemoryType(str(name).upper())
    except ValueError:
        raise InvalidInput(f"no memory type {name!r}; known are {', '.join(MemoryType)}") from None


def _listed(refs: Sequence[UUID | str]) -> Sequence[UUID | str]:
    if isinstance(refs, (str, UUID)):
        raise InvalidInput("derived_from is a list of ids")
    return refs


def _scope(name: str) -> Scope:
    try:
        return Scope(str(name).upper())
    except ValueError:
        raise InvalidInput(f"no scope {name!r}; known are {', '.join(Scope)}") from None


def _payload(candidate: Candidate) -> dict[str, Any]:
    """What makes two structured statements under one key the same."""
    names = (
        "subject",
        "predicate",
        "qualifier",
        "value",
        "memory_type",
        "scope",
        "valid_from",
        "valid_until",
        "confidence",
        "department",
        "trust",
    )
    roots = {"derived_from": [str(ref) for ref in candidate.derived_from]} if candidate.derived_from else {}
    given = {name: getattr(candidate, name) for name in names}
    stated: dict[str, Any] = {name: str(value) for name, value in given.items() if value is not None}
    return stated | roots | ({"metadata": dict(candidate.metadata)} if candidate.metadata else {})
