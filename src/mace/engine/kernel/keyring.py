"""The keys as the store knows them: which one signs, since when, and what older ones signed while they were in use.

A change of keys is one unit: the number of the new key, that key wrapped under the master key, the event, and a list of
every row that carries an older signature. Rows have no order of their own, so an older signature counts for the rows of
that list and for nothing else; for events their position decides. A process or node that signs with an older key meets
the number before its events get their places, and takes the new key up first.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import IntegrityFailure, ServiceUnavailable
from mace.core.events import SYSTEM_STREAM, StoredEvent
from mace.core.purposes import Purpose
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.ledger import records, reflective
from mace.storage.ports import Record, Tx

SIGNING_KEY, SIGNED_ROWS = "signing_key", "signed_rows"
ROTATED, SEPARATED = "KEY_ROTATED", "KEYS_SEPARATED"
_RAW = "raw"  # the list of what keys without a purpose signed
_DIGEST_HEX = 32  # half of a row's digest names it in a list
_SMALL_LIST, _MEDIUM_LIST = 4096, 250_000  # rows in one record; in one for each first digit, beyond that the first two

SignAgain = Callable[[Tx], None]


class Keyring:
    """Takes up changes of the signing key and makes them."""

    def __init__(self, world: World, recorder: Recorder, sign_again: SignAgain = lambda _tx: None) -> None:
        self._world = world
        self._keys = world.keys
        self._recorder = recorder
        self._sign_again = sign_again
        self._lists: dict[str, frozenset[str]] = {}
        world.store.follow(self)
        self._keys.consult(self.is_listed, self.look)

    @property
    def active_number(self) -> int:
        return self._keys.active_number

    def take_up(self, tx: Tx) -> None:
        """Somebody else may have committed, or a unit of ours was rolled back: sign with the key the store names.

        The number alone brings no key: one that nothing in the store bears out was put there, and is put right.
        """
        number = tx.signing.number()
        if number > self._keys.active_number:
            self._learn(tx)
            if number > self._keys.active_number:
                if _is_spoken_of(tx, number):
                    raise IntegrityFailure("the key that signs cannot be read from the database; restore a backup")
                tx.signing.set_number(self._keys.active_number)
        elif self._keys.is_changing and number < self._keys.active_number:
            self._keys.drop_change()

    def look(self) -> None:
        """Learn of changes that were committed."""
        self._world.store.read(self._learn)

    def look_at_what_is_left(self) -> None:
        """Learn of changes from a damaged store, as far as its rows can be read one by one."""
        with suppress(IntegrityFailure):
            left = self._world.store.salvage()
            try:
                left.read(self._learn)
            finally:
                left.close()

    def _learn(self, tx: Tx, told_again: str = "") -> None:
        """Take up the changes of the store; where a known key signs from stays as it is, unless it was told again."""
        since = {key_id: position for position, key_id in self._keys.trust.changes}
        for record in sorted(tx.records.scan(SIGNING_KEY), key=lambda row: (len(row.key), row.key)):
            change = self._change_of(tx, record)
            if change is None:
                continue
            content, event = change
            separates = event.event_type == SEPARATED
            if since.get(record.key) != event.position or (separates and not self._keys.is_separated):
                self._keys.keep_change(
                    record.key,
                    bytes.fromhex(content["wrapped"]),
                    event.position,
                    separates=separates,
                    again=record.key == told_again,
                )
        self._fetch_lists(tx)

    def _change_of(self, tx: Tx, record: Record) -> tuple[dict[str, Any], StoredEvent] | None:
        """A committed change, if record and event are by the key that they bring, and that is wrapped by our master."""
        try:
            content = canon.loads(record.body)
            wrapped, event = bytes.fromhex(content["wrapped"]), tx.events.at(SYSTEM_STREAM, content["index"])
            said = canon.loads(event.body) if event is not None else {}
        except (ValueError, LookupError, TypeError):
            return None
        digest = records.digest_of(record.kind, record.key, record.parent, record.body)
        if (
            event is None
            or sha256(event.body).digest() != event.hash
            or said.get("event_type") != event.event_type
            or event.event_type not in (ROTATED, SEPARATED)
            or said["payload"].get("key_id") != record.key
            or not self._keys.is_by(record.key, wrapped, Purpose.RECORD, digest, record.signature)
            or not self._keys.is_by(record.key, wrapped, Purpose.EVENT, event.hash, event.signature)
        ):
            return None
        return content, event

    # Making a change

    def rotate(self, write: Callable[[Callable[[Tx], str]], str]) -> str:
        """Sign with a new key from now on, here and on every node; return its id."""
        key_id = write(lambda tx: self.change(tx, fresh=True))
        self.settle()
        return key_id

    def settle(self, told_again: str = "") -> None:
        """After the commit: the change goes to the key file. If that fails, every opening learns it from the store."""
        try:
            self._world.store.read(lambda tx: self._learn(tx, told_again))
        except ServiceUnavailable:
            if self._keys.is_changing:
                raise

    def change(self, tx: Tx, *, fresh: bool) -> str:
        """Inside a unit: rotate the key, or (not fresh) say of the last one that it signs, by purposes."""
        tx.lock("signing_key")
        if self._keys.is_changing:
            self._keys.drop_change()  # of an earlier run of this unit
        self.take_up(tx)
        origin = self._recorder.system(tx)  # by the old key, as everything before the event
        head = tx.events.head(SYSTEM_STREAM)
        event_type = ROTATED if self._keys.is_separated else SEPARATED
        key_id = self._keys.begin_change(fresh=fresh)
        try:
            tx.signing.set_number(self._keys.active_number)  # from here on no other node's events get places
            content = {
                "key_id": key_id,
                "wrapped": self._keys.wrapped(key_id).hex(),
                "index": 0 if head is None else head.sequence_index + 1,
            }
            record = records.make(SIGNING_KEY, key_id, content, self._keys.sign)
            lists = list(self._lists_of_older(tx, key_id))
            tx.records.add(record)
            payload = {"key_id": key_id, "record": records.reference(record)}
            self._recorder.append(tx, origin, event_type, payload)
            for made, rows in lists:
                tx.records.add(made)
                told = {"key_id": made.key.partition("/")[0], "rows": rows, "record": records.reference(made)}
                self._recorder.append(tx, origin, "SIGNED_ROWS_LISTED", told)
            self._sign_again(tx)
        except BaseException:
            self._keys.drop_change()
            raise
        return key_id

    def _lists_of_older(self, tx: Tx, key_id: str) -> Iterator[tuple[Record, int]]:
        """What keys that sign no more have signed, as records by name of the key and first digits of the digests."""
        for by, digests in self._signed_by_older(tx, key_id).items():
            digits = 0 if len(digests) <= _SMALL_LIST else 1 if len(digests) <= _MEDIUM_LIST else 2
            parts: dict[str, list[str]] = {}
            for name in sorted(digests):
                parts.setdefault(name[:digits], []).append(name)
            for prefix, rows in parts.items():
                content = {"key_id": by, "digests": "".join(rows)}
                yield records.make(SIGNED_ROWS, f"{by}/{prefix}", content, self._keys.sign), len(rows)

    def _signed_by_older(self, tx: Tx, key_id: str) -> dict[str, list[str]]:
        """The rows that each other key signed, as far as no list in the store has them."""
        done = {row.key.partition("/")[0] for row in tx.records.scan(SIGNED_ROWS)}
        found: dict[str, list[str]] = {}
        for purpose, digest, signature in _signed_rows(tx):
            by = _list_of(signature.partition(":")[0])
            if by != key_id and by not in done and self._keys.is_genuine(purpose, digest, signature):
                found.setdefault(by, []).append(digest.hex()[:_DIGEST_HEX])
        return found

    def is_listed(self, key_id: str, digest: bytes) -> bool:
        """Say whether an older key signed this while it was in use."""
        name, wanted = _list_of(key_id), digest.hex()[:_DIGEST_HEX]
        for prefix in ("", wanted[:1], wanted[:2]):
            held = self._list(f"{name}/{prefix}")
            if held is not None:
                return wanted in held
        return False

    def _list(self, key: str) -> frozenset[str] | None:
        held = self._lists.get(key)
        try:
            return self._read_list(
                key, lambda: self._world.store.read(lambda tx: tx.records.get(SIGNED_ROWS, key)), held
            )
        except IntegrityFailure:
            return None  # a list that cannot be read vouches for nothing

    def _read_list(
        self, key: str, get: Callable[[], Record | None], held: frozenset[str] | None = None
    ) -> frozenset[str] | None:
        if held is not None:
            return held
        record = get()
        if record is None:
            return None
        by = record.signature.partition(":")[0].partition(".")[0]
        if _number(by) <= _number(key.partition("/")[0]) or not records.is_signed(record, self._keys.check):
            return None  # a key vouches for what older ones signed, never for itself
        text = canon.loads(record.body)["digests"]
        held = frozenset(text[at : at + _DIGEST_HEX] for at in range(0, len(text), _DIGEST_HEX))
        self._lists[key] = held
        return held

    def _fetch_lists(self, tx: Tx) -> None:
        """Small lists are fetched at once: whoever checks a row later need not read a second time within a read."""
        names = [key_id for _, key_id in self._keys.trust.changes]
        for name in [*reversed(names), _RAW]:
            key = f"{name}/"
            self._read_list(key, partial(tx.records.get, SIGNED_ROWS, key), self._lists.get(key))

    def announce(self, write: Callable[[Callable[[Tx], str]], str]) -> None:
        """Make the number in the store that of the key which signs; the key file decides which one that is.

        Only a store that ends before this key began to sign is an older copy, to which it has to be told again.
        """
        number = self._world.store.read(lambda tx: tx.signing.number())
        if number == self._keys.active_number or (number == 0 and self._keys.active_number == 1):
            return

        def unit(tx: Tx) -> str:
            tx.lock("signing_key")
            self.take_up(tx)
            active = self._keys.active_number
            if tx.signing.number() == active:
                return ""
            if self._ends_before(tx, active):
                return self.change(tx, fresh=False)
            tx.signing.set_number(active)  # somebody turned it; verification names the rest
            return ""

        self.settle(write(unit))

    def see_older_copy(self) -> None:
        """Read an older copy as it will be read once it was told the key; nothing is written."""

        def look(tx: Tx) -> None:
            active = self._keys.active_number
            if tx.signing.number() < active and self._ends_before(tx, active):
                for by, digests in self._signed_by_older(tx, f"k{active}").items():
                    self._lists[f"{by}/"] = frozenset(digests)

        self._world.store.read(look)

    def _ends_before(self, tx: Tx, number: int) -> bool:
        """Say whether the log ends before the position from which on this key signs, and does not know of it."""
        since = {key_id: position for position, key_id in self._keys.trust.changes}.get(f"k{number}")
        known = tx.records.get(SIGNING_KEY, f"k{number}") is not None
        return not known and since is not None and 0 < since >= tx.events.size()


def _number(key_id: str) -> int:
    digits = key_id.removeprefix("k")
    return int(digits) if digits.isdecimal() else 0


def _is_spoken_of(tx: Tx, number: int) -> bool:
    """Say whether an event speaks of a change to the key with this number, whoever made it."""
    for event in (*tx.events.of_type(ROTATED), *tx.events.of_type(SEPARATED)):
        with suppress(ValueError, LookupError, TypeError, AttributeError):
            if canon.loads(event.body)["payload"]["key_id"] == f"k{number}":
                return True
    return False


def _list_of(key_id: str) -> str:
    key, dot, _ = key_id.partition(".")
    return key if dot else _RAW


def _signed_rows(tx: Tx) -> Iterator[tuple[Purpose, bytes, str]]:
    after = ("", "")
    while rows := tx.records.scan_all(after):
        for row in rows:
            yield Purpose.RECORD, records.digest_of(row.kind, row.key, row.parent, row.body), row.signature
        after = (rows[-1].kind, rows[-1].key)
    log_id = ""
    while logs := tx.logs.scan(log_id):
        for columns in logs:
            yield Purpose.LOG, sha256(reflective.signed_bytes(columns)).digest(), columns["signature"]
        log_id = logs[-1]["log_id"]
