"""Files of conversations as turns."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.domain.enums import ActorType, EvidenceType
from muniment.domain.errors import InvalidInput
from muniment.domain.observation import Observation
from muniment.service.formats import conversations, zone_named
from muniment.service.turns import Conversation, Malformed, Turn

RETRIEVAL = {
    "kind": "retrieval",
    "dataset": "ours",
    "conv_id": "c-1",
    "docs": [
        {"id": "d1", "text": "Hi Ben!", "speaker": "Ana", "time": "1:56 pm on 8 May, 2023", "session": 1},
        {"id": "d2", "text": "我住在杭州。", "speaker": "user", "time": None, "session": 2},
        {"id": "d3", "text": "Noted.", "speaker": "assistant", "session": 2},
    ],
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You are terse."},
    {"role": "user", "content": [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "x"}}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "t1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Bern"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "t1", "content": "12 degrees"},
    {"role": "assistant", "content": "Twelve degrees.", "created_at": 1_700_000_000},
    {"role": "assistant", "content": ""},
]
SHAREGPT = {"id": "sg1", "conversations": [{"from": "human", "value": "Hello"}, {"from": "gpt", "value": "Hi"}]}
LOCOMO = {
    "sample_id": "conv-9",
    "qa": [],
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_2_date_time": "10:00 am on 2 June, 2023",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a dog on a beach"}],
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [{"speaker": "Ana", "dia_id": "D1:1", "text": "Hey Ben"}],
    },
}


def read(folder: Path, content: str | bytes, zone: str = "UTC") -> list[Conversation | Malformed]:
    file = folder / "some.file"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(conversations(file, zone=zone_named(zone)))


def one(folder: Path, record: Any, **given: Any) -> Conversation:
    (found,) = read(folder, json.dumps(record, ensure_ascii=False), **given)
    assert isinstance(found, Conversation)
    return found


def said(conversation: Conversation) -> list[Observation]:
    assert all(isinstance(turn, Turn) for turn in conversation.turns), conversation.turns
    return [turn.observation for turn in conversation.turns if isinstance(turn, Turn)]


def test_documents_keep_their_ids_speakers_sessions_and_times(tmp_path: Path) -> None:
    found = one(tmp_path, RETRIEVAL)
    first, second, third = said(found)
    assert (found.name, found.dataset) == ("c-1", "ours")
    assert [item.source_id for item in (first, second, third)] == ["d1", "d2", "d3"]
    assert [item.actor for item in (first, second, third)] == [ActorType.USER, ActorType.USER, ActorType.AGENT]
    assert [item.speaker for item in (first, second, third)] == ["Ana", None, None]
    assert [item.session for item in (first, second, third)] == ["1", "2", "2"]
    assert first.occurred is not None
    assert first.occurred.at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert second.occurred is None
    assert first.actor_id == "Ana", "two people of a dialogue are two sources"


def test_times_are_taken_in_the_zone_that_is_named(tmp_path: Path) -> None:
    first = said(one(tmp_path, RETRIEVAL, zone="Asia/Shanghai"))[0]
    assert first.occurred is not None
    assert first.occurred.at == datetime(2023, 5, 8, 5, 56, tzinfo=UTC)
    assert first.occurred.zone == "Asia/Shanghai"
    with pytest.raises(InvalidInput, match="IANA"):
        zone_named("Mars/Olympus")
    with pytest.raises(InvalidInput, match="IANA"):
        zone_named("../../etc/passwd")


@pytest.mark.parametrize("shape", ["list", "object", "pretty", "lines", "loose"])
def test_chat_messages_in_every_wrapping(tmp_path: Path, shape: str) -> None:
    texts = {
        "list": json.dumps(MESSAGES),
        "object": json.dumps({"id": "m1", "messages": MESSAGES}),
        "pretty": "\ufeff" + json.dumps(MESSAGES, indent=2),
        "lines": json.dumps({"messages": MESSAGES}) + "\n\n" + json.dumps({"messages": MESSAGES[:2]}) + "\n",
        "loose": "\n".join(json.dumps(item) for item in MESSAGES),
    }
    found = [item for item in read(tmp_path, texts[shape]) if isinstance(item, Conversation)]
    assert len(found) == (2 if shape == "lines" else 1)
    system, user, call, result, answer = said(found[0])
    assert [item.actor for item in (system, user, call, result, answer)] == [
        ActorType.SYSTEM, ActorType.USER, ActorType.AGENT, ActorType.TOOL, ActorType.AGENT,
    ]  # fmt: skip
    assert system.evidence_type is EvidenceType.CONVERSATION, "a prompt is not a fact of the system's"
    assert user.content == "Look:"
    assert user.metadata["attachments"] == ["image_url"]
    assert call.content == 'weather({"city":"Bern"})'
    assert call.event_type == "tool_call"
    assert call.payload["tool_calls"][0]["id"] == "t1"
    assert (result.kind, result.evidence_type, result.source_system) == ("tool_result", EvidenceType.TOOL, "weather")
    assert answer.occurred is not None
    assert found[0].empty == 1
    if shape == "object":
        assert found[0].name == "m1"


def test_sharegpt(tmp_path: Path) -> None:
    found = one(tmp_path, [SHAREGPT, SHAREGPT | {"id": "sg2"}][0])
    assert [(item.actor, item.content) for item in said(found)] == [(ActorType.USER, "Hello"), (ActorType.AGENT, "Hi")]
    both = read(tmp_path, json.dumps([SHAREGPT, SHAREGPT | {"id": "sg2"}], indent=1))
    assert [item.name for item in both if isinstance(item, Conversation)] == ["sg1", "sg2"]


def test_locomo_sessions_in_their_order_with_captions(tmp_path: Path) -> None:
    first, second = said(one(tmp_path, [LOCOMO]))
    assert (first.content, first.speaker, first.session) == ("Hey Ben", "Ana", "1")
    assert (second.content, second.source_id) == ("Look! [shared image: a dog on a beach]", "D2:1")
    assert first.occurred is not None
    assert first.occurred.at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def keys(conversation: Conversation) -> list[str | None]:
    return [item.idempotency_key for item in said(conversation)]


def test_keys_are_of_the_turn_and_not_of_the_file(tmp_path: Path) -> None:
    for record in (RETRIEVAL, MESSAGES, SHAREGPT, LOCOMO):
        once, again = one(tmp_path, record), one(tmp_path / ".", record)
        assert keys(once) == keys(again)
        assert len(set(keys(once))) == len(keys(once))
    repeated = [{"role": "user", "content": "yes"}] * 3
    assert len(set(keys(one(tmp_path, repeated)))) == 3, "the same word said again is another turn"


def test_conversations_that_begin_alike_are_not_one(tmp_path: Path) -> None:
    one_, other = MESSAGES[:3], MESSAGES[:2]
    assert one(tmp_path, one_).name != one(tmp_path, other).name


def test_malformed_places_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    bad = {**RETRIEVAL, "docs": [{"id": "x"}, *RETRIEVAL["docs"], {"id": "t", "text": "a", "time": "sometime"}, 7]}  # type: ignore[misc]
    lines = [json.dumps(RETRIEVAL).encode(), b"{broken", b"\xff\xfe", json.dumps(bad).encode(), b"3", b'{"a": 1}']
    found = read(tmp_path, b"\n".join(lines))
    where = [item.where for item in found if isinstance(item, Malformed)]
    assert where == ["line 2", "line 3", "line 5", "line 6"]
    inner = (
        [item for item in found[3].turns if isinstance(item, Malformed)] if isinstance(found[3], Conversation) else []
    )
    assert [item.where for item in inner] == ["line 4, docs[0]", "line 4, docs[4]", "line 4, docs[5]"]
    assert "'text'" in inner[0].problem
    assert "sometime" in inner[1].problem


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("name,age\nana,3\n", "neither JSON nor JSON lines"),
        ('{"rows": [1, 2]}', "an object with rows"),
        ("[]", "an empty list"),
        ("[1, 2]", "known are JSON lines of kind 'retrieval'"),
        ('{"a": {\n', "neither JSON nor JSON lines"),
    ],
)
def test_an_unknown_file_says_what_was_seen_and_what_is_known(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(tmp_path, content)
    assert said in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot read"):
        list(conversations(tmp_path / "none.jsonl", zone=UTC))


def test_an_unknown_role_is_malformed(tmp_path: Path) -> None:
    found = one(tmp_path, [{"role": "user", "content": "a"}, {"role": "moderator", "content": "b"}])
    assert [type(turn) for turn in found.turns] == [Turn, Malformed]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["docs", "messages", "conversations", "conversation", "role", "content", "session_1", "id", "text"]
                ),
                inner,
                max_size=3,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    folder = tmp_path_factory.mktemp("any")
    try:
        read(folder, json.dumps(value))
    except InvalidInput:
        return
