"""Clauses: the pieces of a text that each say one thing, with their exact place in it.

Belongs here: sentence and clause boundaries in English, Chinese and mixed text, and what in a text is not the speaker's own
statement (code, quotations). Does not belong here: what a clause means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

FILLER: Final = "\u2592"
"""Stands for each character of code and quotations in `own_words`; no letter, no space, no punctuation of any language."""

_CODE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{1,400}`", re.DOTALL)
_QUOTED_LINE: Final = re.compile(r"^[ \t]*(?:>|&gt;)[^\n]*", re.MULTILINE)
_QUOTATION: Final = re.compile(
    r'"[^"\n]{1,2000}"|“[^“”]{1,2000}”|「[^「」]{1,2000}」|『[^『』]{1,2000}』|«[^«»\n]{1,2000}»'
)
_BRACKETED: Final = re.compile(r"\[[^\[\]\n]{1,400}\]|【[^【】\n]{1,400}】")
_LINK: Final = re.compile(
    r"(?:https?://|www\.)[^\s<>，。；！？、）)\"”]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}",
    re.ASCII,
)

_ABBREVIATION: Final = re.compile(
    r"(?:^|[^A-Za-z])(?:[A-Za-z]|[A-Za-z](?:\.[A-Za-z])+|Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|Mt|Inc|Ltd|Co|Corp|vs|etc|approx|nr|Nr|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|Ave|Blvd|Rd|Fig|cf)$"
)
_SUBJECT: Final = (
    "i|i'm|i've|i'd|i'll|my|we|we're|we've|our|you|your|he|he's|she|she's|it|it's|they|they're|that|that's|this|there|"
    "please|don't|do not|never|always"
)
_LINKING: Final = (
    "and|but|so|or|because|since|as|which|who|where|though|although|while|when|if|unless|except|then|yet|plus|not|whereas|"
    "there's|let|actually|especially|just|thanks|thank"
)
_ASKING: Final = (
    "(?:can|could|would|will|should|do|did|have) (?:you|i|we)|is (?:there|it|that)|are (?:there|they|those)|does|"
    "what|whats|what's|how|how's|any ideas?|any chance"
)
_VERB: Final = (
    "live|work|prefer|love|hate|like|dislike|enjoy|usually|always|never|rarely|often|speak|study|avoid|"
    "don't|can't|am|have|own|joined|moved|switched|started"
)
_VERB_S: Final = (
    "lives|works|prefers|loves|hates|likes|dislikes|enjoys|speaks|studies|avoids|doesn't|is allergic|is from|was born"
)
"""The same of somebody else."""
_ROLE: Final = r"as (?:my|our|your) [a-z-]+(?: [a-z-]+)?\s*(?:[.,;:!?]|$)"
"""What something is used as ('as my editor'): no clause."""
# White space is matched from the start of its run and bounded, so that a long run of it costs no more than its length.
_BREAK: Final = re.compile(
    r"(?P<end>[。！？!?…]+[”\"』」)）]*|\n+|[;；]|(?<!\.)\.+(?=[\s”\"')\]]|$|(?<=[\u4e00-\u9fff]\.)))"
    r"|(?P<zh>，|,(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff]),"
    r"|(?<=[\u4e00-\u9fff])(?=(?:但是|不过(?!敏|期|度|分|关|来|去|时|瘾|户|节|年|是|如此|于|问|界|脑)|可是|而且|另外|所以(?!然)|因为)[\u4e00-\u9fff]))"
    rf"|,\s{{1,4}}(?=(?:{_ASKING})\b)"
    rf"|,\s{{1,4}}(?=(?:{_LINKING}|{_SUBJECT})\b|(?:remember|note|save|keep|bear) (?:that|this|it)\b)"
    r"|(?<!\s)\s{1,4}(?:-{1,2}|–|—)\s{1,4}|—"
    r"|(?<!\s)\s{1,4}(?=(?:but|because|although|though|even though|whereas|unless|so that|which is why)\s)"
    rf"|(?<!\s)\s{{1,4}}(?!{_ROLE})(?=(?:and|so|since|as|while|when|if)\s(?:{_SUBJECT})\b)"
    rf"|(?<!\s)\s{{1,4}}(?=and\s(?:{_VERB}|{_VERB_S})\s(?!of\s))"
    r"|(?<!\s)\s{1,4}(?=and\s(?-i:[A-Z])[\w-]{1,24}'s\s[\w -]{2,30}?\s(?:is|was)\s)",
    re.IGNORECASE,
)


_UNIVERSAL: Final = re.compile(
    r"\b(?:every(?:thing|one|body|where| [\w-]+)?|any(?:thing|one|body|where| [\w-]+)?|all|no(?:thing|body|where|ne)|no one)"
    r"(?: (?:(?!is\b|are\b|was\b|were\b|and\b|i\b|we\b)[\w'-]+)){0,3}$",
    re.IGNORECASE,
)
_UNIVERSAL_REACH: Final = 60
_EXCEPTION: Final = re.compile(
    rf"but (?!(?:{_SUBJECT}|{_VERB}|{_LINKING}|can|could|would|will|should|might|may|must|is|are|was|were|has|had|do|does|did|"
    r"not|also|only|still|for|in|on|at|with|without|sometimes|maybe|usually|mostly|mainly|wish|want|need|think|feel|find|"
    r"know|no|now|my|our|first|mind|hey|well|eat|drink|use|take|go|get|make|see)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """text[start:end], in the `sentence`th sentence; `question` where that sentence ends in a question mark."""

    start: int
    end: int
    sentence: int
    question: bool


def own_words(text: str) -> str:
    """The text at equal length with code, quoted lines, quotations and bracketed asides filled over, quotes made plain.

    What is left is what the speaker states; a quotation inside a statement (a title, a name) keeps its place as filler.
    """
    seen = text.replace("’", "'").replace("‘", "'")
    for pattern in (_CODE, _QUOTED_LINE, _QUOTATION):
        seen = pattern.sub(lambda match: _filled(match[0]), seen)
    return _BRACKETED.sub(lambda match: " " * len(match[0]), seen)


def _filled(piece: str) -> str:
    return "".join("\n" if char == "\n" else FILLER for char in piece)


def clauses(text: str) -> list[Clause]:
    """The clauses of a text in reading order: trimmed, not empty, not overlapping, in time linear in its length.

    Numbers (8,000 and 3.5), abbreviations, addresses and links are not broken.
    """
    links = [(match.start(), match.start() + len(match[0].rstrip(".,!?;:"))) for match in _LINK.finditer(text)]
    pieces: list[tuple[int, int, str]] = []
    start = link = 0
    for match in _BREAK.finditer(text):
        while link < len(links) and links[link][1] <= match.start():
            link += 1
        if link < len(links) and links[link][0] <= match.start() < links[link][1]:
            continue
        if _excepts(text, start, match):
            continue
        if match["end"] == "." and _abbreviated(text, start, match.start()):
            continue
        pieces.append((start, match.start(), match["end"] or ""))
        start = match.end()
    pieces.append((start, len(text), "\n"))
    return _numbered(text, pieces)


def _excepts(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the 'but' behind a break is 'except': 'everything but fish', 'all cheese but the blue'."""
    if match["end"] or match["zh"] or not _EXCEPTION.match(text, match.end()):
        return False
    return bool(_UNIVERSAL.search(text, max(start, match.start() - _UNIVERSAL_REACH), match.start()))


def _abbreviated(text: str, start: int, stop: int) -> bool:
    """Whether the full stop belongs to an abbreviation ('Dr. Li', 'No. 7') and the sentence goes on."""
    before, after = text[max(start, stop - 8) : stop], text[stop + 1 : stop + 3].strip()
    if before.endswith(("No", "no")):
        return after[:1].isdigit()
    return bool(after and _ABBREVIATION.search(before))


def _numbered(text: str, pieces: list[tuple[int, int, str]]) -> list[Clause]:
    """Pieces as clauses, each told the mark that ends its sentence."""
    found: list[Clause] = []
    pending: list[tuple[int, int]] = []
    sentence = 0
    for start, end, mark in pieces:
        piece = text[start:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            pending.append((start + lead, start + len(piece.rstrip())))
        if mark:
            asked = "?" in mark or "？" in mark
            found += [Clause(start=s, end=e, sentence=sentence, question=asked) for s, e in pending]
            sentence += bool(pending)
            pending = []
    return found
