"""The exact keys under which evidence and facts are found: what they hold, and, of evidence, whose it is.

A name stands in a key only as the store's digest of it: the words themselves may be sealed.

Belongs here: the rows of keys. Does not belong here: what is a key (text/), and looking one up (retrieval/).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from muniment.domain.enums import Eligibility, ItemKind
from muniment.domain.records import Evidence, Fact
from muniment.ports.store import OWNER, StoredIdentifier, WriteUnit, key_text
from muniment.text.belonging import belongings, named
from muniment.text.identifiers import LONGEST, keys_of, normalise
from muniment.text.owners import mentioned


def keys_of_piece(piece: Evidence, digest: Callable[[str], str]) -> list[StoredIdentifier]:
    """The exact keys of a piece that the read path may offer, and who is named as having any of them, or beside them."""
    if piece.eligibility is Eligibility.AUDIT_ONLY:
        return []
    found = belongings(piece.content)
    keys = {(item.key.kind, item.key.value) for item in found if 0 < len(item.key.value) <= LONGEST}
    rows = [_of_piece(piece, kind, value) for kind, value in sorted(keys)]
    people = {named(item.person, piece.speaker) for item in found if item.person is not None}
    for owner in sorted({*people, *(mentioned(piece.content) if found else ())}):
        rows.append(_of_piece(piece, OWNER, digest(key_text(OWNER, owner)), held=False))
    return rows


def digest_of_piece(piece: Evidence, kind: str, original: str, digest: Callable[[str], str]) -> StoredIdentifier | None:
    """The key of something masked in a piece, as a digest only."""
    spelt = normalise(kind, original)
    return None if spelt is None else _of_piece(piece, kind, digest(key_text(kind, spelt)), held=False)


def _of_piece(piece: Evidence, kind: str, value: str, *, held: bool = True) -> StoredIdentifier:
    return StoredIdentifier(
        kind=kind,
        value=value,
        ref_kind=ItemKind.EVIDENCE.value,
        ref=piece.evidence_id,
        placement=piece.placement,
        held=held,
    )


def key_facts(unit: WriteUnit, rows: Iterable[Fact]) -> None:
    """Writes the exact keys of versions just recorded that their facts have not yet."""
    wanted: dict[tuple[object, str, str], StoredIdentifier] = {}
    for row in rows:
        if row.hidden_at is not None:
            continue
        for kind, value in sorted(keys_of(row.content, subject=row.subject, predicate=row.predicate, value=row.value)):
            wanted[row.fact_id, kind, value] = StoredIdentifier(
                kind=kind, value=value, ref_kind=ItemKind.FACT.value, ref=row.fact_id, placement=row.placement
            )
    if wanted:
        known = {
            (item.ref, item.kind, item.value) for item in unit.identifiers_in({row.ref for row in wanted.values()})
        }
        fresh = [row for key, row in wanted.items() if key not in known]
        unit.add_identifiers(fresh)
