"""Language models: an answer in a given shape, within a budget.

Belongs here: what the core asks of one. Does not belong here: which library answers (`models/llm`), what is asked.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from muniment.domain.errors import ModelError
from muniment.domain.usage import Usage

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(slots=True, kw_only=True)
class Budget:
    """What one piece of work may cost: `seconds` of the clock from now on, requests, tokens both ways (0: any number).

    Whoever asks a model calls `check` before each request and `spend` after it; `spent` is the sum.
    """

    seconds: float
    calls: int
    tokens: int = 0
    spent: Usage = field(default_factory=Usage)
    begun: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Seconds that are left, not under 0."""
        return max(0.0, self.begun + self.seconds - time.monotonic())

    def check(self) -> None:
        """Raises `ModelError` that names the knob, once one of the three is used up."""
        if self.left <= 0:
            raise ModelError(f"the budget of {self.seconds:g} seconds is used up (llm.seconds)")
        if self.spent.calls >= self.calls:
            raise ModelError(f"the budget of {self.calls} requests is used up (llm.calls)")
        if self.tokens and self.spent.tokens >= self.tokens:
            raise ModelError(f"the budget of {self.tokens} tokens is used up (llm.tokens)")

    def spend(self, usage: Usage) -> None:
        """Adds to what was spent."""
        self.spent += usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Generic[T_co]):
    """An answer in its shape; `text` is what the model said, `unread` what of it did not fit the shape and was left out, with
    the reason for each."""

    value: T_co
    text: str = ""
    unread: tuple[str, ...] = ()


class Unreadable(ModelError):
    """The model answered, and went on answering, what fits no shape. `said` is its last answer; it is no part of the message,
    which may be shown where the answer may not."""

    def __init__(self, message: str, *, said: str = "") -> None:
        super().__init__(message)
        self.said = said


class LLM(Protocol):
    """A language model that answers in a given shape. `id` names it, at most 100 characters.

    `answer` returns an instance of `shape`, a dataclass whose fields and docstrings tell the model what is wanted; of lists
    it keeps the items that fit. Raises `ModelError` when the model fails or the budget is used up, `Unreadable` where it
    does not keep to the shape.
    """

    id: str

    def answer(self, instructions: str, prompt: str, shape: type[T], budget: Budget) -> Reply[T]: ...
