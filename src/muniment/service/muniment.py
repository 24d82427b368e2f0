"""The open memory: readers, dry evaluation, imports, maintenance.

Belongs here: the methods of interfaces.md's `mem`. Does not belong here: what a reader does (`reader`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import ActorType
from muniment.domain.observation import Observation
from muniment.domain.records import Candidate
from muniment.domain.replays import ReplayReport
from muniment.domain.scope import PartitionKey
from muniment.domain.scope import Reader as Identity
from muniment.governance.considered import Judgement
from muniment.ingestion.govern import judge
from muniment.ports.store import Locks
from muniment.service.parts import Parts
from muniment.service.reader import Reader
from muniment.service.review import Review

if TYPE_CHECKING:
    from muniment.service.importing import ImportReport


class Muniment:
    """One open memory. Made by `muniment.open`; a context manager; safe to share between threads."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.review = Review(parts)

    def __enter__(self) -> Muniment:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives the database connections back. What was acknowledged is durable already."""
        self.parts.store.close()

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self.parts.policy

    def reader(
        self,
        *,
        user: str,
        tenant: str = "default",
        departments: Sequence[str] = (),
        agent: str | None = None,
        session: str | None = None,
        task: str | None = None,
        roles: Sequence[str] = ("agent",),
    ) -> Reader:
        """The memory as this user sees it. Raises `InvalidInput` naming a key that is not one."""
        identity = Identity.of(
            tenant=tenant,
            user=user,
            departments=departments,
            agent=agent,
            session=session,
            task=task,
            roles=roles,
        )
        return Reader(self.parts, identity)

    def evaluate(self, candidate: Candidate, *, reader: Reader) -> Judgement:
        """What would become of a candidate if this reader stated it, rule by rule; nothing is written."""
        pipeline = self.parts.pipeline
        said = Observation(content=candidate.content, actor=ActorType.USER, event_type="statement")
        case = pipeline.hypothetical(reader.identity, said, candidate)
        with self.parts.store.read(reader.identity) as unit:
            return judge(unit, case, self.parts.policy)

    def reembed(self, *, progress: Any = None) -> int:
        """Re-computes every vector that is of another embedder than this memory's; returns how many entries that were.

        Works in slices, each its own transaction, so it can be stopped and run again.
        """
        store, done = self.parts.store, 0
        for key in store.partitions():
            reader = Identity(tenant=key.tenant, user=key.target or "maintenance", roles=frozenset({"admin"}))
            while wanted := store.foreign_vectors(key, 200):
                texts = self._texts(key, reader, wanted)
                vectors, degraded = self.parts.pipeline.encode(list(texts.values()))
                if degraded:
                    self.parts.embedder.encode(list(texts.values()))
                with store.write(reader, Locks(partitions=(key,))) as unit:
                    unit.set_vectors(key, dict(zip(texts, vectors, strict=True)))
                done += len(texts)
                if progress is not None:
                    progress(len(texts))
            self.parts.index.forget(key)
        return done

    def _texts(self, key: PartitionKey, reader: Identity, wanted: Sequence[tuple[str, UUID]]) -> dict[UUID, str]:
        """The words behind index entries, whoever may read them: they are only embedded."""
        with self.parts.store.write(reader, Locks(partitions=(key,))) as unit:
            return dict(unit.words([ref for _, ref in wanted]))

    def import_file(self, path: str | Path, *, reader: Reader | None = None, **given: Any) -> ImportReport:
        """Writes the conversations of a file, once each; see `muniment.service.importing.import_file` for its keywords."""
        from muniment.service.importing import import_file

        return import_file(self, path, reader=reader, **given)

    def replay(
        self,
        *,
        policy: str | Path | Mapping[str, Any] | Policy | None = None,
        dry_run: bool = True,
        tenant: str = "default",
        user: str | None = None,
        reextract: bool = False,
        progress: Callable[[int, int], object] | None = None,
    ) -> ReplayReport:
        """Re-derives facts from the event log: which would appear, change or vanish; see `muniment.service.replay.replay`."""
        from muniment.service.replay import replay

        return replay(
            self.parts,
            policy=policy,
            dry_run=dry_run,
            tenant=tenant,
            user=user,
            reextract=reextract,
            progress=progress,
        )

    def counts(self, *, reader: Reader) -> Mapping[str, int]:
        """How many of each record the reader may see."""
        with self.parts.store.read(reader.identity) as unit:
            return unit.counts()
