"""The metadata filter of `search(where={…})`.

`{"topic": "travel"}` is equality; `{"n": {"gte": 3}}`, `{"topic": {"in": [...]}}`; `and`, `or` take lists, `not` takes a filter.

Belongs here: checking a filter and matching it. Does not belong here: any other filter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from muniment.domain.errors import InvalidInput, TooLarge, UnknownField


def same(held: Any, asked: Any) -> bool:
    """Equality as JSON has it: true is not 1."""
    return bool(held == asked) and isinstance(held, bool) == isinstance(asked, bool)


COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": same,
    "in": lambda held, asked: any(same(held, item) for item in asked),
    "gt": lambda held, asked: held > asked,
    "gte": lambda held, asked: held >= asked,
    "lt": lambda held, asked: held < asked,
    "lte": lambda held, asked: held <= asked,
}
LOGIC = ("and", "or", "not")


def check(where: Mapping[str, Any], *, depth: int) -> None:
    """Raises `UnknownField` for an operator that does not exist, `TooLarge` for too deep a nesting, `InvalidInput` else."""
    if depth < 0:
        raise TooLarge("the filter is nested too deeply")
    if not isinstance(where, Mapping):
        raise InvalidInput(f"a filter is a mapping, not {type(where).__name__}")
    for name, asked in where.items():
        if not isinstance(name, str):
            raise InvalidInput(f"a filter names metadata by text, not by {name!r}")
        if name in ("and", "or"):
            if not isinstance(asked, (list, tuple)):
                raise InvalidInput(f"{name!r} takes a list of filters")
            for part in asked:
                check(part, depth=depth - 1)
        elif name == "not":
            check(asked, depth=depth - 1)
        elif isinstance(asked, Mapping):
            if not asked:
                raise InvalidInput(f"the filter of {name!r} asks nothing; known operators are {', '.join(COMPARE)}")
            unknown = sorted(map(str, set(asked) - set(COMPARE)))
            if unknown:
                raise UnknownField(f"no filter operator {unknown[0]!r}; known are {', '.join([*COMPARE, *LOGIC])}")
            if "in" in asked and not isinstance(asked["in"], (list, tuple, set, frozenset)):
                raise InvalidInput("'in' takes a list of values")


def matches(where: Mapping[str, Any], metadata: Mapping[str, Any]) -> bool:
    """Whether metadata passes a checked filter. A key that is missing, or a value of another type, does not."""
    return all(_one(name, asked, metadata) for name, asked in where.items())


def _one(name: str, asked: Any, metadata: Mapping[str, Any]) -> bool:
    if name == "and":
        return all(matches(part, metadata) for part in asked)
    if name == "or":
        return any(matches(part, metadata) for part in asked)
    if name == "not":
        return not matches(asked, metadata)
    if name not in metadata:
        return False
    held = metadata[name]
    if not isinstance(asked, Mapping):
        return same(held, asked)
    try:
        return all(COMPARE[operator](held, value) for operator, value in asked.items())
    except TypeError:
        return False
