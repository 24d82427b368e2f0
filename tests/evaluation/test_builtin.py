"""The built-in suite: its size, a sample, then all of it against the list of what is still open."""

from __future__ import annotations

import collections
import tomllib
from pathlib import Path

import pytest

from muniment.evaluation.builtin import run_cases
from muniment.evaluation.case_files import CLASSES, Case, case_of, packaged
from muniment.evaluation.options import Options, Run
from muniment.evaluation.suites import BUILTIN, measure

LEAST = 15
"""Cases of a class in a language."""
BLIND = 0.4
"""Share of them whose author had not seen the rules."""
OPEN = Path(__file__).with_name("builtin_open.toml")


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case_of(row, where=row["id"]) for row in packaged()]


@pytest.fixture(scope="module")
def still_open() -> set[str]:
    data = tomllib.loads(OPEN.read_text(encoding="utf-8"))
    return {name for names in data["open"].values() for name in names}


def test_every_class_has_enough_cases_in_both_languages(cases: list[Case]) -> None:
    counted = collections.Counter((case.kind, case.lang) for case in cases)
    blind = collections.Counter((case.kind, case.lang) for case in cases if case.split == "blind")
    for name in CLASSES:
        for lang in ("en", "zh"):
            assert counted[name, lang] >= LEAST, (name, lang, counted[name, lang])
            assert blind[name, lang] >= BLIND * counted[name, lang], (name, lang, blind[name, lang])


def test_a_sample_of_every_class(cases: list[Case], still_open: set[str]) -> None:
    sample = [case for case in cases[::7] if case.id not in still_open]
    assert {case.kind for case in sample} == set(CLASSES)
    assert {case.id: failed for case, failed in run_cases(sample, Run(Options())) if failed} == {}


def test_keywords_alone_pass_most_of_the_sample(cases: list[Case], still_open: set[str]) -> None:
    """Without an embedder, what takes meaning fails; what takes rules does not."""
    sample = [case for case in cases[::7] if case.id not in still_open]
    failed = [case for case, failed in run_cases(sample, Run(Options(embedder="none"))) if failed]
    assert len(failed) <= len(sample) // 4, [case.id for case in failed]
    assert not [case for case in failed if case.kind == "not_remember"]


@pytest.mark.timeout(300)
def test_every_case_passes_but_those_still_open(still_open: set[str]) -> None:
    (result,) = measure([BUILTIN], Options()).results
    failed = {item["id"]: item["failed"] for item in result["failures"]}
    assert result["passed"] + len(failed) == result["total"]
    assert {name: said for name, said in failed.items() if name not in still_open} == {}
    assert still_open - set(failed) == set(), "these pass now: take them off the list"
