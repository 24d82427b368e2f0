"""Any string at all: nothing raises on it, on any database, and what was said in it is found by it.

By default a few hundred strings a database; `MUNIMENT_ANY_STRINGS=10000` sends as many. They are sent to one user for every
`GROUP` of them, so that what is found is found among others. A string counts as findable if it was kept as it was sent (nothing
of it masked, refused or suspected) and holds a token; its turn must then be among the first three of its ten, or behind none but
turns that share a token with it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from tests.contracts.any_strings import strings

from muniment import Evidence, MunimentError
from muniment.domain.enums import Eligibility
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract import StoreContract
from muniment.text.sanitise import sanitise
from muniment.text.tokenizer import tokenize

COUNT = int(os.environ.get("MUNIMENT_ANY_STRINGS", "250"))
GROUP = 10
pytestmark = pytest.mark.timeout(max(300, COUNT))
NEAR = 3
KINDS = (
    "order_no",
    "phone",
    "email",
    "url",
    "national_id",
    "bank_card",
    "plate",
    "date",
    "amount",
    "version",
    "loyalty",
    "",
)
ANSWERS = ("is empty", "must have at most", "needs a value", "a filter is", "takes a list", "budget", "no kind of key")
"""What may be said of a string that cannot be kept or asked for as it is: an error of ours, in these words."""


@pytest.fixture
def memory(store_url: str) -> Iterator[Muniment]:
    with StoreContract().open(store_url) as memory:
        yield memory


def groups() -> Iterator[tuple[int, list[str]]]:
    every = list(strings(COUNT))
    for start in range(0, len(every), GROUP):
        yield start // GROUP, every[start : start + GROUP]


def told(me: Reader, text: str) -> dict[str, Callable[[], object]]:
    """Writes that take a string, with it."""
    return {
        "observe": lambda: me.observe(text, metadata={"note": text}),
        "add_fact": lambda: me.add_fact(text or "x", subject=text, predicate=text, value=text),
    }


def asked(me: Reader, text: str) -> dict[str, Callable[[], object]]:
    """Every read that takes a string, with it."""
    return {
        "search": lambda: me.search(text),
        "context": lambda: me.context(text, budget=100_000),
        "lookup": lambda: me.lookup(KINDS[len(text) % len(KINDS)], text),
        "lookup kind": lambda: me.lookup(text, "ORD-2024-001"),
        "facts subject": lambda: me.facts(subject=text),
        "facts predicate": lambda: me.facts(predicate=text),
        "get": lambda: me.get(text, subject=text),
        "status": lambda: me.status(text),
        "where": lambda: me.search("violin", where={"note": text}),
        "where key": lambda: me.search("violin", where={text: text}),
    }


def test_no_string_raises(memory: Muniment) -> None:
    """Neither when it is told, in words or as a fact, nor when it is asked for; or it is said in words of ours what is wrong."""
    wrong = []
    for number, some in groups():
        me = memory.reader(tenant="acme", user=f"u{number}")
        for text in some:
            for name, call in (told(me, text) | asked(me, text)).items():
                try:
                    call()
                except MunimentError as error:
                    if not any(answer in str(error) for answer in ANSWERS):
                        wrong.append((name, ascii(text), repr(error)))
                except Exception as error:
                    wrong.append((name, ascii(text), repr(error)))
    assert wrong == []


def test_what_was_said_is_found_by_it(memory: Muniment) -> None:
    findable, lost = 0, []
    for number, some in groups():
        me = memory.reader(tenant="acme", user=f"u{number}")
        kept = [piece for text in some if (piece := said(me, text)) is not None]
        for piece in kept:
            findable += 1
            hits = me.search(piece.content, k=GROUP, channels=["exact", "evidence"])
            place = (
                [hit.id for hit in hits].index(piece.evidence_id)
                if piece.evidence_id in {hit.id for hit in hits}
                else None
            )
            words = set(tokenize(piece.content))
            before = [hit for hit in hits[: place or 0] if not words & set(tokenize(hit.text))]
            # The same words said twice are shown once, with their count.
            shown = any(hit.text == piece.content for hit in hits[:NEAR])
            if (place is None or (place >= NEAR and before)) and not shown:
                lost.append((ascii(piece.content), place))
    assert lost == []
    assert findable >= 0.8 * COUNT


def said(me: Reader, text: str) -> Evidence | None:
    """The turn, if it was kept as it was sent and holds a token."""
    clean = sanitise(text).text
    if not clean.strip() or not tokenize(clean):
        return None
    receipt = me.observe(text)
    with me.parts.store.read(me.identity) as unit:
        pieces = list(unit.evidence(receipt.evidence).values())
    whole = [piece for piece in pieces if piece.content == clean and piece.eligibility is Eligibility.ELIGIBLE]
    return whole[0] if whole else None
