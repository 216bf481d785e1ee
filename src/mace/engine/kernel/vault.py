"""Sealing: whatever belongs to a person lies under keys that can be taken away.

A person has a key, wrapped by the master key; each job and each fact has a data key, wrapped by its person's key, or by
the master key where there is no person. Taking a wrapped key away makes everything below it unreadable, while hashes,
chains and proofs stay as they are. What is erased has a paper that says so (`gone`); a key that is missing without one
is an integrity failure.
"""

from mace.core import canon
from mace.core.errors import Erased, IntegrityFailure, KeyMissing
from mace.engine.kernel.missing_keys import is_erased
from mace.providers.ports import Keys
from mace.storage.ports import Tx

_MAX_OPENED = 10_000
_SEAL_BYTES = 16  # behind each wrapped key: that nobody moved or changed it


class Vault:
    """Seals data under keys that can be destroyed: per fact, job and person."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        # By the wrapped bytes: a key that was taken away or replaced is never answered from here.
        self._opened: dict[tuple[str, str, bytes], bytes] = {}

    def data_key(self, tx: Tx, ref: str, person: str | None) -> bytes:
        """Return the data key of this job or fact, making it (and its person's) if there is none yet."""
        parent_ref = f"person/{person}" if person else ""
        held = tx.vault.key(ref)
        key = None if held is None else self._opened.get((ref, parent_ref, held[1]))
        if key is not None:  # the usual case; who erases a person takes away every key below theirs as well
            return key
        return self._key(tx, ref, parent_ref, self._person_key(tx, person) if person else None)

    def _person_key(self, tx: Tx, person: str) -> bytes:
        return self._key(tx, f"person/{person}", "", None)

    def _key(self, tx: Tx, ref: str, parent_ref: str, parent: bytes | None) -> bytes:
        held = tx.vault.key(ref)
        if held is None:
            tx.lock(f"key/{ref}")  # another node may be making the same key
            held = tx.vault.key(ref)
        if held is not None:
            return self._unwrap(ref, parent_ref, held[1], parent)
        key, wrapped = self._keys.new_wrapped_key(ref, parent)
        tx.vault.add_key(ref, parent_ref, wrapped + self._seal_of(ref, parent_ref, wrapped))
        return key

    def adopt(self, tx: Tx, ref: str, person: str, key: bytes) -> bool:
        """Put a data key back under its person's key, after an erasure was undone; False where there is a new one."""
        if tx.vault.key(ref) is not None:
            return False
        parent_ref = f"person/{person}"
        wrapped = self._keys.seal(self._person_key(tx, person), key, f"key/{ref}")
        tx.vault.add_key(ref, parent_ref, wrapped + self._seal_of(ref, parent_ref, wrapped))
        return True

    def forget_opened(self) -> None:
        """Let go of every key held in memory; after an erasure."""
        self._opened.clear()
        self._keys.forget()

    def open_key(self, tx: Tx, ref: str) -> bytes:
        """Return an existing key; raise `Erased` when it, or the key above it, was taken away by right."""
        held = tx.vault.key(ref)
        if held is None and is_erased(tx, ref, self._keys.check):
            raise Erased("this data was erased")
        if held is None:
            raise KeyMissing(f"key {ref} is missing, and no deletion manifest covers it; run verify")
        parent_ref, stored = held
        if not self.is_intact(ref, parent_ref, stored):  # before the key above is asked for: that may not be it
            raise IntegrityFailure(f"key {ref} was changed; run verify")
        parent = self.open_key(tx, parent_ref) if parent_ref else None
        return self._unwrap(ref, parent_ref, stored, parent)

    def _unwrap(self, ref: str, parent_ref: str, stored: bytes, parent: bytes | None) -> bytes:
        key = self._opened.get((ref, parent_ref, stored))
        if key is None:
            if not self.is_intact(ref, parent_ref, stored):
                raise IntegrityFailure(f"key {ref} was changed; run verify")
            key = self._keys.unwrap(ref, stored[:-_SEAL_BYTES], parent)
            if len(self._opened) >= _MAX_OPENED:
                self._opened.clear()
            self._opened[(ref, parent_ref, stored)] = key
        return key

    def is_intact(self, ref: str, parent_ref: str, stored: bytes) -> bool:
        """Say whether a row of keys is as it was made; also when the key above it is gone and it cannot be opened."""
        return self._seal_of(ref, parent_ref, stored[:-_SEAL_BYTES]) == stored[-_SEAL_BYTES:]

    def _seal_of(self, ref: str, parent_ref: str, wrapped: bytes) -> bytes:
        return self._keys.mac(canon.dumps({"key": ref, "under": parent_ref, "wrapped": wrapped.hex()}))[:_SEAL_BYTES]

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
        """Return the plain bytes, or None after an erasure."""
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
