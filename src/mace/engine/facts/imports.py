"""Loading many facts: a JSON object per line, hundreds of puts in one transaction, nothing half done.

A line names its key (`{"key", "value"}`) or the raw parts of one (`{"scope", "entity_type", "entity_id", "attribute",
"value"}`, with `user_id` for a person's), and may carry `notes`, `meta` and `timestamp`. Every line passes the rules
of a put of its own: size, permission, detector. One that does not is refused by its number and the rest goes on; what
is stored already is left alone, so loading a file twice is loading it once. The reasons never repeat what a line said.
"""

from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

import orjson

from mace.core import canon
from mace.core.errors import InvalidInput, MaceError, PermissionDenied, WrongType
from mace.core.texts import MAX_LINE_BYTES
from mace.engine.facts.verbs import FactVerbs
from mace.engine.kernel.cleaning import CUT, flags_in_name, is_personal
from mace.engine.kernel.gate import Blocked, FlaggedWrite, blocked
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.privacy import Flag, check_user_id
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.user_ids import translated
from mace.engine.kernel.world import World
from mace.memory import facts, keys
from mace.memory.facts import FactRules, Put
from mace.memory.spelling import signs_in_words
from mace.storage.ports import Tx

BATCH = 200
_SAID = frozenset({"value", "notes", "meta", "timestamp"})

Numbered = tuple[int, str | bytes]
Progress = Callable[[int, int], None]


class _Parts(NamedTuple):
    """The raw parts of a key, as a line names them; whether they are texts is checked where they are used."""

    scope: str
    entity_type: str
    entity_id: str | None
    attribute: str
    user_id: str | None


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that may be stored. `parts` are the raw parts of its key, if it came with them."""

    number: int
    put: Put
    parts: _Parts | None


@dataclass(slots=True)
class _Outcome:
    """What became of lines; a unit may run again, so each run of it fills one of its own."""

    imported: int = 0
    unchanged: int = 0
    refused: list[dict[str, Any]] = field(default_factory=list)

    def refuse(self, number: int, error: ValueError | MaceError) -> None:
        code = error.code if isinstance(error, MaceError) else InvalidInput.code
        self.refused.append({"line": number, "error_code": code, "reason": str(error)})

    def add(self, other: "_Outcome") -> None:
        self.imported += other.imported
        self.unchanged += other.unchanged
        self.refused += other.refused


class FactImport:
    """Imports facts from JSON lines in batches."""

    def __init__(self, world: World, recorder: Recorder, facts_: FactVerbs, rules: FactRules) -> None:
        self._world = world
        self._recorder = recorder
        self._facts = facts_
        self._rules = rules

    def run(
        self,
        lines: Iterable[str | bytes],
        source: str,
        progress: Progress | None = None,
        *,
        only_new: bool = False,
    ) -> dict[str, Any]:
        """Load facts and return `{imported, unchanged, refused: [{line, error_code, reason}]}`.

        With `only_new` a key that was ever written is left alone, whatever it says now. If the store fails, that is
        raised; what was loaded before stands, and loading the same lines again goes on from there.
        """
        journal = VerbJournal(self._recorder, "import_facts")
        total = len(lines) if isinstance(lines, Sized) else 0
        done = _Outcome()
        numbered = enumerate(lines, 1)
        while batch := list(islice(numbered, BATCH)):
            done.add(self._batch(batch, source, journal, only_new))
            if progress is not None:
                progress(batch[-1][0], max(total, batch[-1][0]))
        done.refused.sort(key=lambda item: item["line"])
        return {"imported": done.imported, "unchanged": done.unchanged, "refused": done.refused}

    def _batch(self, batch: list[Numbered], source: str, journal: VerbJournal, only_new: bool) -> _Outcome:
        before = _Outcome()
        flagged: list[dict[str, Any]] = []
        wanted = list(self._read(batch, source, journal.job_seed, before, flagged))

        def unit(tx: Tx) -> _Outcome:
            within = _Outcome()
            for line in wanted:
                self._put(tx, line, journal, within, only_new)
            for flag in flagged:
                journal.event(tx, "PII_FLAGGED", flag)
            refused = len(before.refused) + len(within.refused)
            if within.imported or refused:
                counts = {"imported": within.imported, "unchanged": within.unchanged, "refused": refused}
                place = {"first_line": batch[0][0], "last_line": batch[-1][0], "source": _shown(source)}
                journal.event(tx, "FACTS_IMPORTED", {**counts, **place})
            return within

        before.add(self._facts.write("import_facts", unit))
        return before

    def _read(
        self, batch: list[Numbered], source: str, job_seed: str, done: _Outcome, flagged: list[dict[str, Any]]
    ) -> Iterator[_Line]:
        """Yield the lines that may be stored, as far as that can be said without the store; refuse the others."""
        for number, text in batch:
            if not isinstance(text, str | bytes):
                raise WrongType(f"each line must be str or bytes, got {type(text).__name__}")
            if not text.strip():
                continue
            try:
                line = self._line(number, text, source)
                flags = self._facts.flags(line.put, job_seed) + self._flags_in_key(line.put, job_seed)
                if flags:
                    flagged += [flag.payload() for flag in flags]
                    raise blocked(FlaggedWrite(key=CUT, person=None, flags=tuple(flags), consent_id=None))
            except (ValueError, MaceError) as error:
                done.refuse(number, error)
                continue
            yield line

    def _flags_in_key(self, put: Put, job_seed: str) -> list[Flag]:
        key = str(put.key)
        return flags_in_name(self._world.keys, key, job_seed) if is_personal(key) else []

    def _line(self, number: int, text: str | bytes, source: str) -> _Line:
        if len(text) > MAX_LINE_BYTES:
            raise InvalidInput(f"the line has {len(text)} characters, at most {MAX_LINE_BYTES} are allowed")
        try:
            said = orjson.loads(text)  # as it stands: an integer too large for a fact must not become a float
        except ValueError:
            raise InvalidInput("the line is not JSON") from None
        try:
            canon.refuse_repeated(text)
        except ValueError as error:
            raise InvalidInput(f"the line is ambiguous: {error}") from None
        if not isinstance(said, dict):
            raise InvalidInput("the line is not a JSON object")
        if "value" not in said:
            raise InvalidInput("the line has no field 'value'")
        parts = None
        if "key" in said:
            _only(said, _SAID | {"key"})
            key = said["key"]
        else:
            _only(said, _SAID.union(_Parts._fields))
            parts = self._told_apart(_Parts._make(said.get(name) for name in _Parts._fields))
            if isinstance(parts.attribute, str):
                parts = parts._replace(attribute=signs_in_words(parts.attribute))
            key = keys.generate_canonical_key(*parts)
            if keys.parse_key(key).scope == "user":
                check_user_id(parts.user_id or parts.entity_id or "")
        for name, kind in (("notes", str), ("meta", dict), ("timestamp", str)):
            if not isinstance(said.get(name), kind | None):
                raise InvalidInput(f"{name} must be a {kind.__name__}, got {type(said[name]).__name__}")
        put = facts.read_put(
            key,
            said["value"],
            source,
            said.get("timestamp"),
            said.get("notes"),
            said.get("meta"),
            self._world.clock.now(),
            self._rules,
        )
        return _Line(number, put, parts)

    def _told_apart(self, parts: "_Parts") -> "_Parts":
        """The parts of a person's key, with the person as this store tells people apart."""
        mode = self._world.user_ids.mode
        if mode == "names" or not isinstance(parts.scope, str) or keys.normalise(parts.scope) != "user":
            return parts
        who: dict[str, Any] = {name: translated(getattr(parts, name), mode) for name in ("entity_id", "user_id")}
        return parts._replace(**who)

    def _put(self, tx: Tx, line: _Line, journal: VerbJournal, done: _Outcome, only_new: bool) -> None:
        """Store one line; a refusal comes before anything of it is written."""
        put, seat = line.put, None
        try:
            if line.parts is not None:
                seat = keys.place(*line.parts, self._world.slots.of(tx))
                put = replace(put, key=keys.parse_key(seat.key))
            self._facts.authorise(tx, put, None)
            if self._stands(tx, put, only_new):
                done.unchanged += 1
                return
            if seat is not None:
                self._facts.register(tx, seat, journal, seat.key)
            self._facts.put_in(tx, journal, put, user_id=None, flags=[])
        except (ValueError, PermissionDenied, Blocked) as error:  # all else undoes the whole unit
            done.refuse(line.number, error)
        else:
            done.imported += 1

    def _stands(self, tx: Tx, put: Put, only_new: bool) -> bool:
        """Say whether there is nothing to do for this write."""
        key = str(put.key)
        if only_new:
            return tx.facts.newest(key)[1] > 0
        held = self._facts.current(tx, key)
        return held is not None and canon.dumps(held) == put.content  # as bytes: 1 is not true


def _shown(source: str) -> str:
    """A source as it stands on the ledger; what is none may be anything."""
    try:
        return facts.check_source(source)
    except InvalidInput:
        return CUT


def _only(said: dict[str, Any], known: frozenset[str]) -> None:
    unknown = len(said.keys() - known)
    if unknown:
        raise InvalidInput(f"the line has {unknown} unknown fields, known are {', '.join(sorted(known))}")
