"""The operation table says of every method what the facade says of it.

Belongs here: the agreement of table and facade. Does not belong here: what an operation does.
"""

from __future__ import annotations

import inspect

import pytest

from muniment.service.operations import OPERATIONS, PYTHON_ONLY, Operation
from muniment.service.reader import Reader

# Methods that hand their keywords on to another one.
HANDS_ON = {"add_rule": "add_fact", "set_status": "add_fact"}
# Arguments that only code has: vectors, a choice an evaluation makes, understanding later. Rules and status keys are not
# of somebody or of an attribute, though they are kept as facts are.
LEFT_TO_PYTHON = {
    "search": {"vector", "role_prior"},
    "observe": {"wait"},
    "observe-document": {"wait", "progress"},
    "add-rule": {"subject", "predicate", "value"},
    "set-status": {"subject"},
}
FIXED = {"add_rule": {"type"}, "set_status": {"type", "predicate", "value", "content"}}


def accepted(method: str) -> dict[str, inspect.Parameter]:
    """The parameters of a method, those it hands on included."""
    found = dict(inspect.signature(getattr(Reader, method)).parameters)
    found.pop("self")
    if method in HANDS_ON:
        more = inspect.signature(getattr(Reader, HANDS_ON[method])).parameters
        found |= {name: item for name, item in more.items() if name not in {"self", *FIXED[method], *found}}
    return {name: item for name, item in found.items() if item.kind is not inspect.Parameter.VAR_KEYWORD}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda item: item.name)
def test_every_parameter_is_one_of_the_method(operation: Operation) -> None:
    parameters = accepted(operation.method)
    takes_any = operation.method == "observe"
    for item in operation.parameters:
        assert item.name in parameters or takes_any, item.name
        if item.name in parameters and item.required:
            assert parameters[item.name].default is inspect.Parameter.empty
        if item.name in parameters and item.default is not None:
            assert parameters[item.name].default == item.default


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda item: item.name)
def test_nothing_the_method_needs_is_left_out(operation: Operation) -> None:
    told = {item.name for item in operation.parameters}
    needed = {name for name, item in accepted(operation.method).items() if item.default is inspect.Parameter.empty}
    assert needed <= told


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda item: item.name)
def test_what_an_edge_does_not_offer_is_named(operation: Operation) -> None:
    told = {item.name for item in operation.parameters}
    assert set(accepted(operation.method)) - told == LEFT_TO_PYTHON.get(operation.name, set())


def test_observe_takes_every_field_it_offers() -> None:
    from muniment.domain.observation import observation

    operation = next(item for item in OPERATIONS if item.name == "observe")
    for item in operation.parameters:
        if item.name in ("content", "actor"):
            continue
        value = {"json": {}, "instant": "2026-07-01T00:00:00+00:00"}.get(item.kind, "x")
        observation("said", **{item.name: value})


def test_every_public_method_is_in_the_table_or_for_python_only() -> None:
    public = {name for name, _ in inspect.getmembers(Reader, inspect.isfunction) if not name.startswith("_")}
    table = {item.method for item in OPERATIONS}
    assert public == table | PYTHON_ONLY
    assert not table & PYTHON_ONLY


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda item: item.name)
def test_every_operation_has_help_and_an_example_of_itself(operation: Operation) -> None:
    assert operation.help.endswith(".")
    assert operation.example.startswith(f"muniment {operation.name} ")
