"""The grammar of one English clause: who or what it is about, and its verb with tense, modality and negation.

No dictionary of words and no tagger: pronouns, determiners, auxiliaries and the forms of common verbs (`lexicons/verbs_en.toml`)
are enough to tell a plain statement from a question, an order or a fragment. What cannot be told so is not parsed.

Belongs here: that grammar. Does not belong here: where clauses begin and end (`clauses`), what a statement is worth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal

from muniment.text.lexicon import lexicon

Kind = Literal["speaker", "own", "person", "it", "thing", "name", "hearer", "none"]
"""Of a subject: I or we; my or our something; he, she, they; it or that; any other noun phrase; a name; you; left out."""
Form = Literal["present", "past", "perfect", "progressive", "passive", "being", "modal", "order"]

LEAST: Final = 2
MOST_TOKENS: Final = 48
_NOUN_REACH: Final = 9
"""Tokens of a subject behind which no verb is looked for."""
_OPENER_REACH: Final = 12
_TOKEN: Final = re.compile(r"[^\W_]+(?:[-.'&/][^\W_]+)*|[^\w\s]|_+")
_SPLIT: Final = re.compile(r"(?i)(.+)(n't|'(?:m|s|re|ve|d|ll))$")


def _closed(name: str) -> frozenset[str]:
    """A closed class of words."""
    return frozenset(lexicon("verbs_en")["closed"][name].split())


_BE: Final = _closed("be")
_HAVE: Final = _closed("have")
_DO: Final = _closed("do")
_MODAL: Final = _closed("modal")
_NOT: Final = _closed("not")
_SPEAKER: Final = frozenset({"i", "we", "im", "ive"})
_PERSON: Final = frozenset({"he", "she", "they"})
_IT: Final = frozenset({"it", "this", "that", "these", "those"})
_OWN: Final = frozenset({"my", "our"})
_THEIRS: Final = frozenset({"his", "her", "their", "its"})
_KIN: Final = _closed("kin")
_DETERMINERS: Final = _closed("determiners")
_PARTICLES: Final = _closed("particles")
_RELATIVE: Final = frozenset({"who", "which", "that", "where"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark with its place; contractions are two."""

    text: str
    low: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A clause. Offsets are into the text that was parsed: `subject` of the noun phrase (empty where it is left out), `verb_at`
    of the verb group, `rest` behind the main verb. `verb` is the base of the main verb, `be` of a copula. `when`: subordinate by
    'when', 'while' or 'after'."""

    subject: tuple[int, int]
    kind: Kind
    verb: str
    form: Form
    tense: Literal["present", "past"]
    modal: str = ""
    negated: bool = False
    verb_at: int = 0
    rest: int = 0
    when: bool = False


def tokens(text: str, start: int = 0, end: int | None = None) -> list[Token]:
    """The first `MOST_TOKENS` words and marks of text[start:end]."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        word = match[0]
        split = _SPLIT.match(word)
        if split:
            middle = match.start() + len(split[1])
            found.append(Token(split[1], split[1].lower(), match.start(), middle))
            found.append(Token(split[2], split[2].lower(), middle, match.end()))
        else:
            found.append(Token(word, word.lower(), match.start(), match.end()))
        if len(found) >= MOST_TOKENS:
            break
    return found


def parse(text: str, start: int = 0, end: int | None = None) -> Parsed | None:
    """The statement or order in text[start:end], or None where it is a question, a fragment, or cannot be told."""
    words = tokens(text, start, end)
    place, when = _opened(words, _skip(words, 0))
    if place >= len(words):
        return None
    first = words[place]
    if (
        first.low in ("let", "lets")
        and place + 2 < len(words)
        and (first.low == "lets" or words[place + 1].low in ("'s", "us"))
    ):
        verb = place + (1 if first.low == "lets" else 2)
        negated = words[verb].low in _NOT and verb + 1 < len(words)
        return replace(_order(words, place, verb + negated, negated=negated), modal="let")
    if _forbids(words, place):
        return _order(words, place, place + 2, negated=True)
    if first.low in _vocabulary().interrogatives and not _elided_did(words, place) and not when:
        return None
    if first.low in _SPEAKER:
        return _group(words, place, place + 1, "speaker", when)
    if first.low in ("you", "ya", "u"):
        return _group(words, place, place + 1, "hearer", when)
    if first.low in _PERSON:
        return _group(words, place, place + 1, "person", when)
    if first.low in _IT and place + 1 < len(words) and (_finite(words[place + 1].low) or words[place + 1].low == "'s"):
        return _group(words, place, place + 1, "it", when)
    return _noun_phrase(words, place, when) or _without_subject(words, place)


def asks(text: str, start: int = 0) -> bool:
    """Whether a clause has the form of a question: a question word or an auxiliary first, with no statement in it."""
    words = tokens(text, start)
    place, when = _opened(words, _skip(words, 0))
    if place >= len(words) or when or _forbids(words, place):
        return False
    return words[place].low in _vocabulary().interrogatives and not _elided_did(words, place)


def _forbids(words: list[Token], place: int) -> bool:
    """'Don't call …', 'do not book …': an order, not a question."""
    follows = words[place + 2].low if place + 2 < len(words) else ""
    denied = words[place].low == "do" and place + 1 < len(words) and words[place + 1].low in ("n't", "not")
    return denied and follows in _vocabulary().base


def _skip(words: list[Token], place: int) -> int:
    """Behind words that only lead in."""
    leads = _vocabulary().leads
    while place < len(words) and (words[place].low in leads or words[place].text in ",:-–—."):
        nxt = words[place + 1].low if place + 1 < len(words) else ""
        if words[place].low in ("since", "as") and nxt not in _SPEAKER | _PERSON | _OWN | _IT:
            break
        if words[place].low in ("that", "thing", "quick", "good", "note") and (nxt == "" or _finite(nxt)):
            break
        place += 1
    return place


def _opened(words: list[Token], place: int) -> tuple[int, bool]:
    """Behind an adverbial that stands before the subject ('back in 2021 we …', 'when I was small, we …')."""
    if place >= len(words):
        return place, False
    when = words[place].low in ("when", "while", "after", "before", "once")
    if when and place + 1 < len(words) and words[place + 1].low in _SPEAKER | _PERSON | _OWN | {"the"}:
        return place + 1, True
    adverb = words[place].low in _vocabulary().adverbs or words[place].low.endswith("ly")
    if words[place].low not in _vocabulary().prepositions and not adverb:
        return place, False
    for at in range(place + 1, min(len(words), place + _OPENER_REACH)):
        low = words[at].low
        if low in _SPEAKER or low in _PERSON or (low in _OWN and words[at - 1].low not in _vocabulary().prepositions):
            return at, False
        if low == "it" and at + 1 < len(words) and _finite(words[at + 1].low):
            return at, False
        if words[at].text == "," and at + 1 < len(words):
            return at + 1, False
    return (place + 1 if adverb else place), False


def _finite(low: str) -> bool:
    """Whether a word is a finite verb for certain: an auxiliary, or a past tense."""
    return (
        low in _BE
        or low in _HAVE
        or low in _DO
        or low in _MODAL
        or low in ("n't", "'s", "'d")
        or low in _vocabulary().past
    )


def _elided_did(words: list[Token], place: int) -> bool:
    """'Did my first half marathon': a statement whose subject is left out, not a question."""
    nxt = words[place + 1].low if place + 1 < len(words) else ""
    return words[place].low in ("did", "had") and nxt in ({"my", "our", "a", "the"} | _vocabulary().numbers)


def _noun_phrase(words: list[Token], place: int, when: bool) -> Parsed | None:
    """A clause whose subject is a noun phrase: the verb is the first word behind it that can be one."""
    first = words[place]
    determined = first.low in _OWN or first.low in _THEIRS or first.low in _DETERMINERS or first.low in _IT
    if not determined and not first.text[:1].isalnum():
        return None
    if not determined and _starts_order(words, place):
        return None
    vocabulary = _vocabulary()
    least = place + (2 if determined else 1)
    relative = False
    for at in range(least, min(len(words), place + _NOUN_REACH)):
        low = words[at].low
        if words[at].text in ";:.!?()" or low in _SPEAKER or low in _PERSON or low == "you":
            return None
        if low in _RELATIVE:
            relative = True
            continue
        if low == "'s" and not _is_short_for_is(words, at):
            continue
        if _finite(low) or low in vocabulary.third or (low in vocabulary.base and _plural(words, place, at)):
            if low in vocabulary.never or (words[at - 1].low in _DETERMINERS | _OWN | _THEIRS):
                continue
            if relative:
                relative = False
                continue
            kind: Kind = "own" if first.low in _OWN | _KIN else "name" if _named(words, place, at) else "thing"
            return _group(words, place, at, kind, when)
    return None


def _plural(words: list[Token], place: int, at: int) -> bool:
    """Whether the subject words[place:at] is plural, so that a bare verb agrees with it."""
    last = words[at - 1].low
    return (
        (last.endswith("s") and not last.endswith(("ss", "us")))
        or last in ("people", "kids", "children", "both")
        or any(word.low == "and" for word in words[place:at])
    )


def _named(words: list[Token], place: int, at: int) -> bool:
    return all(word.text[:1].isupper() or word.low in ("and", "&", "'s") for word in words[place:at])


def _is_short_for_is(words: list[Token], at: int) -> bool:
    """Whether 's behind a noun is a verb: what follows holds no other finite verb within reach."""
    later = words[at + 1 : at + 6]
    if not later:
        return False
    if later[0].low in (
        "been",
        "got",
        "not",
        "in",
        "on",
        "at",
        "a",
        "an",
        "the",
        "still",
        "now",
        "going",
        "just",
        "already",
        "only",
        "no",
    ):
        return True
    return (
        later[0].low.endswith(("ed", "ing"))
        or later[0].low in _vocabulary().participles
        or not any(_finite(word.low) or word.low in _vocabulary().third for word in later)
    )


def _starts_order(words: list[Token], place: int) -> bool:
    """Whether a clause begins like an order: with a bare verb that nothing before it agrees with."""
    low = words[place].low
    nxt = words[place + 1].low if place + 1 < len(words) else ""
    if nxt[:1].isdigit() or (place + 1 < len(words) and words[place + 1].low == "'s"):
        return False
    return low in _vocabulary().base and not _finite(nxt) and not (words[place].text[:1].isupper() and place > 0)


def _without_subject(words: list[Token], place: int) -> Parsed | None:
    """A clause without a subject: an order ('book it'), or the speaker's own in short ('going with the bike', 'moved in May')."""
    vocabulary = _vocabulary()
    low = words[place].low
    negated = low in ("not", "never") and place + 1 < len(words)
    if low in ("never", "always", "only", "just") and words[min(place + 1, len(words) - 1)].low in vocabulary.base:
        return _order(words, place, place + 1, negated=low == "never")
    if low in vocabulary.past and low not in vocabulary.base:
        verb = vocabulary.past[low]
        return Parsed(
            subject=(words[place].start,) * 2, kind="none", verb=verb, form="past", tense="past", negated=False,
            verb_at=words[place].start, rest=words[place].end,
        )  # fmt: skip
    if low.endswith("ing") and _stem_ing(low) in vocabulary.base:
        return Parsed(
            subject=(words[place].start,) * 2, kind="none", verb=_stem_ing(low), form="progressive", tense="present",
            negated=negated, verb_at=words[place].start, rest=words[place].end,
        )  # fmt: skip
    if low in vocabulary.base:
        return _order(words, place, place, negated=False)
    return None


def _order(words: list[Token], place: int, verb: int, *, negated: bool) -> Parsed:
    return Parsed(
        subject=(words[place].start,) * 2, kind="none", verb=words[verb].low, form="order", tense="present", negated=negated,
        verb_at=words[place].start, rest=words[verb].end,
    )  # fmt: skip


def _group(words: list[Token], subject: int, at: int, kind: Kind, when: bool) -> Parsed | None:
    """The verb group that begins at words[at]."""
    vocabulary = _vocabulary()
    negated = any(word.low == "no" for word in words[subject : subject + 1])
    seen: list[str] = ["be"] if words[subject].low == "im" else ["have"] if words[subject].low == "ive" else []
    modal, past = "", False
    begin = words[at].start if at < len(words) else words[-1].end
    place = at
    while place < len(words):
        low = words[place].low
        if low in _NOT:
            negated = True
            if low in ("cannot", "cant", "wont"):
                modal = {"cannot": "can", "cant": "can", "wont": "will"}[low]
            elif low in ("dont", "doesnt", "didnt"):
                seen.append("do")
            elif low in ("isnt", "arent", "wasnt"):
                seen.append("be")
        elif low in _BE or (low == "'s" and not seen):
            seen.append("be")
            past = past or low in ("was", "were")
        elif low in _HAVE:
            seen.append("have")
            past = past or low == "had"
        elif low in _DO:
            seen.append("do")
            past = past or low == "did"
        elif low in _MODAL or low == "'d":
            modal = {"'ll": "will", "'d": "would", "ca": "can", "wo": "will", "gonna": "will"}.get(low, low)
        elif low in vocabulary.adverbs or (low.endswith("ly") and low not in vocabulary.base):
            pass
        else:
            break
        place += 1
    while at - 1 > subject and words[at - 1].low in vocabulary.adverbs:
        at -= 1
    span = (words[subject].start, words[at - 1].end)
    if place >= len(words) or not words[place].text[:1].isalnum():
        if not seen:
            return None
        last = words[place - 1]
        verb, rest = seen[-1], last.end
        form: Form = "modal" if modal else "being" if verb == "be" else "present"
        return Parsed(
            subject=span, kind=kind, verb=verb, form=form, tense="past" if past else "present", modal=modal, negated=negated,
            verb_at=begin, rest=rest, when=when,
        )  # fmt: skip
    word = words[place]
    if words[place - 1].low == "'s" and seen == ["be"] and _has_object(words, place):
        seen = ["have"]
    form, verb, rest = _form(word, seen, modal, vocabulary)
    if form == "being" or (verb in ("have", "do") and not _is_verb(word.low, vocabulary)):
        rest = words[place - 1].end
    if not seen and not modal and word.low in vocabulary.past and word.low not in vocabulary.base:
        past = True
    tense: Literal["present", "past"] = "past" if past or form == "past" else "present"
    return Parsed(
        subject=span, kind=kind, verb=verb, form=form, tense=tense, modal=modal, negated=negated, verb_at=begin, rest=rest,
        when=when,
    )  # fmt: skip


def _has_object(words: list[Token], place: int) -> bool:
    """Whether the participle behind 's has an object, so that 's is 'has'."""
    if words[place].low not in _vocabulary().participles or place + 1 >= len(words):
        return False
    nxt = words[place + 1]
    return nxt.text[:1].isalnum() and (
        nxt.low in ("up", "off", "out") or nxt.low not in _vocabulary().prepositions | _PARTICLES
    )


def _form(word: Token, seen: list[str], modal: str, vocabulary: Vocabulary) -> tuple[Form, str, int]:
    """Form, base and end of the main verb, by the auxiliaries before it."""
    low = word.low
    last = seen[-1] if seen else ""
    if modal:
        return "modal", "be" if last == "be" else vocabulary.past.get(low, low) if last == "have" else low, word.end
    if last == "be" or (last == "have" and low == "been"):
        if low.endswith("ing") and _stem_ing(low) in vocabulary.base:
            return "progressive", _stem_ing(low), word.end
        if low in vocabulary.participles:
            return ("perfect" if "have" in seen else "passive"), vocabulary.participles[low], word.end
        return "being", "be", word.start
    if last == "have":
        if low in vocabulary.participles:
            return "perfect", vocabulary.participles[low], word.end
        return "present", "have", word.start
    if last == "do":
        return ("present" if "did" not in seen else "past"), low if low in vocabulary.base else "do", word.end
    if low in vocabulary.past and low not in vocabulary.base:
        return "past", vocabulary.past[low], word.end
    return "present", vocabulary.third.get(low, low), word.end


def _is_verb(low: str, vocabulary: Vocabulary) -> bool:
    return low in vocabulary.base or low in vocabulary.past or low in vocabulary.third


def _stem_ing(low: str) -> str:
    """The base of an -ing form."""
    stem = low[:-3]
    for base in (
        stem,
        stem + "e",
        stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else "",
        stem[:-1] + "ie" if stem else "",
    ):
        if base and base in _vocabulary().base:
            return base
    return stem


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Word forms: bases, third persons, pasts and participles to their bases, and the closed classes."""

    base: frozenset[str]
    third: dict[str, str]
    past: dict[str, str]
    participles: dict[str, str]
    adverbs: frozenset[str]
    leads: frozenset[str]
    prepositions: frozenset[str]
    interrogatives: frozenset[str]
    never: frozenset[str]
    numbers: frozenset[str]


@cache
def _vocabulary() -> Vocabulary:
    data = lexicon("verbs_en")
    base = {word for word in data["verbs"]["base"].split() if "-" not in word}
    past: dict[str, str] = {}
    participles: dict[str, str] = {}
    irregular: set[str] = set()
    for row in data["verbs"]["irregular"].replace("\n", "").split("|"):
        name, was, been = row.split()
        irregular.add(name)
        past[was] = name
        participles[been] = name
    for word in base - irregular:
        for form in _regular(word):
            past.setdefault(form, word)
            participles.setdefault(form, word)
    base |= irregular
    third = {_third(word): word for word in base}
    sets = {name: frozenset(words.split()) for name, words in data["words"].items()}
    return Vocabulary(
        base=frozenset(base),
        third=third,
        past=past,
        participles=participles,
        numbers=frozenset(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]),
        **sets,
    )


def _regular(word: str) -> list[str]:
    """The -ed forms of a base."""
    if word.endswith("e"):
        return [word + "d"]
    if word.endswith("y") and word[-2] not in "aeiou":
        return [word[:-1] + "ied"]
    return [word + "ed", word + word[-1] + "ed"]


def _third(word: str) -> str:
    if word.endswith(("s", "sh", "ch", "x", "z", "o")):
        return word + "es"
    return word[:-1] + "ies" if word.endswith("y") and word[-2] not in "aeiou" else word + "s"
