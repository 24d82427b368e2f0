"""Which suite measures which kind of data.

A kind without a suite is named in the answer; it is never passed over as if it had been measured.

Belongs here: reading of data files, dispatch by kind. Does not belong here: how a kind is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast

from muniment.domain.errors import InvalidInput
from muniment.evaluation.options import Options, Run
from muniment.service.formats import records
from muniment.service.turns import Malformed

Suite = Callable[[Sequence[Mapping[str, Any]], Run], list[dict[str, Any]]]

BUILTIN: Final = "builtin"
"""In the place of a file: the cases that come with the library."""

SUITES: Final[Mapping[str, str]] = {
    "retrieval": "muniment.evaluation.retrieval",
    "state": "muniment.evaluation.state",
    "dependency": "muniment.evaluation.dependency",
    "detect": "muniment.evaluation.detect",
    "temporal": "muniment.evaluation.temporal",
    "extraction": "muniment.evaluation.extraction",
    "pref": "muniment.evaluation.preferences",
    BUILTIN: "muniment.evaluation.builtin",
}
"""For each kind the module whose `evaluate(records, run)` measures it; loaded when it is first needed."""

BY_NAME: Final[Mapping[str, tuple[str, str]]] = {
    "worth": ("retrieval", "muniment.evaluation.worth"),
    "personal": ("retrieval", "muniment.evaluation.detect_personal"),
}
"""Suites that measure something else of records of a kind, where they are asked for by name: the kind, the module."""


@dataclass(slots=True)
class Outcome:
    """The results, what they were measured with, and the (file, kind) pairs that no suite measures."""

    results: list[dict[str, Any]] = field(default_factory=list)
    environment: dict[str, Any] = field(default_factory=dict)
    unsupported: list[tuple[str, str]] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether something was not measured, or a case of a suite that passes or fails did not pass."""
        return bool(self.unsupported) or any(result.get("failures") for result in self.results)

    def as_json(self) -> dict[str, Any]:
        """The one object that `eval --json` prints."""
        shown: dict[str, Any] = {"results": self.results, "environment": self.environment}
        if self.unsupported:
            shown["unsupported"] = [{"file": file, "kind": kind} for file, kind in self.unsupported]
        return shown


def measure(files: Sequence[str | Path], options: Options) -> Outcome:
    """Measures every file with the suite of its kind, or the one that is asked for by name; kinds without one are in
    `unsupported`.

    Raises `InvalidInput` for a file that cannot be read, has a malformed line or no `kind`, and for an unknown suite, before
    anything is measured.
    """
    suites = _asked_for(options.suite)
    loaded = [(str(file), _packaged() if str(file) == BUILTIN else _by_kind(Path(file))) for file in files]
    outcome = Outcome()
    run = Run(options)
    for file, kinds in loaded:
        for kind, rows in kinds.items():
            if kind in suites:
                suite = cast("Suite", import_module(suites[kind]).evaluate)
                outcome.results += suite(rows, run)
            else:
                outcome.unsupported.append((file, kind))
    outcome.environment = run.environment()
    return outcome


def _asked_for(name: str | None) -> Mapping[str, str]:
    """For each kind that is to be measured its module."""
    if name is None:
        return SUITES
    if name not in BY_NAME:
        raise InvalidInput(f"unknown suite {name!r}; known are {', '.join(BY_NAME)}; without one each kind has its own")
    kind, module = BY_NAME[name]
    return {kind: module}


def _packaged() -> dict[str, list[Mapping[str, Any]]]:
    """The cases that come with the library."""
    from muniment.evaluation.case_files import packaged

    return {BUILTIN: [*packaged()]}


def _by_kind(file: Path) -> dict[str, list[Mapping[str, Any]]]:
    """The records of a file by their kind."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for where, record in records(file):
        if isinstance(record, Malformed):
            raise InvalidInput(f"{file}, {record.where}: {record.problem}")
        for row in record if isinstance(record, list) else [record]:
            kind = row.get("kind") if isinstance(row, Mapping) else None
            if not isinstance(kind, str):
                raise InvalidInput(f"{file}, {where}: no 'kind' in it; known are {', '.join(SUITES)}")
            found.setdefault(kind, []).append(row)
    return found
