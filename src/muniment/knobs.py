"""Knobs: dataclass fields that say what they mean and which values they take, and the check of what a file sets them to.

    least = knob(0.82, "confidence from which a candidate is accepted", least=0, most=1)

Belongs here: the declaration of a knob, its description in words, `example`, and `read`, which turns plain data into such a
dataclass or says what is wrong with it. Does not belong here: any particular knob (`config.py`), nor what two knobs say of
each other.
"""

from __future__ import annotations

import math
import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from muniment.domain.errors import PolicyError

T = TypeVar("T")
SHOWN_KINDS: Mapping[type, str] = {bool: "true or false", int: "integer", float: "number", str: "text"}


def knob(
    default: Any,
    help: str,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: Collection[str] = (),
    valid: str = "",
) -> Any:
    """A dataclass field with its default and a line of help. A number lies from `least` to `most`, both included; a text
    is one of `choices` where there are any, and of a list each is. `valid` says in words what only other knobs decide."""
    about = {"help": help, "least": least, "most": most, "choices": tuple(choices), "valid": valid}
    if isinstance(default, (dict, list)):
        return field(default_factory=lambda: default.copy(), metadata=about)
    return field(default=default, metadata=about)


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """One knob in words: its dotted name, the kind of value, the default as written in TOML ('' for none), what it does and
    which values it takes."""

    name: str
    kind: str
    default: str
    help: str
    valid: str


def described(kind: type, prefix: str = "") -> Iterator[Described]:
    """Every knob of a dataclass of knobs and of its sections, in order. A table of entries is `name.<name>.knob`."""
    for item, hint in _knobs(kind):
        entry = _entry_of(hint)
        if is_dataclass(hint) and isinstance(hint, type):
            yield from described(hint, f"{prefix}{item.name}.")
        elif entry is not None:
            yield from described(entry, f"{prefix}{item.name}.<name>.")
        else:
            yield Described(
                name=f"{prefix}{item.name}",
                kind=_kind_in_words(hint),
                default=toml_value(default_of(item)),
                help=item.metadata["help"],
                valid=_valid_in_words(item, hint),
            )


def default_of(item: Field[Any]) -> Any:
    """What a knob is where nothing is set."""
    return item.default if item.default_factory is MISSING else item.default_factory()


def toml_value(value: Any) -> str:
    """A knob's value as a policy file writes it; '' for None, which a file says by leaving the knob out."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return toml_value(value.value)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    return f"{value:_}" if isinstance(value, int) and abs(value) >= 10_000 else str(value)


def example(kind: type) -> str:
    """A file with every knob at its default, each under a line that says what it does and which values it takes. A knob
    that is left out by default, and a table of entries, stand as comments."""
    lines: list[str] = []
    section = ""
    for each in described(kind):
        table, _, name = each.name.rpartition(".")
        if table != section:
            lines += ["", ("# " if "<name>" in table else "") + f"[{table}]"]
            section = table
        lines.append(f"# {each.help} ({each.valid})")
        commented = not each.default or "<name>" in table
        lines.append(f"{'# ' if commented else ''}{name} = {each.default or '…'}")
    return "\n".join(lines).strip() + "\n"


def table(kind: type) -> str:
    """Every knob as a row of a Markdown table: name, kind of value, default, what it does, valid values."""
    rows = ["| knob | kind | default | what it does | valid |", "|---|---|---|---|---|"]
    for each in described(kind):
        default = f"`{each.default}`" if each.default else "none"
        rows.append(f"| `{each.name}` | {each.kind} | {default} | {each.help} | {each.valid} |")
    return "\n".join(rows) + "\n"


def read(kind: type[T], data: Any, where: str, *, at: str = "") -> T:
    """A dataclass of knobs from plain data, as a TOML file gives it.

    Raises `PolicyError` that names `where` and the knob for one that does not exist (with the nearest that does), a value
    of another type, or one out of its range.
    """
    if isinstance(data, kind):
        return data
    if not isinstance(data, Mapping):
        raise PolicyError(f"{where}: {at.rstrip('.') or 'a policy'} is a table of knobs, not {_shown(data)}")
    shape: type = kind
    known = {item.name: (item, hint) for item, hint in _knobs(shape)}
    given: dict[str, Any] = {}
    for name, value in data.items():
        if name not in known:
            raise PolicyError(f"{where}: unknown knob {f'{at}{name}'!r}{nearest(str(name), known, at)}")
        item, hint = known[name]
        given[name] = _value(item, hint, value, where, f"{at}{name}")
    return kind(**given)


def _value(item: Field[Any], hint: Any, value: Any, where: str, name: str) -> Any:
    entry = _entry_of(hint)
    if is_dataclass(hint) and isinstance(hint, type):
        return read(hint, value, where, at=f"{name}.")
    if entry is not None:
        if not isinstance(value, Mapping):
            raise PolicyError(f"{where}: {name} is a table of entries, not {_shown(value)}")
        return {key: read(entry, inner, where, at=f"{name}.{key}.") for key, inner in value.items()}
    fits, found = _converted(hint, value)
    if not fits:
        raise PolicyError(f"{where}: {name} takes {_valid_in_words(item, hint)}, not {_shown(value)}")
    allowed = item.metadata["choices"]
    for each in found if isinstance(found, tuple) else (found,):
        if allowed and each is not None and each not in allowed:
            raise PolicyError(f"{where}: {name} does not take {each!r}{nearest(each, allowed)}")
    if not _within(item, found):
        raise PolicyError(f"{where}: {name} takes {_valid_in_words(item, hint)}, not {_shown(value)}")
    return found


def _converted(hint: Any, value: Any) -> tuple[bool, Any]:
    """Whether a value is of the annotated type, and the value as that type. A whole number will do for a number; nothing
    else is read as something it is not, so that `days = "30"` or `days = true` is told, not guessed."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return (True, None) if value is None else _converted(arguments[0], value)
    if origin is Literal:
        return value in arguments and isinstance(value, str), value
    if origin is tuple:
        if not isinstance(value, (list, tuple)):
            return False, value
        each = [_converted(arguments[0], item) for item in value]
        return all(fits for fits, _ in each), tuple(item for _, item in each)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return (True, hint(value)) if value in [item.value for item in hint] else (False, value)
    if hint is float:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        return fits, float(value) if fits else value
    return isinstance(value, hint) and isinstance(value, bool) is (hint is bool), value


def _within(item: Field[Any], value: Any) -> bool:
    least, most = item.metadata["least"], item.metadata["most"]
    if value is None:
        return True
    return (least is None or value >= least) and (most is None or value <= most)


def nearest(name: str, known: Collection[str], at: str = "") -> str:
    """'; did you mean …?' where something is near, else what there is."""
    near = get_close_matches(name.casefold(), list(known), n=1, cutoff=0.6)
    if near:
        return f"; did you mean {f'{at}{near[0]}'!r}?"
    return f"; known are {', '.join(sorted(known))}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


@cache
def _knobs(kind: type) -> tuple[tuple[Field[Any], Any], ...]:
    """The fields of a dataclass, each with its annotation."""
    hints = get_type_hints(kind)
    return tuple((item, hints[item.name]) for item in fields(kind))


def _entry_of(hint: Any) -> type | None:
    """The dataclass of a table's entries, where the annotation is a mapping of names to one."""
    if get_origin(hint) is Mapping or get_origin(hint) is dict:
        return next((kind for kind in get_args(hint)[1:] if is_dataclass(kind) and isinstance(kind, type)), None)
    return None


def _kind_in_words(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return f"{_kind_in_words(arguments[0])}, or left out"
    if origin is tuple:
        return "list of texts"
    return SHOWN_KINDS.get(hint, "text")


def _valid_in_words(item: Field[Any], hint: Any) -> str:
    """Which values a knob takes, for people."""
    if item.metadata["valid"]:
        return str(item.metadata["valid"])
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        hint, origin, arguments = arguments[0], get_origin(arguments[0]), get_args(arguments[0])
    inner = arguments[0] if origin is tuple else hint
    choices = tuple(item.metadata["choices"]) or (get_args(inner) if get_origin(inner) is Literal else ())
    if isinstance(inner, type) and issubclass(inner, Enum):
        choices = tuple(each.value for each in inner)
    if choices:
        return f"{'a list of' if origin is tuple else 'one of'} {', '.join(choices)}"
    if origin is tuple:
        return "a list of texts"
    least, most = item.metadata["least"], item.metadata["most"]
    kind = {int: "an integer", float: "a number", bool: "true or false", str: "a text"}.get(inner, "a text")
    if least is None and most is None:
        return kind
    return f"{kind} from {_number(least)} to {_number(most)}"


def _number(value: float | None) -> str:
    return "any" if value is None else f"{value:_}" if isinstance(value, int) else str(value)
