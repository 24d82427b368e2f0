"""Prompts: files beside the code, each with a version that says which words a model was given.

Belongs here: reading them. Does not belong here: the words (`models/prompts`), what a turn adds to them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "prompts"
_BLANK: Final = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Instructions, and the version they are kept under: the file's name and a digest of the words as they were given."""

    text: str
    version: str


def prompt(name: str, blanks: Mapping[str, str] | None = None) -> Prompt:
    """The prompt of that name with its blanks, `{{name}}`, filled in. Raises `KeyError` for a blank that nothing fills."""
    given = blanks or {}
    text = _BLANK.sub(lambda match: given[match[1]], _file(name)).strip()
    return Prompt(text=text, version=f"{name}@{hashlib.sha256(text.encode()).hexdigest()[:8]}")


@cache
def _file(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")
