"""A context as its caller holds it: text, chat messages, items with their citations, and what it was made with.

Belongs here: the value and the shapes that providers take. Does not belong here: what goes in and how it reads (retrieval/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from muniment.domain.answers import Dropped, Hit, Route
from muniment.domain.errors import InvalidInput
from muniment.domain.reasons import Reasons, reasons_of

SHAPES = ("text", "openai", "anthropic")
"""What a context can be turned into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeWith:
    """What the bytes of a context depend on beside the store: the versions of code and policy, the embedder, the tokeniser of the
    index, and the encoding that counted."""

    code: str
    policy: str
    embedder: str
    tokenizer: str
    encoding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """One whole item of a context: its section, the text as rendered, its citation mark and where it comes from. `stable` says
    that it is there whatever is asked, in the part that a provider may cache."""

    section: str
    text: str
    citation: str
    tokens: int
    hit: Hit | None = None
    stable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A governed context: `text` never exceeds the budget, nor do the contents of `messages` together, but for the two tags of
    their second block; `dropped` lists what was left out and why.

    `messages` are chat messages in OpenAI's shape: a system message with what is there whatever is asked, a second one with what
    the question brought in, the running conversation in its roles, the question last.
    """

    text: str
    messages: tuple[Mapping[str, str], ...]
    items: tuple[ContextItem, ...]
    tokens: int
    budget: int
    language: str = "en"
    conflicts: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    degraded: tuple[str, ...] = ()
    route: Route = field(default_factory=lambda: Route(channels=(), reasons={}))
    known_at: datetime | None = None
    made_with: MadeWith | None = None

    def to(self, shape: str) -> Any:
        """The context as 'text', as 'openai' messages or as 'anthropic' parameters. Raises `InvalidInput` for another shape."""
        if shape == "text":
            return self.text
        if shape == "openai":
            return [dict(message) for message in self.messages]
        if shape == "anthropic":
            return self.anthropic()
        raise InvalidInput(f"no shape {shape!r}; known are {', '.join(SHAPES)}")

    def anthropic(self) -> dict[str, Any]:
        """Parameters of Anthropic's Messages API: `system`, whose first block is the same whatever is asked and is marked to be
        cached, and `messages`, user and assistant in turn, beginning with the user; several of one role are one, in blocks.

        `messages` is empty where there is neither a question nor a conversation; the caller's own then come first.
        """
        system: list[dict[str, Any]] = []
        messages: list[dict[str, Any]] = []
        for message in self.messages:
            block = {"type": "text", "text": message["content"]}
            if message["role"] == "system":
                system.append(block)
            elif messages and messages[-1]["role"] == message["role"]:
                messages[-1]["content"].append(block)
            else:
                messages.append({"role": message["role"], "content": [block]})
        if system:
            system[0]["cache_control"] = {"type": "ephemeral"}
        return {"system": system, "messages": messages}

    def explain(self) -> Reasons:
        """Why each item is there and what was left out; `str()` of it reads well, `.plain()` is JSON."""
        hits = [item.hit for item in self.items if item.hit is not None]
        return reasons_of(hits, self, items={item.hit.id: item.citation for item in self.items if item.hit is not None})
