"""What a channel is.

Belongs here: the two protocols. Does not belong here: any channel, and which of them a question needs (`route`).
"""

from __future__ import annotations

from typing import Protocol

from muniment.ports.store import ReadUnit
from muniment.retrieval.ask import Ask, Recall


class Channel(Protocol):
    """One way to find memories in the store. It reads through the unit it is given, under the reader's scopes and instants.

    `semantic` says that it uses the question's vector (`ask.vector`), which is made only where some routed channel wants it.
    What it raises costs its own hits, not the call, unless it is a `MunimentError`.
    """

    @property
    def name(self) -> str: ...

    @property
    def semantic(self) -> bool: ...

    def recall(self, ask: Ask, unit: ReadUnit) -> Recall: ...


class OutsideChannel(Protocol):
    """A way to find what the application keeps elsewhere. It is asked before the snapshot is opened, so that no transaction
    waits for a network; any failure of it is named in `degraded` and costs its own hits only."""

    @property
    def name(self) -> str: ...

    def recall(self, ask: Ask) -> Recall: ...
