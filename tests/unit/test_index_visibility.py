"""What a query sees: instants, eligibility, standing, time bounds, types."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.index_fakes import DAY, KEY, NOW, START, WORDS, Source, ask, row, seqs

from muniment.domain.enums import ItemKind, OwnerType
from muniment.domain.scope import PartitionKey, Reader
from muniment.index.local import LocalIndex

FACTS = frozenset({ItemKind.FACT})


def found(source: Source, **query: Any) -> set[int]:
    """The rows that a search for 'violin' proposes."""
    return set(seqs(LocalIndex(WORDS, 10**9).search(source, ask("violin", k=50, **query))))


@pytest.mark.parametrize(
    ("change", "now", "then", "history"),
    [
        ({}, True, True, True),
        ({"retracted_at": START + 50 * DAY}, False, True, True),
        ({"retracted_at": START + 20 * DAY}, False, False, True),
        ({"recorded_at": START + 60 * DAY}, True, False, True),
        ({"hidden_at": START + 50 * DAY}, False, False, False),
        ({"expires_at": START + 50 * DAY}, False, True, True),
        ({"valid_from": START + 399 * DAY}, True, True, True),
        ({"valid_from": NOW + 1}, False, False, True),
        ({"valid_until": NOW}, False, False, True),
        ({"standing": "CONTENDER"}, False, False, False),
        ({"standing": "UNPLACED"}, True, True, True),
        ({"standing": "UNSUPPORTED"}, True, True, True),
        ({"standing": "DISPUTED"}, True, True, True),
    ],
)
def test_facts_by_their_instants(change: dict[str, Any], now: bool, then: bool, history: bool) -> None:
    source = Source(row(1, "violin", kind="FACT", **change))
    assert (found(source, kinds=FACTS) == {1}) is now
    assert (found(source, kinds=FACTS, known_at=START + 30 * DAY) == {1}) is then
    assert (found(source, kinds=FACTS, include_history=True) == {1}) is history


def test_contenders_are_shown_when_asked_for() -> None:
    source = Source(
        *(
            row(at, "violin", kind="FACT", standing=value)
            for at, value in enumerate(["HELD", "CONTENDER", "UNPLACED"], start=1)
        )
    )
    assert found(source, kinds=FACTS, include_contenders=True) == {1, 2, 3}


def test_valid_at_moves_facts_and_leaves_turns() -> None:
    source = Source(
        row(1, "violin", kind="FACT", valid_until=START + 5 * DAY), row(2, "violin", valid_until=START + 5 * DAY)
    )
    both = frozenset({ItemKind.FACT, ItemKind.EVIDENCE})
    assert found(source, kinds=both) == {2}
    assert found(source, kinds=both, valid_at=START + 4 * DAY) == {1, 2}


def test_known_at_is_taken_partition_by_partition() -> None:
    other = PartitionKey(tenant="acme", kind=OwnerType.TENANT)
    source = Source(row(1, "violin"))
    source.add(row(2, "violin", scope="TENANT", user=None), key=other)
    marks = {KEY: NOW}
    assert found(source, partitions=(KEY, other)) == {1, 2}
    assert found(source, partitions=(KEY, other), known_marks=marks) == {1}
    assert found(source, partitions=(KEY, other), known_marks={**marks, other: NOW}) == {1, 2}


def test_only_admitted_eligibility() -> None:
    source = Source(
        *(
            row(at, "violin", eligibility=item)
            for at, item in enumerate(["ELIGIBLE", "QUARANTINED", "AUDIT_ONLY", "?"], start=1)
        )
    )
    assert found(source) == {1}
    assert found(source, eligibility=frozenset({"ELIGIBLE", "QUARANTINED"})) == {1, 2}


def test_time_bounds_by_when_it_happened_or_held() -> None:
    source = Source(*(row(at, "violin") for at in range(1, 6)))
    assert found(source, since=START + 2 * DAY, until=START + 4 * DAY) == {2, 3}
    undated = Source(row(1, "violin", occurred_at=None, recorded_at=START + 3 * DAY))
    assert found(undated, since=START + 2 * DAY, until=START + 4 * DAY) == {1}
    facts = Source(
        row(1, "violin", kind="FACT", valid_from=START, valid_until=None),
        row(2, "violin", kind="FACT", valid_from=START + 9 * DAY),
    )
    assert found(facts, kinds=FACTS, until=START + 5 * DAY) == {1}
    assert found(facts, kinds=FACTS, since=START + 5 * DAY) == {1, 2}


def test_types_restrict_facts_only() -> None:
    source = Source(
        row(1, "violin", kind="FACT", memory_type="PREFERENCE"),
        row(2, "violin", kind="FACT", memory_type="RULE"),
        row(3, "violin"),
    )
    both = frozenset({ItemKind.FACT, ItemKind.EVIDENCE})
    assert found(source, kinds=both, types=frozenset({"RULE"})) == {2, 3}
    assert found(source, kinds=both, types=frozenset()) == {3}


def test_a_session_is_seen_from_inside_it_only() -> None:
    source = Source(row(1, "violin", scope="SESSION", session="s1"), row(2, "violin", scope="SESSION", session="s2"))
    assert found(source) == set()
    assert found(source, reader=Reader.of(tenant="acme", user="ana", session="s2")) == {2}


def test_an_unseen_neighbour_lends_nothing() -> None:
    alone = Source(row(1, "garden"), row(2, "violin"))
    beside = Source(row(1, "garden"), row(2, "violin", eligibility="QUARANTINED"))
    index = LocalIndex(None, 10**9)
    assert seqs(index.search(alone, ask("violin", keyword_only=True))) == [2, 1]
    assert LocalIndex(None, 10**9).search(beside, ask("violin", keyword_only=True)) == []


def test_another_tenants_partition_is_never_read() -> None:
    foreign = PartitionKey(tenant="other", kind=OwnerType.USER, target="ana")
    source = Source(row(1, "violin"), key=foreign)
    assert LocalIndex(WORDS, 10**9).search(source, ask("violin", partitions=(foreign,))) == []
    assert source.reads == []
