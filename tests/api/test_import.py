"""Imports through the library and the command line: every format, resumed, malformed, twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.unit.test_import_formats import LOCOMO, MESSAGES, RETRIEVAL, SHAREGPT
from typer.testing import CliRunner

import muniment
from muniment.cli import eval_, import_
from muniment.domain.errors import InvalidInput
from muniment.domain.records import Evidence
from muniment.service.muniment import Muniment


@pytest.fixture
def memory(sqlite_url: str) -> Iterator[Muniment]:
    with muniment.open(sqlite_url, embedder="none") as opened:
        yield opened


def docs(count: int, *, name: str = "c-1", start: int = 0) -> dict[str, Any]:
    """A conversation of so many turns."""
    turns = [
        {
            "id": f"d{place}",
            "text": f"Turn {place} tells of topic{place}.",
            "speaker": ("Ana", "Ben")[place % 2],
            "session": 1,
        }
        for place in range(start, start + count)
    ]
    return {"kind": "retrieval", "dataset": "ours", "conv_id": name, "docs": turns}


def put(path: Path, *records: Any) -> Path:
    path.write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in records), encoding="utf-8")
    return path


def held(memory: Muniment, user: str, tenant: str = "default") -> int:
    return memory.counts(reader=memory.reader(tenant=tenant, user=user))["evidence"]


@pytest.mark.parametrize(
    ("record", "user", "turns", "query", "answer"),
    [
        (RETRIEVAL, "c-1", 3, "住在", "我住在杭州。"),
        ({"id": "m1", "messages": MESSAGES}, "m1", 5, "12", "12 degrees"),
        (SHAREGPT, "sg1", 2, "hello", "Hello"),
        (LOCOMO, "conv-9", 2, "dog beach", "Look! [shared image: a dog on a beach]"),
    ],
    ids=["retrieval", "messages", "sharegpt", "locomo"],
)
def test_every_format_becomes_a_user_that_is_searched(
    memory: Muniment, tmp_path: Path, record: Any, user: str, turns: int, query: str, answer: str
) -> None:
    report = memory.import_file(put(tmp_path / "file", record))
    assert (report.conversations, report.new, report.present, report.failed) == (1, turns, 0, 0)
    assert report.turns == report.new + report.empty
    hits = memory.reader(user=user).search(query, channels=["evidence"])
    assert hits[0].text == answer
    assert held(memory, user) == turns
    assert not memory.reader(user="someone else").search(query)


def test_the_same_file_twice_adds_nothing(memory: Muniment, tmp_path: Path) -> None:
    file = put(tmp_path / "a.jsonl", docs(7), {"messages": MESSAGES}, SHAREGPT, LOCOMO)
    first = memory.import_file(file, batch=3)
    copy = put(tmp_path / "renamed.txt", docs(7), {"messages": MESSAGES}, SHAREGPT, LOCOMO)
    again = memory.import_file(copy, batch=5)
    assert (again.new, again.present, again.facts) == (0, first.new, 0)
    assert held(memory, "c-1") == 7


def test_what_was_added_to_a_file_is_added(memory: Muniment, tmp_path: Path) -> None:
    memory.import_file(put(tmp_path / "a", docs(5)))
    inserted = docs(8)
    inserted["docs"] = [inserted["docs"][place] for place in (0, 6, 1, 2, 7, 3, 4, 5)]
    report = memory.import_file(put(tmp_path / "b", inserted))
    assert (report.new, report.present) == (3, 5)
    assert held(memory, "c-1") == 8


class Stop(BaseException):
    """What ends a process in the middle."""


@pytest.mark.parametrize("batch", [1, 4, 100])
@pytest.mark.parametrize("after", [1, 2])
def test_an_import_that_was_stopped_goes_on_with_every_turn_once(
    memory: Muniment, tmp_path: Path, batch: int, after: int
) -> None:
    file, calls = put(tmp_path / "a", docs(10), docs(3, name="c-2")), 0

    def stop(count: int) -> None:
        nonlocal calls
        calls += 1
        if calls == after:
            raise Stop

    with pytest.raises(Stop):
        memory.import_file(file, progress=stop, batch=4)
    there = held(memory, "c-1") + held(memory, "c-2")
    assert 0 < there < 13
    report = memory.import_file(file, batch=batch)
    assert (report.new, report.present) == (13 - there, there)
    assert (held(memory, "c-1"), held(memory, "c-2")) == (10, 3)
    found = memory.reader(user="c-1").search("topic3", channels=["evidence"], k=20)
    assert [hit.item.source_id for hit in found if isinstance(hit.item, Evidence)].count("d3") == 1


def test_progress_adds_up_to_all_turns(memory: Muniment, tmp_path: Path) -> None:
    told: list[int] = []
    file = put(tmp_path / "a", docs(10), {"messages": MESSAGES})
    report = memory.import_file(file, progress=told.append, batch=4)
    assert sum(told) == report.turns == 16
    told.clear()
    memory.import_file(file, progress=told.append, batch=4)
    assert sum(told) == 16


def broken(folder: Path) -> Path:
    lines = [json.dumps(docs(3)), "{oops", json.dumps(docs(2, name="c-2"))]
    file = folder / "broken.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_a_malformed_line_stops_with_its_number_and_keeps_what_came_before(memory: Muniment, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"line 2: not JSON.*3 turns") as caught:
        memory.import_file(broken(tmp_path))
    assert "keep_going" in str(caught.value)
    assert (held(memory, "c-1"), held(memory, "c-2")) == (3, 0)


def test_keep_going_skips_and_counts(memory: Muniment, tmp_path: Path) -> None:
    report = memory.import_file(broken(tmp_path), keep_going=True)
    assert (report.new, report.failed) == (5, 1)
    assert [item.where for item in report.problems] == ["line 2"]


def test_a_turn_that_cannot_be_kept_is_named_and_the_others_are_written(memory: Muniment, tmp_path: Path) -> None:
    record = docs(6)
    record["docs"][2]["text"] = "x" * (memory.policy.limits.content_chars + 1)
    file = put(tmp_path / "a", record)
    with pytest.raises(InvalidInput, match=r"line 1, docs\[2\]: content has"):
        memory.import_file(file)
    assert held(memory, "c-1") == 2, "what came before it, though it was in the same batch"
    report = memory.import_file(file, keep_going=True)
    assert (report.new, report.present, report.failed) == (3, 2, 1)


def test_another_body_under_a_known_id_is_a_problem_not_a_silent_skip(memory: Muniment, tmp_path: Path) -> None:
    memory.import_file(put(tmp_path / "a", docs(3)))
    changed = docs(3)
    changed["docs"][1]["text"] = "Something else was said."
    with pytest.raises(InvalidInput, match=r"docs\[1\].*another body"):
        memory.import_file(put(tmp_path / "b", changed))
    report = memory.import_file(tmp_path / "b", keep_going=True)
    assert (report.present, report.failed, report.new) == (2, 1, 0)


def test_one_user_for_all_keeps_conversations_apart_by_session(memory: Muniment, tmp_path: Path) -> None:
    file = put(tmp_path / "a", docs(2), docs(2, name="c-2", start=10), SHAREGPT)
    report = memory.import_file(file, reader=memory.reader(tenant="acme", user="u1"))
    assert report.new == 6
    assert held(memory, "u1", "acme") == 6
    hits = memory.reader(tenant="acme", user="u1").search("topic1 topic11 hello", channels=["evidence"], k=20)
    sessions = {hit.item.session for hit in hits if isinstance(hit.item, Evidence)}
    assert sessions <= {"c-1/1", "c-2/1", "sg1"}
    assert len(sessions) == 3
    assert held(memory, "c-1") == 0


def test_one_session_where_it_is_given(memory: Muniment, tmp_path: Path) -> None:
    memory.import_file(put(tmp_path / "a", docs(2)), user="u1", session="s9")
    hits = memory.reader(user="u1").search("topic1", channels=["evidence"])
    assert {hit.item.session for hit in hits if isinstance(hit.item, Evidence)} == {"s9"}


def test_an_unknown_file_writes_nothing(memory: Muniment, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="known are"):
        memory.import_file(put(tmp_path / "a", {"rows": []}), keep_going=True)


# -- the command line -------------------------------------------------------------------------------------------------


@pytest.fixture
def command() -> typer.Typer:
    app = typer.Typer()
    import_.register(app)
    eval_.register(app)
    return app


def run(app: typer.Typer, *arguments: object) -> Any:
    return CliRunner().invoke(app, [str(item) for item in arguments])


def test_the_command_imports_and_says_what_became_of_it(command: typer.Typer, sqlite_url: str, tmp_path: Path) -> None:
    file = put(tmp_path / "a.jsonl", docs(4))
    given = ("import", file, "--db", sqlite_url, "--embedder", "none", "--json")
    first = json.loads(run(command, *given).stdout)["files"][0]
    assert (first["new"], first["present"], first["turns"]) == (4, 0, 4)
    again = run(command, *given)
    assert again.exit_code == 0
    assert json.loads(again.stdout)["files"][0]["present"] == 4
    shown = run(command, *given[:-1])
    assert "0 new, 4 already there, 0 failed" in shown.stdout


def test_the_command_names_skipped_lines_and_exits_with_1(
    command: typer.Typer, sqlite_url: str, tmp_path: Path
) -> None:
    done = run(command, "import", broken(tmp_path), "--db", sqlite_url, "--embedder", "none", "--keep-going")
    assert done.exit_code == 1
    assert "line 2: not JSON" in done.output


def test_eval_prints_one_object_with_results_and_environment(command: typer.Typer, tmp_path: Path) -> None:
    record = docs(8) | {"queries": [{"id": "q", "question": "What of topic3?", "gold": ["d3"], "category": "one"}]}
    file = put(tmp_path / "set.jsonl", record)
    done = run(command, "eval", file, "--json", "--compare", "--embedder", "none")
    assert done.exit_code == 0, done.output
    shown = json.loads(done.stdout)
    (result,) = shown["results"]
    assert (result["dataset"], result["kind"], result["n"]) == ("ours", "retrieval", 1)
    assert result["hit@5"] == result["recall@10"] == result["by_category"]["one"]["recall@10"] == 1.0
    assert set(result["baselines"]) == {"seed", "bm25"}, "without an embedder there is no dense baseline"
    assert "forbidden@10" not in result
    assert shown["environment"]["embedder"] == "none"
    assert shown["environment"]["switches"]["role_prior"] is False


def test_eval_names_a_kind_it_cannot_measure_and_exits_with_1(command: typer.Typer, tmp_path: Path) -> None:
    known = docs(2) | {"queries": [{"question": "topic1?", "gold": ["d1"], "forbidden": ["d0"]}]}
    file = put(tmp_path / "set.jsonl", known, {"kind": "no-such-kind"})
    done = run(command, "eval", file, "--json", "--embedder", "none")
    assert done.exit_code == 1
    shown = json.loads(done.stdout)
    assert shown["unsupported"] == [{"file": str(file), "kind": "no-such-kind"}]
    assert len(shown["results"]) == 1
    assert "forbidden@10" in shown["results"][0]
