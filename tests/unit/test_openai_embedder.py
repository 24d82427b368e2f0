"""The embedder behind an HTTP endpoint, against a server that speaks the protocol and misbehaves on demand."""

from __future__ import annotations

import base64
import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest
from tests.unit.model_endpoint import Endpoint, Script, fails, serving

from muniment.domain.errors import ModelError
from muniment.models.endpoint import waited
from muniment.models.openai_embedder import BYTES, OpenAIEmbedder

KEY = "sk-never-to-be-shown"
SIZE = 8


def vector(text: str, size: int = SIZE) -> list[float]:
    """A vector that is the text's own: its first bytes, plus one so that none is zero."""
    return [float(byte) + 1 for byte in (text.encode() * size + bytes(size))[:size]]


def answer(texts: list[str], size: int = SIZE) -> dict[str, Any]:
    rows = [
        {"object": "embedding", "index": place, "embedding": vector(text, size)} for place, text in enumerate(texts)
    ]
    return {"object": "list", "data": rows, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def sound(endpoint: Endpoint, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    return 200, {}, json.dumps(answer(body["input"], body.get("dimensions", SIZE))).encode()


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(sound) as state:
        yield state


@pytest.fixture
def connect(endpoint: Endpoint) -> Iterator[Callable[..., OpenAIEmbedder]]:
    made: list[OpenAIEmbedder] = []

    def make(**options: Any) -> OpenAIEmbedder:
        chosen = {"backoff": 0.01, "timeout": 5.0, "dimension": SIZE, **options}
        made.append(OpenAIEmbedder("text-embedding-x", endpoint.url, KEY, **chosen))
        return made[-1]

    yield make
    for each in made:
        each.close()


Connect = Callable[..., OpenAIEmbedder]


def says(change: Callable[[dict[str, Any]], object]) -> Script:
    """A sound answer, changed."""

    def script(endpoint: Endpoint, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        made = answer(body["input"])
        change(made)
        return 200, {}, json.dumps(made).encode()

    return script


def expected(text: str) -> np.ndarray[Any, Any]:
    row = np.array(vector(text), dtype=np.float32)
    return row / np.linalg.norm(row)


# -- the request ------------------------------------------------------------------------------------------------------


def test_the_request_is_the_protocol_s(endpoint: Endpoint, connect: Connect) -> None:
    rows = connect(dimension=None).encode(["tea", "coffee", "tea"])
    probe, asked = endpoint.bodies
    assert endpoint.paths == ["/v1/embeddings"] * 2
    assert asked == {"model": "text-embedding-x", "input": ["tea", "coffee"], "encoding_format": "float"}
    assert len(probe["input"]) == 1
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    assert endpoint.headers[0]["content-type"] == "application/json"
    for row, text in zip(rows, ["tea", "coffee", "tea"], strict=True):
        np.testing.assert_allclose(row, expected(text), atol=1e-6)


def test_a_dimension_asked_for_is_sent_and_known_without_asking(endpoint: Endpoint, connect: Connect) -> None:
    model = connect(dimension=4)
    assert model.dimension == 4
    assert endpoint.bodies == []
    assert model.encode(["tea"]).shape == (1, 4)
    assert endpoint.bodies[0]["dimensions"] == 4


def test_a_dimension_is_learned_once(endpoint: Endpoint, connect: Connect) -> None:
    model = connect(dimension=None)
    assert [model.dimension, model.dimension] == [SIZE, SIZE]
    assert len(endpoint.bodies) == 1


def test_no_key_no_header(endpoint: Endpoint) -> None:
    model = OpenAIEmbedder("local", endpoint.url, dimension=SIZE)
    model.encode(["tea"])
    model.close()
    assert "authorization" not in endpoint.headers[0]


def test_many_texts_go_in_batches_and_come_back_in_order(endpoint: Endpoint, connect: Connect) -> None:
    texts = [f"{number} things" for number in range(25)]
    rows = connect(batch=10).encode(texts)
    assert [len(body["input"]) for body in endpoint.bodies] == [10, 10, 5]
    for row, text in zip(rows, texts, strict=True):
        np.testing.assert_allclose(row, expected(text), atol=1e-6)


def test_odd_text_is_sent_in_a_form_every_server_takes(endpoint: Endpoint, connect: Connect) -> None:
    rows = connect().encode(["", " \x00", "\ud83d", "a\x00b", "杭" * 1_000_000, "👍🏽" * 100_000])
    assert not rows[:3].any()
    np.testing.assert_allclose(np.linalg.norm(rows[3:], axis=1), 1.0, atol=1e-6)
    sent = sorted(endpoint.bodies[0]["input"], key=len)
    assert sent[0] == "a b"
    assert all(BYTES - 4 < len(text.encode()) <= BYTES for text in sent[1:])


def test_nothing_to_embed_asks_nothing(endpoint: Endpoint, connect: Connect) -> None:
    assert connect().encode([]).shape == (0, SIZE)
    assert connect().encode([" "]).shape == (1, SIZE)
    assert endpoint.bodies == []


# -- the answer -------------------------------------------------------------------------------------------------------


def test_indexes_count_not_the_order(endpoint: Endpoint, connect: Connect) -> None:
    endpoint.scripts = [says(lambda made: made["data"].reverse())]
    texts = ["one", "two", "three", "four"]
    for row, text in zip(connect().encode(texts), texts, strict=True):
        np.testing.assert_allclose(row, expected(text), atol=1e-6)


def test_without_indexes_the_order_counts(endpoint: Endpoint, connect: Connect) -> None:
    endpoint.scripts = [says(lambda made: [item.pop("index") for item in made["data"]])]
    np.testing.assert_allclose(connect().encode(["tea", "coffee"])[1], expected("coffee"), atol=1e-6)


def test_base64_is_read_too(endpoint: Endpoint, connect: Connect) -> None:
    def pack(made: dict[str, Any]) -> None:
        for item in made["data"]:
            item["embedding"] = base64.b64encode(np.array(item["embedding"], dtype="<f4").tobytes()).decode()

    endpoint.scripts = [says(pack)]
    np.testing.assert_allclose(connect().encode(["tea"])[0], expected("tea"), atol=1e-6)


def put(place: int, name: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda made: made["data"][place].__setitem__(name, value)


WRONG: dict[str, Script] = {
    "not JSON": lambda endpoint, body: (200, {}, b'{"data": [{"embed'),
    "not UTF-8": lambda endpoint, body: (200, {}, b"\xff\xfe{}"),
    "a page": lambda endpoint, body: (200, {"content-type": "text/html"}, b"<html>Welcome</html>"),
    "a list": lambda endpoint, body: (200, {}, b"[]"),
    "no data": says(lambda made: made.pop("data")),
    "too few": says(lambda made: made["data"].pop()),
    "too many": says(lambda made: made["data"].append(made["data"][0])),
    "an index twice": says(put(1, "index", 0)),
    "an index too far": says(put(1, "index", 2)),
    "an index of text": says(put(1, "index", "one")),
    "no vector": says(lambda made: made["data"][0].pop("embedding")),
    "an empty vector": says(put(0, "embedding", [])),
    "a shorter vector": says(put(0, "embedding", [1.0, 2.0])),
    "words": says(put(0, "embedding", ["one"] * SIZE)),
    "nested": says(put(0, "embedding", [[1.0] * SIZE])),
    "not a number": says(put(0, "embedding", [float("nan")] * SIZE)),
    "not base64": says(put(0, "embedding", "!!!")),
    "half a number": says(put(0, "embedding", base64.b64encode(b"12345").decode())),
}


@pytest.mark.parametrize("script", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_answer_is_a_model_error_and_not_asked_again(
    script: Script, endpoint: Endpoint, connect: Connect
) -> None:
    endpoint.scripts = [script]
    with pytest.raises(ModelError, match="did not answer with embeddings"):
        connect().encode(["tea", "coffee"])
    assert len(endpoint.bodies) == 1


def test_another_dimension_than_asked_for_is_refused(endpoint: Endpoint, connect: Connect) -> None:
    endpoint.scripts = [says(lambda made: None)]
    with pytest.raises(ModelError, match="8 numbers instead of 4"):
        connect(dimension=4).encode(["tea"])


def test_a_dimension_that_changes_is_refused(endpoint: Endpoint, connect: Connect) -> None:
    model = connect(dimension=None)
    assert model.dimension == SIZE
    endpoint.scripts = [says(put(0, "embedding", [1.0, 2.0]))]
    with pytest.raises(ModelError, match="2 numbers instead of 8"):
        model.encode(["tea"])


# -- faults -----------------------------------------------------------------------------------------------------------


def test_too_many_requests_then_well(endpoint: Endpoint, connect: Connect) -> None:
    endpoint.scripts = [fails(429, {"retry-after": "0.3"}), sound]
    np.testing.assert_allclose(connect().encode(["tea"])[0], expected("tea"), atol=1e-6)
    assert endpoint.bodies[0] == endpoint.bodies[1]
    assert endpoint.times[1] - endpoint.times[0] >= 0.29  # the server's word, not our 0.01


@pytest.mark.parametrize("status", [500, 502, 503, 504, 408])
def test_a_passing_fault_is_tried_again(status: int, endpoint: Endpoint, connect: Connect) -> None:
    endpoint.scripts = [fails(status), fails(status), sound]
    assert connect().encode(["tea"]).any()
    assert len(endpoint.bodies) == 3


def test_a_fault_that_stays_ends_in_a_model_error(endpoint: Endpoint, connect: Connect) -> None:
    endpoint.scripts = [fails(503, text="overloaded, come back")]
    with pytest.raises(ModelError, match=r"failed 4 times, last with HTTP 503 overloaded") as raised:
        connect(attempts=4).encode(["tea"])
    assert raised.value.retryable
    assert len(endpoint.bodies) == 4


def test_an_answer_that_takes_too_long_is_a_fault_that_passes(endpoint: Endpoint, connect: Connect) -> None:
    def late(endpoint: Endpoint, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        time.sleep(0.6)
        return sound(endpoint, body)

    endpoint.scripts = [late, sound]
    assert connect(timeout=0.2).encode(["tea"]).any()
    endpoint.scripts = [late]
    with pytest.raises(ModelError, match="ReadTimeout"):
        connect(timeout=0.2, attempts=2).encode(["tea"])


def test_nobody_there_is_a_model_error(connect: Connect, endpoint: Endpoint) -> None:
    model = OpenAIEmbedder("m", "http://127.0.0.1:1/v1", KEY, dimension=SIZE, attempts=2, backoff=0.01)
    with pytest.raises(ModelError, match="ConnectError"):
        model.encode(["tea"])
    model.close()


@pytest.mark.parametrize("url", ["not a url", "ftp://127.0.0.1/v1", ""])
def test_a_url_that_is_none_is_a_model_error(url: str) -> None:
    model = OpenAIEmbedder("m", url or "http://", dimension=SIZE, backoff=60.0)  # waiting would show
    with pytest.raises(ModelError, match="not a URL"):
        model.encode(["tea"])
    model.close()


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 301])
def test_a_refusal_is_not_repeated_and_says_why(status: int, endpoint: Endpoint, connect: Connect) -> None:
    endpoint.scripts = [fails(status, text="no such model")]
    with pytest.raises(ModelError, match=f"HTTP {status} no such model"):
        connect().encode(["tea"])
    assert len(endpoint.bodies) == 1


def test_the_key_is_shown_nowhere(endpoint: Endpoint, connect: Connect, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    endpoint.scripts = [fails(401, text=f"Incorrect API key provided: {KEY}.")]
    model = connect()
    with pytest.raises(ModelError) as raised:
        model.encode(["tea"])
    endpoint.scripts = [lambda endpoint, body: (503, {}, f"bad gateway for {KEY}".encode())]
    with pytest.raises(ModelError) as failed:
        connect(attempts=2).encode(["tea"])
    shown = f"{raised.value} {failed.value} {model!r} {model.id} {caplog.text}"
    assert "***" in shown
    assert KEY not in shown


def test_threads_share_one(endpoint: Endpoint, connect: Connect) -> None:
    model, rows = connect(), {}

    def work(number: int) -> None:
        rows[number] = model.encode([f"text {number}"])[0]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        np.testing.assert_allclose(rows[number], expected(f"text {number}"), atol=1e-6)


def test_it_opens_again_after_it_was_closed(endpoint: Endpoint, connect: Connect) -> None:
    model = connect()
    first = model.encode(["tea"])
    model.close()
    np.testing.assert_array_equal(model.encode(["tea"]), first)


def test_how_long_it_waits() -> None:
    assert 1.0 <= waited(None, 1.0) <= 1.5
    assert waited("7", 1.0) == 7.0
    assert waited("0", 1.0) == 0.0
    assert waited("100000", 1.0) == 60.0
    assert waited("-3", 1.0) == 0.0
    assert waited("nan", 1.0) == 1.0
    assert 1.0 <= waited("soon", 1.0) <= 1.5
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    assert 17.0 <= waited(later, 1.0) <= 20.0
