"""The closed vocabularies of the data model, by their exact spelling.

Belongs here: enumerations that are stored. Does not belong here: what policies configure.
"""

from __future__ import annotations

from enum import StrEnum


class ActorType(StrEnum):
    """Who acted."""

    USER = "USER"
    AGENT = "AGENT"
    SYSTEM = "SYSTEM"
    TOOL = "TOOL"


class EvidenceType(StrEnum):
    """What kind of ground a memory stands on."""

    CONVERSATION = "CONVERSATION"
    DOCUMENT = "DOCUMENT"
    TOOL = "TOOL"
    API = "API"
    DATABASE = "DATABASE"


class MemoryType(StrEnum):
    """What kind of memory a candidate or fact is."""

    FACT = "FACT"
    PREFERENCE = "PREFERENCE"
    CONSTRAINT = "CONSTRAINT"
    DECISION = "DECISION"
    EXPERIENCE = "EXPERIENCE"
    RULE = "RULE"
    STATUS = "STATUS"


class Scope(StrEnum):
    """Where a memory applies."""

    TENANT = "TENANT"
    DEPARTMENT = "DEPARTMENT"
    USER = "USER"
    AGENT = "AGENT"
    SESSION = "SESSION"
    TASK = "TASK"


class OwnerType(StrEnum):
    """Whose a memory is, and so in whose partition it lives."""

    USER = "USER"
    DEPARTMENT = "DEPARTMENT"
    AGENT = "AGENT"
    TENANT = "TENANT"


class Basis(StrEnum):
    """On what a fact rests: said, concluded, or confirmed by a person."""

    STATED = "STATED"
    INFERRED = "INFERRED"
    CONFIRMED = "CONFIRMED"


class CandidateStatus(StrEnum):
    """Where a candidate stands in governance."""

    PENDING = "PENDING"
    ACCEPTED = "ACCEPTED"
    REJECTED = "REJECTED"
    NEEDS_CONFIRMATION = "NEEDS_CONFIRMATION"
    SUPERSEDED = "SUPERSEDED"


class FactStatus(StrEnum):
    """The stored hint about a fact; reads compute activity from the instants and trust no hint."""

    ACTIVE = "ACTIVE"
    SUPERSEDED = "SUPERSEDED"
    EXPIRED = "EXPIRED"
    INVALIDATED = "INVALIDATED"
    NEEDS_REVALIDATION = "NEEDS_REVALIDATION"


class Standing(StrEnum):
    """Where a statement stands over a period: on the timeline, beside it as a less trusted contender, in an
    unsettled dispute, unplaced because its time is not known at all, or unsupported because what it rested on went."""

    HELD = "HELD"
    CONTENDER = "CONTENDER"
    DISPUTED = "DISPUTED"
    UNPLACED = "UNPLACED"
    UNSUPPORTED = "UNSUPPORTED"


class Relation(StrEnum):
    """How evidence bears on a candidate or fact."""

    SUPPORT = "SUPPORT"
    CONFLICT = "CONFLICT"
    REFERENCE = "REFERENCE"


class DependencyKind(StrEnum):
    """How a fact hangs on a root: it was derived from it, another value takes its place when the root changes, or the root
    is what it was changed to, at whose start it ended."""

    DERIVED = "DERIVED"
    SUCCESSOR = "SUCCESSOR"
    ENDED = "ENDED"


class Change(StrEnum):
    """Which operation made a revision."""

    ASSERT = "ASSERT"
    CHANGE = "CHANGE"
    CORRECT = "CORRECT"
    REINFORCE = "REINFORCE"
    INVALIDATE = "INVALIDATE"
    REFOLD = "REFOLD"
    REPLAY = "REPLAY"


class Ruling(StrEnum):
    """What one governance rule, or all of them together, say of a candidate. Ordered by strictness."""

    ACCEPT = "ACCEPT"
    CONFIRM = "CONFIRM"
    DROP = "DROP"
    REJECT = "REJECT"


class Eligibility(StrEnum):
    """What the read path may do with evidence: everything, only search with a flag, only history, nothing."""

    ELIGIBLE = "ELIGIBLE"
    QUARANTINED = "QUARANTINED"
    HISTORY = "HISTORY"
    AUDIT_ONLY = "AUDIT_ONLY"


class ItemKind(StrEnum):
    """What an index entry stands for."""

    FACT = "FACT"
    EVIDENCE = "EVIDENCE"
    SUMMARY = "SUMMARY"
    WORKFLOW = "WORKFLOW"


class Intent(StrEnum):
    """What an extractor understood the speaker to want."""

    ASSERT = "ASSERT"
    CORRECT = "CORRECT"
    CHANGE = "CHANGE"
    FORGET = "FORGET"
