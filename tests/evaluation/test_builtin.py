"""The built-in suite: its size, a sample without an embedder, then all of it."""

from __future__ import annotations

import collections

import pytest

from muniment.evaluation.builtin import run_cases
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


def test_keywords_alone_pass_most_of_a_sample(cases: list[Case]) -> None:
    """Without an embedder, what takes meaning fails; what takes rules does not."""
    sample = cases[::7]
    assert {case.kind for case in sample} == set(CLASSES)
    failed = [case for case, failed in run_cases(sample, Run(Options(embedder="none"))) if failed]
    assert len(failed) <= len(sample) // 4, [case.id for case in failed]
    assert not [case for case in failed if case.kind == "not_remember"]


@pytest.mark.timeout(600)
def test_every_case_passes() -> None:
    (result,) = measure([BUILTIN], Options()).results
    assert {item["id"]: item["failed"] for item in result["failures"]} == {}
    assert result["passed"] == result["total"]
