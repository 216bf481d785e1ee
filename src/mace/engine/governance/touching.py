"""Whether something of a person touched the facts and turns that are erased: then it goes with them."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Any

from mace.core import canon
from mace.core.errors import Erased, IntegrityFailure
from mace.engine.experience.contents import Contents
from mace.engine.experience.export_rows import under
from mace.engine.facts.reads import read_past
from mace.engine.kernel import evidence, trees
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.vault import Vault
from mace.engine.people.turns import Turns
from mace.governance.erasure import EVIDENCE, EXPERIENCE, JOB, QUARANTINE, TURN
from mace.storage.ports import Tx

_PART_NAMES = ("input", "expects", "result")
_LEAST_QUOTED = 4  # characters of a value that is looked for in words; less stands in any text


class Touching:
    """Looks into jobs and experience for facts and turns that are erased: by their names, in words also by what they
    said. There may be very many turns, so each text is gone through once, whatever their number.
    """

    def __init__(
        self,
        tx: Tx,
        vault: Vault,
        recorder: Recorder,
        contents: Contents,
        turns: Turns,
        person: str,
        keys: Sequence[str],
    ) -> None:
        self._tx = tx
        self._vault = vault
        self._recorder = recorder
        self._contents = contents
        self._ids = {key.removeprefix(EXPERIENCE) for key in keys if key.startswith(EXPERIENCE)}
        self._keys = [key for key in keys if not key.startswith((EXPERIENCE, TURN))]
        self._needles = [canon.dumps(key) for key in self._keys]
        self._turns = turns
        self._turn_ids = {key for key in keys if key.startswith(TURN)}
        # as an answer names a turn, and as an event names its record
        self._turn_name = re.compile(rb'"(?:turn/)?(%b/[0-9]{8})"' % re.escape(person).encode())
        self._values: _Words | None = None

    def __call__(self, ref: str) -> bool:
        """Say whether what lies under the key of a job or of experience goes with the facts."""
        if ref.startswith(QUARANTINE):
            return self._quotes(_readable(lambda: self._vault.blob(self._tx, ref)))
        if ref.startswith(EVIDENCE):
            return self._quotes(_readable(lambda: self._evidence(ref)))
        if self._speaks_of_them(ref):
            return True
        return ref.startswith(JOB) and self._touches(ref.removeprefix(JOB))

    def _evidence(self, ref: str) -> bytes | None:
        """Evidence that can be read here; what is sealed to the forensic key goes with its whole person alone."""
        row = self._tx.records.get("forensic_entry", ref.split("/")[1])
        entry = None if row is None else canon.loads(row.body)
        if entry is None or entry["forensic_key"] is not None:
            return None
        return evidence.opened(self._tx, self._vault, entry)

    def _speaks_of_them(self, ref: str) -> bool:
        """Whether one of its Megrams was named, or quotes a fact or its key."""
        try:
            rows = under(self._tx, self._contents, ref)
        except (Erased, IntegrityFailure):  # it cannot be read, so it may have: it goes
            return True
        return any(row["id"] in self._ids or self._quotes(row["content"]) for row in rows)

    def _quotes(self, words: str | None) -> bool:
        if not words:
            return False
        folded = words.casefold()
        return any(key in folded for key in self._keys) or self._said().is_in(folded)

    def _said(self) -> "_Words":
        """Every value that the facts ever had, as it would stand in a text, and what the turns say."""
        if self._values is None:
            values: set[str] = set()
            for key in self._keys:
                for past in self._tx.facts.history(key):
                    try:
                        content = read_past(self._vault, self._tx, past)
                    except IntegrityFailure:
                        continue  # damaged: verification names it
                    if content is not None:
                        values |= set(_texts(content["value"]))
            for turn_id in self._turn_ids:
                kept = self._turns.one(self._tx, turn_id)
                if kept is not None and kept.turn is not None:
                    values |= {kept.turn.content, turn_id}
            self._values = _Words(values)
        return self._values

    def _touches(self, stream: str) -> bool:
        """Say whether a job wrote, read or named one of these facts: in its events, snapshot or sealed parts.

        A job that still runs may hold one in memory and keep it later, so it goes: what it comes to is dropped.
        """
        told = self._recorder.jobs.told(self._tx, stream)
        if told is not None and self._recorder.jobs.status(self._tx, told) in ("running", "waiting"):
            return True
        return any(self._stream_touches(item) for item in trees.streams(self._tx, stream))

    def _stream_touches(self, stream: str) -> bool:
        tx = self._tx
        parts = list(_PART_NAMES)
        for row in tx.events.of_stream(stream):
            if self._names(row.body):
                return True
            said = canon.loads(row.body)["payload"]
            if row.event_type == "SNAPSHOT_TAKEN":
                snapshot = tx.records.get("snapshot", said["snapshot"])
                if snapshot is not None and (
                    self._names(snapshot.body) or sha256(snapshot.body).hexdigest() != said["snapshot"]
                ):
                    return True  # also where it is another one: what it named may have been this
            if row.event_type == "EFFECT_DONE" and "effect" in said:
                parts.append(f"effect/{said['effect']}")
            if row.event_type == "EFFECT_STARTED" and "sent_hash" in said:
                parts.append(f"request/{said['effect']}")
        try:
            return any(self._names(self._vault.blob(tx, f"{part}/{stream}")) for part in parts)
        except (Erased, IntegrityFailure):  # it cannot be read, so it may have: it goes
            return True

    def _names(self, plain: bytes | None) -> bool:
        if plain is None:
            return False
        if any(needle in plain for needle in self._needles):
            return True
        if not self._turn_ids:
            return False
        return any(f"{TURN}{name.decode()}" in self._turn_ids for name in self._turn_name.findall(plain))


class _Words:
    """Texts to be looked for in others, by how they begin: a text is gone through once for all of them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._by_beginning: dict[str, list[str]] = defaultdict(list)
        for text in {text.casefold() for text in texts if len(text) >= _LEAST_QUOTED}:
            self._by_beginning[text[:_LEAST_QUOTED]].append(text)

    def is_in(self, folded: str) -> bool:
        """Say whether one of them stands in this text."""
        if not self._by_beginning:
            return False
        for at in range(len(folded) - _LEAST_QUOTED + 1):
            some = self._by_beginning.get(folded[at : at + _LEAST_QUOTED])
            if some is not None and any(folded.startswith(text, at) for text in some):
                return True
        return False


def _readable(look: Callable[[], bytes | None]) -> str:
    try:
        return (look() or b"").decode("utf-8", "replace")
    except (Erased, IntegrityFailure):
        return ""  # damaged, which verification names


def _texts(value: Any) -> list[str]:
    """The strings and numbers in a value."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [] if value is None or isinstance(value, bool) else [str(value)]
