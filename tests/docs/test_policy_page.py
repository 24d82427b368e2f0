"""docs/policy.md and the example beside it say of every knob what the code says.

`scripts/policy-page` renews both after a knob was added.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.unit.governance_factory import considered

from muniment.config import Policy, example_policy, load_policy
from muniment.governance.combine import LIFTED
from muniment.governance.govern import govern
from muniment.knobs import described, table

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "policy.md").read_text(encoding="utf-8")


def test_the_table_has_a_row_for_every_knob_and_no_other() -> None:
    shown = PAGE.split("<!-- knobs: begin")[1].split("-->\n", 1)[1].split("<!-- knobs: end")[0]
    assert shown.strip().splitlines() == table(Policy).strip().splitlines()
    assert len(shown.splitlines()) > 30


def test_the_example_is_what_the_command_prints() -> None:
    path = DOCS / "policy.example.toml"
    assert path.read_text(encoding="utf-8") == example_policy()
    assert load_policy(path).predicate("鞋码")[0] == "shoe_size"


def test_every_rule_is_explained_and_what_an_explicit_act_lifts() -> None:
    section = PAGE.split("## How the rules read it")[1].split("## Every knob")[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    lifted = {
        name for cells in rows for name in re.findall(r"`([a-z_.]+)`", cells[0]) if cells[2].strip() not in ("no", "")
    }
    named = {name for cells in rows for name in re.findall(r"`([a-z_.]+)`", cells[0])}
    assert named == {item.rule for item in govern(considered()).verdicts}
    assert lifted == LIFTED


def test_it_names_only_knobs_that_exist() -> None:
    known = {each.name for each in described(Policy)}
    tables = {name.split(".")[0] for name in known}
    for name in re.findall(r"`((?:[a-z_]+|predicates\.<name>)\.[a-z_]+)(?: = [^`]*)?`", PAGE):
        if name.split(".")[0] in tables and not name.startswith("policy."):
            assert name in known, name
