"""What the tests of the facade share: a memory in a file, a clock that stands, models that need no weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import muniment
from muniment.service.muniment import Muniment
from muniment.service.reader import Reader
from muniment.testing.contract_base import instant
from muniment.testing.doubles import LinesExtractor, SteppingClock, WordEmbedder

Open = Callable[..., Muniment]


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock(instant(1, 9))


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def extractor() -> LinesExtractor:
    return LinesExtractor()


@pytest.fixture
def open_at(clock: SteppingClock, embedder: WordEmbedder, extractor: LinesExtractor) -> Open:
    """Opens a URL with the test's clock and models; keywords win."""

    def open_it(url: str, **given: Any) -> Muniment:
        return muniment.open(url, **{"clock": clock, "embedder": embedder, "extractor": extractor, **given})

    return open_it


@pytest.fixture
def memory(sqlite_url: str, open_at: Open) -> Iterator[Muniment]:
    with open_at(sqlite_url) as memory:
        yield memory


@pytest.fixture
def me(memory: Muniment) -> Reader:
    return memory.reader(tenant="acme", user="ana")
