"""What asking language models cost.

Belongs here: the count. Does not belong here: prices, and how much may be spent (`ports.models.Budget`).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Requests sent, and the tokens of prompts and of answers as the endpoint counted them; 0 where it does not say."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls - other.calls,
            tokens_in=self.tokens_in - other.tokens_in,
            tokens_out=self.tokens_out - other.tokens_out,
        )

    @property
    def tokens(self) -> int:
        """Both ways together."""
        return self.tokens_in + self.tokens_out
