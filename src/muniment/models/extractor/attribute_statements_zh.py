"""Chinese statements of things: '预发环境的端口现在是 8443', 审计的负责人仍是…, 值班群改成了….

A statement that was not asked for needs an attribute of a thing ('X 的端口'), or a change of something named: 客户是上帝 is none.

Belongs here: the reading, with the words of `lexicons/statements_zh.toml`. Does not belong here: what becomes of it
(`statements`), states of machines and services (`thing_states`).
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.models.extractor.statements import VALUE, How, Statement, plain
from muniment.models.extractor.units import Unit
from muniment.text.clauses import FILLER

_HOW: Final[tuple[tuple[str, How], ...]] = (
    ("no_longer", "ended"), ("changed", "changed"), ("remains", "confirmed"), ("is", "told"),
)  # fmt: skip
_OF: Final = re.compile(r"(?P<owner>[^的]{1,30}(?:的[^的]{1,20})?)的(?P<attr>[^的]{1,20})")
_LABEL: Final = re.compile(r"(?P<np>[^:：]{2,40})[:：]\s*(?P<value>\S.*)", re.DOTALL)
_NAMED: Final = re.compile(r"[A-Za-z\d]")


class ChineseStatements:
    """`Grammar` for Chinese."""

    def opening(self, unit: Unit) -> int:
        """The length in `said` of a lead-in that announces a statement (更新：)."""
        match = _pattern("lead").match(unit.said) or _pattern("announces").match(unit.said)
        return match.end() if match and match.end() < len(unit.said) else 0

    def read(self, unit: Unit, *, introduced: bool) -> Statement | None:
        """The statement, or None. What stood before it as a lead-in introduces too."""
        said = unit.said
        lead = _pattern("lead").search(unit.view[unit.body : unit.head])
        match = _pattern("statement").fullmatch(said)
        if match is None or FILLER in match["np"]:
            return None
        how = next(how for name, how in _HOW if match[name])
        if how == "told" and lead and _pattern("updates").search(lead[0]):
            how = "changed"
        first, last = match.span("value")
        tail = _pattern("tail").search(said, first, last)
        value = plain(unit.original(first, tail.start() if tail else last))
        phrase = unit.original(*match.span("np")).strip() if not unit.prefix else match["np"].strip()
        slot = self.named(phrase)
        if slot is None or not _sound(value) or not _trusted(slot, value, how, introduced=introduced or bool(lead)):
            return None
        old = plain(match["old"]) if match["old"] else None
        return Statement(subject=slot.subject, predicate=slot.predicate, value=value, how=how, old=old)

    def named(self, words: str) -> Statement | None:
        """The slot of a noun phrase: attribute and owner apart where it names both, else the phrase itself."""
        label = _LABEL.fullmatch(words)
        phrase, value = (label["np"], plain(label["value"])) if label else (words, None)
        bare = plain(phrase)
        determiner = _pattern("determiner").match(bare)
        bare = plain(bare[determiner.end() :]) if determiner else bare
        if not bare or _pattern("never").search(bare):
            return None
        parts = _OF.fullmatch(bare)
        if parts is not None:
            return Statement(subject=plain(parts["owner"]), predicate=plain(parts["attr"]), value=value)
        return Statement(subject=bare, predicate=VALUE, value=value)


def _trusted(slot: Statement, value: str, how: How, *, introduced: bool) -> bool:
    """Whether subject and value bear out that this is a statement of a thing."""
    if introduced:
        return True
    name = slot.subject or "" if slot.predicate == VALUE else slot.predicate
    if _pattern("attributes").search(name):
        return how != "told" or slot.predicate != VALUE or bool(_NAMED.search(value))
    return how in ("changed", "ended") and bool(_NAMED.search(value))


def _sound(value: str) -> bool:
    """Whether words can be a value: neither an opinion nor a clause."""
    return 0 < len(value) <= 60 and not _pattern("no_value").match(value) and not _pattern("ends").search(value)


@cache
def _lexicon() -> dict[str, Any]:
    path = Path(__file__).parent / "lexicons" / "statements_zh.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    words = _lexicon()
    verbs = "|".join(rf"(?P<{key}>{words['verbs'][key]})" for key, _ in _HOW)
    sources = {
        "lead": words["lead"],
        "updates": words["updates"],
        "announces": words["announces"],
        "statement": rf"(?P<np>[^:：;；,，?？!！]{{1,40}}?)\s*(?:{verbs})\s*(?P<value>[^,，]+)",
        "determiner": words["subject"]["determiner"],
        "never": words["subject"]["never"],
        "attributes": rf"(?:{'|'.join(words['subject']['attributes'])})$",
        "no_value": words["value"]["never"],
        "ends": words["value"]["ends"],
        "tail": words["value"]["tail"],
    }
    return re.compile(sources[name], re.IGNORECASE | re.DOTALL)
