"""The Typer application: every command in its place.

Belongs here: registration. Does not belong here: any command's body. Heavy parts are imported when a command runs.
"""

from __future__ import annotations

import io
import sys

import typer

from muniment.cli import (
    conflicts,
    demo,
    doctor,
    document,
    eval_,
    forget,
    generated,
    import_,
    lifecycle,
    replay,
    review,
    show,
    views,
)
from muniment.cli.exits import Commands

app = typer.Typer(
    name="muniment",
    cls=Commands,
    help="Governed memory for AI agents: whose, what, since when, on what ground, and for how long.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

demo.register(app)
generated.register(app)
forget.register(app)
import_.register(app)
document.register(app)
eval_.register(app)
replay.register(app)
lifecycle.register(app)
doctor.register(app)
show.register(app)
review.register(app)
conflicts.register(app)
views.register(app)


def run() -> None:
    """Runs the command line of this process and exits. What its output's encoding has no character for is escaped."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()
