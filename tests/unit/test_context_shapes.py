"""A context in the shapes that providers take, held against their own types where they are installed, and against their rules."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import pytest
from tests.properties.context_material import NOW, Maker, hit_of

from muniment import InvalidInput
from muniment.config import ContextCaps
from muniment.domain.contexts import Context
from muniment.domain.enums import ActorType, EvidenceType
from muniment.models.tokens import QuicktokCounter
from muniment.retrieval.build import build
from muniment.retrieval.material import Material

COUNTER = QuicktokCounter()
TURNS = (
    ActorType.AGENT,
    ActorType.USER,
    ActorType.USER,
    ActorType.AGENT,
    ActorType.TOOL,
    ActorType.AGENT,
    ActorType.USER,
)


def made(seed: int = 1, **given: Any) -> Context:
    maker = Maker(seed)
    turns = [maker.evidence(f"turn {place}\n  second line", actor=actor) for place, actor in enumerate(TURNS)]
    material = {
        "question": "and now?", "language": "en", "system": ["be kind"], "stable": [hit_of(maker.any_fact()) for _ in range(5)],
        "facts": [hit_of(maker.fact())], "window": [hit_of(turn) for turn in turns], "evidence": [hit_of(maker.evidence())],
    }  # fmt: skip
    return build(Material(**{**material, **given}), caps=ContextCaps(), counter=COUNTER, budget=2_000)  # type: ignore[arg-type]


CONTEXTS = [
    made(),
    made(question=""),
    made(window=[]),
    made(window=[], question=""),
    made(stable=[], facts=[], evidence=[], system=[]),
    made(language="zh"),
    *(
        build(Maker(seed, hostile=0.3).material(), caps=ContextCaps(), counter=COUNTER, budget=1_500)
        for seed in range(40)
    ),
]


@pytest.mark.parametrize("context", CONTEXTS)
def test_openai_takes_the_messages(context: Context) -> None:
    messages = context.to("openai")
    assert messages == [dict(message) for message in context.messages]
    for message in messages:
        assert set(message) == {"role", "content"}
        assert message["content"].strip()
    roles = [message["role"] for message in messages]
    assert roles[0] == "system"
    assert "system" not in roles[2:], "what is system stands at the head"
    assert set(roles) <= {"system", "user", "assistant"}
    validated("openai.types.chat", "ChatCompletionMessageParam", messages)


@pytest.mark.parametrize("context", CONTEXTS)
def test_anthropic_takes_system_and_messages(context: Context) -> None:
    given = context.to("anthropic")
    assert given == context.anthropic()
    assert set(given) == {"system", "messages"}
    first, *rest = given["system"]
    assert first["cache_control"] == {"type": "ephemeral"}
    assert first["text"] == context.messages[0]["content"]
    assert len(rest) <= 1
    assert all("cache_control" not in block for block in rest)
    roles = [message["role"] for message in given["messages"]]
    assert all(one != other for one, other in pairwise(roles)), "the roles alternate"
    assert roles[:1] in ([], ["user"])
    assert set(roles) <= {"user", "assistant"}
    blocks = [*given["system"], *(block for message in given["messages"] for block in message["content"])]
    assert all(block["type"] == "text" and block["text"].strip() for block in blocks), "no block is empty"
    said = [message["content"] for message in context.messages if message["role"] != "system"]
    assert [block["text"] for message in given["messages"] for block in message["content"]] == said
    validated("anthropic.types", "MessageParam", given["messages"])
    validated("anthropic.types", "TextBlockParam", given["system"])


def validated(module: str, name: str, values: list[Any]) -> None:
    """Holds values against a provider's own type, where its package is there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            types = __import__(module, fromlist=[name])
        except ImportError:
            return
        from pydantic import ConfigDict, TypeAdapter

        adapter = TypeAdapter(list[getattr(types, name)], config=ConfigDict(arbitrary_types_allowed=True))
        adapter.validate_python(values)


def test_the_conversation_stands_in_its_roles_and_the_question_last() -> None:
    context = made()
    assert [message["role"] for message in context.messages] == [
        "system", "system", "user", "user", "user", "assistant", "user", "assistant", "user", "user",
    ]  # fmt: skip
    first = context.messages[2]["content"]
    assert first.startswith("<memory>\n- (2026-06-01, "), "an agent's turn at the head is data"
    assert "turn 0 second line" in first
    assert context.messages[3]["content"] == "turn 1\n  second line", "what was said is as it was said"
    assert context.messages[6]["content"].startswith("<memory>\n- "), "a tool's result is data"
    assert context.messages[-1] == {"role": "user", "content": "and now?"}
    merged = context.anthropic()["messages"]
    assert [len(message["content"]) for message in merged] == [3, 1, 1, 1, 2]
    assert merged[-1]["content"][-1]["text"] == "and now?"


def test_a_document_said_by_a_user_is_data() -> None:
    maker = Maker(2)
    page = maker.evidence("a page", actor=ActorType.USER, evidence_type=EvidenceType.DOCUMENT)
    assert made(window=[hit_of(page)]).messages[2]["content"].startswith("<memory>")


def test_no_other_shape_is_known() -> None:
    with pytest.raises(InvalidInput, match="known are text, openai, anthropic"):
        made().to("markdown")
    assert made().to("text") == made().text


def test_what_was_brought_in_by_the_question_is_not_in_the_first_block() -> None:
    maker = Maker(7)
    rule = maker.fact("answers briefly")
    found = maker.fact("plays the violin")
    said = maker.evidence("the hall was full", occurred=None)
    context = made(stable=[hit_of(rule)], facts=[hit_of(found)], evidence=[hit_of(said)], window=[])
    first, second = (message["content"] for message in context.messages[:2])
    assert "answers briefly" in first
    assert "plays the violin" in second
    assert "the hall was full" in second
    assert [item.stable for item in context.items if item.hit] == [True, False, False]
    assert NOW.date().isoformat() not in second
