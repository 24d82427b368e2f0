"""A reader of the memory: what `mem.reader(…)` returns.

Belongs here: the class that joins reads and writes. Does not belong here: either (`reading`, `writing`,
`forgetting`, `resolving`, `suggesting`, `summarising`).
"""

from __future__ import annotations

from muniment.domain.scope import Reader as Identity
from muniment.service.forgetting import Forgets
from muniment.service.parts import Parts
from muniment.service.reading import Reads
from muniment.service.resolving import Resolves
from muniment.service.suggesting import Suggests
from muniment.service.summarising import Summarises


class Reader(Reads, Forgets, Resolves, Suggests, Summarises):
    """The memory as one user of one tenant sees it, from their departments, agent, session and task. Can only be narrowed."""

    def __init__(self, parts: Parts, identity: Identity) -> None:
        self.parts = parts
        self.identity = identity

    def __repr__(self) -> str:
        who = self.identity
        return f"Reader(tenant={who.tenant!r}, user={who.user!r}, session={who.session!r}, task={who.task!r})"

    def narrow(self, *, session: str | None = None, task: str | None = None, agent: str | None = None) -> Reader:
        """The same reader inside one session, task or agent. Raises `Forbidden` on leaving the one it is in."""
        return Reader(self.parts, self.identity.narrow(session=session, task=task, agent=agent))
