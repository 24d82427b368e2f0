"""The knobs of language models: what one may propose of a turn, how it is asked, what that may cost.

Belongs here: those two sections of the policy. Does not belong here: the other sections (`config.py`), how a file is read
(`knobs.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from muniment.knobs import knob

MOST: Final = 1_000_000_000
"""The highest limit on a size; sizes over it do not fit a row."""


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """What an extractor that asks a language model may propose of one turn, and how a turn that failed is tried again."""

    facts: int = knob(
        2,
        "facts, preferences, constraints, decisions and experiences of one turn, or part of a long one",
        least=0,
        most=100,
    )
    rules: int = knob(1, "rules of one turn, or part of a long one", least=0, most=100)
    statuses: int = knob(5, "status updates of one turn, or part of a long one", least=0, most=100)
    reads: tuple[str, ...] = knob(
        ("CONVERSATION", "TOOL", "API", "DATABASE"),
        "kinds of evidence that a language model is asked about; the built-in extractor reads all",
        choices=("CONVERSATION", "DOCUMENT", "TOOL", "API", "DATABASE"),
    )
    known: int = knob(20, "facts that are held of the user shown with a turn, numbered", least=0, most=200)
    chunk_chars: int = knob(6_000, "characters of a turn that one request shows", least=500, most=1_000_000)
    overlap_chars: int = knob(400, "characters that two parts of a long turn share", least=0, most=10_000)
    tries: int = knob(5, "tries to understand an event before it is parked until asked for", least=1, most=1_000)
    retry_seconds: float = knob(
        60.0, "seconds before the third try of an event, doubled each time, at most a day", least=0, most=86_400
    )


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How a language model is asked, and what one turn or one summary may cost."""

    output: Literal["auto", "tool", "native", "prompted"] = knob(
        "auto", "how the shape of an answer is asked for: auto begins with a tool and falls back to plain JSON"
    )
    timeout_seconds: float = knob(60.0, "seconds of one request", least=0.05, most=3_600)
    attempts: int = knob(4, "requests at most for one answer while the endpoint has passing faults", least=1, most=100)
    backoff_seconds: float = knob(1.0, "seconds before the second of them, doubled each time", least=0, most=600)
    reasks: int = knob(2, "times a model that missed the shape is asked again", least=0, most=10)
    seconds: float = knob(300.0, "seconds for one turn or one summary in all", least=0.1, most=86_400)
    calls: int = knob(40, "requests for one turn or one summary in all", least=1, most=100_000)
    tokens: int = knob(200_000, "tokens for one turn or one summary in all; 0: any number", least=0, most=MOST)
    answer_tokens: int = knob(2_000, "tokens of one answer", least=16, most=1_000_000)
    answer_bytes: int = knob(2_000_000, "bytes of one answer over which it is not read", least=1_000, most=MOST)
    concurrency: int = knob(4, "requests of this process at the same time", least=1, most=1_000)
