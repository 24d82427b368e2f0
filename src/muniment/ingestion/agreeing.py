"""Whether the words of a stated fact and the value they are filed under speak of the same.

'I live in Rome' filed under residence: Oslo would be shown as one and looked up as the other. Only what is certain is refused:
the value stands nowhere in the words, and the words themselves name another for the same predicate.

Belongs here: that check. Does not belong here: cleaning (`stated`), what is held already (governance/).
"""

from __future__ import annotations

import re
from uuid import UUID

from muniment.config import Policy
from muniment.domain.enums import ActorType, EvidenceType
from muniment.domain.errors import InvalidInput
from muniment.domain.records import Candidate
from muniment.domain.scope import Reader
from muniment.domain.statement import canonical
from muniment.governance.sameness import same_value
from muniment.ports.models import Extractor, Turn

_TOKEN = re.compile(r"[^\W_]+")
_HAN = re.compile("[\u3400-\u9fff]")


def require_agreement(candidate: Candidate, policy: Policy, extractor: Extractor, reader: Reader) -> None:
    """Raises `InvalidInput` where the words name another value than the one given. Asks an extractor only if it is local."""
    value, said = candidate.value, candidate.content
    if not value or candidate.predicate not in policy.predicates or not extractor.local or _shared(value, said):
        return
    turn = Turn(
        text=said,
        actor=ActorType.USER,
        evidence_type=EvidenceType.CONVERSATION,
        occurred=None,
        reader=reader,
        evidence_id=UUID(int=0),
    )
    for item in extractor.extract(turn):
        name, _ = policy.predicate(item.predicate)
        if name == candidate.predicate and item.value and not _alike(item.value, value):
            raise InvalidInput(
                f"the text says {name} is {item.value!r}, and value= says {value!r}; state one of them, or a text that says so"
            )


def _shared(value: str, said: str) -> bool:
    """Whether the value, or a word of it, stands in the words; where they are written in different scripts, nobody can say."""
    plain, text = canonical(value), canonical(said)
    if plain in text or bool(_HAN.search(plain)) is not bool(_HAN.search(text)):
        return True
    if _HAN.search(plain):
        return any(char in text for char in plain if _HAN.match(char))
    return bool(set(_TOKEN.findall(plain)) & set(_TOKEN.findall(text)))


def _alike(one: str, other: str) -> bool:
    """The same value in another spelling, the same figures, or one as the initials of the other."""
    if same_value(one, other):
        return True
    figures = ["".join(char for char in text if char.isdigit()) for text in (one, other)]
    if figures[0] and figures[0] == figures[1]:
        return True
    words = [_TOKEN.findall(canonical(text)) for text in (one, other)]
    initials = ["".join(word[0] for word in some) for some in words]
    return initials[0] == "".join(words[1]) or initials[1] == "".join(words[0])
