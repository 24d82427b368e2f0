"""The lexicons of the built-in extractor, their macros expanded and their patterns compiled on first use.

Belongs here: loading. Does not belong here: what a pattern's match means.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from muniment.domain.enums import MemoryType
from muniment.text.language import Language

_MACRO: Final = re.compile(r"@(\w+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of declaration: `patterns` name the value and, where it is not the speaker's, whose it is."""

    predicate: str
    memory_type: MemoryType
    shape: str
    confidence: float
    tense: str
    patterns: tuple[re.Pattern[str], ...]


class Wording:
    """One language's patterns by section and name."""

    def __init__(self, language: Language) -> None:
        path = Path(__file__).parent / "lexicons" / f"{language}.toml"
        self._data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        self._macros: dict[str, str] = dict(self._data["macros"])
        self._macros["habit_adverb"] = self._data["habits"]["adverbs"]
        self._compiled: dict[tuple[str, str], re.Pattern[str]] = {}
        self.language = language
        self.rules = tuple(self._rule(item) for item in self._data["rules"])

    def expand(self, source: str) -> str:
        """The pattern with every @macro replaced, macros within macros too. Raises `KeyError` for an unknown one.

        A macro with a named group that would stand twice in one pattern is an error of the lexicon; `re` says so.
        """
        while _MACRO.search(source):
            source = _MACRO.sub(lambda match: self._macro(match[1]), source)
        return source

    def _macro(self, name: str) -> str:
        """The macro that is the longest prefix of the name: Chinese text may follow a macro without a space."""
        for size in range(len(name), 0, -1):
            if name[:size] in self._macros:
                return self._macros[name[:size]] + name[size:]
        raise KeyError(name)

    def pattern(self, section: str, name: str) -> re.Pattern[str]:
        """The compiled pattern of that name."""
        key = (section, name)
        if key not in self._compiled:
            self._compiled[key] = re.compile(self.expand(self._data[section][name]), re.IGNORECASE)
        return self._compiled[key]

    def compiled(self, source: str) -> re.Pattern[str]:
        """A pattern with macros, compiled once."""
        key = ("", source)
        if key not in self._compiled:
            self._compiled[key] = re.compile(self.expand(source), re.IGNORECASE)
        return self._compiled[key]

    def source(self, section: str, name: str) -> str:
        """The pattern of that name as text, macros expanded, to be part of another."""
        return self.expand(self._data[section][name])

    def words(self, section: str, name: str) -> list[str]:
        """A list of words."""
        return list(self._data[section][name])

    def table(self, section: str, name: str) -> dict[str, str]:
        """A table from word to word."""
        return dict(self._data[section][name])

    def _rule(self, item: dict[str, Any]) -> Rule:
        return Rule(
            predicate=item["predicate"],
            memory_type=MemoryType(item.get("type", "FACT")),
            shape=item["shape"],
            confidence=item["confidence"],
            tense=item.get("tense", "present"),
            patterns=tuple(re.compile(self.expand(source), re.IGNORECASE) for source in item["patterns"]),
        )


@cache
def wording(language: Language) -> Wording:
    """The wording of a language, read once."""
    return Wording(language)
