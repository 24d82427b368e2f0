"""What the README tells a newcomer to type works as it stands there.

Belongs here: its quick start and its commands. Does not belong here: links and prose.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(mark: str, language: str) -> str:
    """The fenced block after a mark."""
    found = re.search(rf"<!-- test: {mark} -->\n```{language}\n(.*?)```", README, re.DOTALL)
    assert found, mark
    return found[1]


def test_the_quick_start_runs_and_answers(tmp_path: Path) -> None:
    code = block("quickstart", "python")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "committed: I live in Lisbon" in done.stdout
    assert "I live in Lisbon" in done.stdout.splitlines()[1]
    assert "PREFERENCE" in done.stdout
    assert (tmp_path / "memory.db").exists()


def test_every_command_runs(tmp_path: Path) -> None:
    lines = [line.removeprefix("$ ") for line in block("commands", "console").splitlines() if line.startswith("$ ")]
    assert len(lines) >= 5
    environment = os.environ | {"MUNIMENT_DB": f"sqlite:///{tmp_path / 'm.db'}"}
    for line in lines:
        name, *arguments = shlex.split(line)
        assert name == "muniment"
        done = subprocess.run(
            [sys.executable, "-m", "muniment", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, line + done.stderr
        assert done.stdout.strip(), line


def test_every_file_it_links_to_is_there() -> None:
    for page in [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} → {target}"
