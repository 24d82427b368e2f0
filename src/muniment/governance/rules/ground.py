"""What a candidate stands on: evidence, a quote that is really there, a bounded length.

Belongs here: `provenance`, `length`. Does not belong here: how much the source is trusted (`source.py`).
"""

from __future__ import annotations

from muniment.domain.records import Evidence, Verdict
from muniment.governance.considered import Considered
from muniment.governance.rules.verdicts import accept, reject


def provenance(considered: Considered) -> Verdict:
    """At least one evidence with source and time; a quote must be words of it."""
    rule = "provenance"
    sound = [item for item in considered.evidence if item.source_system]
    if not sound:
        return reject(rule, "no evidence with a source and a time")
    quote = considered.candidate.quote
    if quote and not any(_quotes(item, quote) for item in sound):
        return reject(rule, "the quote is not in the evidence")
    return accept(rule, f"rests on {len(sound)} evidence")


def length(considered: Considered) -> Verdict:
    """Content, value and subject within the policy's limit, and content at all."""
    rule, limit = "length", considered.policy.limits.candidate_chars
    candidate = considered.candidate
    if not candidate.content.strip():
        return reject(rule, "it says nothing")
    parts = {
        "content": candidate.content,
        "value": candidate.value,
        "subject": candidate.subject,
        "predicate": candidate.predicate,
    }
    for name, text in parts.items():
        if text is not None and len(text) > limit:
            return reject(rule, f"{name} has {len(text)} characters; the limit is {limit}")
    return accept(rule, f"within {limit} characters")


def _quotes(evidence: Evidence, quote: str) -> bool:
    """Whether the evidence holds the quote, white space aside."""
    return quote in evidence.content or "".join(quote.split()) in "".join(evidence.content.split())
