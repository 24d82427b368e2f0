"""Strings of every kind that a user, a tool or an attacker may send: the same ones for the same seed.

Belongs here: the strings. Does not belong here: what is asserted of them (`test_any_string`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator

OPERATORS = [
    "AND", "OR", "NOT", "NEAR/3", "NEAR(", "*", "\"", "'", "(", ")", "((", "^", "~", "-", "+", "<", ">", "@", ":",
    "&", "|", "!", "<->", ":*", "a:b", "{", "}", "[", "]", "\\", "\\\\", "%", "%%", "_", "?", ";", "--", "/*", "*/",
    "#", "$1", ":name", "%(x)s", "{0}", "${x}", "=", "IS NULL", "LIKE '%", "MATCH", "AGAINST ('x' IN BOOLEAN MODE)",
    "to_tsquery('x')", "REGEXP '['",
]  # fmt: skip
QUOTED = [
    "C:\\x\\", "C:\\Users\\ana\\notes.txt", "\\\\server\\share\\", "`rm`", "```", "``a``", "'a'", "\"a b\"", "“a”",
    "«a»", "「你好」", "it's", "o'brien", "a-b", "a–b", "a—b", "a_b", "a.b", "a/b", "well-known", "x=y", "a&b", "a|b",
    "1;2", "'; DROP TABLE fact; --", "\" OR \"\"=\"", "' OR 1=1 --", "\\'; --", "%' AND 1=0 UNION SELECT 1 --", "$$",
    "\\N", "\\u0000", "&amp;", "<b>x</b>", "<script>",
]  # fmt: skip
WORDS = [
    "violin", "Lyon", "budget", "order", "the", "and", "of", "to be", "not", "what is", "where", "小提琴", "预算", "订单",
    "的", "是", "我", "你好吗", "龍", "𠀀", "𠮷野家", "カタカナ", "ひらがな", "한국어", "ไทย", "ქართული",
    "ελληνικά", "Ünïcödé", "straße",
    "ſ", "ǅ", "İstanbul", "ﬁ", "Ⅷ", "①", "½", "x²", "ａｂｃ", "１２３", "عربي", "مرحبا بالعالم", "שלום", "हिन्दी", "தமிழ்",
    "\u202eevil\u202c", "\u200fabc", "e\u0301", "a\u0308\u0323", "\u0301", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢",
]  # fmt: skip
PICTURES = ["🎻", "👍🏽", "👨‍👩‍👧‍👦", "🇫🇷", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "☎️", "1️⃣", "♥", "→", "♪", "🫠", "🙂🙂🙂"]
NUMBERS = [
    "13800138000", "+86 138 0013 8000", "XK-7731-Q", "ORD-2024-001", "8000元", "¥8,000", "1e309", "NaN", "-0", "0x1F",
    "007", "3.14159", "2026-03-05", "03/05", "12:60", "99999999999999999999999", "v2.3.1", "a@b.c", "x@", "http://[",
    "https://x.y/?q=%00", "10.0.0.1", "00000000-0000-0000-0000-000000000000", "#1", "1/0",
]  # fmt: skip
INVISIBLE = [
    "\x00", "\x01", "\x07", "\x1b[31m", "\x7f", "\x85", "\t", "\n", "\r\n", "\u2028", "\u200b", "\u200d", "\ufeff",
    "\ufffe", "\uffff", "\ud800", "\udc00", "\udfff", "\ud83d", "\U0010ffff", "\ue000", "\U000e0041", "\u00ad",
    "\u3164", "\ufffc",
]  # fmt: skip
FAMILIES = (OPERATORS, QUOTED, WORDS, PICTURES, NUMBERS, INVISIBLE)
JOINERS = (" ", " ", " ", "", "\n", "-", "\x00", "，", "_")
ALONE = ["", " ", "\u3000", "\x00", *OPERATORS, *QUOTED, *WORDS, *PICTURES, *NUMBERS, *INVISIBLE]
"""Every one of them is sent by itself before they are mixed."""


def strings(count: int, *, seed: int = 20_260_305) -> Iterator[str]:
    """`count` strings: those of `ALONE` in an order of the seed, then mixtures, runs and random code points."""
    chance = random.Random(seed)
    alone = ALONE[:]
    chance.shuffle(alone)
    yield from alone[:count]
    for _ in range(count - len(alone)):
        yield _mixed(chance)


def _mixed(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.55:
        parts = [chance.choice(chance.choice(FAMILIES)) for _ in range(chance.randint(1, 6))]
        return chance.choice(JOINERS).join(parts)
    if kind < 0.75:
        return "".join(chr(chance.randint(0, 0x10FFFF)) for _ in range(chance.randint(1, 24)))
    if kind < 0.85:
        return "".join(chr(chance.randint(0x20, 0x7E)) for _ in range(chance.randint(1, 40)))
    if kind < 0.92:
        return "".join(chr(chance.randint(0x4E00, 0x9FFF)) for _ in range(chance.randint(1, 8)))
    return chance.choice(chance.choice(FAMILIES)) * chance.choice((2, 3, 17, 60))
