"""What of a turn is not its speaker's own statement: a text handed over for work, forwarded mail, a pasted talk, a dream.

Such words are still the turn's, and found by search; nothing in them is said of the speaker. Where it is not sure how far they
go, they go to the end.

Belongs here: finding them by the words that hand them over. Does not belong here: code and quotations (`clauses.own_words`),
what a clause of the speaker's supposes or reports (extraction).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from muniment.text.clauses import FILLER
from muniment.text.folding import narrow
from muniment.text.lexicon import lexicon

READ: Final = 20_000
"""Characters in which the handing over is looked for; what is handed over may be longer."""
_STARTS: Final = re.compile(r"(?:^|\n|[.!?。！？;；]\s*)[ \t]*(?=\S)")
_LABEL: Final = re.compile(
    r"^[ \t]*(?:[\[(]?\d{1,2}:\d\d(?::\d\d)?[\])]?[ \t]*[-–]?[ \t]*)?(?P<name>[^\W\d_][\w .'-]{0,23}?)[ \t]*[:：](?!//)[ \t]*",
    re.MULTILINE,
)
_MOST_WORDS: Final = 3
_MOST_LINES: Final = 2_000


def without_handed(text: str) -> str:
    """The text at equal length, all that is not the speaker's own statement filled over, and the labels of the speaker's own
    lines in a pasted talk blanked. `text` has its code and quotations filled over already."""
    seen = text
    for start, end in _handed(narrow(text)):
        seen = seen[:start] + "".join("\n" if char == "\n" else FILLER for char in seen[start:end]) + seen[end:]
    return _own_lines(seen)


def _handed(plain: str) -> Iterator[tuple[int, int]]:
    """The spans that somebody else's words or a tale take."""
    read = plain[:READ]
    starts = [match.end() for match in _STARTS.finditer(read)]
    for place in starts:
        if _pattern("before").match(read, place) and plain[:place].strip():
            yield 0, place
            break
    for place in starts:
        match = _pattern("to_end").match(read, place)
        if match is not None:
            yield place, len(plain)
            return
    for match in _pattern("to_line_end").finditer(read):
        end = plain.find("\n", match.end())
        yield match.start(), len(plain) if end < 0 else end


def _own_lines(text: str) -> str:
    """A pasted talk with only the speaker's own lines left; any other text as it is."""
    found = list(_LABEL.finditer(text[:READ]))[:_MOST_LINES]
    found = [match for match in found if len(match["name"].split()) <= _MOST_WORDS]
    if not _is_talk(text, found):
        return text
    ends = [*(match.start() for match in found[1:]), len(text)]
    for match, end in zip(found, ends, strict=True):
        own = _label("own").fullmatch(match["name"])
        first, last = (match.start(), match.end()) if own else (match.start(), end)
        fill = " " if own else FILLER
        text = text[:first] + "".join("\n" if char == "\n" else fill for char in text[first:last]) + text[last:]
    return text


def _is_talk(text: str, found: list[re.Match[str]]) -> bool:
    """Whether labelled lines are turns of a talk: an agent's among them, or several speakers that address each other."""
    names = {match["name"].casefold() for match in found}
    if len(names) < 2:
        return False
    if any(_label("agent").fullmatch(name) for name in names):
        return any(_label("own").fullmatch(name) for name in names) or len(found) > 2
    ends = [*(match.start() for match in found[1:]), len(text)]
    talking = {
        match["name"].casefold()
        for match, end in zip(found, ends, strict=True)
        if re.search(lexicon("handed")["speakers"]["talk"], text[match.end() : end], re.IGNORECASE)
    }
    return len(talking) > 1 and talking == names


@cache
def _label(name: str) -> re.Pattern[str]:
    return re.compile(lexicon("handed")["speakers"][name], re.IGNORECASE)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    data = lexicon("handed")
    sources = [*data[name]["en"], *data[name]["zh"]]
    words = data["words"]
    named = re.compile("@(" + "|".join(sorted(words, key=len, reverse=True)) + ")")
    filled = [
        named.sub(lambda match: f"(?:{words[match[1]]})", source).removeprefix("^") if name != "to_line_end" else source
        for source in sources
    ]
    return re.compile("|".join(f"(?:{source})" for source in filled), re.IGNORECASE | re.MULTILINE)
