"""What a question asks for exactly: the keys it names, the attribute it wants of them, whose slot or which status it means.

Belongs here: reading the question. Does not belong here: looking anything up (`channels/exact`), and the wider question of
what a fact's slot is called (`asked`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from muniment.config import Policy
from muniment.domain.statement import canonical, subject_key
from muniment.retrieval.asked import contains, lexicon
from muniment.text.belonging import label_of
from muniment.text.folding import narrow
from muniment.text.identifiers import canonical_kind, identifiers, normalise, spellings

Key = tuple[str, str]
"""A kind of identifier and its value in the one spelling of that kind."""

Span = tuple[int, int]

KEYS: Final = frozenset({"phone", "email", "code", "national_id", "bank_card", "plate", "url"})
"""Kinds that name one thing."""

MARKS: Final = frozenset({"amount", "date", "version"})
"""Kinds that describe many things: they pin what matches where that is little, and answer nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """What is asked of a thing or person: `name` as it is told of, the `kind` of key that it is, if it is one, what a code is
    the number of (`label`), and the catalogue's predicates for it."""

    name: str
    kind: str | None = None
    label: str | None = None
    predicates: frozenset[str] = frozenset()

    def is_predicate(self, predicate: str | None) -> bool:
        """Whether a fact of this predicate says it."""
        if not predicate:
            return False
        spelt = canonical(predicate)
        if spelt in self.predicates:
            return True
        named = self.kind is not None and canonical_kind(spelt) == self.kind
        return named and self.fits(next(filter(None, map(label_of, re.split(r"[\s_-]+", spelt))), None))

    def fits(self, label: str | None) -> bool:
        """Whether a key so labelled may be the one asked for: one that is said to be something else may not."""
        return self.label is None or label is None or label == self.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a question names, each with its span: `keys`, `marks` (amounts, dates, versions), and the codes it may mean
    (`possible`): of those, which are any the store knows."""

    keys: Mapping[Key, Span]
    marks: Mapping[Key, Span]
    possible: Mapping[Key, Span]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a question wants of the keys it names: an attribute, or whose they are (`owner`); `for_value` says that it wants
    that and nothing more."""

    attribute: Attribute | None = None
    owner: bool = False
    for_value: bool = False


_LOWER: Final = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def names(question: str) -> Named:
    """The keys and marks of a question; nothing is guessed at by similarity."""
    found = identifiers(question)
    keys: dict[Key, Span] = {(item.kind, item.value): item.span for item in found if item.kind in KEYS}
    possible: dict[Key, Span] = {}
    for spelling, span in spellings(question):
        possible["code", spelling] = span
        if spelling.isdigit() and (number := normalise("phone", spelling)) is not None:
            possible["phone", number] = span
    return Named(
        keys=keys,
        marks={(item.kind, item.value): item.span for item in found if item.kind in MARKS},
        possible={key: span for key, span in possible.items() if key not in keys},
    )


def wants(question: str, keys: Mapping[Key, Span], policy: Policy) -> Wanted:
    """What the question wants of these keys, which it names at these places."""
    plain = narrow(question).translate(_LOWER).replace("’", "'")
    attribute, rest = _attribute(plain, list(keys.values()), policy)
    owner = any(contains(rest, word) for words in lexicon()["owner"].values() for word in words)
    if owner and attribute is not None and all(kind == attribute.kind for kind, _ in keys):
        attribute = None  # 'whose order is ORD-1': the order is the key itself.
    return Wanted(
        attribute=attribute,
        owner=owner and attribute is None,
        for_value=(attribute is not None or owner) and not _more(rest),
    )


def _attribute(plain: str, spans: Sequence[tuple[int, int]], policy: Policy) -> tuple[Attribute | None, str]:
    """The attribute asked for, and the question without the keys, their labels and it."""
    rest = plain
    for start, end in spans:
        rest = rest[:start] + "\x00" * (end - start) + rest[end:]
    matches = []
    for word, attribute in _words(policy).items():
        at = rest.find(word)
        while at >= 0:
            if _whole(rest, at, word):
                matches.append((len(word), at, attribute))
            at = rest.find(word, at + 1)
    chosen: tuple[Attribute, int, int] | None = None
    for length, at, attribute in sorted(matches, key=lambda item: (-item[0], item[1])):
        if _labels_a_key(rest, at, at + length, spans):
            rest = rest[:at] + " " * length + rest[at + length :]
        elif chosen is None and rest[at : at + length].strip():
            chosen = (attribute, at, at + length)
            rest = rest[:at] + "\x01" * length + rest[at + length :]
    rest = rest.replace("\x01", " ")
    return (None if chosen is None else chosen[0]), rest


def _whole(text: str, at: int, word: str) -> bool:
    """Whether the word found at a place stands there whole, or in the plural; one in Chinese always does."""
    if not word.isascii():
        return True
    behind = text[at + len(word) : at + len(word) + 3]
    behind = behind.removeprefix("'s") if behind.startswith("'s") else behind.removeprefix("s")
    return not _letter(text[at - 1 : at]) and not _letter(behind[:1])


def _letter(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _labels_a_key(rest: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a word stands right before a key, or right behind it in Chinese (138…这个手机号), and so says what the key is."""
    for first, last in spans:
        if 0 <= first - end <= 24 and _between().fullmatch(rest[end:first]):
            return True
        if last <= start and re.fullmatch(r"\s?(?:这个|那个|这|此)", rest[last:start]):
            return True
    return False


@cache
def _between() -> re.Pattern[str]:
    words = lexicon()["between"]
    either = "|".join(map(re.escape, sorted((*words["en"], *words["zh"]), key=len, reverse=True)))
    return re.compile(rf"(?:{either}|[\s:：#=\"'(\x01,.])*")


def _more(rest: str) -> bool:
    """Whether a question says anything beside its keys, its attribute and the words of asking."""
    words = lexicon()["glue"]
    if set(re.findall(r"[a-z][a-z'-]*", rest)) - set(words["en"]):
        return True
    left = re.sub("|".join(map(re.escape, sorted(words["zh"], key=len, reverse=True))), " ", rest)
    return any(char.isalpha() and not char.isascii() for char in left) or any(map(str.isdigit, left))


def _words(policy: Policy) -> Mapping[str, Attribute]:
    """Every word for an attribute: the lexicon's, and the catalogue's names."""
    table: dict[str, Attribute] = {}
    names = policy.names
    for name, predicate in names.items():
        if len(name) > 1 and not _common(name):
            table[name] = Attribute(name=predicate, predicates=frozenset({predicate}))
    for name, entry in lexicon()["attributes"].items():
        predicates = frozenset(names[word] for word in (name, *entry["words"]) if word in names)
        label = name if entry["kind"] == "code" and name != "code" else None
        for word in entry["words"]:
            table[word] = Attribute(name=name, kind=entry["kind"], label=label, predicates=predicates)
    return table


def _common(name: str) -> bool:
    """Whether a catalogue's name is a word that questions have for other reasons."""
    return name in {"user", "uses", "use", "company", "school", "major"}


# -- slots ---------------------------------------------------------------------------------------------------------------

_TELL: Final = r"(?:please |can you |could you )?(?:what(?:'s| is| are)|tell me|show me|give me|find|look up|do you (?:know|have|remember))"
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
    if attribute is None or who in _NOBODY or not who:
        return None
    return Slot(subjects=_spelt(who), attribute=attribute)


def _named(word: str, policy: Policy) -> Attribute | None:
    """The attribute a phrase is the name of, whole."""
    word = word.strip()
    known = policy.names.get(word)
    found = _words(policy).get(word)
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
