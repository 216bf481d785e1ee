"""Durable tapes: every step of a job is committed before anybody acts on it, and a job is a tree of streams.

A job that must survive its process is played on a `DurableTape`, its replay on a `ReplayReel`; both are a `Reel`.
Its branches have streams and tapes of their own under the one data key of the tree, so that what runs in parallel
replays in any order.

    begin    puts the request through the gate, keeps it and records `EFFECT_STARTED`. Committed before the call is
             made, unless the call may be made again: then its start is committed with its end.
    finish   puts the result through the gate, keeps it, records `EFFECT_DONE` and commits: then it is handed over.
    branch   the tape of a branch; what it records is committed with its own calls.
    fan_in   closes branches that ended, in the order of their names, in one unit with the event that says so.

A job that is taken up again plays the stored part of each stream as a replay does (`RanOut` says where it ends) and
goes on live from there. A call that was started and has no end is made again if that was declared harmless; else its
result is unknown. The process that had the job before cannot write to it any more: its streams went on without it, and
each unit looks whether the job is still played, by this process and in this life (`must_be_held`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeVar

from mace.core import canon, seeds
from mace.core.errors import Conflict, IntegrityFailure, ServiceUnavailable, StorageFull
from mace.core.events import Head, Origin, StoredEvent
from mace.core.times import iso_ms
from mace.engine.kernel.privacy import NOBODY, Own, Screened, screen
from mace.engine.kernel.recorder import Recorder, origin_of
from mace.engine.kernel.reels import (
    BranchEnd,
    Branching,
    Halted,
    Reel,
    ReplayReel,
    Step,
    branch_seed,
    ending_of,
    heads_of,
)
from mace.engine.kernel.tape import LiveTape, Outcome, RanOut
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.storage.ports import Exists, JobRow, Tx

T = TypeVar("T")

UNKNOWN = "unknown_result"
_PLAYED = frozenset({"running", "waiting"})
_MAX_CLEAN = 4000


class Fenced(Conflict):
    """Somebody else took the job up: what this process does is not recorded any more."""


@dataclass(slots=True, kw_only=True)
class Tree:
    """What all tapes of one job share."""

    world: World
    vault: Vault
    recorder: Recorder
    root: str
    person: str | None
    holder: str
    life: int = 1
    data_key: bytes = b""
    own: Own = field(default_factory=Own)
    may_keep: frozenset[str] = frozenset()  # types of personal data that consent lets stay readable in results
    may_send: frozenset[str] = frozenset()  # types that consent lets out in requests
    stored: Callable[[str], list[StoredEvent]] = lambda _stream: []  # of a job that is taken up again, checked
    blob: Callable[[str], bytes | None] = lambda _ref: None
    stop: Callable[[], str | None] = lambda: None  # why the job is to stop, asked at every step
    halted: BaseException | None = None
    look_at_consent: Callable[[], None] = lambda: None  # it may have ended since: then it covers nothing more
    tenure: int | None = None  # of the store, when it was last seen that the job is held and has its key
    clean: set[bytes] = field(default_factory=set)  # hashes of values in which the gate found nothing


def must_be_held(tx: Tx, root: str, life: int, holder: str) -> None:
    """Refuse to write to a job that another process or life took up, that was taken for lost, or that is over."""
    row = tx.jobs.get(root)
    if row is None:
        return
    if row.life != life or row.holder != holder:
        raise Fenced("somebody else took this job up")
    if row.status not in _PLAYED:
        raise Fenced(f"the job is {row.status}: nobody plays it any more")


class DurableTape(LiveTape):
    """The tape of a durable job that runs in this process."""

    def __init__(
        self,
        tree: Tree,
        origin: Origin,
        head: Head | None,
        *,
        name: str = "",
        parent: "DurableTape | None" = None,
        played: ReplayReel | None = None,
    ) -> None:
        super().__init__(tree.world, tree.vault, tree.recorder, origin, head, tree.person, tree.root)
        self.tree = tree
        self.name: str = name
        self.parent: Reel | None = parent
        self.own = tree.own
        self._played = played
        self._data_key = tree.data_key or None
        self._branches = Branching()
        self._open_row: JobRow | None = None  # of a branch that is not stored yet
        self._ended: list[DurableTape] = []  # branches whose end is stored with the next unit
        self._status: str | None = None  # that the row of this stream gets with its end
        self._unsettled = False  # values from the world that must be stored before anybody acts on them
        self.is_begun = played is None

    @property
    def head(self) -> Head | None:
        """The last event of the stream; within a unit that stores its end, that end."""
        if self._played is not None:
            return self._played.head
        return self._new_head or self._head

    def unlock(self, tx: Tx) -> None:
        """Make the key of the tree."""
        super().unlock(tx)
        self.tree.data_key = self.data_key

    # The stored part

    def _playing(self, do: Callable[[ReplayReel], T]) -> tuple[bool, T | None]:
        """Do something on the stored part; where that ends, go on live. Says whether it was there."""
        if self._played is None:
            return False, None
        try:
            return True, do(self._played)
        except RanOut:
            self._go_live()
            return False, None

    def _go_live(self) -> None:
        played, self._played = self._played, None
        if played is not None:
            self._head, self._effects = played.head, played.effects

    def must_be_played(self) -> None:
        """Before the end: nothing of the record may be left over."""
        if self._played is None:
            return
        self._played.must_be_over()
        self._go_live()

    def event(self, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> dict[str, Any]:
        """Record an event, or compare it with the one that is there."""
        was_there, _ = self._playing(lambda played: played.event(event_type, payload, signed_by))
        return payload if was_there else super().event(event_type, payload, signed_by)

    def keep(self, name: str, content: Any) -> str:
        """Keep content; of what is there already only the hash is made."""
        if self._played is not None:
            return self._played.keep(name, content)
        return super().keep(name, content)

    def timestamp(self) -> str:
        """Return the seeded timestamp of the next event."""
        if self._played is not None:
            return self._played.timestamp()
        return super().timestamp()

    def observe(self, name: str, look: Callable[[], Any]) -> Any:
        """Record a value from the world; it is stored before anybody acts on it."""
        was_there, value = self._playing(lambda played: played.observe(name, look))
        if was_there:
            return value
        self._unsettled = True
        return super().observe(name, look)

    def interrupted_by(self) -> str | None:
        """Why the job is to stop here, and record that it does."""
        if self._played is not None:
            reason = self._played.interrupted_by()
            if reason is not None or self._played.peek() is not None:
                return reason
        reason = self.tree.stop()
        if reason is not None:
            self._go_live()
            super().event("JOB_CANCELLED", {"reason": reason, "job_id": self.tree.root})
        return reason

    # Calls

    def begin(
        self, kind: str, name: str, request: Any, *, safe: bool, inward: bool = False, plain: bytes | None = None
    ) -> Step:
        """Begin a call; see the head of this module."""
        was_there, step = self._playing(lambda played: played.begin(kind, name, request, safe=safe, plain=plain))
        if was_there and step is not None:
            if step.outcome is not None:
                return step
            self._go_live()  # it was begun, and nobody knows whether it was made
            if not safe:
                return self.finish(step, Outcome(None, UNKNOWN, whose="nobody"), 0.0)
            step.attempt = 2
            return step
        self.tree.look_at_consent()
        number, self._effects = self._effects, self._effects + 1
        plain = canon.dumps(request) if plain is None else plain
        own, stay = (self.own, self.tree.may_keep) if inward else (NOBODY, self.tree.may_send)
        passed = self._let_through(request, plain, own, stay)
        kept: dict[str, Any] = {"request": passed.value}
        said = {"effect": number, "kind": kind, "name": name, "idempotent": safe}
        if passed.flags:
            kept["flags"] = [flag.payload() for flag in passed.flags]
        sealed = b'{"request":' + plain + b"}" if not passed.flags else canon.dumps(kept)
        said["sent_hash"] = self._seal(f"request/{number}", sealed)
        said["given_hash"] = self._world.keys.keyed_hash(self.data_key, plain)
        self.event("EFFECT_STARTED", said)
        for flag in kept.get("flags", ()):
            self.event("PII_FLAGGED", flag)
        if not safe or self._is_unsettled():
            self.commit()
        sent = canon.loads(sealed)["request"] if passed.flags else canon.loads(plain)
        return Step(number, kind, name, sent, passed.withheld)

    def _let_through(self, value: Any, plain: bytes, own: Own, stay: frozenset[str]) -> Screened:
        """The gate. What nothing was found in is not looked at again in this job: results become requests."""
        clean, digest = self.tree.clean, sha256(plain).digest()
        if digest in clean:
            return Screened(value, is_clean=True)
        passed = screen(self._world.keys, value, self.job_seed, own=own, stay=stay)
        if passed.is_clean:
            if len(clean) >= _MAX_CLEAN:
                clean.clear()
            clean.add(digest)
        return passed

    def settle(self, step: Step) -> Step:
        """Record the end of a step that has no result; stored with whatever is stored next."""
        return self._finished(step, Outcome(None, whose="nobody"), 0.0)

    def finish(self, step: Step, outcome: Outcome, elapsed_ms: float) -> Step:
        """Record what a call came to, and store it; then it can be handed over."""
        finished = self._finished(step, outcome, elapsed_ms)
        self.commit()
        return finished

    def _finished(self, step: Step, outcome: Outcome, elapsed_ms: float) -> Step:
        self._go_live()
        self.tree.look_at_consent()
        passed = outcome
        value = canon.dumps(outcome.value) if outcome.plain is None else outcome.plain
        if outcome.whose == "own":
            self.own.add_stored(outcome.value)
        elif outcome.whose == "unknown":
            seen = self._let_through(outcome.value, value, self.own, self.tree.may_keep)
            passed = Outcome(seen.value, outcome.failed, None, "unknown", tuple(flag.payload() for flag in seen.flags))
        if passed.flags:
            plain = canon.dumps(passed.to_json())
        else:  # the same, without writing the value twice
            plain = b'{"failed":' + canon.dumps(passed.failed) + b',"value":' + value + b"}"
        said: dict[str, Any] = {
            "effect": step.number,
            "kind": step.kind,
            "result_hash": self._seal(f"effect/{step.number}", plain),
            "failed": passed.failed,
            "elapsed_ms": elapsed_ms,
            "attempt": step.attempt,
        }
        if outcome.stack is not None:
            stack = screen(self._world.keys, outcome.stack, self.job_seed).value
            said["stacktrace_hash"] = super().keep(f"effect/{step.number}/stacktrace", stack)
        self.event("EFFECT_DONE", said)
        for flag in passed.flags:
            self.event("PII_FLAGGED", flag)
        if passed.flags:
            step.outcome = Outcome(canon.loads(plain)["value"], passed.failed, flags=passed.flags)
        else:  # handed over as it is read from what was kept, and nobody else holds it
            fresh = canon.loads(value) if outcome.plain is None else outcome.value
            step.outcome = Outcome(fresh, passed.failed, plain=value)
        step.elapsed_ms, step.result_hash = elapsed_ms, said["result_hash"]
        return step

    # Branches

    def branch(self, name: str) -> "DurableTape":
        """The tape of a branch: of one that was begun before, or of a new one, opened with its first unit."""
        if self._is_unsettled():
            self.commit()
        number = self._branches.next(name)
        seed = branch_seed(self.job_seed, name, number)
        stream = seeds.job_id(seed)
        label = f"{name}[{number}]" if number else name
        events = self.tree.stored(stream)
        if events:
            origin = origin_of(events[0])
            played = ReplayReel(
                self._world,
                self._vault,
                origin,
                events,
                1,
                self.data_key,
                self.tree.blob,
                self.tree.stored,
                label,
            )
            return DurableTape(self.tree, origin, None, name=label, parent=self, played=played)
        origin = Origin(stream, seed, seeds.trace_id(seed), self._recorder.now_ms())
        tape = DurableTape(self.tree, origin, None, name=label, parent=self)
        tape._open(name, number)
        return tape

    def _open(self, name: str, number: int) -> None:
        parent = self.parent.stream if self.parent is not None else ""
        job = {
            "kind": "branch",
            "person": self.tree.person or "",
            "parent": parent,
            "root": self.tree.root,
            "name": name,
            "n": number,
        }
        started_at = iso_ms(self._origin.started_at)
        LiveTape.event(
            self,
            "JOB_OPENED",
            {
                "verb": "branch",
                "job": job,
                "started_at": seeds.started_text(self._origin.started_at),
                "system_version": self._world.system_version,
            },
        )
        self._open_row = JobRow(
            self.stream,
            "branch",
            "running",
            started_at,
            self.tree.person or "",
            seeds.log_id(self.job_seed),
            "",
            parent,
            self.tree.root,
        )

    def end(self, result: Any, status: BranchEnd) -> None:
        """Record how a branch ended; stored with the next unit of its parent, at the latest with the fan-in."""
        if self._played is not None and self._played_to_its_end(result, status):
            return
        self._go_live()
        self.event("JOB_CLOSED", ending_of(super().keep("result", result), status))
        self._status = status
        if isinstance(self.parent, DurableTape):
            self.parent._ended.append(self)

    def _played_to_its_end(self, result: Any, status: BranchEnd) -> bool:
        was_there, _ = self._playing(lambda played: played.end(result, status))
        return was_there

    def fan_in(self, branches: Sequence["Reel"]) -> None:
        """Store the ends of branches, and in the same unit that they ended."""
        if self._played is not None:
            was_there, _ = self._playing(lambda played: played.event("FAN_IN", {"branches": heads_of(branches)}))
            if was_there:
                return

        def unit(_tx: Tx) -> None:
            LiveTape.event(self, "FAN_IN", {"branches": heads_of(branches)})

        self.store(unit)

    def _is_unsettled(self) -> bool:
        """Whether values from the world are not stored yet: its own, or those that an ended branch handed on."""
        return self._unsettled or any(branch._is_unsettled() for branch in self._ended)

    # Storing

    def say(self, event_type: str, payload: dict[str, Any], status: str) -> None:
        """Record how the job stands from now on."""
        self._go_live()
        super().event(event_type, payload)
        self.store(lambda tx: tx.jobs.set_status(self.stream, status))

    def commit(self) -> None:
        """Store everything so far."""
        self.store(lambda _tx: None)

    def store(self, unit: Callable[[Tx], T]) -> T:
        """Store everything so far with what `unit` does; a store that fails stops the job, on every tape of it."""
        if self.tree.halted is not None:
            raise Halted(self.tree.halted)
        ended = list(self._ended)

        def whole(tx: Tx) -> T:
            if not self._is_known_held(tx):
                must_be_held(tx, self.tree.root, self.tree.life, self.tree.holder)
                self.tree.tenure = tx.tenure
            if self._open_row is not None:
                tx.jobs.add(self._open_row)
            for branch in ended:
                branch._store_end(tx)
            result = unit(tx)
            if self._status is not None:
                tx.jobs.set_status(self.stream, self._status)
            return result

        try:
            result = super().store(whole)
        except (StorageFull, ServiceUnavailable, IntegrityFailure, Conflict) as error:
            cause = Fenced("somebody else took this job up") if isinstance(error, Exists) else error
            self.tree.halted = self.tree.halted or cause
            raise Halted(cause) from None
        self._open_row = None
        self._unsettled = False
        for branch in ended:
            branch._settle()
        del self._ended[: len(ended)]  # others may end meanwhile
        return result

    def _must_have_key(self, tx: Tx) -> None:
        if not self._is_known_held(tx):
            super()._must_have_key(tx)

    def _is_known_held(self, tx: Tx) -> bool:
        """Say whether an earlier unit saw that the job is held and has its key, and nobody can have changed that."""
        return tx.tenure is not None and tx.tenure == self.tree.tenure

    def flush_in(self, tx: Tx) -> None:
        """Store everything so far in the unit that opens the job; the tape is of no use if that fails."""
        self._head = self._append(tx)
        for ref, sealed in self._blobs:
            tx.vault.put_blob(ref, self.key_ref, sealed)
        for kind, key, content in self._documents:
            self._add_once(tx, kind, key, content)
        self._pending, self._blobs, self._documents = [], [], []

    def _store_end(self, tx: Tx) -> None:
        """Write what a branch recorded last, in its parent's unit."""
        for branch in self._ended:
            branch._store_end(tx)
        if self._open_row is not None:
            tx.jobs.add(self._open_row)
        self._new_head = self._append(tx)
        for ref, sealed in self._blobs:
            tx.vault.put_blob(ref, self.key_ref, sealed)
        if self._status is not None:
            tx.jobs.set_status(self.stream, self._status)

    def _settle(self) -> None:
        for branch in self._ended:
            branch._settle()
        self._head = self._new_head
        self._pending, self._blobs, self._ended, self._open_row = [], [], [], None

    _new_head: Head | None = None
