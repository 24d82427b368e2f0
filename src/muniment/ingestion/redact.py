"""Step 0: what may be kept of an observation, decided before anything is written.

Belongs here: limits, cleaning, redaction, the split of refused clauses from the rest. Does not belong here: detectors
(text/) and what becomes of candidates (governance/).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from muniment.config import Learned, Policy
from muniment.domain.enums import ActorType, Eligibility
from muniment.domain.errors import InvalidInput, TooLarge
from muniment.domain.observation import RESERVED, Observation
from muniment.domain.scope import scope_key
from muniment.text.authority import Suspicion, suspicions
from muniment.text.finding import Finding
from muniment.text.redact import redact, redact_json
from muniment.text.sanitise import sanitise, sanitise_json
from muniment.text.standing import withheld
from muniment.text.standing_orders import standing_orders

SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)|[。！？]+|\n")
SENTENCE_REACH = 2_000
"""Characters a sentence is followed for on either side of what was found in it."""
WITHHELD = " … "
STATEMENT = f"{RESERVED}statement"
"""The event of a structured call that states something by the caller's own authority."""
NAME_CHARS = 256
KEYS = ("idempotency_key", "actor_id", "trace_id", "source_id")
"""Names by which a caller knows something again: masked, they would be another's."""
TRUST_LIMIT = 1_000_000
"""Trusts are small numbers; what a policy or caller gives must fit an integer of any database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of evidence to be: its text as it will be kept, and what the read path may do with it."""

    text: str
    eligibility: Eligibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """An observation ready to be written: clean, within limits, redacted, its parts and the digest of its body.

    `kinds` are those that were masked anywhere in it, `findings` point into the content that was given.
    """

    observation: Observation
    parts: tuple[Part, ...]
    flags: tuple[str, ...]
    redacted: bool
    kinds: tuple[str, ...]
    findings: tuple[Finding, ...]
    suspicions: tuple[Suspicion, ...]
    digest: str
    masked: tuple[tuple[str, str], ...] = ()


def clean(observation: Observation, *, policy: Policy, digest: Callable[[str], str]) -> Cleaned:
    """Checks, cleans and redacts one observation.

    Raises `InvalidInput` for one without text, `TooLarge` over a limit; nothing has been written then.
    """
    limits = policy.limits
    document = observation.kind == "document"
    allowed = limits.document_chars if document else limits.content_chars
    if len(observation.content) > allowed:
        raise TooLarge(f"content has {len(observation.content)} characters, over limits.content_chars = {allowed}")
    text = sanitise(observation.content)
    if not text.text.strip():
        raise InvalidInput("content is empty; there is nothing to observe")
    for name in ("metadata", "payload"):
        if not isinstance(getattr(observation, name), Mapping):
            raise InvalidInput(f"{name} must be a mapping, not {type(getattr(observation, name)).__name__}")
    if observation.trust is not None:
        check_trust(observation.trust)
    metadata = sanitise_json(observation.metadata, limit_depth=limits.depth, limit_bytes=limits.metadata_bytes)
    payload = sanitise_json(observation.payload, limit_depth=limits.depth, limit_bytes=limits.metadata_bytes)
    kinds = policy.sensitivity.mask
    kept = redact(text.text, kinds)
    about, about_kinds = redact_json(metadata.value, kinds)
    body, body_kinds = redact_json(payload.value, kinds)
    names, names_kinds = _names(observation, kinds, digest)
    learned = thresholds(policy, observation.actor, observation.kind)
    found = tuple(suspicions(kept.text, source_is_user=observation.own_talk, learned=learned))
    if not observation.own_talk:
        found += tuple(standing_orders(kept.text))
    cleaned = replace(
        observation,
        content=kept.text,
        metadata=about,
        payload=body,
        **names,
    )
    masked = {*(item.kind for item in kept.findings), *about_kinds, *body_kinds, *names_kinds}
    looked_up = [item for item in kept.findings if item.kind in policy.sensitivity.look_up]
    return Cleaned(
        observation=cleaned,
        parts=tuple(_parts(kept.text, found, _unkept(observation, kept.text))),
        flags=tuple(sorted({*text.flags, *metadata.flags, *payload.flags})),
        redacted=bool(masked),
        kinds=tuple(sorted(masked)),
        findings=kept.findings,
        suspicions=found,
        digest=digest(_body(cleaned)),
        masked=tuple((item.kind, text.text[slice(*item.span)]) for item in looked_up),
    )


def thresholds(policy: Policy, actor: ActorType, event_type: str) -> Learned | None:
    """What the learned detector reads the words of an event with; None where it does not: what a caller states for the user
    by a structured call is an act, not talk that may hide one. Patterns and disguises are looked for in it as in all."""
    return None if event_type == STATEMENT and actor is ActorType.USER else policy.learned


def check_trust(trust: object) -> None:
    """Raises `InvalidInput` for a trust that is not an integer of a size that stores hold."""
    if isinstance(trust, bool) or not isinstance(trust, int) or abs(trust) > TRUST_LIMIT:
        raise InvalidInput(f"trust must be an integer of at most {TRUST_LIMIT}, not {trust!r}")


def masked_json(value: dict[str, Any], kinds: tuple[str, ...]) -> dict[str, Any]:
    """Metadata and payload are kept too, so they are masked like the text."""
    kept, _ = redact_json(value, kinds)
    return dict(kept)


def kept_key(value: str, kinds: tuple[str, ...], digest: Callable[[str], str]) -> str:
    """A key by which a caller knows something again, as it may be kept: one that holds what must not be stored as a digest
    under the store's own key, so that it is still the same for the same and for nothing else."""
    if not redact(value, kinds).redacted:
        return value
    spelt = digest("key\x00" + value)
    return f"masked-{spelt[:40]}"


def _names(
    observation: Observation, kinds: tuple[str, ...], digest: Callable[[str], str]
) -> tuple[dict[str, Any], set[str]]:
    """Keys and names that are columns: cleaned, refused where they are too long to be kept whole, and masked; with the kinds
    that were. A session is a scope, which is kept as its callers name it."""
    named: dict[str, Any] = {}
    found: set[str] = set()
    for field in ("session", "idempotency_key", "actor_id", "trace_id"):
        value = getattr(observation, field)
        named[field] = None if value is None else scope_key(value, name=field)
    for field, limit in {
        "event_type": 64,
        "source": 64,
        "source_system": 64,
        "source_id": NAME_CHARS,
        "source_version": 64,
        "locator": 512,
        "speaker": NAME_CHARS,
    }.items():
        value = getattr(observation, field)
        if value is None:
            continue
        named[field] = sanitise(value).text
        if not named[field].strip() or len(value) > limit:
            raise InvalidInput(f"{field} must have 1 to {limit} characters, not {len(value)}")
        if field not in KEYS:
            masked = redact(named[field], kinds)
            found.update(item.kind for item in masked.findings)
            named[field] = masked.text[:limit]
    for field in KEYS:
        if named.get(field) is not None:
            found.update(item.kind for item in redact(named[field], kinds).findings)
            named[field] = kept_key(named[field], kinds, digest)
    return named, found


def _body(item: Observation) -> str:
    """What makes two observations under one key the same: everything but the key."""
    occurred = (
        None if item.occurred is None else [item.occurred.at.isoformat(), item.occurred.offset, item.occurred.zone]
    )
    names = (
        "content",
        "actor",
        "speaker",
        "event_type",
        "source_system",
        "source_id",
        "source_version",
        "locator",
        "session",
    )
    body = {name: getattr(item, name) for name in names} | {
        "occurred": occurred,
        "metadata": item.metadata,
        "payload": item.payload,
    }
    return json.dumps(body, sort_keys=True, ensure_ascii=False, default=str)


def sentence_around(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """The span widened to its sentence: what an order or a claim goes on to say is part of it."""
    start, end = span
    least = max(0, start - SENTENCE_REACH)
    begins = [match.end() for match in SENTENCE_END.finditer(text, least, start)]
    ends = SENTENCE_END.search(text, max(start, end - 1), end + SENTENCE_REACH)
    return begins[-1] if begins else least, ends.end() if ends else min(len(text), end + SENTENCE_REACH)


def trim(piece: str) -> str:
    """What is left of a text beside a withheld clause, without the marks that joined them; '' where it says nothing."""
    trimmed = piece.strip().lstrip(".,;:!?，。；：、！？ ").rstrip(",;:，；：、 ")
    return trimmed if sum(char.isalnum() for char in trimmed) > 1 else ""


def _unkept(item: Observation, text: str) -> list[tuple[int, int]]:
    """What a person asks, in their own talk, not to keep ('do not save that')."""
    return withheld(text) if item.own_talk else []


def _parts(text: str, found: tuple[Suspicion, ...], unkept: list[tuple[int, int]]) -> list[Part]:
    """One part, or two where only some clauses are refused: the whole for the auditor, the rest for everyone."""
    refused = unkept + [sentence_around(text, item.span) for item in found if item.level == "plain"]
    if not refused:
        doubtful = any(item.level == "suspected" for item in found)
        return [Part(text=text, eligibility=Eligibility.QUARANTINED if doubtful else Eligibility.ELIGIBLE)]
    rest, place = [], 0
    for start, end in sorted(refused):
        rest.append(text[place:start])
        place = max(place, end)
    rest.append(text[place:])
    remainder = WITHHELD.join(trimmed for piece in rest if (trimmed := trim(piece)))
    parts = [Part(text=text, eligibility=Eligibility.AUDIT_ONLY)]
    return [*parts, Part(text=remainder, eligibility=Eligibility.ELIGIBLE)] if remainder else parts
