"""What a run of an evaluation is asked for, and what it is run in.

Belongs here: options, the clock of a replay, the environment that figures are printed with. Does not belong here: a suite.
"""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import muniment
from muniment.config import Policy, Settings, load_policy, load_settings
from muniment.evaluation.cached import CachedEmbedder
from muniment.models.embedders import embedder_from
from muniment.ports.models import Embedder

Progress = Callable[[str, int, int], object]
"""Told (what is done, how many are done, of how many)."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """One run: which questions, by which memory, beside what.

    `suite` is one to be asked for by name, None the one of each record's kind. `limit` counts questions of one file. `db` None
    is a store of the run's own, thrown away after. `compare` runs the baselines too. `role_prior` prefers the user's turns, a
    prior of some data sets, so it is off unless asked for. `rankings` is a file that gets a JSON line for each retrieval
    question: who asked what, as of when, and the ids of the hits in order, so that the same search can be repeated by hand.
    """

    suite: str | None = None
    split: str | None = None
    limit: int | None = None
    compare: bool = False
    role_prior: bool = False
    zone: str = "UTC"
    db: str | None = None
    policy: str | Path | Policy | None = None
    embedder: str | Embedder | None = None
    cache: str | Path | None = None
    rankings: str | Path | None = None
    progress: Progress | None = None


class Run:
    """The policy and the embedder that every suite of a run shares. Load once: a model takes seconds."""

    def __init__(self, options: Options) -> None:
        """Raises `PolicyError`, `InvalidInput` or `MissingExtra` as opening a memory does."""
        self.options = options
        self.settings: Settings = load_settings()
        self.policy: Policy = load_policy(options.policy if options.policy is not None else self.settings.policy)
        model = embedder_from(options.embedder, self.settings)
        self.embedder: Embedder = model if options.cache is None else CachedEmbedder(model, options.cache)

    @property
    def seed_policy(self) -> Policy:
        """The same policy with the plain weighted hybrid, for comparison."""
        return replace(self.policy, retrieval=replace(self.policy.retrieval, preset="seed"))

    def save(self) -> None:
        """Keeps the embeddings for the next run, where a cache is asked for."""
        if isinstance(self.embedder, CachedEmbedder):
            self.embedder.save()

    def environment(self) -> dict[str, Any]:
        """What the figures were measured with and on."""
        return {
            "versions": {
                "muniment": muniment.__version__,
                "python": platform.python_version(),
                "sqlite3": sqlite3.sqlite_version,
            },
            "platform": platform.platform(),
            "cpu": {"model": _cpu(), "count": os.cpu_count()},
            "embedder": self.embedder.id,
            "policy": self.policy.version,
            "switches": self.switches(),
        }

    def switches(self) -> dict[str, Any]:
        """Everything that was on and moves a figure; each result of retrieval carries it."""
        return {
            "embedder": self.embedder.id,
            "preset": self.policy.retrieval.preset,
            "role_prior": self.options.role_prior or self.policy.retrieval.role_prior,
            "floor": self.policy.retrieval.floor,
            "zone": self.options.zone,
            "split": self.options.split,
            "limit": self.options.limit,
            "embeddings_cached": self.options.cache is not None,
        }


class ReplayClock:
    """A clock that stands at the instant a conversation ended, so that its questions are asked then; else the real time."""

    def __init__(self) -> None:
        self.at: datetime | None = None

    def __call__(self) -> datetime:
        """The instant, aware, in UTC."""
        return self.at or datetime.now(UTC)


def _cpu() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.lower().startswith("model name"))
    return next(named, platform.machine())
