"""The reads of a reader: context, search, look-ups, lists, history, explanation.

Belongs here: checking arguments and calling one use case. Does not belong here: writes (`writing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, overload
from uuid import UUID

from muniment.domain.answers import Explanation, Hit, Hits, Page, Snapshot
from muniment.domain.contexts import Context
from muniment.domain.documents import DocumentVersion
from muniment.domain.enums import MemoryType, Scope
from muniment.domain.errors import Conflict, InvalidInput, NotFound
from muniment.domain.reasons import HitReasons, Reasons, hit_reasons
from muniment.domain.records import Fact
from muniment.domain.scope import Reader as Identity
from muniment.domain.scope import precedence
from muniment.domain.time import parse_instant
from muniment.ingestion.document_versions import key_and_name, known_of
from muniment.ports.store import FactFilter
from muniment.retrieval.adjudicate import conflicts
from muniment.retrieval.ask import Ask
from muniment.retrieval.channels.exact import ExactChannel
from muniment.service.parts import Parts, as_id, as_instant, as_of, cursor_text, cursor_values
from muniment.text.identifiers import canonical_kind, normalise
from muniment.text.sanitise import sanitise

When = datetime | str | None


LEAST_HITS, USUAL_BUDGET, TOKENS_PER_HIT = 20, 1200, 30
"""How many hits a context asks for: so many up to the usual budget, and one more for so many tokens over it, so that its budget
can be filled where there is that much to say."""


class Reads:
    """Mixed into `Reader`."""

    parts: Parts
    identity: Identity

    def _ask(self, query: str, **given: Any) -> Ask:
        """A question of this reader."""
        valid_at, known_at = given.pop("valid_at", None), given.pop("known_at", None)
        return Ask(
            query=query,
            reader=self.identity,
            policy=self.parts.policy,
            as_of=as_of(tenant=self.identity.tenant, valid_at=valid_at, known_at=known_at),
            **given,
        )

    def context(
        self,
        query: str,
        *,
        budget: int | None = None,
        system: Sequence[str] = (),
        channels: Sequence[str] | None = None,
        language: str | None = None,
        valid_at: When = None,
        known_at: When = None,
    ) -> Context:
        """A governed context for a question, of at most `budget` tokens (default: the policy's).

        `system` are the caller's own rules, put first. `language` is that of the headings, "en" or "zh" (default: the
        question's). With the `known_at` of a context, and the same question and budget, that context again, to the byte. Raises
        `InvalidInput` for a budget that holds nothing or is no whole number.
        """
        size: Any = self.parts.policy.context.budget if budget is None else budget
        if not isinstance(size, int) or isinstance(size, bool):
            raise InvalidInput(f"budget is a whole number of tokens, not {size!r}")
        if isinstance(system, str) or not all(isinstance(rule, str) for rule in system):
            raise InvalidInput("system is a list of text")
        most = self.parts.policy.limits.page
        ask = self._ask(
            query,
            channels=_names(channels),
            k=min(most, LEAST_HITS + max(0, size - USUAL_BUDGET) // TOKENS_PER_HIT),
            valid_at=valid_at,
            known_at=known_at,
        )
        return self.parts.contexts.context(ask, budget=size, system=tuple(system), language=language)

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        types: Sequence[str] | None = None,
        channels: Sequence[str] | None = None,
        since: When = None,
        until: When = None,
        where: Mapping[str, Any] | None = None,
        min_score: float | None = None,
        valid_at: When = None,
        known_at: When = None,
        vector: Any = None,
        role_prior: bool | None = None,
    ) -> Hits:
        """The `k` best hits, each with its score's parts and why it is there.

        `since` and `until` bound when it was said, or for facts when it holds; `where` filters metadata; `min_score` is a
        probability of relevance; `vector` is the question embedded beforehand. Raises `UnknownField` for a channel, type
        or operator that does not exist.
        """
        ask = self._ask(
            query,
            k=k,
            types=_types(types),
            channels=_names(channels),
            since=as_instant(since, "since"),
            until=as_instant(until, "until"),
            where=where,
            min_score=min_score,
            valid_at=valid_at,
            known_at=known_at,
            vector=vector,
            role_prior=role_prior,
        )
        return self.parts.search.search(ask)

    def lookup(self, kind: str, value: str, *, known_at: When = None) -> list[Hit]:
        """Everything an exact key stands in ('order_no', 'ticket', 订单号 and the like are kind 'code').

        The value is compared in its normalised spelling: `138 0013 8000` finds `+86-13800138000`, never `139…`.
        """
        kind = canonical_kind(_clean(kind, "kind"))
        spelt = normalise(kind, _clean(value, "value"))
        if spelt is None or not kind:
            return []
        ask = self._ask(value, known_at=known_at)
        with self.parts.store.read(self.identity, ask.as_of) as unit:
            return ExactChannel().lookup(ask, unit, kind=kind, value=spelt)

    def document(
        self, *, locator: str | None = None, source_id: str | None = None, source_system: str = "api"
    ) -> list[DocumentVersion]:
        """The versions of a document that were observed whole, in the order they came, each with its passages; an empty list
        for one that is not held. `.current` is true of the one that is read now, `.late` of one that came after a newer."""
        if locator is None and source_id is None:
            raise InvalidInput("document needs locator= or source_id=")
        key, _ = key_and_name(
            self.parts.store.digest, self.identity, source_system=source_system, source_id=source_id, locator=locator
        )
        with self.parts.store.read(self.identity) as unit:
            return known_of(unit, key).versions

    def facts(
        self,
        *,
        type: str | None = None,
        predicate: str | None = None,
        subject: str | None = None,
        scope: str | None = None,
        since: When = None,
        until: When = None,
        valid_at: When = None,
        known_at: When = None,
        include_contenders: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Fact]:
        """Facts in force, oldest first, a page at a time (`.items`, `.next`)."""
        limits = self.parts.policy.limits
        if not 1 <= limit <= limits.page:
            raise InvalidInput(f"limit must be from 1 to {limits.page}, not {limit}")
        name, _ = self.parts.policy.predicate(None if predicate is None else _clean(predicate, "predicate"))
        wanted = FactFilter(
            types=_types(None if type is None else [type]),
            predicate="" if predicate is not None and name is None else name,
            subject=None if subject is None else _clean(subject, "subject"),
            scopes=None if scope is None else frozenset({_scope(scope)}),
            since=as_instant(since, "since"),
            until=as_instant(until, "until"),
            include_contenders=include_contenders,
            limit=limit + 1,
            after=None if cursor is None else _after(cursor),
        )
        instants = as_of(tenant=self.identity.tenant, valid_at=valid_at, known_at=known_at)
        with self.parts.store.read(self.identity, instants) as unit:
            rows = unit.facts(wanted)
            more = len(rows) > limit
            return Page(
                items=tuple(rows[:limit]),
                next=_cursor(rows[limit - 1]) if more else None,
                known_at=unit.token,
                conflicts=tuple(conflicts(rows[:limit], unit)),
            )

    def get(
        self, predicate: str, *, subject: str = "user", valid_at: When = None, known_at: When = None
    ) -> Fact | None:
        """The value a slot has for this reader: the narrowest scope's, or None. Where two are in dispute, the one given says
        so by its `.standing`; `facts` lists both."""
        page = self.facts(predicate=predicate, subject=subject, valid_at=valid_at, known_at=known_at)
        return max(page.items, key=lambda fact: precedence(fact.placement), default=None)

    def status(self, key: str, *, valid_at: When = None, known_at: When = None) -> str | None:
        """The current value of a status key, or None. Raises `Conflict`, with the values, where they are in dispute."""
        found = self.facts(type="STATUS", predicate=key, valid_at=valid_at, known_at=known_at).items
        narrowest = max((precedence(fact.placement) for fact in found), default=0)
        values = sorted({fact.value or fact.content for fact in found if precedence(fact.placement) == narrowest})
        if len(values) > 1:
            raise Conflict(f"{len(values)} values of {key!r} are in dispute: {' / '.join(values)}", current=values)
        return values[0] if values else None

    def snapshot(self, *, valid_at: When = None, known_at: When = None) -> Snapshot:
        """Everything in force for this reader: rules, status values by key, and all other facts, oldest first."""
        instants = as_of(tenant=self.identity.tenant, valid_at=valid_at, known_at=known_at)
        with self.parts.store.read(self.identity, instants) as unit:
            rows = unit.facts(FactFilter())
            token = unit.token
        by_width = sorted(rows, key=lambda fact: precedence(fact.placement))
        return Snapshot(
            rules=tuple(fact for fact in rows if fact.memory_type is MemoryType.RULE),
            facts=tuple(fact for fact in rows if fact.memory_type not in (MemoryType.RULE, MemoryType.STATUS)),
            status={
                fact.predicate: fact.value or fact.content
                for fact in by_width
                if fact.memory_type is MemoryType.STATUS and fact.predicate is not None
            },
            known_at=token,
        )

    def history(self, fact_id: UUID | str, *, known_at: When = None) -> list[Fact]:
        """Every revision of a fact and of those it superseded or that superseded it, in the order they were recorded.

        Raises `NotFound` for an id that is not there or not visible to this reader.
        """
        ref = as_id(fact_id)
        instants = as_of(tenant=self.identity.tenant, valid_at=None, known_at=known_at)
        with self.parts.store.read(self.identity, instants) as unit:
            rows = unit.revisions([ref])
        if not any(row.fact_id == ref for row in rows):
            raise NotFound(f"no fact {ref} that you can see")
        return rows

    @overload
    def explain(self, fact_id: UUID | str) -> Explanation: ...
    @overload
    def explain(self, fact_id: Hit) -> HitReasons: ...
    @overload
    def explain(self, fact_id: Hits | Context) -> Reasons: ...
    def explain(self, fact_id: UUID | str | Hit | Hits | Context) -> Explanation | HitReasons | Reasons:
        """Why: of a fact (by its id) the chain behind it, events, evidence with its quoted span, candidates, verdicts,
        revisions; of a hit why it is there, of a fact's with its chain; of a search or context, its route, hits and what was left
        out. Raises `NotFound`."""
        if isinstance(fact_id, (Hits, Context)):
            return fact_id.explain()
        if isinstance(fact_id, Hit):
            chain = self._chain(fact_id.id) if isinstance(fact_id.item, Fact) else None
            return hit_reasons(fact_id, chain=chain)
        return self._chain(as_id(fact_id))

    def _chain(self, ref: UUID) -> Explanation:
        """The chain behind a fact."""
        with self.parts.store.read(self.identity) as unit:
            revisions = [row for row in unit.revisions([ref]) if row.fact_id == ref]
            if not revisions:
                raise NotFound(f"no fact {ref} that you can see")
            grounds = unit.evidence(item for item, _ in unit.evidence_of([ref]).get(ref, []))
            events = unit.events({piece.event_id for piece in grounds.values()})
            asked = unit.candidates(events=[event.event_id for event in events])
            decisions = [
                item
                for item in unit.decisions(item.candidate_id for item in asked if item.candidate_id)
                if item.fact_id == ref
            ]
            chosen = {item.candidate_id for item in decisions}
            return Explanation(
                fact=revisions[-1],
                revisions=tuple(revisions),
                candidates=tuple(item for item in asked if item.candidate_id in chosen),
                decisions=tuple(decisions),
                evidence=tuple(grounds.values()),
                events=tuple(events),
                conflicts=tuple(unit.conflicts([ref])),
            )


def _clean(text: str, name: str) -> str:
    """A caller's word as a store may hold it: no database is asked for what none of them can. Raises `InvalidInput` for what
    is no text."""
    if not isinstance(text, str):
        raise InvalidInput(f"{name} must be text, not {type(text).__name__}")
    return sanitise(text).text


def _names(channels: Sequence[str] | None) -> tuple[str, ...] | None:
    if isinstance(channels, str):
        raise InvalidInput("channels is a list of names")
    return None if channels is None else tuple(channels)


def _types(types: Sequence[str] | None) -> frozenset[MemoryType] | None:
    if types is None:
        return None
    if isinstance(types, str):
        raise InvalidInput("types is a list of memory types")
    known = {item.value for item in MemoryType}
    asked = [str(item).upper() for item in types]
    if unknown := sorted(set(asked) - known):
        raise InvalidInput(f"no memory type {unknown[0]!r}; known are {', '.join(sorted(known))}")
    return frozenset(MemoryType(item) for item in asked)


def _scope(name: str) -> str:
    try:
        return Scope(str(name).upper()).value
    except ValueError:
        raise InvalidInput(f"no scope {name!r}; known are {', '.join(Scope)}") from None


def _cursor(fact: Fact) -> str:
    return cursor_text([fact.recorded_at.isoformat(), str(fact.fact_id), fact.revision, fact.segment])


def _after(cursor: str) -> tuple[datetime, UUID, int, int]:
    at, ref, revision, segment = cursor_values(cursor, 4)
    if not isinstance(revision, int) or not isinstance(segment, int):
        raise InvalidInput("cursor is not one that a page of this list returned as `.next`")
    return parse_instant(str(at), name="cursor"), as_id(str(ref), name="cursor"), revision, segment
