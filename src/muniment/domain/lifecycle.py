"""What one run of the lifecycle did, step by step.

Belongs here: the report. Does not belong here: the steps (service/lifecycle.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

StepName = Literal["expire", "lapse", "purge", "archive", "summarise", "tidy"]
STEPS: Final[tuple[StepName, ...]] = ("expire", "lapse", "purge", "archive", "summarise", "tidy")
"""The steps in the order they are taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: what it did by kind of thing, how long it took in seconds, and what stopped it, without any content."""

    name: StepName
    counts: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    error: str | None = None

    @property
    def line(self) -> str:
        """In words, one line."""
        did = [f"{count} {name.replace('_', ' ')}" for name, count in self.counts.items() if count]
        failed = "" if self.error is None else f"; failed: {self.error}"
        return f"{self.name}: {', '.join(did) or 'nothing'} ({self.seconds:.2f} s){failed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleReport:
    """A run as of the instant `at`. After a dry run the counts are what would be done."""

    at: datetime
    dry_run: bool
    steps: tuple[Step, ...]

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the steps that failed."""
        return tuple(item.name for item in self.steps if item.error is not None)

    def counts(self, name: StepName) -> Mapping[str, int]:
        """What a step did. Raises `KeyError` for one that the run does not have."""
        return {item.name: item.counts for item in self.steps}[name]
