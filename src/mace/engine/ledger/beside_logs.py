"""What is written beside a reflective log: amendments, feedback, labels, tags. They are of the person the log is about.

Each is a numbered record whose words are sealed under the key of the log's job, so that they stand in that person's
export and go with that person's erasure; then they read `ERASED`. Earlier versions kept them in plain: such rows are
read as they are until they are sealed (`sealing_records.py`).
"""

import base64
import re
from typing import Any

from mace.core import canon
from mace.core.errors import Conflict, Erased, InvalidInput
from mace.engine.kernel.bound import Bound, Named
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.ledger import records, reflective
from mace.ledger.reflective import ERASED, PLAIN_KINDS, sealed_kind
from mace.storage.ports import Record, Tx

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
_WORDS = {"amendment": "changes"}  # the member that holds the words; `value` for all others


def is_author(name: str) -> bool:
    """Say whether a name is an id, not a text that may be a person's name."""
    return _ID.fullmatch(name) is not None


class BesideLogs:
    """Adds documents to logs and reads them."""

    def __init__(self, world: World, vault: Vault, bound: Bound) -> None:
        self._world = world
        self._vault = vault
        self._bound = bound

    def add(self, tx: Tx, kind: str, log_id: str, key_ref: str, content: dict[str, Any]) -> Record:
        """Add a document to a log under the next number; its key, which is signed, gives the order."""
        word = _WORDS.get(kind, "value")
        try:
            size = len(canon.dumps(content[word]))
        except canon.NotCanonical as error:
            raise InvalidInput(f"content must be JSON: {error}") from None
        if size >= reflective.MAX_ROW_BYTES:
            raise InvalidInput(f"content must be smaller than {reflective.MAX_ROW_BYTES} bytes, got {size}")
        try:
            record = self.sealed(tx, kind, self.next_key(tx, kind, log_id), log_id, key_ref, content)
        except Erased:
            raise Conflict("what this log is about was erased; nothing can be added to it") from None
        self._bound.add(tx, record)
        return record

    def sealed(
        self, tx: Tx, kind: str, key: str, log_id: str, key_ref: str, content: dict[str, Any], *, erased: bool = False
    ) -> Record:
        """A document with its words sealed under a key; `erased`: that key was taken away, and the words go with it."""
        word = _WORDS.get(kind, "value")
        words = {word: content[word]}
        shown = {name: value for name, value in content.items() if name != word}
        if not is_author(shown.get("author", "owner")):  # one of an earlier version: it may be a person's name
            words["author"], shown["author"] = shown["author"], ""
        sealed = None
        if not erased:
            cipher = self._world.keys.seal(self._vault.open_key(tx, key_ref), canon.dumps(words), _context(kind, key))
            sealed = base64.b64encode(cipher).decode()
        body = {**shown, "key": key_ref, "sealed": sealed}
        return records.make(sealed_kind(kind), key, body, self._world.keys.sign, parent=log_id)

    def all(self, tx: Tx, kind: str, log_id: str) -> list[dict[str, Any]]:
        """What was written beside a log, oldest first; without what was lost and set aside."""
        named = {held.key: (kind, held) for held in self._bound.names(tx, kind, log_id)}
        named |= {held.key: (sealed_kind(kind), held) for held in self._bound.names(tx, sealed_kind(kind), log_id)}
        found = [self._read(tx, kind, *named[key]) for key in sorted(named)]
        return [content for content in found if content is not None]

    def _read(self, tx: Tx, kind: str, stored_as: str, named: Named) -> dict[str, Any] | None:
        content = self._bound.content(tx, stored_as, named)
        if content is None or stored_as == kind:
            return content
        key_ref, sealed = content.pop("key"), content.pop("sealed")
        plain = None
        if sealed is not None:
            plain = self._vault.unseal(tx, key_ref, base64.b64decode(sealed), _context(kind, named.key))
        return {**content, **({_WORDS.get(kind, "value"): dict(ERASED)} if plain is None else canon.loads(plain))}

    def next_key(self, tx: Tx, kind: str, log_id: str) -> str:
        """The key after the last one that an event or a row has, in plain or sealed."""
        kinds = (kind, sealed_kind(kind))
        taken = {held.key for each in kinds for held in self._bound.names(tx, each, log_id)}
        number = len(taken)
        while (key := f"{log_id}/{number:06d}") in taken or any(tx.records.get(each, key) for each in kinds):
            number += 1
        return key


def has_plain(tx: Tx) -> bool:
    """Say whether an earlier version left documents in plain; one look at an index for each kind."""
    return any(tx.records.scan(kind, "", 1) for kind in PLAIN_KINDS)


def _context(kind: str, key: str) -> str:
    return f"record/{kind}/{key}"
