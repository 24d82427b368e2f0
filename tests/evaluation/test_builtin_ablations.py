"""Each class of the built-in suite tests something: without the rule behind it, cases that passed fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from muniment.config import Policy, Predicate, load_policy
from muniment.domain.scope import Clause, Reader, ScopeSet
from muniment.evaluation.builtin import run_cases
from muniment.evaluation.case_files import CLASSES, Case, case_of, packaged
from muniment.evaluation.options import Options, Run
from muniment.governance import govern
from muniment.models.extractor import builtin as extractor
from muniment.models.extractor.requests import Request, request_of
from muniment.models.extractor.units import Sentence
from muniment.retrieval import adjudicate, context, search
from muniment.retrieval.channels import proposals
from muniment.store import read_base

FEWEST = 5
MOST = 16

Without = Callable[[pytest.MonkeyPatch, Policy], Policy]


def no_extraction(patch: pytest.MonkeyPatch, policy: Policy) -> Policy:
    patch.setattr(extractor.BuiltinExtractor, "extract", lambda self, turn: [])
    return policy


def every_sentence_asserts(patch: pytest.MonkeyPatch, policy: Policy) -> Policy:
    """Questions, suppositions, hearsay and doubts are read as if they were said plainly."""
    real = extractor.sentences

    def plain(*given: Any) -> Iterator[Sentence]:
        for sentence in real(*given):
            units = [replace(unit, question=False, supposed=False, reported=False) for unit in sentence.units]
            yield replace(sentence, question=False, units=units)

    patch.setattr(extractor, "sentences", plain)
    patch.setattr(extractor, "unsure", lambda unit: False)
    return policy


def no_request_to_forget(patch: pytest.MonkeyPatch, policy: Policy) -> Policy:
    def kept(sentence: Sentence) -> Request | None:
        found = request_of(sentence)
        return None if found is not None and found.kind == "forget" else found

    patch.setattr(extractor, "request_of", kept)
    return policy


def nothing_disagrees(patch: pytest.MonkeyPatch, policy: Policy) -> Policy:
    patch.setattr(adjudicate, "disputes", lambda hits, unit: [])
    return policy


def used_for_ever(patch: pytest.MonkeyPatch, policy: Policy) -> Policy:
    return replace(policy, lifetime=replace(policy.lifetime, days=100_000))


def everybody_sees_the_tenant(patch: pytest.MonkeyPatch, policy: Policy) -> Policy:
    def all_of_it(reader: Reader) -> ScopeSet:
        scopes = {clause.scope for clause in wide(reader).clauses}
        return ScopeSet(tenant=reader.tenant, clauses=tuple(Clause(scope=scope) for scope in sorted(scopes)))

    def wide(reader: Reader) -> ScopeSet:
        return real(replace(reader, departments=frozenset({"any"}), agent="any", session="any", task="any"))

    real = read_base.visible_to
    patch.setattr(read_base, "visible_to", all_of_it)
    patch.setattr(proposals, "visible_to", all_of_it)
    for module in (adjudicate, context.adjudicate, search.adjudicate):
        patch.setattr(module, "shadow", lambda hits, policy, unit: (list(hits), []))
    return policy


def without_rules(*names: str) -> Without:
    def off(patch: pytest.MonkeyPatch, policy: Policy) -> Policy:
        patch.setattr(govern, "RULES", tuple(rule for rule in govern.RULES if rule.__name__ not in names))
        return policy

    return off


def no_floor(patch: pytest.MonkeyPatch, policy: Policy) -> Policy:
    return replace(policy, retrieval=replace(policy.retrieval, floor=0.0))


def nothing_supersedes(patch: pytest.MonkeyPatch, policy: Policy) -> Policy:
    many: dict[str, Predicate] = {name: replace(entry, single=False) for name, entry in policy.predicates.items()}
    return replace(policy, predicates=many)


def nothing_is_opposite(patch: pytest.MonkeyPatch, policy: Policy) -> Policy:
    none = {name: replace(entry, opposite=None) for name, entry in policy.predicates.items()}
    return replace(policy, predicates=none)


ABLATIONS: dict[str, Without] = {
    "remember": no_extraction,
    "not_remember": every_sentence_asserts,
    "forget": no_request_to_forget,
    "conflict": nothing_disagrees,
    "expired": used_for_ever,
    "scope": everybody_sees_the_tenant,
    "authority": without_rules("authority"),
    "irrelevant": no_floor,
    "stale_kept": nothing_supersedes,
    "old_and_new": nothing_supersedes,
    "old_above_new": nothing_supersedes,
    "negation_quantity": nothing_is_opposite,
}


@pytest.fixture(scope="module")
def run() -> Run:
    return Run(Options())


@pytest.fixture(scope="module")
def passing(run: Run) -> dict[str, list[Case]]:
    """For each class, known cases that pass with every rule in place."""
    cases = [case_of(row, where=row["id"]) for row in packaged() if row["split"] == "known"]
    chosen = [case for name in CLASSES for case in [case for case in cases if case.kind == name]]
    found: dict[str, list[Case]] = {name: [] for name in CLASSES}
    for case, failed in run_cases(chosen, run):
        if not failed and len(found[case.kind]) < MOST:
            found[case.kind].append(case)
    return found


def failing(cases: list[Case], run: Run, policy: Policy) -> list[str]:
    changed = Run(replace(run.options, policy=policy, embedder=run.embedder))
    return [case.id for case, failed in run_cases(cases, changed) if failed]


def test_every_class_has_its_ablation() -> None:
    assert set(ABLATIONS) == set(CLASSES)


@pytest.mark.parametrize("name", CLASSES)
def test_without_its_rule_a_class_fails(
    name: str, passing: dict[str, list[Case]], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = passing[name]
    assert len(cases) >= FEWEST
    policy = ABLATIONS[name](monkeypatch, load_policy())
    assert failing(cases, run, policy), f"{name}: every case still passes"


def test_without_the_secret_rule_and_its_mask_secrets_are_found(
    passing: dict[str, list[Case]], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [case for case in passing["authority"] if case.expect.never]
    assert cases
    policy = without_rules("secret")(monkeypatch, load_policy())
    policy = replace(policy, sensitivity=replace(policy.sensitivity, mask=()))
    assert set(failing(cases, run, policy)) == {case.id for case in cases}
