"""How a model is asked, against a server that speaks the protocols: faults that pass and those that do not, budgets, ways to ask
for a shape, providers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from muniment.config import Settings, load_policy
from muniment.domain.errors import InvalidInput, MissingExtra, ModelError
from muniment.domain.usage import Usage
from muniment.models.llm.asking import ModelLLM
from muniment.models.llm.named import known_providers, llm_from
from muniment.ports.llm import Budget, Reply, Unreadable
from muniment.testing.chat import ChatEndpoint, Wire, chat_endpoint, dripping, prompt_of, refusal, words

KEY = "sk-never-to-be-shown"
DONE = {"lines": [{"text": "a lamp"}]}
QUICK = {"backoff_seconds": 0.0, "timeout_seconds": 30.0}


@dataclass
class Line:
    """One line."""

    text: str


@dataclass
class Lines:
    """Some lines."""

    lines: list[Line] = field(default_factory=list)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatEndpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with chat_endpoint(KEY) as found:
        yield found
        assert found.wrong == []


def model(endpoint: ChatEndpoint, spec: str = "openai:chat-x", **knobs: Any) -> ModelLLM:
    url = endpoint.url if spec.startswith("openai:") else endpoint.url.removesuffix("/v1")
    policy = load_policy({"llm": {**QUICK, **knobs}})
    found = llm_from(spec, Settings(llm_base_url=url, llm_api_key=KEY), policy)
    assert isinstance(found, ModelLLM)
    return found


def ask(llm: ModelLLM, budget: Budget | None = None, prompt: str = "how many lamps?") -> Reply[Lines]:
    return llm.answer("Answer.", prompt, Lines, budget or Budget(seconds=120, calls=50))


def texts(reply: Reply[Lines]) -> list[str]:
    return [line.text for line in reply.value.lines]


# -- faults of the wire --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        refusal(429, "slow down"),
        refusal(500),
        refusal(502),
        refusal(503),
        refusal(529, "overloaded"),
        refusal(408),
        Wire(reset=True),
        Wire(body=b"<html>a proxy's page</html>", headers={"content-type": "text/html"}),
        Wire(body=b'{"id": "chatcmpl-1", "choi'),
        Wire(body=b"{}"),
        Wire(body=b"\xff\xfe\x00"),
        dripping(DONE, 0.2),
        Wire(hang=60.0),
        Wire(body=b'{"a": "' + b"x" * 50_000 + b'"}'),
    ],
    ids=["429", "500", "502", "503", "529", "408", "reset", "html", "half", "empty", "bytes", "drip", "hang", "huge"],
)
def test_a_fault_that_passes_is_asked_again(endpoint: ChatEndpoint, fault: Any) -> None:
    endpoint.says(fault, DONE)
    llm = model(endpoint, timeout_seconds=3.0, answer_bytes=20_000)
    budget = Budget(seconds=120, calls=50)
    assert texts(ask(llm, budget)) == ["a lamp"]
    assert len(endpoint.bodies) == 2
    assert budget.spent.calls == llm.spent.calls == 2
    assert endpoint.bodies[0] == endpoint.bodies[1]


@pytest.mark.parametrize("fault", [refusal(503), Wire(reset=True), Wire(hang=2.0)], ids=["503", "reset", "hang"])
def test_a_fault_that_does_not_pass_ends_after_the_attempts(endpoint: ChatEndpoint, fault: Any) -> None:
    endpoint.says(fault)
    with pytest.raises(ModelError, match="failed 3 times"):
        ask(model(endpoint, attempts=3, timeout_seconds=0.2))
    assert len(endpoint.bodies) == 3


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_is_not_repeated_and_shows_no_key(endpoint: ChatEndpoint, status: int) -> None:
    endpoint.says(refusal(status, f"the key {KEY} is not known"))
    llm = model(endpoint)
    with pytest.raises(ModelError) as raised:
        ask(llm)
    assert len(endpoint.bodies) == 1
    assert KEY not in str(raised.value) + repr(llm) + repr(raised.value)
    assert str(status) in str(raised.value)


def test_an_error_repeats_nothing_of_what_was_asked(endpoint: ChatEndpoint) -> None:
    endpoint.says(refusal(403, "not allowed: my diary lies under the stairs"))
    with pytest.raises(ModelError) as raised:
        ask(model(endpoint), prompt="<turn>\nMy diary: my diary lies under   the stairs, at home.\n</turn>")
    assert "stairs" not in str(raised.value)
    assert "403" in str(raised.value)


def test_an_exhausted_quota_is_no_passing_fault(endpoint: ChatEndpoint) -> None:
    body = b'{"error": {"message": "quota", "type": "insufficient_quota", "code": "insufficient_quota"}}'
    endpoint.says(Wire(status=429, body=body))
    with pytest.raises(ModelError, match="quota"):
        ask(model(endpoint))
    assert len(endpoint.bodies) == 1


def test_retry_after_is_kept_to(endpoint: ChatEndpoint) -> None:
    waits: list[float] = []
    endpoint.says(refusal(429, headers={"retry-after": "7"}), refusal(503), DONE)
    llm = model(endpoint, backoff_seconds=2.0)
    llm._sleep = waits.append
    assert texts(ask(llm)) == ["a lamp"]
    assert waits[0] == 7.0
    assert 4.0 <= waits[1] <= 6.0  # the second wait of our own, with up to half as much again


def test_a_wait_over_the_budget_is_not_waited(endpoint: ChatEndpoint) -> None:
    endpoint.says(refusal(429, headers={"retry-after": "3600"}), DONE)
    started = time.monotonic()
    with pytest.raises(ModelError, match=r"llm\.seconds"):
        ask(model(endpoint), Budget(seconds=5, calls=9))
    assert time.monotonic() - started < 4
    assert len(endpoint.bodies) == 1


# -- the budget ----------------------------------------------------------------------------------------------------------


def test_the_budget_ends_it(endpoint: ChatEndpoint) -> None:
    llm = model(endpoint)
    endpoint.says(DONE)
    budget = Budget(seconds=30, calls=2)
    ask(llm, budget)
    ask(llm, budget)
    with pytest.raises(ModelError, match=r"llm\.calls"):
        ask(llm, budget)
    tokens = Budget(seconds=30, calls=9, tokens=5)
    ask(llm, tokens)
    with pytest.raises(ModelError, match=r"llm\.tokens"):
        ask(llm, tokens)
    with pytest.raises(ModelError, match=r"llm\.seconds"):
        ask(llm, Budget(seconds=0, calls=9))
    assert len(endpoint.bodies) == 3


def test_a_slow_answer_ends_with_the_budget_of_seconds(endpoint: ChatEndpoint) -> None:
    endpoint.says(dripping(DONE, 0.2))
    started = time.monotonic()
    with pytest.raises(ModelError):
        ask(model(endpoint, timeout_seconds=60.0), Budget(seconds=0.6, calls=9))
    assert time.monotonic() - started < 5


def test_tokens_are_counted(endpoint: ChatEndpoint) -> None:
    endpoint.says(DONE)
    llm = model(endpoint)
    budget = Budget(seconds=30, calls=9)
    ask(llm, budget, prompt="x" * 400)
    assert budget.spent == llm.spent == Usage(calls=1, tokens_in=100, tokens_out=budget.spent.tokens_out)
    assert budget.spent.tokens_out > 0


def test_no_more_requests_at_a_time_than_the_policy_says(endpoint: ChatEndpoint) -> None:
    now, most, lock = [0], [0], threading.Lock()

    def counting(prompt: str) -> dict[str, Any]:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.1)
        with lock:
            now[0] -= 1
        return DONE

    endpoint.says(counting)
    llm = model(endpoint, concurrency=2)
    with ThreadPoolExecutor(6) as pool:
        assert all(texts(reply) == ["a lamp"] for reply in pool.map(lambda _: ask(llm), range(6)))
    assert most[0] == 2


# -- the shape -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "missed",
    [
        words("No lamps, I think."),
        words(""),
        words('{"lines": [{"te', finish="length"),
        {"lamps": 3},
        {"lines": [None]},
    ],
    ids=["prose", "nothing", "cut", "other", "null"],
)
def test_a_model_that_misses_the_shape_is_told_and_asked_again(endpoint: ChatEndpoint, missed: Any) -> None:
    endpoint.says(missed, DONE)
    assert texts(ask(model(endpoint))) == ["a lamp"]
    again = endpoint.bodies[1]["messages"]
    assert [item["role"] for item in again if item["role"] != "system"] == ["user", "assistant", "user"]
    assert "could not be used" in prompt_of(endpoint.bodies[1])


@pytest.mark.parametrize(
    "answer",
    [
        words('```json\n{"lines": [{"text": "a lamp"}]}\n```'),
        words('[{"text": "a lamp"}]'),
        words('{"lines": [{"text": "a lamp"}, {"te'),
    ],
    ids=["fenced", "bare list", "cut"],
)
def test_what_holds_of_an_answer_is_enough(endpoint: ChatEndpoint, answer: Any) -> None:
    endpoint.says(answer)
    assert texts(ask(model(endpoint))) == ["a lamp"]
    assert len(endpoint.bodies) == 1


def test_re_asking_is_bounded_and_the_last_words_are_handed_over(endpoint: ChatEndpoint) -> None:
    endpoint.says(words("I would rather talk about my diary."))
    with pytest.raises(Unreadable) as raised:
        ask(model(endpoint, reasks=2))
    assert len(endpoint.bodies) == 3
    assert raised.value.said == "I would rather talk about my diary."
    assert "diary" not in str(raised.value)


def test_surrogates_and_nuls_of_an_answer_harm_nothing(endpoint: ChatEndpoint) -> None:
    endpoint.says('{"lines": [{"text": "a\\u0000 \\ud800lamp"}]}')
    (text,) = texts(ask(model(endpoint)))
    assert "lamp" in text


# -- ways to ask for a shape -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "tool", "format"),
    [("tool", True, None), ("native", False, "json_schema"), ("prompted", False, "json_object")],
)
def test_the_policy_says_how_a_shape_is_asked_for(
    endpoint: ChatEndpoint, output: str, tool: bool, format: str | None
) -> None:
    endpoint.says(DONE)
    assert texts(ask(model(endpoint, output=output))) == ["a lamp"]
    body = endpoint.bodies[0]
    assert bool(body.get("tools")) is tool
    assert (body.get("response_format") or {}).get("type") == format
    assert "text" in str(body)
    assert body["max_tokens"] > 0  # by the name that every server knows


def test_a_server_without_tools_is_asked_by_words_from_then_on(endpoint: ChatEndpoint) -> None:
    endpoint.tools = endpoint.formats = False
    endpoint.says(DONE)
    llm = model(endpoint)
    assert texts(ask(llm)) == ["a lamp"]
    assert [bool(body.get("tools")) for body in endpoint.bodies] == [True, False, False]
    assert [bool(body.get("response_format")) for body in endpoint.bodies] == [False, True, False]
    ask(llm)
    assert len(endpoint.bodies) == 4


def test_a_way_that_was_asked_for_is_not_given_up(endpoint: ChatEndpoint) -> None:
    endpoint.tools = False
    with pytest.raises(ModelError, match="refused"):
        ask(model(endpoint, output="tool"))
    assert len(endpoint.bodies) == 1


# -- providers -----------------------------------------------------------------------------------------------------------


def test_anthropic_is_asked_in_its_own_protocol(endpoint: ChatEndpoint) -> None:
    pytest.importorskip("anthropic")
    endpoint.says(refusal(529, "overloaded"), DONE)
    llm = model(endpoint, "anthropic:claude-x")
    budget = Budget(seconds=30, calls=9)
    assert texts(ask(llm, budget)) == ["a lamp"]
    assert endpoint.headers[0]["anthropic-version"]
    assert endpoint.bodies[0]["system"]
    assert budget.spent.tokens_in > 0
    endpoint.says(words("no"), words('{"lines": [{"text": "a lamp"}]}'))
    assert texts(ask(llm)) == ["a lamp"]


def test_other_providers_come_with_their_library(monkeypatch: pytest.MonkeyPatch, endpoint: ChatEndpoint) -> None:
    """Those that need none of their own are asked at once; of the others the message says what to install."""
    found = model(endpoint, "ollama:llama")
    assert found.id == "ollama:llama"
    assert {"openai", "anthropic", "google", "mistral", "groq", "bedrock"} <= set(known_providers())
    for name in ("groq", "mistral"):
        with pytest.raises(MissingExtra, match=rf"pydantic-ai-slim\[{name}\]"):
            llm_from(f"{name}:m", Settings(llm_api_key="k"), load_policy())
    with pytest.raises(InvalidInput, match="did you mean 'anthropic'"):
        llm_from("antropic:m", Settings(), load_policy())
    for bad in ("openai:", ":m", "gpt", "test:m", object()):
        with pytest.raises(InvalidInput):
            llm_from(bad, Settings(), load_policy())  # type: ignore[arg-type]
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(InvalidInput, match="MUNIMENT_LLM_API_KEY"):
        llm_from("anthropic:m", Settings(), load_policy())


def test_no_name_is_no_model() -> None:
    assert llm_from(None, Settings(), load_policy()) is None
    assert llm_from("none", Settings(llm="openai:x"), load_policy()) is None
    named = llm_from(None, Settings(llm="openai:x", llm_base_url="http://h/v1"), load_policy())
    assert named is not None
    assert named.id == "openai:x"


def test_ollama_speaks_the_same_protocol(endpoint: ChatEndpoint) -> None:
    endpoint.says(DONE)
    policy = load_policy({"llm": QUICK})
    llm = llm_from("ollama:llama", Settings(llm_base_url=endpoint.url, llm_api_key=KEY), policy)
    assert isinstance(llm, ModelLLM)
    assert texts(ask(llm)) == ["a lamp"]
