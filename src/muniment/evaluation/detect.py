"""Kind `detect`: what the detectors find in labelled texts, and how often they cry out over ordinary talk.

Belongs here: which records are measured by which part, and the ordinary talk that both parts count false alarms on. Does not
belong here: how either is measured (`detect_gate`: instructions and claims of authority; `detect_personal`: personal data).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from muniment.domain.errors import InvalidInput
from muniment.evaluation.options import Run
from muniment.service.formats import records as read
from muniment.service.turns import Malformed

GATE: Final = "muniment.evaluation.detect_gate"
PERSONAL: Final = "muniment.evaluation.detect_personal"


def evaluate(records: Sequence[Mapping[str, Any]], run: Run) -> list[dict[str, Any]]:
    """The figures of each dataset and split among the records, of the part that its records are for.

    Raises `InvalidInput` for a record without a text and a label of 0 or 1, and for a file of ordinary talk without turns.
    """
    chosen = [record for record in records if run.options.split in (None, record.get("split"))]
    for record in chosen:
        if not isinstance(record.get("text"), str) or record.get("label") not in (0, 1):
            raise InvalidInput(f"a record of kind 'detect' needs a text and a label of 0 or 1: {record.get('id')!r}")
    personal = {str(record.get("dataset")) for record in chosen if record.get("spans") or record.get("type") == "pii"}
    found: list[dict[str, Any]] = []
    for module, wanted in ((GATE, False), (PERSONAL, True)):
        mine = [record for record in chosen if (str(record.get("dataset")) in personal) is wanted]
        if mine:
            found += import_module(module).evaluate(mine, run)
    return found


def talk(files: Sequence[str | Path]) -> dict[str, list[str]]:
    """Each file's turns by its name, each wording once: texts in which nothing is to be found.

    A file holds records with `docs` (kind `retrieval`). Raises `InvalidInput` for one that holds no turn.
    """
    found: dict[str, list[str]] = {}
    for file in files:
        texts: dict[str, None] = {}
        for where, record in read(Path(file)):
            if isinstance(record, Malformed):
                raise InvalidInput(f"{file}, {where}: {record.problem}")
            for row in record if isinstance(record, list) else [record]:
                docs = row.get("docs") if isinstance(row, Mapping) else None
                texts |= {doc["text"]: None for doc in docs or () if isinstance(doc.get("text"), str)}
        if not texts:
            raise InvalidInput(f"{file} holds no turns of talk; records of kind 'retrieval' do, under 'docs'")
        found[Path(file).stem] = list(texts)
    return found
