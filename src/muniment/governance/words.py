"""All the words a candidate would put into memory, and what is found in them.

A candidate rests on a quote, and its quote is looked at where it came in; but what is kept is its content, value, subject
and qualifier, which whoever proposes it may word as they like.

Belongs here: those words, and the detectors of text/ over them. Does not belong here: rulings (`rules/`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from muniment.config import Sensitivity
from muniment.domain.enums import ActorType
from muniment.domain.records import Candidate
from muniment.governance.considered import Considered
from muniment.text.authority import Suspicion, suspicions
from muniment.text.identifiers import KINDS as IDENTIFIER_KINDS
from muniment.text.identifiers import identifiers
from muniment.text.personal import KINDS as PERSONAL_KINDS
from muniment.text.personal import detect
from muniment.text.redact import masked_kinds
from muniment.text.wording import Topic, mentions

QUOTES: Final = "\"'“”‘’「」『』《》 "


def said(candidate: Candidate) -> tuple[str, ...]:
    """The content, then the value, subject and qualifier as far as the content does not say them."""
    others = (candidate.value, candidate.subject, candidate.qualifier)
    return (candidate.content, *(text for text in others if text and text not in candidate.content))


def speaks_of(candidate: Candidate, topic: Topic) -> bool:
    """Whether any of its words mention a topic of the wordings ('promise', 'complaint')."""
    return any(mentions(topic, text) for text in said(candidate))


def kinds(considered: Considered) -> tuple[str, ...]:
    """Every kind of sensitive data the candidate holds: found in it, masked in it, or implied by its predicate."""
    candidate = considered.candidate
    found = [item.kind for item in considered.findings]
    texts = said(candidate)
    for text in texts:
        found += masked_kinds(text)
    found += _listed_kinds(considered.policy.sensitivity, candidate, texts)
    if considered.predicate.sensitivity:
        found.append(considered.predicate.sensitivity)
    return tuple(dict.fromkeys(found))


def suspected(considered: Considered) -> tuple[Suspicion, ...]:
    """What is suspicious about the words it rests on, as given, and about what it would have us keep beyond them.

    A document or tool may not say what a user may well say to their agent, also where the user handed it in.
    """
    own = considered.users_own_words
    seen = considered.candidate.quote or considered.candidate.content
    if own is not (considered.actor is ActorType.USER):
        seen = ""
    whole = {considered.candidate.quote, considered.candidate.content}
    unseen = [text for text in (considered.candidate.quote, *said(considered.candidate)) if text and text not in seen]
    more: list[Suspicion] = []
    for text in dict.fromkeys(unseen):
        # The learned detector reads sentences of talk; a value or a name by itself tells it nothing, and what a caller states
        # for the user by a structured call is an act.
        stated = own and considered.direct
        learned = considered.policy.learned if text in whole and not stated else None
        more += suspicions(text, source_is_user=own, learned=learned)
    return (*considered.suspicions, *more, *_in_value(considered.candidate, own=own))


def _in_value(candidate: Candidate, *, own: bool) -> tuple[Suspicion, ...]:
    """What the value says when it is read by itself, as it is once it is filed: quoted or called a name, an order is one yet.
    It is only suspected, since the words around it may have made it harmless."""
    if not candidate.value or candidate.value == candidate.quote:
        return ()
    found = suspicions(candidate.value.strip(QUOTES), source_is_user=own)
    return tuple(replace(item, level="suspected") for item in found)


def _listed_kinds(lists: Sensitivity, candidate: Candidate, texts: tuple[str, ...]) -> list[str]:
    """Kinds that the policy lists and that are not looked for when a text comes in: in a value, where its subject is the
    person it is about, and identifiers anywhere."""
    listed = {*lists.confirm, *lists.mask, *(kind.casefold() for kind in lists.four_eyes)}
    personal = tuple(kind for kind in PERSONAL_KINDS if kind in listed)
    subject = candidate.subject or "user"
    found = [item.kind for text in texts[1:] for item in detect(f"{subject}, {candidate.predicate}: {text}", personal)]
    if listed & (set(IDENTIFIER_KINDS) - set(PERSONAL_KINDS)):
        found += [item.kind for text in texts for item in identifiers(text)]
    return [kind for kind in found if kind in listed]
