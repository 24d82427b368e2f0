"""When two statements say the same, and when they say the opposite.

Belongs here: comparison by slot and value, or by words in order with negations and quantities kept. Does not belong
here: similarity: 'likes' and 'does not like', 8 000 and 10 000 are close by any cosine.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal, Protocol

from muniment.domain.statement import SlotKey, canonical, subject_key
from muniment.text.folding import narrow
from muniment.text.identifiers import identifiers
from muniment.text.lexicon import lexicon

_NEGATION: Final = frozenset({"not", "no", "never", "none", "neither", "nor", "without"})
_SILENT: Final = frozenset(
    {"a", "an", "the", "is", "are", "am", "be", "been", "do", "does", "i", "user", "my", "me", "to", "of", "that", "it"}
    | {"please", "very", "really", "also"}
)
"""Words without which a statement says the same; tense and modality ('was', 'did', 'may') are kept."""
_OPPOSITES: Final = dict.fromkeys(("dislike", "hate", "detest", "love", "enjoy"), "like")
_AGAINST: Final = frozenset({"dislike", "hate", "detest"})
_HAN_NEGATION: Final = "并不|不再|从不|从未|没有|不是|[不没未别无非]"
_HAN_SILENT: Final = re.compile(
    r"[的了呢啊吧呀哦嘛]|(?:非常|特别|十分|格外|超级|挺|很|蛮|好)(?=喜欢|喜爱|爱|想|怕|讨厌|不|需要|在意|重视)"
)
_HAN_SELF: Final = re.compile(r"^(?:用户|本人|我)(?:自己)?")
_WORD = re.compile(r"\bno[nt]?-[a-z]+|[A-Za-z]+[-_]?\d[\w-]*|[A-Za-z]+(?:'[A-Za-z]+)?|\d+(?:[.,]\d+)*|[\u4e00-\u9fff]")
_CONTRACTIONS: Final = (
    (re.compile(r"\bcan(?:not|'t)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
)
_NUMBER = re.compile(r"\d")


class Stated(Protocol):
    """What a candidate and a fact have in common."""

    @property
    def slot(self) -> SlotKey | None: ...
    @property
    def subject(self) -> str | None: ...
    @property
    def value(self) -> str | None: ...
    @property
    def content(self) -> str: ...


def same_value(one: str, other: str) -> bool:
    """Whether two values are one: equal in canonical spelling, or the same amount, date, phone or code ('8000元',
    '¥8,000')."""
    if canonical(one) == canonical(other):
        return True
    first, second = _exact(one), _exact(other)
    return first is not None and first == second


def same_statement(one: Stated, other: Stated) -> bool:
    """Whether both say the same: same slot and value; where neither has a slot, the same words in the same order, small
    words and inflection aside, with the same negations and the same quantities."""
    if one.slot != other.slot or not _one_subject(one, other):
        return False
    if one.slot is not None and one.value is not None and other.value is not None:
        return same_value(one.value, other.value)
    return reading(one.content) == reading(other.content)


def negates(one: Stated, other: Stated) -> bool:
    """Whether one says of the same subject, in the same words and quantities, what the other denies."""
    words, negative, numbers = reading(one.content)
    other_words, other_negative, other_numbers = reading(other.content)
    same = bool(words) and words == other_words and numbers == other_numbers and _one_subject(one, other)
    return same and negative != other_negative


def opposed(one: Stated, other: Stated) -> bool:
    """Whether both speak of the same subject in the same words but for a negation or a quantity, so that both cannot
    hold. Their words decide, also across predicates ('likes' and 'dislikes')."""
    words, negative, numbers = reading(one.content)
    other_words, other_negative, other_numbers = reading(other.content)
    if not words or words != other_words or not _one_subject(one, other):
        return False
    return negative != other_negative or numbers != other_numbers


def _one_subject(one: Stated, other: Stated) -> bool:
    """Whether both are about the same; one that names none is about the user."""
    return subject_key(one.subject) == subject_key(other.subject)


def _exact(value: str) -> tuple[str, str] | None:
    """The one identifier a value consists of, or None."""
    found = identifiers(value)
    return (found[0].kind, found[0].value) if len(found) == 1 and found[0].span == (0, len(value)) else None


def reading(text: str) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """What a statement says beneath its wording: content words in order (each quantity as '#'), whether they are negated,
    and the quantities in order."""
    plain = canonical(narrow(text).replace("’", "'"))
    for contraction, spelt in _CONTRACTIONS:
        plain = contraction.sub(spelt, plain)
    plain = _no_negation("en").sub(lambda match: match[0].replace(" ", "_"), plain)
    negations, plain = _han_negations(_HAN_SELF.sub("", plain))
    words, numbers = [], []
    for word in _WORD.findall(_HAN_SILENT.sub("", plain)):
        plain_word = word.removesuffix("'s")
        bare = plain_word if plain_word in _SILENT else _stem(plain_word)
        if _NUMBER.match(word):
            numbers.append(word.replace(",", ""))
            words.append("#")
        elif bare in _NEGATION:
            negations += 1
        elif bare in _OPPOSITES:
            negations += bare in _AGAINST
            words.append(_OPPOSITES[bare])
        elif bare not in _SILENT:
            words.append(bare)
    return tuple(words), negations % 2 == 1, tuple(numbers)


def _han_negations(text: str) -> tuple[int, str]:
    """How many Chinese negations a text has, and the text without them; antonyms of 喜欢 as 喜欢. A character of negation
    inside another word (非常, 特别, 未婚夫) is none."""
    count = 0
    for word, plain in (("讨厌", "喜欢"), ("厌恶", "喜欢"), ("反感", "喜欢")):
        count += text.count(word)
        text = text.replace(word, plain)
    kept: list[str] = []
    place = 0
    for match in _no_negation("zh").finditer(text):
        kept.append(text[place : match.start()])
        if match["other"]:
            kept.append(match["other"])
        else:
            count += 1
        place = match.end()
    return count, "".join((*kept, text[place:]))


@cache
def _no_negation(code: Literal["en", "zh"]) -> re.Pattern[str]:
    """Words that hold a negation's letters and negate nothing; in Chinese, or else a negation."""
    words = "|".join(lexicon("negation")["none"][code])
    return re.compile(rf"\b(?:{words})\b" if code == "en" else rf"(?P<other>{words})|(?:{_HAN_NEGATION})")


def _stem(word: str) -> str:
    """The word without the s of the third person or plural, so that 'likes' is 'like'."""
    if not word.isascii() or len(word) < 4 or word.endswith("ss") or not word.endswith("s"):
        return word
    return word[:-1]
