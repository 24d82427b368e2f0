"""English statements of things: 'the staging port is now 8443', 'the owner of the audit remains Priya'.

A statement that was not asked for needs a definite or named subject whose head noun names an attribute, and a value that looks
like one: 'the weather is nice' and 'the plan is to leave early' are none.

Belongs here: the reading, with the words of `lexicons/statements_en.toml`. Does not belong here: what becomes of it
(`statements`).
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.models.extractor.statements import NAMED, VALUE, How, Statement, plain
from muniment.models.extractor.units import Unit

_HOW: Final[tuple[tuple[str, How], ...]] = (
    ("no_longer", "ended"), ("changed", "changed"), ("remains", "confirmed"), ("is", "told"),
)  # fmt: skip
_OWNER: Final = re.compile(r"(?P<owner>.{2,80}?)(?:'s|(?<=s)')\s(?P<attr>.+)")
_OF: Final = re.compile(r"(?P<attr>.{2,100}?)\s(?:of|for)\s(?P<owner>.{2,})")
_PROPER: Final = re.compile(
    r"(?:[A-Z#@][\w'.&#@/-]*|\d[\w.:/-]*)(?:[ -](?:[A-Z#@][\w'.&#@/-]*|\d[\w.:/-]*|&|of|de|the|and|la|von|van|und|et))*"
)
_SHORT: Final = 5
_LABEL: Final = re.compile(r"(?P<np>[^:]{3,140}):\s+(?P<value>\S.*)", re.DOTALL)


class EnglishStatements:
    """`Grammar` for English."""

    def opening(self, unit: Unit) -> int:
        """The length in `said` of a lead-in that announces a statement."""
        match = _pattern("lead").match(unit.said)
        return match.end() if match and match.end() < len(unit.said) else 0

    def read(self, unit: Unit, *, introduced: bool) -> Statement | None:
        """The statement, or None. A lead-in with a colon ('Update: …') introduces too."""
        lead = _pattern("lead").search(unit.view, unit.body, unit.head)
        introduced = introduced or lead is not None
        match = _pattern("statement").match(unit.said)
        done = None if match else _pattern("active").match(unit.said)
        match = match or done
        if match is None:
            named = self.named(unit.original(0, len(unit.said))) if introduced else None
            return named if named and named.value and _sound(named.value, introduced=True) else None
        groups = match.groupdict()
        how: How = next((how for name, how in _HOW if groups.get(name)), "changed")
        if how == "told" and lead and _pattern("updates").search(lead[0]):
            how = "changed"
        first, last = match.span("value")
        tail = _pattern("tail").search(unit.said, first, last)
        value = plain(unit.original(first, tail.start() if tail else last))
        phrase = unit.original(*match.span("np")).strip()
        trusted = _sound(value, introduced=introduced) and self._trusted(
            phrase, value, "told" if done else how, introduced=introduced
        )
        slot = self.named(phrase) if trusted else None
        if slot is None:
            return None
        old = next((plain(groups[name]) for name in ("old", "old2", "old3") if groups.get(name)), None)
        return Statement(subject=slot.subject, predicate=slot.predicate, value=value, how=how, old=old)

    def named(self, words: str) -> Statement | None:
        """The slot of a noun phrase: attribute and owner apart where it names both, else the phrase itself."""
        label = _LABEL.fullmatch(words)
        phrase, value = (label["np"], plain(label["value"])) if label else (words, None)
        bare, own = _bare(phrase)
        if not bare or _pattern("never").search(bare):
            return None
        owned = _OWNER.fullmatch(bare)
        parts = owned or (None if own else _OF.fullmatch(bare))
        if parts is not None:
            owner, theirs = _bare(parts["owner"])
            name = f"user's {owner}" if own or theirs else owner  # as declarations name who belongs to the speaker
            return Statement(subject=name, predicate=plain(parts["attr"]), value=value)
        if own:
            return Statement(subject=None, predicate=bare, value=value)
        return Statement(subject=bare, predicate=VALUE, value=value)

    @staticmethod
    def _trusted(phrase: str, value: str, how: How, *, introduced: bool) -> bool:
        """Whether subject and value bear out that this is a statement of a thing."""
        definite = bool(_pattern("determiner").match(phrase)) or bool(NAMED.search(f" {phrase}"))
        if introduced:
            return definite or " " in phrase
        slot = _OWNER.fullmatch(phrase) or _OF.fullmatch(phrase)
        attribute = bool(_pattern("attributes").search(slot["attr"] if slot else phrase))
        likely = bool(NAMED.search(f" {value}")) or (how != "told" and " " in value)
        return (definite and attribute and likely) or (slot is None and _names_it(phrase, value, how))


def _names_it(phrase: str, value: str, how: How) -> bool:
    """Whether a short 'the …' is told to be nothing but a name ('the bakery is Old Mill 9'), or is now something of a few
    words ('the soup is now lentil stew'): a thing that goes by its kind, whatever the kind."""
    if not re.match(r"the\s", phrase, re.IGNORECASE) or len(phrase.split()) > _SHORT:
        return False
    words = value.split()
    some = how == "changed" and 1 < len(words) < _SHORT and not _pattern("relates").search(value)
    return some or bool(_PROPER.fullmatch(value))


def _sound(value: str, *, introduced: bool) -> bool:
    """Whether words can be a value: no pointer or clause, and no opinion, unless the speaker asked to keep it."""
    if not value or _pattern("no_value").match(value):
        return False
    return introduced or not _pattern("opinion").match(value)


def plainly_named(value: str) -> bool:
    """Whether a word written small can be a name: no opinion, pointer, adverb or participle."""
    return _sound(value, introduced=False) and not re.search(r"(?:ly|ed|ing)$", value)


def _bare(phrase: str) -> tuple[str, bool]:
    """A noun phrase without its determiner, and whether that was the speaker's own ('my')."""
    phrase = plain(phrase)
    match = _pattern("determiner").match(phrase)
    return (phrase[match.end() :].strip(), match[0].lower().startswith("my")) if match else (phrase, False)


@cache
def _lexicon() -> dict[str, Any]:
    path = Path(__file__).parent / "lexicons" / "statements_en.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    words = _lexicon()
    verbs = "|".join(rf"(?P<{key}>{words['verbs'][key]})" for key, _ in _HOW)
    sources = {
        "lead": rf"{words['lead']}:\s+",
        "updates": words["updates"],
        "statement": rf"(?P<np>[^:;,?!]{{3,140}}?)\s(?:{verbs})\s(?P<value>.+)",
        "active": rf"{words['verbs']['active']}\s(?P<np>[^:;,?!]{{3,140}}?)"
        r"(?:\sfrom\s(?P<old>[^:;,?!]{1,80}?))?\sto\s(?P<value>.+)",
        "determiner": rf"{words['subject']['determiner']}\s+(?=\S)",
        "never": words["subject"]["never"],
        "attributes": rf"\b(?:{'|'.join(words['subject']['attributes'])})s?$",
        "no_value": words["value"]["never"],
        "opinion": words["value"]["opinion"],
        "tail": words["value"]["tail"],
        "relates": words["value"]["relates"],
    }
    return re.compile(sources[name], re.IGNORECASE | re.DOTALL)
