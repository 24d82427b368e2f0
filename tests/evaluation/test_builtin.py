"""The built-in suite: a sample of every class, then all of it."""

from __future__ import annotations

import collections
from pathlib import Path

import pytest

from muniment.evaluation.case_files import CLASSES, Case, case_of, packaged
from muniment.evaluation.options import Options, Run
from muniment.evaluation.suites import BUILTIN, measure

LEAST = 15
"""Cases of a class in a language."""
BLIND = 0.4
"""Share of them whose author had not seen the rules."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case_of(row, where=row["id"]) for row in packaged()]


def test_every_class_has_enough_cases_in_both_languages(cases: list[Case]) -> None:
    counted = collections.Counter((case.kind, case.lang) for case in cases)
    blind = collections.Counter((case.kind, case.lang) for case in cases if case.split == "blind")
    for name in CLASSES:
        for lang in ("en", "zh"):
            assert counted[name, lang] >= LEAST, (name, lang, counted[name, lang])
            assert blind[name, lang] >= BLIND * counted[name, lang], (name, lang, blind[name, lang])


@pytest.mark.parametrize("embedder", ["use", "none"])
def test_a_sample_of_every_class(cases: list[Case], embedder: str) -> None:
    """The first two of each class and language; without an embedder those that need no meaning."""
    from muniment.evaluation.builtin import run_cases

    taken: collections.Counter[tuple[str, str]] = collections.Counter()
    chosen = []
    for case in cases:
        taken[case.kind, case.lang] += 1
        if case.split == "known" and taken[case.kind, case.lang] <= 2 + LEAST:
            chosen.append(case)
    sample = [case for place, case in enumerate(chosen) if place % 5 == 0]
    outcomes = run_cases(sample, Run(Options(embedder=embedder)))
    wrong = {case.id: failed for case, failed in outcomes if failed}
    allowed = 0 if embedder == "use" else len(sample) // 5
    assert len(wrong) <= allowed, wrong


@pytest.mark.timeout(300)
def test_every_case_passes() -> None:
    outcome = measure([Path(BUILTIN)], Options())
    (result,) = outcome.results
    assert result["passed"] == result["total"] - len(result["failures"])
    assert not outcome.failed, [(item["id"], item["failed"]) for item in result["failures"]]
