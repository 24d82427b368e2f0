"""Keyed digests: slot ids, lane keys, body digests, identifiers that must not be held.

The key is the store's own, made when it is created, so that a digest says nothing to who has not the store.

Belongs here: what is derived from that key. Does not belong here: sealing keys (`sealing`).
"""

from __future__ import annotations

import hashlib
import hmac
import json
from uuid import UUID

from muniment.ports.store import Slot


class SlotKeys:
    """Digests under the store's key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def digest(self, text: str) -> str:
        """64 hexadecimal digits of HMAC-SHA-256."""
        return hmac.new(self._key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def idempotency(self, source: str, key: str) -> str:
        """What a tombstone keeps of an idempotency key, which may be anything its sender chose."""
        return self.digest(f"idempotency\x00{source}\x00{key}")

    def id_of(self, tenant: str, slot: Slot) -> UUID:
        """The slot's id: the same for the same key, owner and scope target, and for nothing else."""
        placement = slot.placement
        named = [tenant, placement.scope.value, placement.owner[1], placement.target, placement.user]
        key = [slot.key.subject, slot.key.predicate, slot.key.qualifier]
        return UUID(hex=self.digest(json.dumps(["slot", *named, *key, slot.value], ensure_ascii=False))[:32])
