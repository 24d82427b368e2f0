"""A reader's summaries: ending a session, and reading what was made of it.

Belongs here: checking arguments and calling one use case. Does not belong here: the making (`summaries`).
"""

from __future__ import annotations

from datetime import datetime

from muniment.domain.enums import Scope
from muniment.domain.errors import InvalidInput
from muniment.domain.scope import Placement
from muniment.domain.scope import Reader as Identity
from muniment.domain.summaries import Ended, Summary
from muniment.service.parts import Parts, as_of
from muniment.service.summaries import end_session, summary_at


class Summarises:
    """Mixed into `Reader`."""

    parts: Parts
    identity: Identity

    def end_session(self) -> Ended:
        """Summarises the reader's session, its tasks, and the user across sessions: five fields, each line with what it rests on.

        May be called again: after further turns it makes the next version, of all of them; without any it makes none. A session
        in which nothing was said gets no summary. Raises `InvalidInput` for a reader without a session.
        """
        return end_session(self.parts, self.identity)

    def summary(
        self, *, session: str | None = None, task: str | None = None, known_at: datetime | str | None = None
    ) -> Summary | None:
        """The summary of a session or of a task of the user's, or without either the user's own across sessions; None where
        there is none. Lines whose ground does not hold any more, or is not this reader's to see, are left out and counted as
        `stale`. `known_at` gives the version of then.

        Raises `Forbidden` for another session or task than the reader is bound to, `InvalidInput` for both at once.
        """
        if session is not None and task is not None:
            raise InvalidInput("summary takes session= or task=, not both")
        reader = self.identity.narrow(session=session, task=task)
        if session is not None:
            place = Placement(scope=Scope.SESSION, user=reader.user, session=reader.session)
        elif task is not None:
            place = Placement(scope=Scope.TASK, user=reader.user, task=reader.task)
        else:
            place = Placement(scope=Scope.USER, user=reader.user)
        instants = as_of(tenant=reader.tenant, valid_at=None, known_at=known_at)
        with self.parts.store.read(reader, instants) as unit:
            return summary_at(self.parts, place, unit)
