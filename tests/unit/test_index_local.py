"""The cache of partitions: extension, erasure, segments, eviction, threads."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from tests.unit.index_fakes import KEY, START, WORDS, Source, ask, row, seqs

import muniment.index.local as local
from muniment.domain.enums import OwnerType
from muniment.domain.query import Proposal
from muniment.domain.scope import PartitionKey, Reader
from muniment.index import segments
from muniment.index.batch import Names
from muniment.index.local import LocalIndex


def ranked(index: LocalIndex, source: Source, text: str = "violin garden", **query: Any) -> list[tuple[int, float]]:
    found: list[Proposal] = index.search(source, ask(text, k=50, **query))
    return [(seq, round(item.score, 4)) for seq, item in zip(seqs(found), found, strict=True)]


def turns(count: int) -> list[Any]:
    words = ("violin", "garden", "stone river", "Do you like the lamp?", "copper")
    return [
        row(at, f"{words[at % 5]} {at}", session=f"s{at // 6}", speaker=("Ana", "Ben")[at % 2])
        for at in range(1, count + 1)
    ]


def test_only_new_rows_are_read() -> None:
    source, index = Source(*turns(20)), LocalIndex(WORDS, 10**9)
    ranked(index, source)
    source.add(row(21, "violin", touched=21))
    assert ranked(index, source) == ranked(LocalIndex(WORDS, 10**9), source)
    assert source.reads[:2] == [20, 1]
    ranked(index, source)
    assert len(source.reads) == 3, "an unchanged partition is not read again"


def test_a_changed_row_changes_what_is_seen() -> None:
    source, index = Source(*turns(10)), LocalIndex(WORDS, 10**9)
    ranked(index, source)
    source.touch(5, hidden_at=START)
    assert 5 not in dict(ranked(index, source))
    assert ranked(index, source) == ranked(LocalIndex(WORDS, 10**9), source)


def test_an_erased_row_is_gone() -> None:
    source, index = Source(*turns(10)), LocalIndex(WORDS, 10**9)
    ranked(index, source)
    source.erase(5)
    assert 5 not in dict(ranked(index, source))
    assert ranked(index, source) == ranked(LocalIndex(WORDS, 10**9), source)


def test_rewritten_words_and_vectors_are_taken() -> None:
    source, index = Source(*turns(10)), LocalIndex(WORDS, 10**9)
    ranked(index, source)
    fresh = row(5, "falcon harbour")
    source.touch(5, tokens=fresh.tokens, vectors=fresh.vectors)
    assert ranked(index, source, "falcon harbour")[0][0] == 5
    assert ranked(index, source) == ranked(LocalIndex(WORDS, 10**9), source)


def packed(source: Source, index: LocalIndex, key: PartitionKey = KEY) -> None:
    while (segment := index.pack(source, key)) is not None:
        source.segments.setdefault(key, []).append(segment)


def test_segments_say_the_same_as_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "SEGMENT_ROWS", 7)
    source = Source(
        *turns(30), row(31, "violin 琴", kind="FACT", memory_type="RULE", scope="TASK", task="t", session=None)
    )
    expected = ranked(LocalIndex(WORDS, 10**9), source)
    packed(source, LocalIndex(WORDS, 10**9))
    assert len(source.segments[KEY]) == 5
    source.add(row(32, "violin"))
    source.reads.clear()
    from_segments = ranked(LocalIndex(WORDS, 10**9), source)
    assert source.reads == [1], "only what no segment covers is read as rows"
    source.segments.clear()
    assert from_segments == ranked(LocalIndex(WORDS, 10**9), source) != expected


def test_a_row_touched_after_its_segment_is_as_it_is_now() -> None:
    source, index = Source(*turns(12)), LocalIndex(WORDS, 10**9)
    packed(source, index)
    source.touch(5, hidden_at=START)
    packed(source, index)
    assert len(source.segments[KEY]) == 2
    cold = ranked(LocalIndex(WORDS, 10**9), source)
    assert 5 not in dict(cold)
    source.segments.clear()
    assert cold == ranked(LocalIndex(WORDS, 10**9), source)


@pytest.mark.parametrize("damage", [b"", b"PK nonsense", "cut", "flip"])
def test_a_damaged_segment_is_not_used(damage: bytes | str) -> None:
    source = Source(*turns(12))
    expected = ranked(LocalIndex(WORDS, 10**9), source)
    version, good = LocalIndex(WORDS, 10**9).pack(source, KEY) or (0, b"")
    middle = len(good) // 2
    flipped = good[:middle] + bytes([good[middle] ^ 255]) + good[middle + 1 :]
    bad = {"cut": good[:middle], "flip": flipped}.get(damage, damage) if isinstance(damage, str) else damage
    source.segments[KEY] = [(version, bad)]  # type: ignore[list-item]
    assert ranked(LocalIndex(WORDS, 10**9), source) == expected


def test_a_segment_of_another_model_is_refused() -> None:
    _, data = LocalIndex(WORDS, 10**9).pack(Source(*turns(3)), KEY) or (0, b"")
    with pytest.raises(segments.Unreadable):
        segments.unpack(data, Names(), model="words-2", dimension=64)


def test_vectors_of_another_model_rank_by_words_only() -> None:
    source = Source(row(1, "violin", model_id="older"), row(2, "garden"), row(3, "stone"))
    found = LocalIndex(WORDS, 10**9).search(source, ask("violin", k=3))
    assert "dense" not in found[[*seqs(found)].index(1)].parts
    assert seqs(found)[0] == 1


def test_least_recently_used_partitions_leave_first() -> None:
    keys = [PartitionKey(tenant="acme", kind=OwnerType.USER, target=name) for name in ("ana", "ben", "cyd")]
    source = Source()
    for key in keys:
        source.add(*(item._replace(user=key.target) for item in turns(50)), key=key)

    def visit(index: LocalIndex, key: PartitionKey) -> None:
        index.search(source, ask("violin", reader=Reader.of(tenant="acme", user=key.target), partitions=(key,)))

    one = LocalIndex(WORDS, 10**9)
    visit(one, keys[0])
    index = LocalIndex(WORDS, int(one.nbytes * 2.5))
    for key in (keys[0], keys[1], keys[0], keys[2]):
        visit(index, key)
    assert index.nbytes <= one.nbytes * 2.5
    source.reads.clear()
    visit(index, keys[0])
    assert source.reads == []
    visit(index, keys[1])
    assert source.reads == [50], "Ben's was used longest ago"


def test_forgetting_reads_afresh() -> None:
    source, index = Source(*turns(10)), LocalIndex(WORDS, 10**9)
    ranked(index, source)
    assert index.nbytes > 0
    index.forget(KEY)
    assert index.nbytes == 0
    ranked(index, source)
    assert source.reads == [10, 10]


def test_a_reader_with_an_older_snapshot_is_served() -> None:
    newer, index = Source(*turns(11)), LocalIndex(WORDS, 10**9)
    ranked(index, newer)
    assert ranked(index, Source(*turns(10)))


def test_threads_share_an_index_that_grows() -> None:
    source, index = Source(*turns(5)), LocalIndex(WORDS, 10**9)
    failures: list[BaseException] = []

    def searching() -> None:
        try:
            for _ in range(40):
                found = ranked(index, source)
                assert len(found) == len(dict(found))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=searching) for _ in range(3)]
    for thread in threads:
        thread.start()
    for item in turns(60)[5:]:
        source.add(item)
    for thread in threads:
        thread.join()
    assert not failures
    assert ranked(index, source) == ranked(LocalIndex(WORDS, 10**9), source)
