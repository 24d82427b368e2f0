"""`mem.lifecycle`: what time does to a memory, as one job: expire, lapse, purge, archive, summarise, tidy.

Every step is made of transactions of its own, each judged anew under its locks, so the job may be stopped, run again, and run
by several processes at once. A step that fails is named in the report and stops no other.

Belongs here: the steps' order, their counts, what follows outside of transactions. Does not belong here: what is due
(store/due.py), what becomes of it (ingestion/purging.py, ingestion/reviewing.py).
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from muniment.domain.errors import Forbidden, MunimentError
from muniment.domain.lifecycle import STEPS, LifecycleReport, Step, StepName
from muniment.domain.scope import Reader as Identity
from muniment.domain.time import utc
from muniment.ingestion.purging import Purging, archive
from muniment.ports.lifecycle import DueOf, Kind, Past
from muniment.service.parts import Parts, as_instant
from muniment.service.renewal import embed_rests, renew
from muniment.service.review import Review
from muniment.service.summaries import end_session, renewed

SCRUB_SECONDS: Final = 30.0
"""How long the job waits for other readers of the database's files; what is pending then is for the next run."""
MOST_LISTED: Final = 100_000
"""Missing vectors of one partition that a dry run counts at most."""
PURGED: Final[tuple[Kind, ...]] = ("hidden", "scoped", "evidence")
Progress = Callable[[str, int], object]
log = logging.getLogger(__name__)


class Lifecycle:
    """The lifecycle of one open memory."""

    def __init__(self, parts: Parts, review: Review) -> None:
        self._parts = parts
        self._review = review

    def run(
        self, now: datetime | str | None = None, *, dry_run: bool = False, progress: Progress | None = None
    ) -> LifecycleReport:
        """Does everything that is due at an instant (the clock's, unless another is given), in every tenant; a second run
        then finds nothing to do. With `dry_run` nothing is changed, and the report counts what would be.

        `progress` is called with a step's name and how many more it has done. Legal holds are judged by the clock: who is
        held is skipped and counted. Raises `NaiveInstant` or `InvalidInput` for `now`; what fails later is in the report.
        """
        at = as_instant(now, "now") or utc(self._parts.clock())
        doing = _Run(parts=self._parts, review=self._review, at=at, dry=dry_run, progress=progress or _silent)
        return LifecycleReport(at=at, dry_run=dry_run, steps=tuple(doing.step(name) for name in STEPS))


def _silent(step: str, done: int) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One run of the job."""

    parts: Parts
    review: Review
    at: datetime
    dry: bool
    progress: Progress

    def step(self, name: StepName) -> Step:
        """Does a step, whatever happens in it; what it did before it failed is counted."""
        counts: Counter[str] = Counter()
        error: str | None = None
        began = time.perf_counter()
        try:
            for what, count in getattr(self, f"_{name}")():
                counts[what] += count
                if count and not self.dry:
                    self.progress(name, count)
        except MunimentError as failure:
            error = f"{failure.code}: {failure}"
        except Exception as failure:
            # One step's fault must not keep the others from users whose memory waits to be erased.
            log.exception("the lifecycle's step %s failed", name)
            error = f"internal: {type(failure).__name__}"
        return Step(name=name, counts=dict(counts), seconds=time.perf_counter() - began, error=error)

    # -- steps: each gives what it did, as it does it ----------------------------------------------------------------

    def _expire(self) -> Iterator[tuple[str, int]]:
        store = self.parts.store
        if self.dry:
            yield "facts", store.expired(self.at)
        else:
            yield "facts", self.parts.retrying(lambda: store.expire(self.at))

    def _lapse(self) -> Iterator[tuple[str, int]]:
        if self.dry:
            before = self.at - timedelta(days=self.parts.policy.gate.lapse_days)
            yield "candidates", len(self.parts.store.waiting(until=before))
        else:
            yield "candidates", len(self.review.lapse(self.at))

    def _purge(self) -> Iterator[tuple[str, int]]:
        erased, held = False, set()
        for kind in PURGED:
            if (wanted := self._past(kind)) is None:
                continue
            for home in self.parts.store.due(wanted):
                if self._held(home):
                    held.add((home.tenant, home.user))
                    continue
                for what, count in self._purged(home, wanted):
                    erased |= count > 0 and not self.dry
                    if what == "held_users":
                        held.add((home.tenant, home.user))
                    else:
                        yield what, count
        yield "held_users", len(held)
        if erased:
            self.parts.store.finish_erasures(seconds=SCRUB_SECONDS)

    def _archive(self) -> Iterator[tuple[str, int]]:
        if (wanted := self._past("archive")) is None:
            return
        for home in self.parts.store.due(wanted):
            if self.dry:
                yield "evidence", home.evidence
                continue
            while done := self.parts.retrying(lambda home=home: self._archived(home, wanted)):  # type: ignore[misc]
                yield "evidence", done

    def _summarise(self) -> Iterator[tuple[str, int]]:
        """Sessions nobody ended, and summaries of which a line does not stand any more."""
        parts, hours = self.parts, self.parts.policy.summary.idle_hours
        for quiet in parts.store.quiet_sessions(self.at - timedelta(hours=hours)) if hours else ():
            inside = Identity(tenant=quiet.tenant, user=quiet.user, session=quiet.session)
            yield "sessions", 1 if self.dry else "session" in end_session(parts, inside).made
        for home in parts.store.summarised_homes():
            yield "renewed", renewed(parts, home.tenant, home.user, dry=self.dry)

    def _tidy(self) -> Iterator[tuple[str, int]]:
        parts, store = self.parts, self.parts.store
        pending = len(store.erasures(None, status="PENDING"))
        if self.dry:
            yield "erasures", pending
        else:
            store.finish_erasures(seconds=SCRUB_SECONDS)
            yield "erasures", pending - len(store.erasures(None, status="PENDING"))
        yield "segments", parts.upkeep.sweep(dry=self.dry)
        for key in store.unembedded() if parts.embedder.dimension else ():
            yield "vectors", len(store.foreign_vectors(key, MOST_LISTED)) if self.dry else renew(parts, key)

    # -- parts of them -----------------------------------------------------------------------------------------------

    def _past(self, kind: Kind) -> Past | None:
        """What is due of a kind under the policy; None where it never is."""
        days: int = getattr(self.parts.policy.retention, f"{kind}_days")
        if not days:
            return None
        return Past(kind=kind, before=self.at - timedelta(days=days), at=self.at)

    def _held(self, home: DueOf) -> bool:
        now = utc(self.parts.clock())
        return any(item.binds(now) for item in self.parts.store.holds_of(home.tenant, user=home.user))

    def _purged(self, home: DueOf, wanted: Past) -> Iterator[tuple[str, int]]:
        """Erases what is due of a user, slice by slice. Where another user whom it also concerns is held, it stays."""
        if self.dry:
            yield "facts", home.facts
            yield "evidence", home.evidence
            return
        slice_ = Purging.of(self.parts.pipeline, home.tenant, home.user, wanted)
        while True:
            try:
                receipt, found, _ = self.parts.retrying(slice_.done)
            except Forbidden:
                yield "held_users", 1
                return
            if found.empty:
                return
            for key in found.partitions:
                self.parts.index.forget(key)
            for user in found.users:
                self.parts.window.forget(home.tenant, user)
            embed_rests(self.parts, found.partitions)
            yield "facts", len(found.facts)
            yield "evidence", len(found.evidence)
            yield "erasures", 1 if receipt.erasure is not None else 0

    def _archived(self, home: DueOf, wanted: Past) -> int:
        return archive(self.parts.pipeline, home.tenant, home.user, wanted)
