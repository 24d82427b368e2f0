"""Documents on every backend: versions replace each other whole, also where the writer is killed on its way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from muniment.domain.enums import Eligibility
from muniment.ingestion import documents
from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.testing.contract_base import instant
from muniment.testing.doubles import SteppingClock

BEDS = [f"The bed number {number} holds tulips of kind {number * 7}." for number in range(10)]
LILIES = [*BEDS[:3], *(text.replace("tulips", "lilies") for text in BEDS[3:])]

CHILD = """
import os, signal, sys
import muniment
from muniment.ingestion import documents
from muniment.testing.doubles import LinesExtractor

documents.BATCH = 2
url, at, text = sys.argv[1:]
with muniment.open(url, embedder="none", extractor=LinesExtractor()) as memory:
    def progress(done, total):
        if done >= int(at):
            os.kill(os.getpid(), signal.SIGKILL)
    memory.reader(user="ana").observe_document(text, locator="beds.md", version="2", progress=progress)
"""


def text_of(beds: list[str]) -> str:
    return "# Beds\n\n" + "\n\n".join(f"## Bed {number}\n\n{text}" for number, text in enumerate(beds))


def offered(me: Reader) -> dict[str, bool]:
    """What a search offers of the beds: the flower, and whether as history."""
    hits = me.search("which bed holds tulips lilies", k=50)
    return {hit.text: "history" in hit.why.flags for hit in hits}


def test_versions_replace_each_other_whole(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "BATCH", 4)
    clock = SteppingClock(instant(1))
    with StoreContract().open(store_url, clock=clock) as memory:
        me = memory.reader(user="ana")
        first = me.observe_document(text_of(BEDS), locator="beds.md", version="1")
        clock.move(days=1)
        second = me.observe_document(text_of(LILIES), locator="beds.md", version="2")
        assert first.evidence[:3] == second.evidence[:3]
        assert set(first.evidence[3:]).isdisjoint(second.evidence)
        found = offered(me)
        assert len(found) == 17
        assert {text for text, history in found.items() if history} == {
            text for text in found if "tulips" in text and not any(bed in text for bed in BEDS[:3])
        }
        assert me.observe_document(text_of(BEDS), locator="beds.md", version="1").replayed
        assert memory.replay(tenant="default").differences == ()
    with StoreContract().open(store_url, clock=clock) as memory:
        versions = memory.reader(user="ana").document(locator="beds.md")
        assert [(item.version, item.current, len(item.passages)) for item in versions] == [
            ("1", False, 10),
            ("2", True, 10),
        ]


@pytest.mark.parametrize("at", [2, 6, 10])
def test_a_writer_that_is_killed_leaves_one_whole_version(store_url: str, at: int) -> None:
    with StoreContract().open(store_url) as memory:
        memory.reader(user="ana").observe_document(text_of(BEDS), locator="beds.md", version="1")
    killed = subprocess.run(
        [sys.executable, "-c", CHILD, store_url, str(at), text_of(LILIES)],
        env=os.environ | {"PYTHONPATH": ":".join(sys.path)},
    )
    assert killed.returncode == -signal.SIGKILL
    with StoreContract().open(store_url) as memory:
        me = memory.reader(user="ana")
        assert not any(history or "lilies" in text for text, history in offered(me).items())
        said = me.observe_document(text_of(LILIES), locator="beds.md", version="2")
        current = [text for text, history in offered(me).items() if not history]
        assert len(current) == len(said.evidence) == 10
        with memory.parts.store.read(me.identity) as unit:
            kept = unit.evidence(said.evidence)
        assert {piece.eligibility for piece in kept.values()} == {Eligibility.ELIGIBLE}
