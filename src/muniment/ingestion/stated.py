"""Step 0 for what callers and extractors state: candidates and the words of amendments, fit to be written.

They are cleaned, bounded and masked as observations are: a structured write is no way around step 0.

Belongs here: that. Does not belong here: observations (`redact`), the rules a candidate then meets (governance/).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from muniment.config import Policy
from muniment.domain.confidence import to_points
from muniment.domain.enums import Basis
from muniment.domain.errors import InvalidInput, TooLarge
from muniment.domain.records import Candidate
from muniment.domain.scope import scope_key
from muniment.domain.statement import canonical
from muniment.domain.time import Period, utc
from muniment.ingestion.redact import NAME_CHARS, check_trust, masked_json
from muniment.text.redact import masked_kinds, redact
from muniment.text.sanitise import sanitise, sanitise_json, straight
from muniment.text.secret_names import named_kind

CONTENT = ("content", "value", "quote")
NAMES = ("subject", "predicate", "qualifier")
INSTANTS = ("valid_from", "valid_until", "expires_at")


def clean_candidate(candidate: Candidate, policy: Policy) -> Candidate:
    """The candidate as it may be kept: without characters that a store cannot hold, its secrets masked, and not confirmed,
    which only a review makes it.

    Raises `InvalidInput` for a name over 256 characters, a period that ends before it begins, a confidence, trust or
    metadata that is none; `TooLarge` for content over `limits.content_chars`; `NaiveInstant` for an instant without offset.
    """
    given: dict[str, Any] = {name: clean_text(getattr(candidate, name), policy, name=name) for name in CONTENT}
    given |= _named_secret(candidate, given, policy)
    # The quote stays as it stands in the evidence; what a memory says reads as it is written.
    given |= {name: straight(given[name]) for name in ("content", "value") if given[name] is not None}
    given["value"] = _value(candidate, given)
    given |= {name: _name(getattr(candidate, name), policy, name=name) for name in NAMES}
    for name in INSTANTS:
        at = getattr(candidate, name)
        given[name] = None if at is None else utc(at, name=name)
    Period(start=given["valid_from"], end=given["valid_until"])
    to_points(candidate.confidence)
    if candidate.trust is not None:
        check_trust(candidate.trust)
    if candidate.department is not None:
        given["department"] = scope_key(candidate.department, name="department")
    if candidate.basis is Basis.CONFIRMED:
        given["basis"] = Basis.STATED
    limits = policy.limits
    found = sanitise_json(dict(candidate.metadata), limit_depth=limits.depth, limit_bytes=limits.metadata_bytes)
    return replace(candidate, metadata=masked_json(found.value, policy.sensitivity.mask), **given)


def _named_secret(candidate: Candidate, kept: dict[str, Any], policy: Policy) -> dict[str, Any]:
    """The words without the value, where the predicate alone says that it is a password or secret."""
    value = candidate.value
    if not isinstance(value, str) or not value.strip():
        return {}
    kind = next(
        (kind for name in (candidate.predicate, candidate.qualifier) if (kind := named_kind(name or "", value))), None
    )
    if kind is None or kind not in policy.sensitivity.mask:
        return {}
    return {name: text and text.replace(value, f"[{kind}]") for name, text in kept.items()}


def _value(candidate: Candidate, kept: dict[str, Any]) -> str | None:
    """The value, withheld where the sentence it stands in was masked over it: 'hunter2' alone looks like any word."""
    value: str | None = kept["value"]
    if value is None or candidate.value is None:
        return None
    if not value.strip():
        raise InvalidInput("value is empty; leave it out, or say what it is")
    kinds = masked_kinds(kept["content"])
    hidden = candidate.value in candidate.content and candidate.value not in kept["content"]
    return f"[{kinds[0]}]" if kinds and hidden else value


def clean_text(text: str | None, policy: Policy, *, name: str) -> str | None:
    """Text of a statement as it may be kept; None stays None."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise InvalidInput(f"{name} must be text, not {type(text).__name__}")
    limit = policy.limits.content_chars
    if len(text) > limit:
        raise TooLarge(f"{name} has {len(text)} characters, over limits.content_chars = {limit}")
    return redact(sanitise(text).text, policy.sensitivity.mask).text


def clean_words(text: str | None, policy: Policy, *, name: str) -> str | None:
    """The words of an amendment: as `clean_text`, and refused where they say nothing, are over
    `limits.candidate_chars` or hold what must not be kept (there is no verdict to say so)."""
    kept = clean_text(text, policy, name=name)
    if kept is None or text is None:
        return None
    kept = straight(kept)
    if not kept.strip():
        raise InvalidInput(f"{name} is empty; leave it out, or say what it is")
    limit = policy.limits.candidate_chars
    if len(kept) > limit:
        raise TooLarge(f"{name} has {len(kept)} characters, over limits.candidate_chars = {limit}")
    found = redact(sanitise(text).text, policy.sensitivity.mask).findings
    if found:
        raise InvalidInput(f"{name} holds {', '.join(sorted({item.kind for item in found}))}, which is never kept")
    return kept


def _name(text: str | None, policy: Policy, *, name: str) -> str | None:
    """A subject, predicate or qualifier: a column of its own, compared in canonical spelling, which may be longer."""
    kept = clean_text(text, policy, name=name)
    kept = None if kept is None else straight(kept)
    if kept is not None and max(len(kept), len(canonical(kept))) > NAME_CHARS:
        raise InvalidInput(f"{name} must have at most {NAME_CHARS} characters, not {len(kept)}")
    return kept
