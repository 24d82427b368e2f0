"""Commands generated from the operation table.

Belongs here: the translation of an operation into a command. Does not belong here: any operation by name.
"""

from __future__ import annotations

import inspect
import json
from typing import Annotated, Any

import typer

from muniment.cli.options import WHERE, WHO, memory_of, reader_of, shared
from muniment.domain.errors import InvalidInput
from muniment.service.operations import OPERATIONS, Operation, Parameter

TYPES: dict[str, Any] = {
    "text": str, "texts": list[str], "integer": int, "number": float, "flag": bool, "json": str, "instant": str,
}  # fmt: skip


EXPLAIN = Annotated[bool, typer.Option("--explain", help="Why: the route, each hit, and what was left out.")]


def register(app: typer.Typer) -> None:
    """Adds a command for every operation that has none of its own."""
    for operation in (item for item in OPERATIONS if item.shell):
        app.command(operation.name, help=operation.help, epilog=f"Example: {operation.example}")(command(operation))


def command(operation: Operation) -> Any:
    """The function Typer runs for an operation: its own parameters, then who and where."""
    own = {parameter.name: _annotation(parameter) for parameter in operation.parameters}

    def run(**given: Any) -> None:
        with memory_of(given, create=operation.makes) as memory:
            arguments = {item.name: _value(item, given[item.name]) for item in operation.parameters}
            asked = {name: value for name, value in arguments.items() if value is not None}
            who = given | ({"department": [given["department"]]} if _one_department(own, given) else {})
            result = getattr(reader_of(memory, who), operation.method)(**asked)
            show(operation, result.explain() if given.get("explain") else result, as_json=given["as_json"])

    parameters = [
        _signature(item, own[item.name]) for item in sorted(operation.parameters, key=lambda p: not p.positional)
    ]
    if operation.explains:
        parameters.append(
            inspect.Parameter("explain", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=EXPLAIN)
        )
    parameters += shared({**WHO, **WHERE}, beside=own)
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    run.__name__ = operation.name.replace("-", "_")
    run.__doc__ = operation.help
    return run


def _one_department(own: dict[str, Any], given: dict[str, Any]) -> bool:
    """Whether the operation's own department is also the one the reader is of."""
    return "department" in own and given.get("department") is not None


def _signature(parameter: Parameter, annotation: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if parameter.required else parameter.default
    if parameter.kind == "flag" and default is None:
        default = False
    return inspect.Parameter(parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _annotation(parameter: Parameter) -> Any:
    kind = TYPES[parameter.kind]
    if parameter.positional:
        return Annotated[kind, typer.Argument(help=parameter.help, show_default=False)]
    optional = kind if parameter.required or parameter.default is not None or parameter.kind == "flag" else kind | None
    return Annotated[optional, typer.Option(f"--{parameter.name.replace('_', '-')}", help=parameter.help)]


def _value(parameter: Parameter, value: Any) -> Any:
    """The argument as the facade takes it. Raises `InvalidInput` for JSON that does not read."""
    if value is None or (parameter.kind == "texts" and not value):
        return None
    if parameter.kind != "json":
        return value
    try:
        read = json.loads(value)
    except json.JSONDecodeError as error:
        raise InvalidInput(f"--{parameter.name} is not JSON: {error}") from None
    if not isinstance(read, dict):
        raise InvalidInput(f"--{parameter.name} takes a JSON object, not {type(read).__name__}")
    return read


def show(operation: Operation, result: Any, *, as_json: bool) -> None:
    """Prints a result for programs or for people."""
    if as_json:
        from muniment.cli.json_out import echo

        echo(result)
    else:
        from muniment.cli.render import render

        render(result)
