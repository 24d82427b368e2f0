"""A document, version by version: cut into passages, kept in bounded transactions, shown and replaced in one.

    stage    the passages that are new, some at a time, kept from every reader
    turn     one transaction, an act of its own: they are shown, and what the version before had and this one has not becomes
             history; facts that rested only on that are to be confirmed again
    extract  what the new passages say, as for any evidence

Whatever stops it, a reader sees one whole version; done again, it goes on where it stopped. A passage that both versions have
is kept once. A version that is older than the one held (`text/versions`, else by when it was said) becomes history at once.

Belongs here: that order. Does not belong here: the cut (text/documents), what is known of a document (`document_versions`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import UUID

from muniment.domain.documents import PASSAGE_EVENT
from muniment.domain.enums import Eligibility, OwnerType
from muniment.domain.errors import InvalidInput, ModelError, TooLarge
from muniment.domain.observation import RESERVED, Observation
from muniment.domain.receipts import receipt_json
from muniment.domain.records import Evidence, Receipt
from muniment.domain.scope import PartitionKey, Reader
from muniment.ingestion.acts import TURN, Acting, perform
from muniment.ingestion.document_versions import (
    Known,
    first_receipt,
    key_and_name,
    key_of,
    known_of,
    line_of,
    offered,
    same,
    standing,
    supersedes,
    version_key,
    whole,
)
from muniment.ingestion.pipeline import Pipeline
from muniment.ingestion.receive import Received
from muniment.ports.store import Finished, Locks, WriteUnit
from muniment.text.documents import JOINT, Piece, passages
from muniment.text.redact import Redaction, mask, redact
from muniment.text.sanitise import sanitise

BATCH: Final = 64
"""Passages of one transaction."""
STAGED: Final = "STAGED"
"""Processing state of a passage that no version shows yet: nothing is extracted from it."""

Progress = Callable[[int, int], object]


class _Moved(Exception):
    """Another version was turned to since the plan was made; it is made anew."""


@dataclass(slots=True)
class _Cut:
    """A passage of the version that is observed: where it stands, and what it would be written as."""

    piece: Piece
    received: Received
    said: str


@dataclass(slots=True)
class _Plan:
    """A version under way: what was said, which document it is of, the digest of its words, the act that will turn to it, and
    its passages, cut once it is known that they are needed."""

    said: Observation
    key: str
    name: str
    digest: str
    turning: Received
    cuts: list[_Cut] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Documents:
    """Documents over the write path's ports."""

    pipeline: Pipeline

    def observe(
        self, reader: Reader, said: Observation, *, title: str | None, wait: bool, progress: Progress | None = None
    ) -> Receipt:
        """Records a version of a document; the same one again answers with the first receipt. `progress` is told (passages
        done, passages in all).

        Raises `InvalidInput`, `TooLarge`, `Conflict` for other words under a version that is held, `IdempotencyConflict` and
        `Erased` for keys.
        """
        text = self._text(said)
        key, name = key_and_name(
            self.pipeline.store.digest,
            reader,
            source_system=said.source_system or said.source,
            source_id=said.source_id,
            locator=said.locator,
            words=text,
        )
        kinds = self.pipeline.policy.sensitivity.mask
        name = redact(name, kinds).text
        if said.source_version is not None:
            said = replace(said, source_version=redact(said.source_version, kinds).text)
        digest = self.pipeline.store.digest(f"document\x00{text}")
        plan = _Plan(said, key, name, digest, self.pipeline.stated(reader, _announced(said, name, digest)))
        while True:
            with self.pipeline.store.read(reader) as snapshot:
                known = known_of(snapshot, key)
                receipt = self.pipeline.replayed(snapshot, plan.turning)
                if receipt is None and (found := same(known, said.source_version, digest, name)) is not None:
                    receipt = first_receipt(snapshot, found)
            if receipt is None:
                plan.cuts = plan.cuts or self._cut(reader, said, text, title)
                degraded: list[str] = []
                matched = self._staged(reader, plan, known, progress, degraded)
                try:
                    receipt = self._turned(reader, plan, matched, known, wait=wait, degraded=degraded)
                except _Moved:
                    continue
            return self._finished(reader, receipt, wait=wait)

    # -- before anything is written ---------------------------------------------------------------------------------

    def _text(self, said: Observation) -> str:
        limit = self.pipeline.policy.limits.document_chars
        if len(said.content) > limit:
            raise TooLarge(f"the document has {len(said.content)} characters, over limits.document_chars = {limit}")
        text = sanitise(said.content).text
        if not text.strip():
            raise InvalidInput("content is empty; there is nothing to observe")
        return text

    def _cut(self, reader: Reader, said: Observation, text: str, title: str | None) -> list[_Cut]:
        """The passages, each ready to be written. What must not be stored is looked for in the whole, and never cut."""
        kept = redact(text, self.pipeline.policy.sensitivity.mask)
        now = self.pipeline.clock()
        cuts = []
        for piece in passages(text, whole=[item.span for item in kept.findings]):
            words = _masked(text, piece, kept, self.pipeline.policy.sensitivity.mask)
            content = f"{JOINT.join(piece.above)}\n{words}" if piece.above else words
            about = {"title": title} if title else {}
            about |= {"heading": JOINT.join(piece.path)} if piece.path else {}
            item = replace(
                said,
                content=content,
                event_type=PASSAGE_EVENT,
                locator=_located(said.locator or said.source_id or "document", piece),
                metadata={**about, **said.metadata},
                payload={},
                idempotency_key=None,
            )
            received = self.pipeline.received(reader, item, now)
            cuts.append(_Cut(piece, received, received.cleaned.observation.content))
        return cuts

    # -- stage ------------------------------------------------------------------------------------------------------

    def _staged(
        self,
        reader: Reader,
        plan: _Plan,
        known: Known,
        progress: Progress | None,
        degraded: list[str],
    ) -> list[list[Evidence]]:
        """For each passage the evidence it is kept as: what is held already, else written now, where no reader finds it."""
        cuts = plan.cuts
        held: dict[str, list[list[Evidence]]] = defaultdict(list)
        current = frozenset[UUID]() if known.current is None else known.current.events
        order = sorted(known.groups.values(), key=lambda group: group[0].event_id not in current)
        for group in order:
            held[whole(group)].append(group)
        matched: list[list[Evidence] | None] = [held[cut.said].pop(0) if held[cut.said] else None for cut in cuts]
        fresh = [place for place, group in enumerate(matched) if group is None]
        done = len(cuts) - len(fresh)
        for start in range(0, len(fresh), BATCH):
            some = fresh[start : start + BATCH]
            failed = self._stage(reader, plan.key, [cuts[place].received for place in some])
            degraded += [name for name in failed if name not in degraded]
            for place in some:
                matched[place] = list(cuts[place].received.evidence)
            done += len(some)
            if progress is not None:
                progress(done, len(cuts))
        if progress is not None and not fresh:
            progress(done, len(cuts))
        return [group for group in matched if group is not None]

    def _stage(self, reader: Reader, key: str, received: Sequence[Received]) -> list[str]:
        pipeline = self.pipeline
        degraded = pipeline.embed(received)
        shown = [list(item.evidence) for item in received]
        keys = [key_of(key, piece) for item in received for piece in item.evidence]

        def work(unit: WriteUnit) -> None:
            for item, pieces in zip(received, shown, strict=True):
                item.evidence = [replace(piece, eligibility=Eligibility.AUDIT_ONLY) for piece in pieces]
            pipeline.write_received(unit, received)
            unit.add_identifiers(keys)
            unit.finish_events([Finished(event_id=item.event.event_id, state=STAGED) for item in received])

        home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
        pipeline.writing(reader, Locks(lanes=(received[0].event.lane_key,), partitions=(home,)), work)
        for item, pieces in zip(received, shown, strict=True):
            item.evidence = pieces
        return degraded

    # -- turn -------------------------------------------------------------------------------------------------------

    def _turned(
        self,
        reader: Reader,
        plan: _Plan,
        matched: Sequence[Sequence[Evidence]],
        known: Known,
        *,
        wait: bool,
        degraded: Sequence[str],
    ) -> Receipt:
        """Shows the version whole, in one transaction. Raises `_Moved` where another was turned to meanwhile."""
        pipeline, before = self.pipeline, known.current
        turning, cuts, key, version = plan.turning, plan.cuts, plan.key, plan.said.source_version
        newer = before is None or supersedes(turning.event, version, before)
        listed = {event for item in known.versions for event in item.events}
        kept = frozenset[UUID]() if before is None else before.events
        plain = self._plain(reader, cuts, newer=newer, wait=wait)
        given = dict(turning.event.payload)

        def work(unit: WriteUnit) -> Receipt:
            if (receipt := pipeline.replayed(unit, turning)) is not None:
                unit.leave()
                return receipt
            now = known_of(unit, key)
            if [item.event_id for item in now.versions] != [item.event_id for item in known.versions]:
                unit.leave()
                raise _Moved
            events = [group[0].event_id for group in matched]
            groups = [standing(now.groups.get(event, []), group) for event, group in zip(events, matched, strict=True)]
            past = offered(unit, sorted(kept - set(events))) if newer else []
            payload: dict[str, Any] = {
                "document": key,
                "version": version,
                "digest": plan.digest,
                "current": newer,
                "passages": [
                    [str(event), [str(piece.evidence_id) for piece in group], cut.piece.start, cut.piece.end]
                    for cut, event, group in zip(cuts, events, groups, strict=True)
                ],
                "shown": _shown(cuts, groups, kept=kept, listed=listed, newer=newer),
                "past": [str(ref) for ref in past],
            }
            turning.event = replace(turning.event, payload=payload | ({"given": given} if given else {}))
            grounds = pipeline.grounds(unit, turning)
            unit.add_identifiers([version_key(key, turning.event, unit.reader)])
            acting = Acting(unit=unit, policy=pipeline.policy, grounds=grounds, event_id=turning.event.event_id)
            _, followed = perform(TURN, acting, payload)
            fresh = [event for event in events if event not in listed]
            self._release(unit, now, fresh, plain, sorted(kept - set(events)) if newer else [])
            lines = (line_of(plan.name, version, before, newer, len(cuts), len(fresh), len(past)), *followed)
            receipt = Receipt(
                event=turning.event.event_id,
                evidence=tuple(piece.evidence_id for group in groups for piece in group),
                lines=lines,
                degraded=tuple(degraded),
                known_at=unit.recorded_at,
            )
            unit.finish_event(turning.event.event_id, state="DONE", receipt=receipt_json(receipt))
            unit.audit("document.observed", ref_kind="event", ref=turning.event.event_id, content=lines[0])
            return receipt

        home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
        return pipeline.writing(reader, Locks(lanes=(turning.event.lane_key,), partitions=(home,)), work)

    def _plain(self, reader: Reader, cuts: Sequence[_Cut], *, newer: bool, wait: bool) -> set[str]:
        """The words of passages from which nothing is to be extracted: all of an older version's, and what a local extractor
        finds nothing in, so that no transaction is spent on each."""
        if not newer:
            return {cut.said for cut in cuts}
        if not wait or not self.pipeline.extractor.local:
            return set()
        found = set()
        for cut in cuts:
            try:
                if not self.pipeline.extract(reader, cut.received.event, cut.received.evidence):
                    found.add(cut.said)
            except ModelError:
                continue
        return found

    @staticmethod
    def _release(unit: WriteUnit, now: Known, fresh: Sequence[UUID], plain: set[str], over: Sequence[UUID]) -> None:
        """Lets the new passages be understood; those that have nothing to say are done, and so are those that became history
        before anybody came to them."""
        waiting = unit.pending(events=over, limit=len(over)) if over else []
        rows = [Finished(event_id=event, state="DONE") for event in waiting]
        for event in fresh:
            state = "DONE" if whole(now.groups.get(event, ())) in plain else "RECEIVED"
            rows.append(Finished(event_id=event, state=state))
        unit.finish_events(rows)

    # -- extract ----------------------------------------------------------------------------------------------------

    def _finished(self, reader: Reader, receipt: Receipt, *, wait: bool) -> Receipt:
        """The receipt with what became of the passages; those that are not understood yet are, if that is waited for."""
        with self.pipeline.store.read(reader) as snapshot:
            events = sorted({piece.event_id for piece in snapshot.evidence(receipt.evidence).values()})
            waiting = snapshot.pending(events=events, limit=len(events)) if events else []
        if not waiting:
            return receipt
        if not wait:
            return replace(receipt, pending=True)
        done = self.pipeline.process(reader, waiting)
        whole = replace(
            receipt,
            candidates=(*receipt.candidates, *(ref for item in done for ref in item.candidates)),
            decisions=(*receipt.decisions, *(made for item in done for made in item.decisions)),
            facts=tuple(dict.fromkeys([*receipt.facts, *(ref for item in done for ref in item.facts)])),
            lines=(*receipt.lines, *(line for item in done for line in item.lines)),
            pending=any(item.pending for item in done),
            degraded=tuple(dict.fromkeys([*receipt.degraded, *(name for item in done for name in item.degraded)])),
        )
        home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
        stored = receipt_json(replace(whole, replayed=False))
        self.pipeline.writing(
            reader,
            Locks(partitions=(home,)),
            lambda unit: unit.finish_event(receipt.event, state="DONE", receipt=stored),
        )
        return whole


def _announced(said: Observation, name: str, digest: str) -> Observation:
    """The act of turning to a version, as an event; what is told of it holds none of its words."""
    version = "" if said.source_version is None else f", version {said.source_version}"
    return replace(said, content=f"document {name}{version} ({digest[:16]})", event_type=RESERVED + TURN)


def _masked(text: str, piece: Piece, kept: Redaction, kinds: tuple[str, ...]) -> str:
    """The passage's words. What is found in the whole document but not in the passage alone is masked beforehand."""
    words = text[piece.start : piece.end]
    inside = [item for item in kept.findings if piece.start <= item.span[0] and item.span[1] <= piece.end]
    if not inside:
        return words
    alone = [item.span for item in redact(words, kinds).findings]
    for item in reversed(inside):
        start, end = item.span[0] - piece.start, item.span[1] - piece.start
        if not any(first <= start and end <= last for first, last in alone):
            words = words[:start] + mask(item.kind, words[start:end]) + words[end:]
    return words


def _located(name: str, piece: Piece) -> str:
    """The document's locator with the place in it, in what a locator may have."""
    fragment = piece.fragment
    return f"{name[: 511 - len(fragment)]}#{fragment}"


def _shown(
    cuts: Sequence[_Cut],
    groups: Sequence[Sequence[Evidence]],
    *,
    kept: Collection[UUID],
    listed: Collection[UUID],
    newer: bool,
) -> dict[str, str]:
    """What readers may do with each piece from now on, where that changes: of the version before it stays what it is; what
    was history and is said again, and what was staged, becomes what its words allow."""
    found: dict[str, str] = {}
    for cut, group in zip(cuts, groups, strict=True):
        allowed = {piece.content: piece.eligibility for piece in cut.received.evidence}
        for piece in group:
            was, wanted = piece.eligibility, allowed.get(piece.content, Eligibility.AUDIT_ONLY)
            if piece.event_id in kept or (piece.event_id in listed and was is not Eligibility.HISTORY):
                continue
            if not newer and wanted in (Eligibility.ELIGIBLE, Eligibility.QUARANTINED):
                wanted = Eligibility.HISTORY
            if wanted is not was:
                found[str(piece.evidence_id)] = wanted.value
    return found
