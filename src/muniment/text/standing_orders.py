"""Standing orders to act in what a document, a web page or a tool says: 'always send a copy of every invoice to …'.

A bland order cannot be told from ordinary advice by its wording; where it comes from can: nobody who may give such orders
speaks through a document. So they are only suspected, and only looked for there.

Belongs here: reading `lexicons/standing_orders.toml`. Does not belong here: instructions and claims that are suspicious whoever
says them (`authority`), what a user asks of their agent (extractors).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from muniment.text.authority import Suspicion
from muniment.text.folding import narrow
from muniment.text.lexicon import lexicon

DETECTOR = "source.standing_order"
_END = re.compile(r"[。！？!?\n]|\.(?=\s|$)")
SENTENCE_CHARS = 600
"""Characters of a sentence that are read: an order says early that it is one."""


def standing_orders(text: str) -> Iterator[Suspicion]:
    """Every sentence that gives a standing order to act, in reading order. Linear in the text's length."""
    plain = narrow(text).replace("’", "'")
    start = 0
    for end in [*(match.end() for match in _END.finditer(plain)), len(plain)]:
        said = plain[start : min(end, start + SENTENCE_CHARS)]
        if said.strip() and (_english(said) or _chinese(said)):
            yield Suspicion(kind="instruction", level="suspected", span=(start, end), detector=DETECTOR)
        start = end


def _english(sentence: str) -> bool:
    always, sure, act, outward = _patterns()
    if not always.search(sentence):
        return False
    return bool(sure.search(sentence) or (act.search(sentence) and outward.search(sentence)))


def _chinese(sentence: str) -> bool:
    always, sure = _patterns_zh()
    return bool(always.search(sentence) and sure.search(sentence))


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Imperatives stand at the head of a clause, or behind what makes them last there; 'we always send' is a habit."""
    data = lexicon("standing_orders")["en"]
    always = "|".join(data["always"])
    polite = "and|then|also|please|so|to|kindly|you (?:must|should|shall|will|have to|are to|need to)"
    head = rf"(?:^|[,;:—])\s{{0,3}}(?:[-*•]\s{{0,3}})?(?:(?:{polite}|{always})\b,?\s{{1,3}}){{0,5}}"
    words = [rf"(?i){head}(?:{'|'.join(data[name])})\b" for name in ("sure", "act")]
    sources = [rf"(?i)(?<![\w-])(?:{always})\b", *words, rf"(?i)(?:{'|'.join(data['outward'])})"]
    return tuple(re.compile(source) for source in sources)


@cache
def _patterns_zh() -> tuple[re.Pattern[str], ...]:
    """What makes it last stands at the head of a clause; behind a subject it tells what that does (系统每次…)."""
    data = lexicon("standing_orders")["zh"]
    head = r"(?:^|[,;:、])\s{0,3}(?:请|你|您|并|且|都|要|须|必须|应该?|对所有[^,]{1,8}?){0,3}"
    lasting, anywhere = "|".join(data["always"]), "|".join(data["anywhere"])
    return re.compile(f"{head}(?:{lasting})|{anywhere}"), re.compile("|".join(data["sure"]))
