"""Whose slot, or which status key, a question asks the value of, and nothing else: 'what is Anna's e-mail?', 当前步骤是什么.

Belongs here: reading such a question. Does not belong here: questions that name a key (`asked_exactly`), and whether a question
means a fact by name (`asked`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from muniment.config import Policy
from muniment.domain.statement import canonical, subject_key
from muniment.retrieval.asked import lexicon
from muniment.retrieval.asked_exactly import Attribute, attribute_words

_TELL: Final = (
    r"(?:please |can you |could you )?(?:what(?:'s| is| are)|tell me|show me|give me|find|look up"
    r"|do you (?:know|have|remember))"
)
_WHICH: Final = r"(?:current |present |usual |new |latest )?"
_OWN = re.compile(
    rf"(?:^|\b)(?:{_TELL}|what about)\s+my\s+{_WHICH}([^,?？]+?)\s*[?？.]*$|^my {_WHICH}([^,?？]+?)\s*[?？]+$"
)
_OWN_ZH = re.compile(
    r"^(?:请问|告诉我|查一下|帮我查一下|你(?:还)?(?:知道|记得))?我的?(?:现在|目前|当前|平时)?的?([^，,?？是有]+?)(?:是|有)?(?:什么|多少|哪里|哪儿|几号|哪天|谁)?"
    r"\s*(?:呢|呀|来着|吗)?[?？]*$"
)
_THEIR = re.compile(
    rf"^(?:{_TELL}\s+)?(?P<who>[^,?？]{{1,60}}?)'s\s+{_WHICH}(?P<what>[^,?？']+?)\s*[?？.]*$"
    rf"|^(?:{_TELL}\s+)?the\s+{_WHICH}(?P<what2>[^,?？']+?)\s+(?:of|for)\s+(?P<who2>[^,?？']{{1,60}}?)\s*[?？.]*$"
)
_THEIR_ZH = re.compile(
    r"^(?:请问|告诉我|查一下|帮我查一下|帮我查|你(?:还)?(?:知道|记得))?(?P<who>[^，,?？是谁什]{1,24})的(?:现在|目前|当前|最新)?的?(?P<what>[^，,?？是有的]+?)"
    r"(?:是|有)?(?:什么|多少|哪里|哪儿|几号|哪天|谁|哪个)?\s*(?:呢|呀|来着|吗)?[?？]*$"
)
_STATE = re.compile(rf"^{_TELL}\s+(?:the|our|my)\s+{_WHICH}([^,?？']+?)(?:\s+now)?\s*[?？.]*$")
_STATE_ZH = re.compile(
    r"^(?:请问|告诉我|查一下)?(?:现在|目前|当前|我们)?(?:的)?(?P<what>[^，,?？的是到]+?)(?:是|到|在)(?:什么|哪(?:里|儿|个|一步)?|多少|几)(?:了)?\s*(?:呢|呀)?[?？]*$"
)
_NOBODY: Final = frozenset(
    {
        "what",
        "that",
        "it",
        "he",
        "she",
        "there",
        "who",
        "here",
        "his",
        "her",
        "let",
        "today",
        "yesterday",
        "this",
        "where",
        "how",
        "when",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A slot that a question asks the value of, and nothing else: whose (`user`: the asker's), and what."""

    subjects: tuple[str, ...]
    attribute: Attribute


def slot(question: str, policy: Policy) -> Slot | None:
    """The slot of a question that asks for a value of somebody's and for nothing else ('what is my phone number?', Anna's
    e-mail, 小王的邮箱是什么); None for any other question, however alike."""
    text = canonical(question).replace("’", "'")
    if match := _OWN.search(text) or _OWN_ZH.match(text):
        attribute = _named(next(filter(None, match.groups()), ""), policy)
        if attribute is not None:
            return Slot(subjects=("user",), attribute=attribute)
    match = _THEIR.match(text) or _THEIR_ZH.match(text)
    if match is None:
        return None
    found = match.groupdict()
    who = (found.get("who") or found.get("who2") or "").strip()
    attribute = _named(found.get("what") or found.get("what2") or "", policy)
    if attribute is None or who in _NOBODY or not any(map(str.isalpha, who)):
        return None
    return Slot(subjects=_spelt(who), attribute=attribute)


def _named(word: str, policy: Policy) -> Attribute | None:
    """The attribute a phrase is the name of, whole."""
    word = word.strip()
    known = policy.names.get(word)
    found = attribute_words(policy).get(word)
    if known is None:
        return found
    if found is None or known not in found.predicates:
        return Attribute(name=known, predicates=frozenset({known}))
    return found


def _spelt(who: str) -> tuple[str, ...]:
    """A person as facts and words may name them: 'the user' is the user, 'my wife' is the user's wife."""
    who = re.sub(r"^(?:the|our)\s+(?:user|customer|client)\s+(?=\S)|^(?:用户|客户|同事)(?=.)", "", who)
    if subject_key(who) == "user" or who in ("the user's", "user's"):
        return ("user",)
    kin = re.match(r"(?:my|our)\s+(.+)", who)
    if kin is not None:
        return (f"user's {kin[1]}", kin[1], who)
    return (who,)


def status_keys(question: str, policy: Policy) -> tuple[str, ...]:
    """The keys of a current state that a question asks for by name and nothing else ('what is the step?', 当前步骤是什么); any
    name at all, so that a key of the application's own is found too; empty for any other question."""
    text = canonical(question).replace("’", "'")
    match = _STATE.match(text) or _STATE_ZH.match(text)
    if match is None:
        return ()
    word = match[1].strip()
    keys = [key for key, words in lexicon()["status"].items() if word in words]
    named = policy.names.get(word)
    return tuple(dict.fromkeys([*keys, *([named] if named else []), word, word.replace(" ", "_")]))
