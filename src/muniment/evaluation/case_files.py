"""The cases of the built-in suite: their form, and how they are read.

A case is a line of JSON: what was said and written, by whom and when; one question; what the answer must and must not hold.
The files are in `cases/`, named `<split>_<language>.jsonl`.

Belongs here: the form and its checks. Does not belong here: how a case is run (`builtin`) or judged (`verdict`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import Annotated, Any, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator

from muniment.domain.errors import InvalidInput

CLASSES: Final = (
    "remember",
    "not_remember",
    "forget",
    "conflict",
    "expired",
    "scope",
    "authority",
    "irrelevant",
    "stale_kept",
    "old_and_new",
    "old_above_new",
    "negation_quantity",
)
"""What can go wrong with a memory, a class each; the order of every report."""

AMENDS: Final = frozenset({"change", "invalidate", "forget", "correct"})
"""Writes that speak of a fact an earlier turn made."""

COLUMNS: Final = {"object_value": "value", "department_id": "department"}
"""Columns of the data model whose argument has another name."""

Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class Who(_Strict):
    """Who speaks or asks."""

    user: str = "u1"
    tenant: str = "default"
    session: str | None = None
    task: str | None = None
    agent: str | None = None
    departments: tuple[str, ...] = ()
    roles: tuple[str, ...] = ("agent",)


class Say(_Strict):
    """Something observed."""

    say: Text
    actor: Literal["user", "agent", "tool", "document", "system"] = "user"
    at: AwareDatetime
    who: Who = Field(default=Who(), alias="as")


class Write(_Strict):
    """A structured call; `fact` is the place, from 0, of the turn whose fact it amends. It may stand among the arguments, and
    these may have the names of the data model's columns."""

    write: Literal["add_fact", "set_status", "add_rule", "change", "invalidate", "forget", "correct"]
    args: dict[str, Any] = Field(default_factory=dict)
    at: AwareDatetime
    who: Who = Field(default=Who(), alias="as")
    fact: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _named_as_columns(cls, given: Any) -> Any:
        if not isinstance(given, Mapping) or not isinstance(given.get("args"), Mapping):
            return given
        args = {COLUMNS.get(name, name): value for name, value in given["args"].items()}
        moved = {"fact": args.pop("fact")} if "fact" in args else {}
        return {**given, "args": args, **moved}


class Question(_Strict):
    """What is asked, when and by whom."""

    query: Text
    at: AwareDatetime
    who: Who = Field(default=Who(), alias="as")


class Expected(_Strict):
    """What the answer must hold and must not.

    `present`: in the context and in a hit. `absent`: in neither, but for what is marked as history. `never`: in neither, marked
    or not. `disagree`: together in one sentence of the context's conflicts. `first`: in the first hit. `facts`: how many are in
    force for who asks. `why`: what makes it right.
    """

    present: tuple[Text, ...] = ()
    absent: tuple[Text, ...] = ()
    never: tuple[Text, ...] = ()
    disagree: tuple[Text, ...] = ()
    first: Text | None = None
    facts: int | None = Field(default=None, ge=0)
    why: Text


def _kind(turn: Any) -> str | None:
    if isinstance(turn, Mapping):
        return "say" if "say" in turn else "write" if "write" in turn else None
    return "say" if isinstance(turn, Say) else "write"


Turn = Annotated[Annotated[Say, Tag("say")] | Annotated[Write, Tag("write")], Discriminator(_kind)]


class Case(_Strict):
    """One case. `kind` is its class, `split` whether its author knew the rules (`known`) or not (`blind`)."""

    id: Text
    kind: Literal[CLASSES] = Field(alias="class")  # type: ignore[valid-type]
    lang: Literal["en", "zh"]
    split: str = "own"
    turns: tuple[Turn, ...] = Field(min_length=1)
    ask: Question
    expect: Expected


def case_of(row: Mapping[str, Any], *, where: str) -> Case:
    """A checked case. Raises `InvalidInput` that names `where` it stands and the field that is wrong."""
    try:
        case = Case.model_validate({name: value for name, value in row.items() if name != "kind"})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the case"
        raise InvalidInput(f"{where}: {field}: {first['msg']}") from None
    _check_order(case, where)
    wanted = case.expect.model_dump(exclude={"why"}, exclude_defaults=True)
    if not wanted and case.kind != "not_remember":
        raise InvalidInput(f"{where}: expect: a case that expects nothing cannot fail")
    return case


def _check_order(case: Case, where: str) -> None:
    """Turns in the order of time, and amendments that name a turn before them."""
    for place, turn in enumerate(case.turns):
        if place and turn.at < case.turns[place - 1].at:
            raise InvalidInput(f"{where}: turns.{place}.at: earlier than the turn before")
        if isinstance(turn, Write) and (turn.write in AMENDS) != (turn.fact is not None):
            raise InvalidInput(
                f"{where}: turns.{place}.fact: {', '.join(sorted(AMENDS))} name a turn's fact, others do not"
            )
        if isinstance(turn, Write) and turn.fact is not None and not 0 <= turn.fact < place:
            raise InvalidInput(f"{where}: turns.{place}.fact: {turn.fact} is not an earlier turn")
    if case.ask.at < case.turns[-1].at:
        raise InvalidInput(f"{where}: ask.at: earlier than the last turn")


def read_cases(lines: Iterable[str], *, name: str, split: str) -> Iterator[dict[str, Any]]:
    """The rows of a file of cases, each checked, with its `split`. Raises `InvalidInput` naming file and line."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InvalidInput(f"{where}: not JSON: {error}") from None
        if not isinstance(row, dict):
            raise InvalidInput(f"{where}: a case is a JSON object")
        row = {**row, "split": split}
        case_of(row, where=where)
        yield row


def packaged() -> list[dict[str, Any]]:
    """Every case that comes with the library. Raises `InvalidInput` for a malformed one or an id that stands twice."""
    folder = resources.files("muniment.evaluation") / "cases"
    found: list[dict[str, Any]] = []
    seen: dict[str, str] = {}
    for file in sorted((item for item in folder.iterdir() if item.name.endswith(".jsonl")), key=lambda item: item.name):
        for row in read_cases(
            file.read_text(encoding="utf-8").splitlines(), name=file.name, split=file.name.split("_")[0]
        ):
            if row["id"] in seen:
                raise InvalidInput(f"{file.name}: id {row['id']!r} stands in {seen[row['id']]} already")
            seen[row["id"]] = file.name
            found.append(row)
    return found
