"""Forgetting: what a reader may name, in which mode, and what follows outside of the transaction.

Belongs here: checking the selector and who may ask; caches, the database's files, vectors of what stays. Does not belong
here: what is selected and how it goes (ingestion/).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from muniment.domain.enums import OwnerType
from muniment.domain.errors import Forbidden, InvalidInput, NotFound
from muniment.domain.forgotten import MODES, SELECTORS, By, Forgotten, Mode, Selector
from muniment.domain.records import Receipt
from muniment.domain.scope import PartitionKey, may_write, scope_key
from muniment.domain.scope import Reader as Identity
from muniment.ingestion.forgetting_many import Forgetting
from muniment.ingestion.selecting import Plan
from muniment.ingestion.stated import clean_text
from muniment.ports.store import FactFilter, Locks
from muniment.service.parts import as_id
from muniment.service.renewal import embed_rests
from muniment.service.summaries import summarised_anew
from muniment.service.writing import Writes
from muniment.text.phrases import spelt

WILD: Final = frozenset({"*", "%", "_", "?", "all", "any", "everything", ".*", "**", "全部", "所有", "一切"})
"""Selectors that would mean everything elsewhere; here they name nothing."""
POINTING: Final = frozenset(
    {"me", "my", "we", "our", "you", "your", "he", "she", "it", "they", "is", "am", "are", "the", "an"}
)
"""Words that stand in nearly everything that is said."""
SCRUB_SECONDS: Final = 3.0
"""How long a forget waits for other readers of the database's files before it says that bytes are pending."""


class Forgets(Writes):
    """Mixed into `Reader`: its writes, and forgetting."""

    def forget(
        self,
        *,
        fact: UUID | str | None = None,
        session: str | None = None,
        task: str | None = None,
        user: str | None = None,
        tenant: str | None = None,
        query: str | None = None,
        mode: str = "hide",
        dry_run: bool = False,
        expected_manifest: str | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> Receipt:
        """Forgets what exactly one selector names. `hide`: gone from every channel at once, kept for the auditor. `erase`: the
        content is gone from the database now, a tombstone stays; the receipt is a `Forgotten` and says what went.

        A `query` names the user's facts and turns that say its words exactly, or hold the exact key it is. `user` is the
        reader's own, or any of the tenant for an admin; `tenant` takes an admin. `dry_run` changes nothing and lists what
        would go; its `manifest_hash`, given as `expected_manifest`, makes sure that it is that and nothing else.
        `reason` is kept with the tombstones.

        Raises `InvalidInput` for a selector that names nothing, `NotFound` for a fact that is not there, `Forbidden` for what
        is not the reader's or is under a legal hold, `Conflict` where the manifest moved.
        """
        given = {"fact": fact, "session": session, "task": task, "user": user, "tenant": tenant, "query": query}
        selector, how = self._selector(given), _mode(mode)
        if selector.by == "fact" and how == "hide" and not dry_run and expected_manifest is None:
            with summarised_anew(self.parts, self.identity):
                hidden = self._act("forget", selector.value, {"reason": reason}, None, idempotency_key)
                embed_rests(self.parts, [_home(self.identity)])
            return hidden
        asked = Forgetting(
            pipeline=self.parts.pipeline,
            reader=self.identity,
            subject=self._subject(selector),
            selector=selector,
            mode=how,
            reason=clean_text(reason, self.parts.policy, name="reason"),
            key=idempotency_key,
            expected=expected_manifest,
        )
        self._may(selector, asked.subject)
        if dry_run:
            return self.parts.retrying(asked.listed)
        with summarised_anew(self.parts, asked.subject):
            receipt, found, _ = self.parts.retrying(asked.done)
            return self._afterwards(receipt, found)

    # -- who may name what ------------------------------------------------------------------------------------------

    def _selector(self, given: Mapping[str, Any]) -> Selector:
        """The one selector that was given. Raises `InvalidInput`."""
        named: list[By] = [by for by in SELECTORS if given[by] is not None]
        if len(named) != 1:
            raise InvalidInput(f"forget takes exactly one of {', '.join(SELECTORS)}; {len(named)} were given")
        by = named[0]
        value = str(given[by])
        if not value.strip() or spelt(value) in WILD or value.strip() in WILD or not spelt(value):
            raise InvalidInput(f"{by}={value!r} names nothing; say what is to be forgotten")
        if by == "fact":
            value = str(as_id(given[by], name="fact"))
        elif by != "query":
            value = scope_key(value, name=by)
        elif spelt(value) in POINTING or len(spelt(value)) < 2:
            raise InvalidInput(f"query={value!r} is in everything; say more of what is to be forgotten")
        elif len(value) > self.parts.policy.limits.query_chars:
            raise InvalidInput(f"query has {len(value)} characters, over limits.query_chars")
        whose = {"user": value, "tenant": None}.get(by, self.identity.user)
        if by == "fact" and "admin" in self.identity.roles:
            # An admin may forget with it what others said of it.
            whose = None
        return Selector(by=by, value=value, user=whose)

    def _subject(self, selector: Selector) -> Identity:
        """Whose memory it is, as a reader of all of it. Raises `Forbidden` for another's, unless an admin asks."""
        who, admin = self.identity, "admin" in self.identity.roles
        if selector.by == "tenant" and (not admin or selector.value != who.tenant):
            raise Forbidden("tenant= takes an admin of that tenant")
        if selector.by == "user" and selector.value != who.user and not admin:
            raise Forbidden("user= is your own user; another's memory is forgotten by an admin of the tenant")
        return Identity(tenant=who.tenant, user=selector.user or who.user, departments=who.departments, roles=who.roles)

    def _may(self, selector: Selector, subject: Identity) -> None:
        """Raises `NotFound` or `Forbidden` where a fact is not this reader's to forget."""
        if selector.by != "fact":
            return
        ref = UUID(selector.value)
        with self.parts.store.write(subject, Locks(partitions=(_home(subject),))) as unit:
            unit.leave()
            owner = unit.owners([ref]).get(ref)
        with self.parts.store.read(self.identity) as snapshot:
            rows = snapshot.facts(FactFilter(ids=(ref,), include_inactive=True))
        mine = owner is not None and owner.user == self.identity.user
        if owner is None or not (mine or rows):
            raise NotFound(f"no fact {ref} that you can see")
        if not mine and not may_write(self.identity, rows[-1].placement):
            raise Forbidden(f"a {rows[-1].scope} memory is forgotten by a reviewer or admin, not by this reader")

    # -- outside of the transaction ---------------------------------------------------------------------------------

    def _afterwards(self, receipt: Forgotten, found: Plan) -> Forgotten:
        """Drops what this process holds of it, has the database's files overwritten, packs and embeds what stays."""
        if found.empty:
            return receipt
        parts = self.parts
        for key in found.partitions:
            parts.index.forget(key)
        for user in found.users:
            parts.window.forget(self.identity.tenant, None if receipt.by == "tenant" else user)
        if receipt.mode == "erase":
            scrubbed = parts.store.finish_erasures(seconds=SCRUB_SECONDS)
            status = "done" if scrubbed.done else "pending"
            receipt = replace(receipt, status=status, copies=scrubbed.said, lines=(*receipt.lines, *scrubbed.said))
        embed_rests(parts, found.partitions)
        self._pack(found.partitions)
        return receipt

    def _pack(self, keys: Iterable[PartitionKey]) -> None:
        """Makes segments again for partitions that are large enough to have them."""
        for key in keys:
            if key.kind is OwnerType.USER:
                reader = Identity(tenant=key.tenant, user=key.target)
                with self.parts.store.read(reader) as unit:
                    state = unit.partition_states([key]).get(key)
                self.parts.upkeep(reader, 0 if state is None else state.count)


def _home(reader: Identity) -> PartitionKey:
    return PartitionKey(tenant=reader.tenant, kind=OwnerType.USER, target=reader.user)


def _mode(mode: str) -> Mode:
    found = next((item for item in MODES if item == str(mode)), None)
    if found is None:
        raise InvalidInput(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
    return found
