"""Kind `dependency`: judging on contexts written here, the course on an episode made here, and the set where present."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from muniment.domain.errors import InvalidInput
from muniment.evaluation.answers import answered
from muniment.evaluation.episodes import Task
from muniment.evaluation.options import Options
from muniment.evaluation.report import show
from muniment.evaluation.suites import Outcome, measure

CAS = Task(type="Cas", question="?", gold=("Berth 9",), stale="Berth 4")
ABS = Task(type="Abs", question="?", gold=(), stale="Ines Roca")


@pytest.mark.parametrize(
    ("task", "text", "right"),
    [
        (CAS, "- The berth is Berth 9", True),
        (CAS, "- The berth is Berth 9\n- previously: The berth is Berth 4", True),
        (CAS, "- 泊位是 Berth 9\n- 此前：泊位是 Berth 4", True),
        (CAS, "- The berth is Berth 9\n- The berth is Berth 4", False),
        (CAS, "- If the port changes, the berth will be Berth 9", False),
        (CAS, "- The berth is Berth 91", False),
        (ABS, "- The pilot is not known any more; previously: Ines Roca", True),
        (ABS, "- 引航员已不明，此前是 Ines Roca", True),
        (ABS, "- The pilot is Ines Roca", False),
        (ABS, "- The pilot is not known; previously Ines Roca\n- (2031-01-01, user) The pilot is Ines Roca", False),
        (ABS, "- previously: The pilot is Ines Roca", False),
        (Task(type="Del", question="?", gold=(), stale="Nera 5"), "- The boat is Otter", True),
        (Task(type="Del", question="?", gold=(), stale="Nera 5"), "- previously: nera 5", False),
        (
            Task(type="Tr", question="?", gold=("Ash", "Elm", "Oak")),
            "- Ash (until May)\n- Elm (until June)\n- Oak",
            True,
        ),
        (Task(type="Tr", question="?", gold=("Ash", "Elm", "Oak")), "- Oak\n- Elm\n- Ash", False),
        (Task(type="Tr", question="?", gold=("Ash", "Elm", "Oak")), "- Ash\n- Oak", False),
        (Task(type="Agg", question="?", gold=("Ash", "Elm")), "- Elm\n- Ash", True),
        (Task(type="Agg", question="?", gold=("Ash", "Elm")), "- Elm\n- previously: Ash", False),
        (Task(type="ER", question="?", gold=("E7: gone\n  at 4",)), "- said: E7: gone\n  at 4", True),
        (Task(type="ER", question="?", gold=("E7: gone\n  at 4",)), "- said: E7: gone at 4", False),
        (Task(type="Ctl", question="?", gold=("Elm",)), "- The wood is Elm", True),
        (Task(type="Ctl", question="?", gold=("Elm",)), "- The wood is not known; previously Elm", False),
    ],
)
def test_what_a_context_answers(task: Task, text: str, right: bool) -> None:
    assert answered(task, text, before=False) is right


def test_before_the_change_the_old_value_is_the_answer() -> None:
    asked = Task(type="Abs", question="?", gold=("Ines Roca",))
    assert answered(asked, "- The pilot is Ines Roca", before=True)
    assert not answered(asked, "- The pilot is not known; previously Ines Roca", before=True)


def line(place: int, text: str, entity: str, value: str | None, kind: str = "fact", **more: Any) -> dict[str, Any]:
    """One session of an episode."""
    stamp = f"2031-05-{place + 1:02}T09:00:00Z"
    return {"idx": place, "timestamp": stamp, "text": text, "entity": entity, "value": value, "kind": kind, **more}


EPISODE: dict[str, Any] = {
    "kind": "dependency",
    "dataset": "made_here",
    "id": "quay",
    "lang": "en",
    "split": "dev",
    "sessions": [
        line(0, "The winter port is Orsund.", "winter port", "Orsund"),
        line(
            1,
            "The berth is Quay Four; this depends on the winter port.",
            "berth",
            "Quay Four",
            depends_on=["winter port"],
        ),
        line(
            2,
            "If the winter port changes, the berth will be Quay Nine.",
            "berth",
            "Quay Nine",
            "rule",
            when="winter port",
        ),
        line(3, "The chandler is Tolle & Son.", "chandler", "Tolle & Son"),
        line(4, "The dinghy is Mopsa.", "dinghy", "Mopsa"),
        line(5, "The winter port is now Helvik.", "winter port", "Helvik", "change"),
        line(6, "Please delete the dinghy from your memory.", "dinghy", None, "delete"),
    ],
    "probe_before_idx": 5,
    "tasks": [
        {"type": "Cas", "question": "What is the berth?", "gold_answer": "Quay Nine", "stale": "Quay Four"},
        {"type": "Del", "question": "What is the dinghy?", "gold_answer": "No - removed", "stale": "Mopsa"},
        {"type": "Ctl", "question": "What is the chandler?", "gold_answer": "Tolle & Son"},
    ],
    "before_questions": [
        {"type": "Cas", "question": "What is the berth?", "gold_answer": "Quay Four"},
        {"type": "Ctl", "question": "What is the chandler?", "gold_answer": "Tolle & Son"},
    ],
}


def run(tmp_path: Path, *records: dict[str, Any], **given: Any) -> list[dict[str, Any]]:
    """The results of the suite on these records."""
    file = tmp_path / "made.jsonl"
    file.write_text("\n".join(json.dumps(item, ensure_ascii=False) for item in records), encoding="utf-8")
    return measure([file], Options(embedder="none", **given)).results


def test_an_episode_is_followed_on_both_levels(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    (result,) = run(tmp_path, EPISODE, progress=lambda what, done, of: told.append((what, done, of)))
    assert (result["kind"], result["n"]) == ("dependency", 1)
    assert told == [("episodes of made_here", 1, 1)]
    right = {"right": 1, "n": 1}
    assert result["structured"]["by_type"] == {"Cas": right, "Del": right, "Ctl": right}
    assert result["structured"]["accuracy"] == 1.0
    assert result["structured"]["before"] == {"accuracy": 1.0, "by_type": {"Cas": right, "Ctl": right}}
    assert result["text"]["before"]["by_type"] == {"Cas": right, "Ctl": right}
    assert {name: result["text"]["by_type"][name] for name in ("Del", "Ctl")} == {"Del": right, "Ctl": right}


def test_the_gold_is_not_read_before_it_is_judged(tmp_path: Path) -> None:
    blind = {
        **EPISODE,
        "gold_state": {"berth": "anything"},
        "tasks": [{**EPISODE["tasks"][2], "gold_answer": "Nobody"}],
    }
    (result,) = run(tmp_path, blind)
    assert result["structured"]["by_type"] == {"Ctl": {"right": 0, "n": 1}}


def test_what_an_episode_does_not_know_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="kind 'guess'"):
        run(tmp_path, {**EPISODE, "sessions": [line(0, "x", "x", "x", "guess")]})
    with pytest.raises(InvalidInput, match="type 'Zzz'"):
        run(tmp_path, {**EPISODE, "tasks": [{"type": "Zzz", "question": "?", "gold_answer": "x"}]})


def test_the_tables_show_the_figures(tmp_path: Path) -> None:
    console = Console(width=160, record=True, file=StringIO())
    show(Outcome(results=run(tmp_path, EPISODE)), console)
    shown = console.export_text()
    assert all(part in shown for part in ("structured, before the change", "1/1"))


@pytest.mark.timeout(900)
def test_the_set_of_episodes_before_the_change(eval_data: Path) -> None:
    file = eval_data / "dependency_episodes.jsonl"
    if not file.exists():
        pytest.skip(f"no {file.name} in {eval_data}")
    (result,) = measure([file], Options(embedder="none", limit=20)).results
    types = result["structured"]["by_type"]
    assert [types[name]["right"] for name in ("Cas", "Del", "Ctl")] == [20, 20, 20]
    before = result["structured"]["before"]["by_type"]
    assert [before[name]["right"] for name in ("Cas", "Abs", "Del", "Ctl")] == [20, 20, 20, 20]
