"""The command line: an edge over the facade, generated from the operation table.

Belongs here: commands, options, rendering, exit codes. Does not belong here: what a command does (service/, evaluation/).
"""

from __future__ import annotations


def main() -> None:
    """Runs `muniment`; exits with the code of `cli.exits`."""
    from muniment.cli.app import run

    run()
