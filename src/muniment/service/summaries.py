"""Making summaries: of a session when it ends, folded into its user's and its tasks'.

A version is made in three steps, so that nothing is locked while a model thinks: what there is is read and let go; the summary is
made of it; it is written if meanwhile nothing was forgotten, no other version was written and every line still stands. Else it is
begun anew. The same material makes no new version.

Every summary is made with the eyes of a plain reader inside its own place (a session's with the session and no task, agent or
department; the user's with none of them), so that it never holds what somebody who may see it may not.

Belongs here: the course of it. Does not belong here: what a summary says (models/summarisers), what is due (store/),
how it is found (retrieval/).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from muniment.domain.enums import ItemKind, OwnerType, Scope
from muniment.domain.errors import InvalidInput, ModelError, MunimentError
from muniment.domain.query import IndexItem
from muniment.domain.scope import PartitionKey, Placement
from muniment.domain.scope import Reader as Identity
from muniment.domain.summaries import FIELDS, Draft, Ended, Line, Summary
from muniment.ingestion.processing import fenced
from muniment.ports.store import Fenced, Locks, ReadUnit
from muniment.retrieval.resting import as_they_stand, standing
from muniment.service.gathering import Gathered, current, gathered_of
from muniment.service.parts import Parts
from muniment.text.tokenizer import analyse

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What became of one place: the version that stands (None: nothing to tell), whether it is new, and what failed."""

    summary: Summary | None
    new: bool = False
    degraded: tuple[str, ...] = ()


def end_session(parts: Parts, identity: Identity) -> Ended:
    """Makes the session's summary, and those that it is part of. Raises `InvalidInput` for a reader without a session."""
    if identity.session is None:
        raise InvalidInput("end_session needs a reader with session=; open one with mem.reader(…, session=…)")
    tenant, user, session = identity.tenant, identity.user, identity.session
    mine = Placement(scope=Scope.SESSION, user=user, session=session)
    inside = Identity(tenant=tenant, user=user, session=session)
    done = {"session": [parts.retrying(lambda: made(parts, inside, mine))]}
    with parts.store.read(inside) as unit:
        tasks = unit.tasks_in(session)
    done["task"] = [parts.retrying(lambda task=task: of_task(parts, tenant, user, task)) for task in tasks]  # type: ignore[misc]
    done["user"] = [parts.retrying(lambda: of_user(parts, tenant, user))]
    summary = done["session"][0].summary
    return Ended(
        session=session,
        summary=summary,
        made=tuple(kind for kind, found in done.items() if any(item.new for item in found)),
        lines=tuple(_said(kind, item) for kind, found in done.items() for item in found),
        degraded=tuple(dict.fromkeys(name for found in done.values() for item in found for name in item.degraded)),
    )


def of_task(parts: Parts, tenant: str, user: str, task: str) -> Made:
    """The task's summary, made anew where its material is another."""
    place = Placement(scope=Scope.TASK, user=user, task=task)
    return made(parts, Identity(tenant=tenant, user=user, task=task), place)


def of_user(parts: Parts, tenant: str, user: str) -> Made:
    """The user's summary across sessions, folded anew where their sessions' summaries are others."""
    return made(parts, Identity(tenant=tenant, user=user), Placement(scope=Scope.USER, user=user))


def _said(kind: str, item: Made) -> str:
    if item.summary is None:
        return f"{kind}: nothing was said that could be told"
    word = "summary" if item.new else "nothing new; summary"
    return f"{kind}: {word} version {item.summary.version}, {len(item.summary.lines)} line(s), by {item.summary.derived_by}"


def made(parts: Parts, reader: Identity, place: Placement) -> Made:
    """The version that stands for a place after this: a new one where what it is made of changed.

    Raises `StoreBusy` (by `Fenced`) where something it rests on went while it was made; then it is to be begun anew.
    """
    gathered = gathered_of(parts, reader, place)
    if gathered.earlier is not None and gathered.earlier.made_from == gathered.made_from:
        return Made(summary=gathered.earlier)
    if gathered.empty and gathered.earlier is None:
        return Made(summary=None)
    draft, derived_by, degraded = _drafted(parts, gathered)
    most = parts.policy.summary.tokens
    draft = draft.within(most, parts.counter.count)
    summary = _version(parts, place, gathered, draft, derived_by, final=not degraded)
    if gathered.earlier is not None and _says_the_same(gathered.earlier, summary):
        return Made(summary=gathered.earlier, degraded=degraded)
    vectors, down = parts.pipeline.encode([draft.content] if draft.lines else [])
    failed = (*degraded, *down)
    home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
    with parts.store.write(reader, Locks(partitions=(home,))) as unit:
        fenced(unit, gathered.epoch)
        now = current(unit, place)
        if _named(now) != _named(gathered.earlier):
            raise Fenced("another version was written meanwhile; nothing was written, it is begun anew")
        refs = {ref for line in draft.lines for ref in line.rests_on}
        if standing(unit, refs, parts.policy) != refs:
            raise Fenced("what the summary rests on changed meanwhile; nothing was written, it is begun anew")
        if not draft.lines:
            if now is None:
                unit.leave()
            else:
                unit.retire_summary(now.summary_id)
            return Made(summary=None, degraded=failed)
        summary = unit.add_summary(summary)
        unit.add_index(home, [_entry(summary, vectors[0])])
        unit.audit("memory.summary", ref_kind="summary", ref=summary.summary_id, content=summary.content)
    return Made(summary=summary, new=True, degraded=failed)


def _named(item: Summary | None) -> tuple[UUID, int] | None:
    return None if item is None else (item.summary_id, item.version)


# -- what is made of it --------------------------------------------------------------------------------------------------


def _drafted(parts: Parts, gathered: Gathered) -> tuple[Draft, str, tuple[str, ...]]:
    """The lines, who made them, and which model failed: then the built-in summariser did it instead."""
    if gathered.stories:
        return fold(gathered.stories), "fold-1", ()
    if not (gathered.material.turns or gathered.material.facts):
        return Draft(), parts.summariser.id, ()
    try:
        return parts.summariser.summarise(gathered.material), parts.summariser.id, ()
    except ModelError as error:
        log.warning("summariser %s failed: %s", parts.summariser.id, error.code)
        builtin = parts.fallback_summariser
        return builtin.summarise(gathered.material), f"{builtin.id} ({parts.summariser.id} failed)", ("llm",)


def fold(stories: Sequence[Summary]) -> Draft:
    """Several sessions' lines as one draft: taken over whole, never told again, so that nothing drifts from what was said.

    The latest session first, line by line in turn, so that each has its best line in before any has its second; what rests on
    the same as an earlier line is the same. Of moods only the latest counts.
    """
    fields: dict[str, tuple[Line, ...]] = {}
    for name in FIELDS:
        columns = [getattr(item, name) for item in stories]
        columns = [column for column in columns if column][: 1 if name == "mood" else None]
        deepest = max((len(column) for column in columns), default=0)
        taken: dict[tuple[str, ...], Line] = {}
        for depth in range(deepest):
            for column in columns:
                if depth < len(column):
                    line = column[depth]
                    taken.setdefault(_sameness(name, line), line)
        fields[name] = tuple(taken.values())
    return Draft(**fields)


def _sameness(name: str, line: Line) -> tuple[str, ...]:
    """What makes two lines one: for things their name, else the ground and the words."""
    if name == "entities":
        return (line.text.casefold(),)
    if name == "confirmed":
        return tuple(sorted(ref.hex for ref in line.rests_on))
    return (line.text, *sorted(ref.hex for ref in line.rests_on))


def _says_the_same(one: Summary, other: Summary) -> bool:
    """Whether a version would add nothing: a model that is down for long makes no versions of the same."""
    fields = (*FIELDS, "covers_from", "covers_until", "derived_by", "through")
    return all(getattr(one, name) == getattr(other, name) for name in fields)


def _version(
    parts: Parts, place: Placement, gathered: Gathered, draft: Draft, derived_by: str, *, final: bool
) -> Summary:
    """The next version, not recorded yet. One that is not `final`, since a model failed, is to be made anew next time."""
    start, end = _covers(gathered)
    earlier = gathered.earlier
    return Summary(
        summary_id=parts.pipeline.new_id() if earlier is None else earlier.summary_id,
        version=1 if earlier is None else earlier.version + 1,
        placement=place,
        **{name: getattr(draft, name) for name in FIELDS},
        covers_from=start,
        covers_until=end,
        derived_by=derived_by,
        recorded_at=parts.clock(),
        made_from=gathered.made_from if final else "",
        through=max((turn.recorded_at for turn in gathered.material.turns), default=None),
    )


def _covers(gathered: Gathered) -> tuple[datetime | None, datetime | None]:
    """From when until when what it is made of was said."""
    turns = [turn.at for turn in gathered.material.turns]
    starts = turns or [item.covers_from for item in gathered.stories if item.covers_from is not None]
    ends = turns or [item.covers_until for item in gathered.stories if item.covers_until is not None]
    if not starts and not ends:
        starts = ends = [fact.recorded_at for fact in gathered.material.facts]
    return min(starts, default=None), max(ends, default=None)


def _entry(summary: Summary, vectors: bytes) -> IndexItem:
    """The index entry of a version."""
    analysis = analyse(summary.content)
    return IndexItem(
        kind=ItemKind.SUMMARY,
        ref=summary.summary_id,
        placement=summary.placement,
        revision=summary.version,
        tokens=analysis.tokens,
        tail=analysis.tail,
        vectors=vectors,
        occurred_at=summary.covers_until,
    )


# -- made anew -----------------------------------------------------------------------------------------------------------


@contextmanager
def summarised_anew(parts: Parts, subject: Identity) -> Iterator[None]:
    """Makes the summaries again that a forget in the block took out. What fails of that costs nobody the forget: the lifecycle
    makes them."""
    before = _places(parts, subject)
    yield
    lost = [place for place in before if place not in set(_places(parts, subject))]
    for place in sorted(lost, key=lambda place: place.scope is Scope.USER):
        try:
            parts.retrying(lambda place=place: _again(parts, subject, place))  # type: ignore[misc]
        except MunimentError as error:
            log.warning("a summary is left to the lifecycle: %s", error.code)


def renewed(parts: Parts, tenant: str, user: str, *, dry: bool = False) -> int:
    """Makes those summaries of a user again of which a line does not stand any more, and folds their own; how many that were."""
    home = Identity(tenant=tenant, user=user)
    count = 0
    for place in _places(parts, home):
        if place.scope is not Scope.USER and _stale(parts, home, place):
            count += 1 if dry else parts.retrying(lambda place=place: _again(parts, home, place)).new  # type: ignore[misc]
    if not dry:
        count += parts.retrying(lambda: of_user(parts, tenant, user)).new
    return count


def _places(parts: Parts, subject: Identity) -> list[Placement]:
    with parts.store.read(Identity(tenant=subject.tenant, user=subject.user)) as unit:
        return unit.summary_places()


def _inside(subject: Identity, place: Placement) -> Identity:
    """The plain reader with whose eyes a place's summary is made."""
    return Identity(tenant=subject.tenant, user=subject.user, session=place.session, task=place.task)


def _again(parts: Parts, subject: Identity, place: Placement) -> Made:
    return made(parts, _inside(subject, place), place)


def _stale(parts: Parts, subject: Identity, place: Placement) -> bool:
    with parts.store.read(_inside(subject, place)) as unit:
        found = current(unit, place)
        return found is not None and as_they_stand(unit, [found], parts.policy)[0].stale > 0


# -- reading one ---------------------------------------------------------------------------------------------------------


def summary_at(parts: Parts, place: Placement, unit: ReadUnit) -> Summary | None:
    """The summary of a place as this reader may see it: only lines that still stand; None where there is none, or no line."""
    found = current(unit, place)
    if found is None:
        return None
    checked = as_they_stand(unit, [found], parts.policy)[0]
    return checked if checked.lines else None
