"""Sealing: whatever belongs to a person lies under keys that can be taken away.

A person has a key, wrapped by the master key; each job and each fact has a data key, wrapped by its person's key, or by
the master key where there is no person. Taking a wrapped key away makes everything below it unreadable, while hashes,
chains and proofs stay as they are. What is erased has a paper that says so (`gone`); a key that is missing without one
is an integrity failure, and so is one that was erased and is there again: it opens nothing. Once that was set aside it
counts as erased, and whoever writes anew gets a new key.
"""

from mace.core import canon
from mace.core.apart import is_kept_apart
from mace.core.errors import Conflict, Erased, IntegrityFailure, KeyMissing
from mace.engine.kernel.bound import Bound, SetAside
from mace.engine.kernel.missing_keys import WRAPPED_BYTES, erased_up_to, is_erased, is_returned
from mace.ledger.findings import returned_key
from mace.providers.ports import Keys
from mace.storage.ports import Tx

_MAX_OPENED = 10_000
PEOPLE = "people"  # the lock over the keys that are kept apart: a rotation wraps every one of them


class Vault:
    """Seals data under keys that can be destroyed: per fact, job and person."""

    def __init__(self, keys: Keys, set_aside: SetAside = lambda _tx: ()) -> None:
        self._keys = keys
        self._bound = Bound(keys, set_aside)
        # By the wrapped bytes: a key that was taken away or replaced is never answered from here.
        self._opened: dict[tuple[str, str, bytes], bytes] = {}

    def data_key(self, tx: Tx, ref: str, person: str | None) -> bytes:
        """Return the data key of this job or fact, making it (and its person's) if there is none yet."""
        parent_ref = f"person/{person}" if person else ""
        held = tx.vault.key(ref)
        key = None if held is None else self._opened.get((ref, parent_ref, held[1]))
        if key is not None:  # the usual case; who erases a person takes away every key below theirs as well
            return key
        return self._key(tx, ref, parent_ref, self._person_key(tx, person) if person else None, held)

    def person_key(self, tx: Tx, person: str) -> bytes:
        """Return the key of a person, making it if there is none yet: for hashes that must say nothing without it."""
        return self._person_key(tx, person)

    def person_hash(self, tx: Tx, person: str, plain: bytes) -> str:
        """A hash that says nothing once the person is erased: it is keyed by the person's own key."""
        return self._keys.keyed_hash(self._person_key(tx, person), plain)

    def _person_key(self, tx: Tx, person: str) -> bytes:
        ref = f"person/{person}"
        return self._key(tx, ref, "", None, tx.vault.key(ref))

    def _key(self, tx: Tx, ref: str, parent_ref: str, parent: bytes | None, held: tuple[str, bytes] | None) -> bytes:
        """The key that was looked for and is `held`, or a new one."""
        if held is None and tx.lock(f"key/{ref}"):  # another node may be making the same key
            held = tx.vault.key(ref)
        if held is not None and held[0] != parent_ref and self.is_intact(ref, held[0], held[1]):
            raise Conflict("this job_seed belongs to somebody else; use a new job_seed")
        if held is not None:
            try:
                return self._unwrap(tx, ref, parent_ref, held[1], parent)
            except Erased:  # it was put back, and that was set aside: it goes again, and a new one takes its place
                tx.vault.drop_key(ref)
        if is_kept_apart(ref):
            self.use_master(tx)
        key, wrapped = self._keys.new_wrapped_key(ref, parent)
        stored = wrapped + self._keys.mark(_marked(ref, parent_ref, wrapped))
        tx.vault.add_key(ref, parent_ref, stored)
        if ref.startswith("job/"):  # its log is sealed by it as well; what a fact needs its key for is done
            self._remember(ref, parent_ref, stored, key)
        return key

    def use_master(self, tx: Tx) -> str:
        """Wrap with the master key that the keys of people are wrapped by, the node's own if there are none yet."""
        tx.lock(PEOPLE)
        held = tx.vault.master()
        if not held:
            tx.vault.set_master(self._keys.master_id)
        elif not self._keys.use_master(held):
            raise IntegrityFailure(
                "the keys of people are wrapped by another master key than this node has; if it was rotated on another "
                "node, take an invitation of that one (mace join), else restore the key file"
            )
        return held or self._keys.master_id

    def wrap_people_anew(self, tx: Tx) -> int:
        """Wrap every key that is kept apart by the master key that was begun; return how many.

        One that was changed, or erased and put back, stays as it is: it opens nothing, and is told by what it is.
        """
        wrapped, after = 0, ""
        while rows := tx.vault.scan_keys(after):
            for ref, parent, stored in rows:
                if not is_kept_apart(ref) or not self.is_intact(ref, parent, stored):
                    continue
                if is_returned(tx, ref, parent, stored, self._bound):
                    continue
                try:
                    key = self._keys.unwrap(ref, stored[:WRAPPED_BYTES], None)
                except IntegrityFailure:
                    continue
                made = self._keys.wrap_anew(ref, key)
                if not tx.vault.drop_key(ref):
                    continue  # it was erased meanwhile
                tx.vault.add_key(ref, parent, made + self._keys.mark(_marked(ref, parent, made)))
                wrapped += 1
            after = rows[-1][0]
        return wrapped

    def adopt(self, tx: Tx, ref: str, person: str, key: bytes) -> bool:
        """Put a data key back under its person's key, after an erasure was undone; False where there is a new one."""
        if tx.vault.key(ref) is not None:
            return False
        parent_ref = f"person/{person}"
        wrapped = self._keys.seal(self._person_key(tx, person), key, f"key/{ref}")
        tx.vault.add_key(ref, parent_ref, wrapped + self._keys.mark(_marked(ref, parent_ref, wrapped)))
        return True

    def forget_opened(self) -> None:
        """Let go of every key held in memory; after an erasure."""
        self._opened.clear()
        self._keys.forget()

    def open_key(self, tx: Tx, ref: str) -> bytes:
        """Return an existing key; raise `Erased` when it, or the key above it, was taken away by right."""
        held = tx.vault.key(ref)
        if held is None and is_erased(tx, ref, self._keys):
            raise Erased("this data was erased")
        if held is None:
            raise KeyMissing(f"key {ref} is missing, and no deletion manifest covers it; run verify")
        parent_ref, stored = held
        is_known = (ref, parent_ref, stored) in self._opened  # byte by byte, and it was intact
        if not is_known and not self.is_intact(ref, parent_ref, stored):  # before the key above: that may not be it
            raise IntegrityFailure(f"key {ref} was changed; run verify")
        parent = self.open_key(tx, parent_ref) if parent_ref else None
        return self._unwrap(tx, ref, parent_ref, stored, parent)

    def erased_up_to(self, tx: Tx, ref: str) -> int | None:
        """The last version of a fact that went with its key by right, 0 for other keys; None if nothing did."""
        return erased_up_to(tx, ref, self._keys)

    def opens(self, tx: Tx, ref: str) -> bool:
        """Try a key that is as it was made; one whose key above is gone cannot be tried, and passes."""
        held = tx.vault.key(ref)
        if held is None:
            return True
        parent_ref, stored = held
        try:
            parent = self.open_key(tx, parent_ref) if parent_ref else None
        except (Erased, IntegrityFailure):
            return True  # that one is named itself
        try:
            self._keys.unwrap(ref, stored[:WRAPPED_BYTES], parent)
        except IntegrityFailure:
            return False
        return True

    def _unwrap(self, tx: Tx, ref: str, parent_ref: str, stored: bytes, parent: bytes | None) -> bytes:
        key = self._opened.get((ref, parent_ref, stored))
        if key is None:
            if not self.is_intact(ref, parent_ref, stored):
                raise IntegrityFailure(f"key {ref} was changed; run verify")
            self._must_not_be_back(tx, ref, parent_ref, stored)
            key = self._keys.unwrap(ref, stored[:WRAPPED_BYTES], parent)
            self._remember(ref, parent_ref, stored, key)
        return key

    def _remember(self, ref: str, parent_ref: str, stored: bytes, key: bytes) -> None:
        if len(self._opened) >= _MAX_OPENED:
            self._opened.clear()
        self._opened[(ref, parent_ref, stored)] = key

    def _must_not_be_back(self, tx: Tx, ref: str, parent_ref: str, stored: bytes) -> None:
        """Refuse a key that was erased; asked only for one that is not in memory."""
        if is_returned(tx, ref, parent_ref, stored, self._bound):
            if returned_key(ref, stored).finding_id in self._bound.set_aside(tx):
                raise Erased("this data was erased")
            raise IntegrityFailure(f"key {ref} was erased and is there again; run verify")

    def is_intact(self, ref: str, parent_ref: str, stored: bytes) -> bool:
        """Say whether a row of keys is as it was made; also when the key above it is gone and it cannot be opened."""
        wrapped, mark = stored[:WRAPPED_BYTES], stored[WRAPPED_BYTES:]
        return self._keys.is_marked(_marked(ref, parent_ref, wrapped), mark)

    def mark_again(self, tx: Tx) -> None:
        """Give every wrapped key that is as it was made a mark by the key that signs now."""
        after = ""
        while rows := tx.vault.scan_keys(after):
            for ref, parent, stored in rows:
                if self.is_intact(ref, parent, stored):
                    wrapped = stored[:WRAPPED_BYTES]
                    tx.vault.drop_key(ref)
                    tx.vault.add_key(ref, parent, wrapped + self._keys.mark(_marked(ref, parent, wrapped)))
            after = rows[-1][0]

    def quarantine_key(self, tx: Tx) -> str:
        """The key that evidence is sealed under; the next one when somebody damaged it."""
        number = 0
        while True:
            ref = f"system/quarantine/{number}"
            if tx.vault.key(ref) is None:
                if not self._seals_evidence(tx, ref):
                    return ref
                number += 1  # it is gone, and must be found to be: the next one takes its place
                continue
            try:
                self.open_key(tx, ref)
            except IntegrityFailure:
                number += 1
            else:
                return ref

    @staticmethod
    def _seals_evidence(tx: Tx, ref: str) -> bool:
        """Say whether something was quarantined under this key; asked only where the key is not there."""
        after = ""
        while page := tx.records.scan("quarantine", after):
            blobs = (tx.vault.blob(f"quarantine/{record.key}") for record in page)
            if any(held is not None and held[0] == ref for held in blobs):
                return True
            after = page[-1].key
        return False

    def seal(self, tx: Tx, ref: str, person: str | None, plain: bytes, context: str) -> bytes:
        """Encrypt bytes with the key `ref`, creating it if needed."""
        return self._keys.seal(self.data_key(tx, ref, person), plain, context)

    def unseal(self, tx: Tx, ref: str, sealed: bytes, context: str) -> bytes | None:
        """Return the plain bytes, or None after an erasure; raise `IntegrityFailure` for what does not open."""
        try:
            key = self.open_key(tx, ref)
        except Erased:
            return None
        return self._keys.unseal(key, sealed, context)

    def put_blob(self, tx: Tx, ref: str, key_ref: str, person: str | None, plain: bytes) -> None:
        """Encrypt and store bytes under `ref`."""
        tx.vault.put_blob(ref, key_ref, self.seal(tx, key_ref, person, plain, f"blob/{ref}"))

    def blob(self, tx: Tx, ref: str) -> bytes | None:
        """Return the decrypted bytes stored under `ref`, or None."""
        held = tx.vault.blob(ref)
        return None if held is None else self.unseal(tx, held[0], held[1], f"blob/{ref}")


def _marked(ref: str, parent_ref: str, wrapped: bytes) -> bytes:
    return canon.dumps({"key": ref, "under": parent_ref, "wrapped": wrapped.hex()})
