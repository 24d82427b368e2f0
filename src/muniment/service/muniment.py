"""The open memory: readers, dry evaluation, imports, maintenance.

Belongs here: the methods of interfaces.md's `mem`. Does not belong here: what a reader does (`reader`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from muniment.config import Policy
from muniment.domain.enums import ActorType
from muniment.domain.errors import Forbidden
from muniment.domain.forgotten import Erasure
from muniment.domain.observation import Observation
from muniment.domain.records import Candidate
from muniment.domain.replays import ReplayReport
from muniment.domain.scope import Reader as Identity
from muniment.governance.considered import Judgement
from muniment.ingestion.govern import judge
from muniment.service.holds import SETS, Holds
from muniment.service.lifecycle import Lifecycle
from muniment.service.parts import Parts
from muniment.service.reader import Reader
from muniment.service.renewal import renew
from muniment.service.review import Review
from muniment.service.verifying import verify_erased
from muniment.service.views import Views

if TYPE_CHECKING:
    from muniment.service.importing import ImportReport


class Muniment:
    """One open memory. Made by `muniment.open`; a context manager; safe to share between threads."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.review = Review(parts)
        self.holds = Holds(parts)
        self.lifecycle = Lifecycle(parts, self.review)

    def __enter__(self) -> Muniment:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives the database connections back. What was acknowledged is durable already."""
        self.parts.window.cache.close()
        self.parts.store.close()

    @property
    def views(self) -> Views:
        """What is active, what was ever believed, what was forgotten."""
        return Views(self.parts)

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
        return sum(renew(self.parts, key, progress=progress) for key in self.parts.store.partitions())

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

    def erasures(self, *, tenant: str = "default", by: Reader | None = None) -> list[Erasure]:
        """Erasures on record, oldest first: by what, how far, how many rows of each table; never what was erased.

        `by` is a reader with the role auditor or admin; without it, the program itself asks. Raises `Forbidden`.
        """
        if by is not None and not by.identity.roles & SETS:
            raise Forbidden("erasures are listed for an auditor or admin")
        return self.parts.store.erasures(tenant if by is None else by.identity.tenant)

    def finish_erasures(self, *, seconds: float = 30.0) -> bool:
        """Brings erasures to an end whose bytes were still in the database's files, because others were reading them or the
        process was stopped. True where none is pending any more."""
        return self.parts.store.finish_erasures(seconds=seconds).done

    def verify_erased(self, canaries: Sequence[str]) -> dict[str, Any]:
        """Looks for texts in every table, file and array within reach: {looked_at, not_reachable, found, at, signature}."""
        return verify_erased(self.parts, canaries)

    def counts(self, *, reader: Reader) -> Mapping[str, int]:
        """How many of each record the reader may see."""
        with self.parts.store.read(reader.identity) as unit:
            return unit.counts()
