"""What is held of a document: its versions in the order they came, its passages, and what a further version is to them.

Belongs here: reading that, and the questions asked of it. Does not belong here: the writing of a version (`documents`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from muniment.domain.documents import DocumentPassage, DocumentVersion
from muniment.domain.enums import Eligibility, ItemKind, Scope
from muniment.domain.errors import Conflict, Erased, InvalidInput
from muniment.domain.receipts import receipt_from
from muniment.domain.records import Event, Evidence, Receipt
from muniment.domain.scope import Placement, Reader
from muniment.ports.store import ReadUnit, StoredIdentifier, WriteUnit
from muniment.text.sanitise import sanitise
from muniment.text.versions import compare

KEY: Final = "document"
"""Kind of the exact key that leads to a document's passages (evidence) and versions (events)."""
VERSION: Final = "version"


@dataclass(slots=True)
class Known:
    """What is held of a document: its versions, oldest first, and its passages by event."""

    versions: list[DocumentVersion]
    groups: dict[UUID, list[Evidence]]

    @property
    def current(self) -> DocumentVersion | None:
        """The version that readers are shown."""
        return next((item for item in self.versions if item.current), None)


def known_of(unit: ReadUnit, key: str) -> Known:
    """What this reader may see of a document. A version of which nothing is left, because it was forgotten, is none."""
    found = unit.identifiers([key], kinds=[KEY])
    turns = unit.events([item.ref for item in found if item.ref_kind == VERSION])
    pieces = unit.evidence(item.ref for item in found if item.ref_kind != VERSION)
    groups: dict[UUID, list[Evidence]] = defaultdict(list)
    for piece in pieces.values():
        groups[piece.event_id].append(piece)
    told = [_version(event) for event in turns if "passages" in event.payload]
    versions = [item for item in told if not item.events.isdisjoint(groups)]
    shown = next((item.event_id for item in reversed(versions) if not item.late), None)
    return Known([replace(item, current=item.event_id == shown) for item in versions], groups)


def key_and_name(
    digest: Callable[[str], str],
    reader: Reader,
    *,
    source_system: str,
    source_id: str | None,
    locator: str | None,
    words: str = "",
) -> tuple[str, str]:
    """The key by which the versions of one document of this user are known, and its name: by its id in its system, else by its
    locator. One without either is known by its own words. Raises `InvalidInput` for what is no text, or holds what cannot be
    kept: cleaned, it would be another document's name."""
    for name, text in (("source_system", source_system), ("source_id", source_id), ("locator", locator)):
        if text is not None and sanitise(text).flags:
            raise InvalidInput(f"{name}={text!r} holds characters that cannot be kept; name the document without them")
    kind, which = ("id", source_id) if source_id else ("locator", locator) if locator else ("words", words)
    named = (kind, source_system if source_id else "", which)
    place = "\x00".join((reader.tenant, reader.user, *named))
    return digest(f"document\x00{place}"), source_id or locator or "document"


def key_of(key: str, piece: Evidence) -> StoredIdentifier:
    """What leads from a document to one of its passages."""
    return StoredIdentifier(
        kind=KEY, value=key, ref_kind=ItemKind.EVIDENCE.value, ref=piece.evidence_id, placement=piece.placement
    )


def version_key(key: str, event: Event, reader: Reader) -> StoredIdentifier:
    """What leads from a document to one of its versions."""
    home = Placement(scope=Scope.USER, user=reader.user)
    return StoredIdentifier(kind=KEY, value=key, ref_kind=VERSION, ref=event.event_id, placement=home)


def _version(event: Event) -> DocumentVersion:
    """A version as the act that turned to it tells it; whether it is the one in force, only all of them together say."""
    given: Mapping[str, Any] = event.payload
    return DocumentVersion(
        event_id=event.event_id,
        version=given["version"],
        digest=given["digest"],
        occurred_at=event.occurred.at,
        recorded_at=event.recorded_at,
        current=False,
        late=not given["current"],
        passages=tuple(
            DocumentPassage(event_id=UUID(came), evidence=tuple(UUID(ref) for ref in refs), start=start, end=end)
            for came, refs, start, end in given["passages"]
        ),
    )


def same(known: Known, version: str | None, digest: str, name: str) -> DocumentVersion | None:
    """The version that this one is, where it was observed before. Raises `Conflict` for other words under its number, `Erased`
    where part of it was forgotten since: what was taken out does not come back by being told again as it was."""
    current = known.current
    if version is None:
        return _whole(known, current, name) if current is not None and current.digest == digest else None
    for item in known.versions:
        if item.version is not None and compare(item.version, version) == 0:
            if item.digest != digest:
                raise Conflict(
                    f"version {version} of {name} is held with other words; give these another version",
                    current=item.version,
                )
            return _whole(known, item, name)
    return None


def _whole(known: Known, item: DocumentVersion, name: str) -> DocumentVersion:
    if not item.events <= known.groups.keys():
        raise Erased(f"part of this version of {name} was forgotten; give it another version to keep it again")
    return item


def first_receipt(unit: ReadUnit, same: DocumentVersion) -> Receipt:
    """What observing a version was answered with."""
    stored = unit.receipt(same.event_id)
    if stored is None:
        return Receipt(event=same.event_id, evidence=same.evidence, replayed=True, known_at=same.recorded_at)
    return receipt_from(stored, replayed=True)


def supersedes(event: Event, version: str | None, held: DocumentVersion) -> bool:
    """Whether a version comes after the one held: by its number or date where both have one that compares, else by when each
    was said; of two said at once, the one that came later."""
    order = None if version is None or held.version is None else compare(version, held.version)
    return order > 0 if order else event.occurred.at >= held.occurred_at


def whole(group: Sequence[Evidence]) -> str:
    """The passage's own words: where some of them are withheld, the piece that has them all is the longest."""
    return max((piece.content for piece in group), key=len, default="")


def standing(held: Sequence[Evidence], group: Sequence[Evidence]) -> list[Evidence]:
    """The pieces of a passage as they are held now, in the order in which they were cut."""
    pieces = {piece.evidence_id: piece for piece in held}
    return [pieces[item.evidence_id] for item in group if item.evidence_id in pieces]


def offered(unit: WriteUnit, events: Sequence[UUID]) -> list[UUID]:
    """The pieces of passages that readers are offered: what is the auditor's stays so."""
    offered = (Eligibility.ELIGIBLE, Eligibility.QUARANTINED)
    return [
        piece.evidence_id for event in events for piece in unit.evidence_of_event(event) if piece.eligibility in offered
    ]


def line_of(
    name: str,
    version: str | None,
    before: DocumentVersion | None,
    newer: bool,
    count: int,
    fresh: int,
    past: int,
) -> str:
    """'document handbook.md, version 3: 12 passages, 2 new, 10 as before; 3 of the version before are history now'."""
    head = f"document {name}" + (f", version {version}" if version else "")
    said = f"{head}: {count} passages, {fresh} new, {count - fresh} as before"
    if before is None:
        return said
    if not newer:
        return f"{said}; it is older than {before.version or 'the version held'}, and history"
    return f"{said}; {past} pieces of the version before are history now"
