"""`muniment observe-document`: files, standard input, JSON, and what is no text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from muniment.cli.app import app

run = CliRunner().invoke


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUNIMENT_DB", f"sqlite:///{tmp_path / 'm.db'}")
    monkeypatch.setenv("MUNIMENT_EMBEDDER", "none")
    return tmp_path


def test_a_file_is_recorded_version_by_version(place: Path) -> None:
    file = place / "handbook.md"
    file.write_text("\ufeff# 手册\n\n温室的玻璃三月清洗。\n", encoding="utf-8")
    first = run(app, ["observe-document", "handbook.md", "--version", "1", "--title", "Gardens", "--json"])
    assert first.exit_code == 0, first.output
    told = json.loads(first.stdout)
    assert told["lines"] == ["document handbook.md, version 1: 1 passages, 1 new, 0 as before"]
    assert json.loads(run(app, ["observe-document", "handbook.md", "--version", "1", "--json"]).stdout)["replayed"]
    file.write_text("# 手册\n\n温室的玻璃四月清洗。\n", encoding="utf-8")
    shown = run(app, ["observe-document", "handbook.md", "--version", "2"])
    assert "document handbook.md, version 2: 1 passages, 1 new, 0 as before" in shown.stdout
    found = json.loads(run(app, ["search", "温室玻璃清洗", "--json"]).stdout)["hits"]
    assert [("四月" in hit["text"], hit["why"]["flags"]) for hit in found] == [(True, []), (False, ["history"])]
    assert found[0]["item"]["locator"].startswith("handbook.md#手册:")


def test_standard_input_and_fields(place: Path) -> None:
    given = ["observe-document", "-", "--source-id", "7", "--source-system", "wiki", "--metadata", '{"team": "ops"}']
    assert run(app, [*given, "--json"], input="The ponds are drained in autumn.").exit_code == 0
    found = json.loads(run(app, ["search", "ponds", "--where", '{"team": "ops"}', "--json"]).stdout)["hits"]
    assert [(hit["item"]["source_system"], hit["item"]["source_id"]) for hit in found] == [("wiki", "7")]


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x01", b"", None])
def test_what_is_no_text_is_refused(place: Path, content: bytes | None) -> None:
    if content is not None:
        (place / "x.md").write_bytes(content)
    refused = run(app, ["observe-document", "x.md"])
    assert refused.exit_code != 0
    assert run(app, ["observe-document", "x.md", "--metadata", "[1]"]).exit_code != 0
