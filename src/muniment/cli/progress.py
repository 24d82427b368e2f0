"""The progress bar of long work: on a terminal only, on standard error, so that output can be piped.

Belongs here: its looks. Does not belong here: what is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text


class _Rate(ProgressColumn):
    """How many a second."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """The rate as text."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.0f} {self._unit}/s")


@contextmanager
def bar(unit: str) -> Iterator[Progress | None]:
    """A bar with count, rate and time left; None where standard error is not a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(unit), TimeRemainingColumn())
    with Progress(*columns, console=console) as shown:
        yield shown
