"""The steps of the write path, run for a batch of observations.

With a local extractor everything an observation leads to is one transaction. With one that calls a model the observation
is durable first, and its candidates follow in a second transaction: never one across a model call. A failing extractor
or embedder loses nothing: the event stays, marked, and is tried again by `process`.

Belongs here: the order of the steps and the transactions around them. Does not belong here: what a step does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import ActorType, Eligibility, OwnerType
from muniment.domain.errors import Erased, IdempotencyConflict, ModelError, NotFound
from muniment.domain.observation import Observation
from muniment.domain.receipts import receipt_from, receipt_json
from muniment.domain.records import Candidate, Event, Evidence, Receipt
from muniment.domain.scope import PartitionKey, Reader
from muniment.domain.time import MICROSECOND, Moment
from muniment.ingestion.commit import Grounds
from muniment.ingestion.extracting import BEFORE, NOTHING, TURN_CHARS, Around, Progress, extracted, said_before
from muniment.ingestion.govern import Case, decide, grounds_of, slot_for
from muniment.ingestion.outcome import offered, receipt_of, told
from muniment.ingestion.processing import fenced, process
from muniment.ingestion.receive import NewId, Received, entry, receive
from muniment.ingestion.redact import clean, thresholds
from muniment.ingestion.stated import clean_candidate
from muniment.ports.models import Clock, Embedder, Extractor
from muniment.ports.store import Finished, Locks, ReadUnit, Replay, Store, WiderLocks, WriteUnit
from muniment.text.authority import suspicions
from muniment.text.passages import CHUNK_CHARS, pieces
from muniment.text.personal import detect

T = TypeVar("T")
MAX_CHUNKS = 64


@dataclass(slots=True, kw_only=True)
class Pipeline:
    """The write path over its ports."""

    store: Store
    embedder: Embedder
    extractor: Extractor
    policy: Policy
    clock: Clock
    new_id: NewId

    def observe(self, reader: Reader, observations: Sequence[Observation], *, wait: bool = True) -> list[Receipt]:
        """Writes a batch in one transaction, in order; a receipt for each.

        Raises, before anything is written, for any observation that cannot be kept as it is; `IdempotencyConflict` and
        `Erased` for keys, and then nothing of the batch is written either.
        """
        if not observations:
            return []
        now = self.clock()
        received = [self.received(reader, item, now) for item in observations]
        degraded = self.embed(received)
        inline = wait and self.extractor.local
        cases: list[list[Case]] = [[] for _ in received]
        if inline:
            self._extract_all(reader, received)
            for position, item in enumerate(received):
                cases[position], more = self.cases(item.event, item.evidence, item.candidates)
                degraded += more
        lanes = [item.event.lane_key for item in received]
        locks = self.locks(reader, [case for some in cases for case in some], lanes=lanes)
        failed = tuple(dict.fromkeys(degraded))
        receipts = self.writing(
            reader, locks, lambda unit: self._write(unit, received, cases, inline=inline, degraded=failed)
        )
        if wait and not inline:
            done = {
                item.event: item for item in self.process(reader, [item.event for item in receipts if item.pending])
            }
            receipts = [done.get(receipt.event, receipt) for receipt in receipts]
        return receipts

    # -- before the transaction -------------------------------------------------------------------------------------

    def received(self, reader: Reader, item: Observation, now: datetime) -> Received:
        """One observation cleaned, redacted, and cut into evidence; not written yet."""
        cleaned = clean(item, policy=self.policy, digest=self.store.digest)
        return receive(
            cleaned, reader=reader, policy=self.policy, now=now, new_id=self.new_id, digest=self.store.digest
        )

    def encode(self, texts: Sequence[str]) -> tuple[list[bytes], list[str]]:
        """For each text the vectors of its chunks as float16 rows; with the model down, none, and 'embedder' as degraded."""
        if not texts or self.embedder.dimension == 0:
            return [b"" for _ in texts], []
        chunks = [pieces(text, CHUNK_CHARS)[:MAX_CHUNKS] or [text] for text in texts]
        try:
            matrix = self.embedder.encode([chunk for group in chunks for chunk in group], kind="document")
        except ModelError:
            return [b"" for _ in texts], ["embedder"]
        packed, row = [], 0
        for group in chunks:
            packed.append(matrix[row : row + len(group)].astype("<f2").tobytes())
            row += len(group)
        return packed, []

    def embed(self, received: Sequence[Received]) -> list[str]:
        """Gives each the vectors of its evidence; what failed."""
        wanted = [
            (item, piece)
            for item in received
            for piece in item.evidence
            if piece.eligibility is not Eligibility.AUDIT_ONLY
        ]
        vectors, degraded = self.encode([piece.content for _, piece in wanted])
        for (item, piece), packed in zip(wanted, vectors, strict=True):
            item.vectors[piece.evidence_id] = packed
        return degraded

    def _extract_all(self, reader: Reader, received: Sequence[Received]) -> None:
        """Candidates of each, from what may be read of it; a failure is kept with the event."""
        before = self._said_before(reader, received[0].event) if received else []
        for item in received:
            try:
                around = Around(before=tuple(before[-BEFORE:]))
                item.candidates = self.extract(reader, item.event, item.evidence, around)
            except ModelError as error:
                item.error = told(error, self.policy)
            before.append((item.event.actor_type, offered(item.event, item.cleaned.observation.content)[:TURN_CHARS]))

    def _said_before(self, reader: Reader, event: Event) -> list[tuple[ActorType, str]]:
        """The last turns of the session of an event that is not written yet."""
        if event.placement.session is None:
            return []
        with self.store.read(reader) as unit:
            return list(said_before(unit, event))

    def extract(
        self, reader: Reader, event: Event, evidence: Sequence[Evidence], around: Around = NOTHING
    ) -> list[Candidate]:
        """What the extractor finds. Raises `ModelError` where its model fails."""
        return extracted(self.extractor, self.policy, reader, event, evidence, around)

    def cases(
        self, event: Event, evidence: Sequence[Evidence], candidates: Sequence[Candidate]
    ) -> tuple[list[Case], list[str]]:
        """Each candidate with its evidence, the trust of its source, what was detected in its words, and its vectors."""
        by_id = {piece.evidence_id: piece for piece in evidence}
        vectors, degraded = self.encode([item.content for item in candidates])
        cases = []
        for item, packed in zip(candidates, vectors, strict=True):
            grounds = tuple(by_id[ground] for ground in item.evidence if ground in by_id)
            words = item.quote or item.content
            trust = min((piece.trust for piece in grounds), default=0)
            own = event.actor_type is ActorType.USER
            learned = thresholds(self.policy, event.actor_type, event.event_type)
            cases.append(
                Case(
                    candidate=item,
                    event=event,
                    evidence=grounds,
                    direct=False,
                    suspicions=tuple(suspicions(words, source_is_user=own, learned=learned)),
                    findings=tuple(detect(item.content)),
                    trust=trust if item.trust is None else min(trust, item.trust),
                    vectors=packed,
                )
            )
        return cases, degraded

    def locks(self, reader: Reader, cases: Sequence[Case], *, lanes: Sequence[str] = ()) -> Locks:
        """What deciding the cases must hold: their lanes, their slots, the partitions they live in and the reader's own."""
        slots = {slot for case in cases if (slot := slot_for(case, reader, self.policy)) is not None}
        home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
        partitions = {home, *(PartitionKey.of(reader.tenant, slot.placement) for slot in slots)}
        return Locks(lanes=tuple(set(lanes)), slots=tuple(slots), partitions=tuple(sorted(partitions)))

    # -- the transaction --------------------------------------------------------------------------------------------

    def _write(
        self,
        unit: WriteUnit,
        received: Sequence[Received],
        cases: Sequence[list[Case]],
        *,
        inline: bool,
        degraded: tuple[str, ...],
    ) -> list[Receipt]:
        """Everything of the batch, in order; a repeated key answers with its first receipt and writes nothing."""
        replays = self._replays(unit, received)
        earlier: dict[tuple[str, str], int] = {}
        fresh = []
        for position, (item, replayed) in enumerate(zip(received, replays, strict=True)):
            key = item.event.idempotency_key
            if replayed is not None or (key is not None and (item.event.source, key) in earlier):
                continue
            if key is not None:
                earlier[item.event.source, key] = position
            fresh.append(position)
        if not fresh:
            unit.leave()
        self.write_received(unit, [received[position] for position in fresh])
        receipts: dict[int, Receipt] = {}
        finished: list[Finished] = []
        for position in fresh:
            item = received[position]
            receipts[position], done = self._finish(unit, item, cases[position], inline=inline, degraded=degraded)
            finished += done
        unit.finish_events(finished)
        answers = []
        for position, (item, replayed) in enumerate(zip(received, replays, strict=True)):
            if position in receipts:
                answers.append(receipts[position])
            elif replayed is not None:
                answers.append(replayed)
            else:
                first = earlier[item.event.source, str(item.event.idempotency_key)]
                self._same_body(received[first].cleaned.digest, item)
                answers.append(replace(receipts[first], replayed=True))
        return answers

    def replayed(self, unit: ReadUnit, received: Received) -> Receipt | None:
        """The receipt that a write's key was answered with before, or None for a new one."""
        return self._replays(unit, [received])[0]

    def _replays(self, unit: ReadUnit, received: Sequence[Received]) -> list[Receipt | None]:
        """For each, the receipt its key was answered with before; None for one that is new. Asked source by source."""
        by_source: dict[str, list[str]] = {}
        for item in received:
            if item.event.idempotency_key is not None:
                by_source.setdefault(item.event.source, []).append(item.event.idempotency_key)
        known = {source: unit.replays(source, keys) for source, keys in by_source.items()}
        found = [known.get(item.event.source, {}).get(item.event.idempotency_key or "") for item in received]
        return [
            None if replay is None else self._answered(item, replay)
            for item, replay in zip(received, found, strict=True)
        ]

    def _answered(self, item: Received, known: Replay) -> Receipt:
        key = item.event.idempotency_key
        if known.erased or known.event_id is None:
            raise Erased(f"what was sent under the idempotency key {key!r} has been erased; nothing was re-created")
        self._same_body(known.body_digest, item)
        if known.receipt is None:
            return Receipt(
                event=known.event_id, replayed=True, pending=True, lines=("received before; not processed yet",)
            )
        return receipt_from(known.receipt, replayed=True)

    @staticmethod
    def _same_body(digest: str | None, item: Received) -> None:
        if digest != item.cleaned.digest:
            key = item.event.idempotency_key
            raise IdempotencyConflict(
                f"the idempotency key {key!r} was used for another body; send this one under a new key"
            )

    def write_received(self, unit: WriteUnit, received: Sequence[Received]) -> None:
        for place, item in enumerate(received):
            _dated(item, unit.recorded_at - (len(received) - 1 - place) * MICROSECOND)
        events = unit.add_events([item.event for item in received], digests=[item.cleaned.digest for item in received])
        for item, event in zip(received, events, strict=True):
            item.event = event
        unit.add_evidence([piece for item in received for piece in item.evidence])
        unit.add_identifiers([key for item in received for key in item.identifiers])
        entries = [
            entry(piece, item.event, item.vectors.get(piece.evidence_id, b""))
            for item in received
            for piece in item.evidence
        ]
        home = PartitionKey(tenant=unit.reader.tenant, kind=OwnerType.USER, target=unit.reader.user)
        unit.add_index(home, entries)

    def _finish(
        self, unit: WriteUnit, item: Received, cases: Sequence[Case], *, inline: bool, degraded: tuple[str, ...]
    ) -> tuple[Receipt, list[Finished]]:
        """What follows from one event, and how its processing ended, if it has."""
        cases = [replace(case, event=item.event) for case in cases]
        decided = [decide(unit, case, self.policy, new_id=self.new_id) for case in cases]
        pending = not inline or item.error is not None
        receipt = receipt_of(
            item.event, item.evidence, decided, unit, pending=pending, degraded=degraded, error=item.error
        )
        if not inline:
            return receipt, []
        state = "FAILED" if item.error else "DONE"
        stored = None if pending else receipt_json(receipt)
        return receipt, [Finished(event_id=item.event.event_id, state=state, receipt=stored, error=item.error)]

    # -- structured writes ------------------------------------------------------------------------------------------

    def stated(self, reader: Reader, item: Observation) -> Received:
        """A structured write as an event; its words are kept for the auditor, since the fact says them."""
        received = self.received(reader, item, self.clock())
        received.evidence = [replace(piece, eligibility=Eligibility.AUDIT_ONLY) for piece in received.evidence]
        received.identifiers = []
        return received

    def direct(
        self, reader: Reader, item: Observation, candidates: Sequence[Candidate], *, direct: bool = True
    ) -> Receipt:
        """A structured write: an event whose candidates go through the rules with the caller's own authority, in one
        transaction. `direct` false is a proposal, which has none of its own."""
        received = self.stated(reader, item)
        grounds = (received.evidence[0].evidence_id,)
        stated = [clean_candidate(candidate, self.policy) for candidate in candidates]
        given = [replace(candidate, evidence=candidate.evidence or grounds) for candidate in stated]
        named = {ref for candidate in given for ref in candidate.evidence} - set(grounds)
        others, epoch = self._named(reader, named)
        cases, degraded = self.cases(received.event, [*received.evidence, *others], given)
        # Naming what somebody trusted said lends the caller none of that trust.
        own = received.evidence[0].trust
        cases = [replace(case, direct=direct, trust=min(case.trust, own)) for case in cases]
        lanes = [received.event.lane_key]
        failed = tuple(degraded)
        return self.writing(
            reader,
            self.locks(reader, cases, lanes=lanes),
            lambda unit: self._write(
                unit if epoch is None else fenced(unit, epoch), [received], [cases], inline=True, degraded=failed
            )[0],
        )

    def writing(self, reader: Reader, locks: Locks, work: Callable[[WriteUnit], T]) -> T:
        """Does the work in one transaction; begun anew with further partitions locked where it turns out to reach them."""
        while True:
            try:
                with self.store.write(reader, locks) as unit:
                    return work(unit)
            except WiderLocks as wider:
                if not set(wider.partitions) - set(locks.partitions):
                    raise
                locks = replace(locks, partitions=tuple(sorted({*locks.partitions, *wider.partitions})))

    def _named(self, reader: Reader, refs: Collection[UUID]) -> tuple[list[Evidence], int | None]:
        """Evidence that candidates name as their ground, and the fence it was read behind. Raises `NotFound` for what this
        reader cannot see."""
        if not refs:
            return [], None
        home = PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)
        with self.store.read(reader) as snapshot:
            found, epoch = snapshot.evidence(refs), snapshot.epoch(home)
        if missing := sorted(set(refs) - set(found)):
            raise NotFound(f"no evidence {missing[0]} that you can see")
        return list(found.values()), epoch

    def hypothetical(self, reader: Reader, item: Observation, candidate: Candidate) -> Case:
        """A candidate as it would be judged if this reader stated it; nothing is written."""
        received = self.stated(reader, item)
        grounds = candidate.evidence or (received.evidence[0].evidence_id,)
        pieces = [*received.evidence, *self._named(reader, candidate.evidence)[0]]
        stated = replace(clean_candidate(candidate, self.policy), evidence=grounds)
        cases, _ = self.cases(received.event, pieces, [stated])
        return replace(cases[0], direct=True)

    def grounds(self, unit: WriteUnit, received: Received) -> Grounds:
        """Writes an act's event and evidence, and gives them as grounds."""
        # The vectors are those of what the act says, not of its evidence; kept, as the write may be begun anew.
        words, received.vectors = received.vectors, {}
        self.write_received(unit, [received])
        received.vectors = words
        return grounds_of(received.event, received.evidence, words.get(received.evidence[0].evidence_id))

    # -- what was received before -----------------------------------------------------------------------------------

    def process(self, reader: Reader, events: Sequence[UUID], *, progress: Progress | None = None) -> list[Receipt]:
        """Understands what was received earlier; see `processing.process`."""
        return process(self, reader, events, progress=progress)


def _dated(item: Received, at: datetime) -> None:
    """What came without a time happened when it was written: of two such tellings the later written is the later said,
    also where the clock stood still between them."""
    if item.cleaned.observation.occurred is None:
        occurred = Moment(at=at)
        item.event = replace(item.event, occurred=occurred)
        item.evidence = [replace(piece, occurred=occurred) for piece in item.evidence]
