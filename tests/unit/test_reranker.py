"""The reranker behind an HTTP endpoint that misbehaves on demand; which hits move, and where to."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from tests.unit.model_endpoint import Endpoint, Script, fails, serving

from muniment.config import Settings
from muniment.domain.answers import Hit, Why
from muniment.domain.enums import MemoryType, Scope
from muniment.domain.errors import InvalidInput, MissingExtra, ModelError
from muniment.domain.passages import Passage
from muniment.models.reranker import CHARS, HttpReranker, reranker_from
from muniment.retrieval.rerank import reranked

KEY = "key-never-to-be-shown"


def answer(documents: Sequence[str]) -> dict[str, Any]:
    """Scores by length, best first, as providers give them."""
    rows = [{"index": place, "relevance_score": len(text) / 100} for place, text in enumerate(documents)]
    return {"id": "r", "results": sorted(rows, key=lambda row: -row["relevance_score"]), "meta": {}}


def sound(endpoint: Endpoint, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    return 200, {}, json.dumps(answer(body["documents"])).encode()


def says(change: Callable[[list[dict[str, Any]]], object]) -> Script:
    def script(endpoint: Endpoint, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        made = answer(body["documents"])
        change(made["results"])
        return 200, {}, json.dumps(made).encode()

    return script


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(sound) as state:
        yield state


Connect = Callable[..., HttpReranker]


@pytest.fixture
def connect(endpoint: Endpoint) -> Iterator[Connect]:
    made: list[HttpReranker] = []

    def make(**options: Any) -> HttpReranker:
        made.append(HttpReranker("rerank-x", endpoint.url, KEY, **{"backoff": 0.01, "timeout": 5.0, **options}))
        return made[-1]

    yield make
    for each in made:
        each.close()


# -- the endpoint -----------------------------------------------------------------------------------------------------


def test_the_request_is_the_protocol_s(endpoint: Endpoint, connect: Connect) -> None:
    assert connect().rerank("who?", ["a", "bbb", "cc"]) == [0.01, 0.03, 0.02]
    assert endpoint.paths == ["/v1/rerank"]
    assert endpoint.headers[0]["authorization"] == f"Bearer {KEY}"
    assert endpoint.bodies == [
        {
            "model": "rerank-x",
            "query": "who?",
            "documents": ["a", "bbb", "cc"],
            "top_n": 3,
            "return_documents": False,
        }
    ]


def test_odd_text_is_sent_in_a_form_every_server_takes(endpoint: Endpoint, connect: Connect) -> None:
    texts = ["", "\x00", "a\x00b", "\ud83d", "杭" * 100_000, "👍🏽"]
    scores = connect().rerank("谁\x00？", texts)
    assert [score is None for score in scores] == [True, True, False, True, False, False]
    assert endpoint.bodies[0]["query"] == "谁 ？"
    assert [len(text) for text in endpoint.bodies[0]["documents"]] == [3, CHARS, 2]


@pytest.mark.parametrize(("query", "texts"), [("who?", []), ("who?", [" "]), (" ", ["a"])])
def test_nothing_to_rerank_asks_nothing(query: str, texts: list[str], endpoint: Endpoint, connect: Connect) -> None:
    assert connect().rerank(query, texts) == [None] * len(texts)
    assert endpoint.bodies == []


def test_a_text_that_was_left_out_has_no_score(endpoint: Endpoint, connect: Connect) -> None:
    endpoint.scripts = [says(lambda rows: rows.pop())]
    assert connect().rerank("q", ["a", "bbb", "cc"]) == [None, 0.03, 0.02]


WRONG: dict[str, Script] = {
    "not JSON": lambda endpoint, body: (200, {}, b'{"results": ['),
    "a page": lambda endpoint, body: (200, {"content-type": "text/html"}, b"<html>Welcome</html>"),
    "a list": lambda endpoint, body: (200, {}, b"[]"),
    "no results": lambda endpoint, body: (200, {}, b'{"data": []}'),
    "results of text": lambda endpoint, body: (200, {}, b'{"results": "none"}'),
    "none of the texts": lambda endpoint, body: (200, {}, b'{"results": []}'),
    "an index twice": says(lambda rows: rows[1].update(index=rows[0]["index"])),
    "an index too far": says(lambda rows: rows[1].update(index=3)),
    "an index below": says(lambda rows: rows[1].update(index=-1)),
    "an index of text": says(lambda rows: rows[1].update(index="1")),
    "an index of truth": says(lambda rows: rows[1].update(index=True)),
    "no index": says(lambda rows: rows[1].pop("index")),
    "no score": says(lambda rows: rows[1].pop("relevance_score")),
    "a score of text": says(lambda rows: rows[1].update(relevance_score="high")),
    "a score that is none": says(lambda rows: rows[1].update(relevance_score=None)),
    "not a number": says(lambda rows: rows[1].update(relevance_score=float("nan"))),
    "without end": says(lambda rows: rows[1].update(relevance_score=float("inf"))),
}


@pytest.mark.parametrize("script", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_answer_is_a_model_error_and_not_asked_again(
    script: Script, endpoint: Endpoint, connect: Connect
) -> None:
    endpoint.scripts = [script]
    with pytest.raises(ModelError, match="did not answer with a ranking"):
        connect().rerank("q", ["a", "bbb", "cc"])
    assert len(endpoint.bodies) == 1


def test_a_passing_fault_is_tried_again_and_a_lasting_one_is_a_model_error(
    endpoint: Endpoint, connect: Connect
) -> None:
    endpoint.scripts = [fails(503), sound]
    assert connect().rerank("q", ["a", "bb"]) == [0.01, 0.02]
    endpoint.scripts = [fails(429)]
    with pytest.raises(ModelError, match="failed 2 times, last with HTTP 429"):
        connect().rerank("q", ["a", "bb"])
    assert len(endpoint.bodies) == 4


def test_nobody_waits_long_for_a_repetition(endpoint: Endpoint, connect: Connect) -> None:
    endpoint.scripts = [fails(429, {"retry-after": "3600"}), sound]
    started = time.monotonic()
    assert connect().rerank("q", ["a", "bb"]) == [0.01, 0.02]
    assert 1.9 < time.monotonic() - started < 30


def test_a_refusal_is_not_repeated_and_the_key_is_shown_nowhere(
    endpoint: Endpoint, connect: Connect, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.scripts = [fails(401, text=f"wrong key {KEY}")]
    model = connect()
    with pytest.raises(ModelError, match=r"HTTP 401 wrong key \*\*\*") as raised:
        model.rerank("q", ["a", "bb"])
    assert len(endpoint.bodies) == 1
    assert KEY not in f"{raised.value} {model!r} {model.id} {caplog.text}"


def test_an_answer_that_takes_too_long_is_a_fault(endpoint: Endpoint, connect: Connect) -> None:
    def late(endpoint: Endpoint, body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        time.sleep(0.6)
        return sound(endpoint, body)

    endpoint.scripts = [late]
    with pytest.raises(ModelError, match="ReadTimeout"):
        connect(timeout=0.2).rerank("q", ["a", "bb"])


# -- by name ----------------------------------------------------------------------------------------------------------


def test_rerankers_are_found_by_name() -> None:
    assert reranker_from(None, Settings()) is None
    assert reranker_from("none", Settings(reranker="cohere:m")) is None
    assert repr(reranker_from(None, Settings(reranker="cohere:m"))) == (
        "HttpReranker('m', 'https://api.cohere.com/v1/rerank')"
    )
    assert "api.jina.ai/v1/rerank" in repr(reranker_from("jina:m", Settings()))
    own = Settings(reranker_base_url="http://gpu:8000/v1/")
    assert repr(reranker_from("http:bge-reranker", own)) == "HttpReranker('bge-reranker', 'http://gpu:8000/v1/rerank')"
    given = Scores({})
    assert reranker_from(given, Settings()) is given


@pytest.mark.parametrize("spec", ["cohere", "cohere:", "http:m", "bge", "", object(), 5])
def test_what_names_no_reranker_is_refused(spec: Any) -> None:
    with pytest.raises(InvalidInput):
        reranker_from(spec, Settings())


def test_without_httpx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    monkeypatch.setattr("muniment.models.reranker.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"muniment\[rerank\]"):
        reranker_from("cohere:m", Settings())


# -- which hits move --------------------------------------------------------------------------------------------------


class Scores:
    """Scores texts as it is told; 0 for others."""

    def __init__(self, scores: dict[str, Any]) -> None:
        self.scores = scores
        self.asked: list[list[str]] = []

    def rerank(self, query: str, texts: Sequence[str]) -> Sequence[float | None]:
        self.asked.append(list(texts))
        return [self.scores.get(text, 0.0) for text in texts]


def hit(text: str, channel: str = "evidence", *, flags: tuple[str, ...] = ()) -> Hit:
    why = Why(channel=channel, reason="words +0.40", scope="USER", flags=flags)
    return Hit(item=Passage(content=text, source="s", ref=text), score=1.0, parts={"bm25": 0.4}, why=why)


def order(scores: dict[str, Any], *hits: Hit, query: str = "what is new", top: int = 30) -> list[str]:
    return [each.text for each in reranked(Scores(scores), query, hits, top)]


def test_semantic_hits_take_the_reranker_s_order_and_say_so() -> None:
    found = reranked(Scores({"a": 0.1, "b": 0.9, "c": 0.5}), "q", [hit("a"), hit("b", "facts"), hit("c")], 30)
    assert [each.text for each in found] == ["b", "c", "a"]
    assert found[0].parts == {"bm25": 0.4, "rerank": 0.9}
    assert found[0].why.reason == "rerank +0.90; words +0.40"
    assert found[0].why.channel == "facts"


@pytest.mark.parametrize("channel", ["exact", "task", "window", "summary", "workflow"])
def test_what_was_not_found_by_similarity_keeps_its_place(channel: str) -> None:
    assert order({"c": 0.9}, hit("pinned", channel), hit("a"), hit("b", channel), hit("c")) == ["pinned", "c", "b", "a"]


def test_what_binds_keeps_its_place() -> None:
    from tests.unit.governance_factory import ANA, NOW

    from muniment.domain.enums import Basis, FactStatus, Standing
    from muniment.domain.records import Fact
    from muniment.domain.scope import Placement

    def rule(scope: Scope, text: str) -> Hit:
        fact = Fact(
            fact_id=UUID(int=len(text)),
            revision=1,
            placement=Placement(scope=scope, user=ANA.user if scope is Scope.USER else None),
            memory_type=MemoryType.RULE,
            content=text,
            status=FactStatus.ACTIVE,
            standing=Standing.HELD,
            confidence=1.0,
            basis=Basis.STATED,
            trust=80,
            recorded_at=NOW,
        )
        return replace(hit(text, "facts"), item=fact)

    scores = {"binds": 0.0, "own": 0.0, "said": 0.9}
    assert order(scores, rule(Scope.TENANT, "binds"), rule(Scope.USER, "own"), hit("said")) == ["binds", "said", "own"]


def test_history_stays_behind_unless_it_is_asked_for() -> None:
    hits = hit("now"), hit("other"), hit("past", flags=("history",)), hit("older", flags=("history",))
    scores = {"past": 0.5, "older": 0.9, "other": 0.7}
    assert order(scores, *hits) == ["other", "now", "older", "past"]
    assert order(scores, *hits, query="where did she live before") == ["older", "other", "past", "now"]


def test_passages_from_outside_stay_where_they_stand() -> None:
    hits = hit("a"), hit("k1", "knowledge"), hit("k2", "knowledge"), hit("b")
    assert order({"k2": 0.9, "k1": 0.8, "b": 0.5}, *hits) == ["b", "k2", "k1", "a"]


def test_only_the_first_are_given_and_the_rest_stays() -> None:
    model = Scores({"c": 0.9, "b": 0.5})
    hits = [hit("x", "exact"), *(hit(text) for text in "abcd")]
    assert [each.text for each in reranked(model, "q", hits, 2)] == ["x", "b", "a", "c", "d"]
    assert model.asked == [["a", "b"]]


def test_one_without_a_score_stands_behind_those_with_one() -> None:
    found = reranked(Scores({"a": None, "b": -3.0, "c": -1.0}), "q", [hit("a"), hit("b"), hit("c")], 30)
    assert [each.text for each in found] == ["c", "b", "a"]
    assert "rerank" not in found[2].parts


def test_equal_scores_keep_their_order() -> None:
    assert order({}, *(hit(text) for text in "dacb")) == list("dacb")


def test_fewer_than_two_ask_nobody() -> None:
    model = Scores({})
    assert len(reranked(model, "q", [hit("a"), hit("x", "exact")], 30)) == 2
    assert model.asked == []


@pytest.mark.parametrize("given", [[], [0.1], [0.1, 0.2, 0.3], [0.1, float("nan")], [0.1, "high"], None])
def test_an_answer_that_is_not_a_score_for_each_is_an_error(given: Any) -> None:
    class Wrong:
        def rerank(self, query: str, texts: Sequence[str]) -> Any:
            return given

    with pytest.raises((ModelError, TypeError, ValueError)):
        reranked(Wrong(), "q", [hit("a"), hit("b")], 30)
