"""The token of a snapshot: what `known_at` means across partitions.

Belongs here: `Token`. Does not belong here: who hands it out (store/) and who compares it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import quote, unquote

from muniment.domain.enums import OwnerType
from muniment.domain.errors import InvalidInput
from muniment.domain.scope import PartitionKey
from muniment.domain.time import parse_instant, utc


class Token(datetime):
    """An aware UTC instant that also says up to which instant each partition had been written when it was read.

    A later commit gets an instant after its own partition's mark, so a read as of a token returns for ever what it
    returned then; with a plain instant for several partitions a commit under way could still slip in before it.
    It is a `datetime` (the instant it was read at); `text` is its whole form, which `Token.read` takes back.
    """

    marks: dict[PartitionKey, datetime]

    @classmethod
    def of(cls, marks: dict[PartitionKey, datetime], *, now: datetime) -> Token:
        """The token of a snapshot taken at `now` whose partitions were last written at `marks`."""
        at = max([utc(now), *marks.values()])
        token = cls(at.year, at.month, at.day, at.hour, at.minute, at.second, at.microsecond, tzinfo=UTC)
        token.marks = dict(marks)
        return token

    @property
    def text(self) -> str:
        """One line: the instant, and a `;KIND:target=instant` for each partition that differs from it."""
        parts = [self.isoformat()]
        for key, at in sorted(self.marks.items()):
            parts.append(f"{key.kind}:{quote(key.target, safe='')}={at.isoformat()}")
        return ";".join(parts)

    @classmethod
    def read(cls, text: str, *, tenant: str) -> datetime:
        """A token from its text, or a plain instant from an ISO one. Raises `InvalidInput`."""
        head, *rest = text.split(";")
        at = parse_instant(head, name="known_at")
        if not rest:
            return at
        marks: dict[PartitionKey, datetime] = {}
        for part in rest:
            name, _, instant = part.rpartition("=")
            kind, _, target = name.partition(":")
            try:
                key = PartitionKey(tenant=tenant, kind=OwnerType(kind), target=unquote(target))
            except ValueError:
                raise InvalidInput(f"known_at={text!r} is not a token of this store") from None
            marks[key] = utc(parse_instant(instant, name="known_at"))
        return cls.of(marks, now=at)


def known_in(known_at: datetime | None, key: PartitionKey) -> datetime | None:
    """The instant `known_at` means for one partition: its mark; the beginning of time for one the token's snapshot had
    not seen written; the instant itself where `known_at` is a plain one; None for now."""
    if not isinstance(known_at, Token):
        return known_at
    return known_at.marks.get(key, BEGINNING)


BEGINNING = parse_instant("0001-01-02T00:00:00+00:00")
"""Before anything was written."""
