"""What callers hand in at the one door: messages, documents, tool results, API answers, database rows, system facts.

Belongs here: `Observation` and the tables that say what kind of evidence and trust each has. Does not belong here: its
cleaning and redaction (ingestion/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from muniment.domain.documents import PASSAGE_EVENT
from muniment.domain.enums import ActorType, EvidenceType
from muniment.domain.errors import InvalidInput, UnknownField
from muniment.domain.time import Moment

EVIDENCE_OF: Final[Mapping[str, EvidenceType]] = {
    "message": EvidenceType.CONVERSATION,
    "tool_result": EvidenceType.TOOL,
    "api_answer": EvidenceType.API,
    "database_row": EvidenceType.DATABASE,
    "document": EvidenceType.DOCUMENT,
    PASSAGE_EVENT: EvidenceType.DOCUMENT,
    "system_fact": EvidenceType.DATABASE,
}
DEFAULT_EVENT: Final[Mapping[ActorType, str]] = {
    ActorType.USER: "message",
    ActorType.AGENT: "message",
    ActorType.TOOL: "tool_result",
    ActorType.SYSTEM: "system_fact",
}


DEFAULT_ACTOR: Final[Mapping[str, ActorType]] = {
    "tool_result": ActorType.TOOL,
    "api_answer": ActorType.TOOL,
    "database_row": ActorType.TOOL,
    "document": ActorType.TOOL,
    PASSAGE_EVENT: ActorType.TOOL,
    "system_fact": ActorType.SYSTEM,
}
"""Whose word an event is where nobody says: what no user can have uttered is not the user's."""
_UNSAID: Final = cast(ActorType, "")


RESERVED: Final = "memory."
"""Begins the type of every event that is an act of the memory itself; replay does them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One thing that happened, as the caller gives it.

    `event_type` decides the kind of evidence (see `EVIDENCE_OF`; any other name is kept and read as a message or, from a
    tool, a tool result) and, where no actor is given, whose word it is (see `DEFAULT_ACTOR`). `occurred` None means now.
    `idempotency_key` is unique per user and `source`.
    """

    content: str
    actor: ActorType = _UNSAID
    actor_id: str | None = None
    speaker: str | None = None
    event_type: str | None = None
    source: str = "api"
    source_system: str | None = None
    source_id: str | None = None
    source_version: str | None = None
    locator: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    payload: Mapping[str, Any] = field(default_factory=dict)
    trace_id: str | None = None
    occurred: Moment | None = None
    idempotency_key: str | None = None
    session: str | None = None
    trust: int | None = None

    def __post_init__(self) -> None:
        if not self.actor:
            object.__setattr__(self, "actor", DEFAULT_ACTOR.get(self.event_type or "", ActorType.USER))

    @property
    def kind(self) -> str:
        """The event type, given or by actor."""
        return self.event_type or DEFAULT_EVENT[self.actor]

    @property
    def own_talk(self) -> bool:
        """Whether it is the user's own talk, not something they handed in."""
        return self.actor is ActorType.USER and self.evidence_type is EvidenceType.CONVERSATION

    @property
    def evidence_type(self) -> EvidenceType:
        """The kind of evidence it gives."""
        fallback = EvidenceType.TOOL if self.actor is ActorType.TOOL else EvidenceType.CONVERSATION
        return EVIDENCE_OF.get(self.kind, fallback)


def observation(content: str, *, actor: str | ActorType | None = None, **fields: Any) -> Observation:
    """An observation from a caller's words: `actor` in any case (None: by the event type), `occurred_at` an aware datetime or
    ISO text.

    Raises `UnknownField` for a name that does not exist, `InvalidInput` for an actor that does not.
    """
    known = set(Observation.__dataclass_fields__) - {"content", "actor", "occurred"} | {"occurred_at"}
    unknown = sorted(set(fields) - known)
    if unknown:
        raise UnknownField(f"observe has no field {unknown[0]!r}; known are {', '.join(sorted(known))}")
    if not isinstance(content, str):
        raise InvalidInput(f"content must be text, not {type(content).__name__}")
    if str(fields.get("event_type") or "").startswith(RESERVED):
        raise InvalidInput(f"event types that begin with {RESERVED!r} are the memory's own acts; name yours otherwise")
    occurred = fields.pop("occurred_at", None)
    given = {name: value for name, value in fields.items() if value is not None}
    return Observation(
        content=content,
        actor=_UNSAID if actor is None else actor_type(actor),
        occurred=None if occurred is None else Moment.of(occurred, name="occurred_at"),
        **given,
    )


def actor_type(actor: str | ActorType) -> ActorType:
    """The actor type of any spelling ('user', 'USER'; 'assistant' is the chat APIs' word for the agent)."""
    word = str(actor).upper()
    try:
        return ActorType("AGENT" if word == "ASSISTANT" else word)
    except ValueError:
        raise InvalidInput(f"actor must be one of user, agent, system, tool, not {actor!r}") from None
