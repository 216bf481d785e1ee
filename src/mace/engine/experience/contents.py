"""The words of Megrams, sealed: each under its job's key, a rule under the keys of everything it was made of.
What a language engine was asked for a rule is sealed as the rule is.

Taking any of those keys away blanks the words and leaves strength, sign and decay as they are. A rule made of several
people's words is sealed once under each key, so that it goes with the first of them.
"""

from collections.abc import Sequence

from mace.core.errors import Erased
from mace.engine.kernel.vault import Vault
from mace.providers.ports import Keys
from mace.storage.experience_ports import MegramRow
from mace.storage.ports import Tx


class Contents:
    """Seals and opens the contents of Megrams."""

    def __init__(self, keys: Keys, vault: Vault) -> None:
        self._keys = keys
        self._vault = vault

    def seal(
        self, tx: Tx, text: str, name: str, ref: str, person: str | None, also: Sequence[str] = ()
    ) -> tuple[bytes, tuple[str, ...]]:
        """Seal under a key (made if there is none), then under others; `Erased` if one of them is gone.

        `name` is what is sealed, a Megram's id for one. Returns the bytes and the names of the keys, outermost first.
        """
        refs = [ref, *also]
        sealed = text.encode()
        for layer, key_ref in enumerate(refs):
            key = self._own_key(tx, ref, person) if layer == 0 else self._vault.open_key(tx, key_ref)
            sealed = self._keys.seal(key, sealed, _context(name, key_ref))
        return sealed, tuple(reversed(refs))

    def _own_key(self, tx: Tx, ref: str, person: str | None) -> bytes:
        if person is None and tx.vault.key(ref) is not None:  # nobody is named: they are of whomever the job is
            return self._vault.open_key(tx, ref)
        return self._vault.data_key(tx, ref, person)  # a person's words never lie under another one's key

    def make_key(self, tx: Tx, ref: str, person: str) -> None:
        """Create the data key `ref` under a person's key."""
        self._vault.data_key(tx, ref, person)

    def open(self, tx: Tx, row: MegramRow) -> str | None:
        """The words, or None after an erasure."""
        return self.unseal(tx, row.content, row.key_refs, row.megram_id)

    def unseal(self, tx: Tx, sealed: bytes, refs: Sequence[str], name: str) -> str | None:
        """What `seal` sealed under this name, or None after an erasure."""
        if not refs:
            return None
        try:
            for ref in refs:
                sealed = self._keys.unseal(self._vault.open_key(tx, ref), sealed, _context(name, ref))
        except Erased:
            return None
        return sealed.decode()

    def persons(self, tx: Tx, row: MegramRow) -> list[str]:
        """Whose words these are."""
        found = set()
        for ref in row.key_refs:
            held = tx.vault.key(ref)
            if held is not None and held[0].startswith("person/"):
                found.add(held[0].removeprefix("person/"))
        return sorted(found)

    def personal_refs(self, tx: Tx, rows: Sequence[MegramRow]) -> list[str]:
        """The keys, of those these rows are sealed under, that belong to people; `Erased` if one is gone."""
        found: dict[str, None] = {}
        for ref in (ref for row in rows for ref in row.key_refs):
            held = tx.vault.key(ref)
            if held is None:
                raise Erased("this data was erased")
            if held[0].startswith("person/"):
                found[ref] = None
        return list(found)


def _context(name: str, ref: str) -> str:
    return f"megram/{name}/{ref}"


def without_personal_data(text: str) -> str:
    """What goes to an engine, into a rule, onto a screen or in from a file."""
    from mace.governance.detectors import detect
    from mace.governance.redact import redact

    return redact(text, detect(text))
