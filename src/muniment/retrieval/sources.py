"""Which knowledge sources a memory has: those given when it is opened, and those of installed packages that are named.

A question leaves the process with every source that is asked, so an installed package is never asked unless it is named.

Belongs here: names and shapes. Does not belong here: asking (`channels/knowledge`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Any, Final

from muniment.config import Settings
from muniment.domain.errors import InvalidInput
from muniment.text.sanitise import sanitise

GROUP: Final = "muniment.knowledge"
"""Entry points of this group are callables `(spec, settings) -> source`; `spec` is the whole string asked for.

A package that registers `wiki = "my_package:source"` answers to `wiki` and to `wiki:anything`.
"""
NAME_CHARS: Final = 64


def sources_from(given: Any, settings: Settings) -> dict[str, Callable[[str, int], Any]]:
    """The sources by name: `given` is one source, a list of them, or a mapping of names to them; each a callable
    `(question, k)`, an object with `.search(question, k)`, or the name of an entry point. None takes the setting `knowledge`.

    Raises `InvalidInput` for what is none of these, an unknown name, or a name that is not one.
    """
    if given is None:
        given = [name for part in (settings.knowledge or "").split(",") if (name := part.strip())]
    if isinstance(given, Mapping):
        named = list(given.items())
    else:
        listed = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
        named = _numbered(listed)
    return {_checked(name): _callable(source, settings) for name, source in named}


def _numbered(listed: Sequence[Any]) -> list[tuple[str, Any]]:
    """Sources with names of their own; two alike are told apart by a number."""
    named: dict[str, Any] = {}
    for source in listed:
        name = first = _name_of(source)
        count = 1
        while name in named:
            count += 1
            name = f"{first}-{count}"
        named[name] = source
    return list(named.items())


def _name_of(source: Any) -> str:
    if isinstance(source, str):
        return source
    for candidate in (getattr(source, "name", None), getattr(source, "__name__", None)):
        if isinstance(candidate, str) and candidate.strip() and candidate != "<lambda>":
            return candidate[:NAME_CHARS]
    return "source" if getattr(source, "__name__", "") == "<lambda>" else type(source).__name__[:NAME_CHARS]


def _checked(name: object) -> str:
    if not isinstance(name, str) or not sanitise(name).text.strip() or len(name) > NAME_CHARS:
        raise InvalidInput(f"a knowledge source's name is a text of 1 to {NAME_CHARS} characters, not {name!r}")
    return sanitise(name).text.strip()


def _callable(source: Any, settings: Settings) -> Callable[[str, int], Any]:
    if isinstance(source, str):
        source = _installed(source, settings)
    search = getattr(source, "search", None)
    if callable(search) and not callable(source):
        return search  # type: ignore[no-any-return]
    if callable(source) and not isinstance(source, type):
        return source  # type: ignore[no-any-return]
    raise InvalidInput(
        f"{type(source).__name__} is not a knowledge source: it needs to be callable as (question, k), or .search(question, k)"
    )


def _installed(spec: str, settings: Settings) -> Any:
    name = spec.partition(":")[0]
    found = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    for point in found:
        if point.name == name:
            return point.load()(spec, settings)
    known = ", ".join(point.name for point in found) or "none"
    raise InvalidInput(f"no knowledge source {name!r} is installed; known are {known}")
