"""A job: one program, played on one tape, ending included.

The model, from the outside in:

- A *job* is a row (`JobRow`: kind, status, person), a stream of events, a data key, and contents sealed under that key.
  Its seed is claimed once; whoever comes second is a `Conflict`.
- A *tape* (`kernel.tape`) is all that a program sees of the record. Live it writes, on replay it compares.
- A *program* decides. It is given the tape, what was received and the snapshot, both exactly as they were recorded, and
  *hands* for what must be done in the world. It returns an `Ending` and stores nothing itself.
- A *record* is where an ending goes. Live it is stored in one unit, on replay it is compared with what was stored.

The job's kind selects the program, live and on replay alike, and `play` is the one road both take:

                 tape          hands           record
    live         LiveTape      the world       stores the ending
    replay       ReplayTape    `NoHands`       compares the ending

So nothing has to be kept equal by hand: what a program does live it does on replay, and what differs is found at the
first event that differs. A program may look at nothing else than what it is given: no clock, no store, no setting.
What decides has a version (`Program.rules`), which the snapshot records; see `agents.rules`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from mace.agents.asking import Effect
from mace.core import canon, seeds
from mace.core.errors import Conflict
from mace.core.events import Origin, StoredEvent
from mace.core.times import iso_ms
from mace.engine.kernel.durable import DurableTape, Tree
from mace.engine.kernel.holding import Holding
from mace.engine.kernel.joining import persons_of
from mace.engine.kernel.journal import Journal, TapeJournal
from mace.engine.kernel.privacy import Own
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.tape import LiveTape, Outcome, Tape
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.ledger import records
from mace.ledger.jobs import JobTold
from mace.storage.ports import JobRow, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What a job came to."""

    result: dict[str, Any]  # what its caller is told; sealed, its hash in JOB_CLOSED
    error_code: str | None
    log: dict[str, Any]  # the payload of its reflective log
    facts: dict[str, Any]  # a snapshot of the facts that were read, by version
    kept: Mapping[str, Any] = field(default_factory=dict)  # more to be sealed, by name
    status: Literal["closed", "failed", "cancelled"] = "closed"
    state: Any = None  # whatever the live side needs for what comes after the job; not recorded


class Hands(Protocol):
    """What a program reaches the world with."""

    def perform(self, effect: Effect, limit_ms: float) -> Outcome: ...  # an effect that changes nothing in memory
    def write(self, tx: Tx, effect: Effect) -> Outcome: ...
    def queue(self, effect: Effect) -> None: ...  # a write that failed, for an operator to try once more
    def run(self, step: Callable[[], Any], limit_ms: float) -> Any: ...  # foreign code, stopped when its time is up
    def elapsed_ms(self) -> float: ...  # since the job was opened


class NoHands:
    """On replay nothing is performed and no time passes."""

    def perform(self, effect: Effect, limit_ms: float) -> Outcome:
        raise RuntimeError("a replay performs nothing")

    def write(self, tx: Tx, effect: Effect) -> Outcome:
        raise RuntimeError("a replay writes nothing")

    def queue(self, effect: Effect) -> None:
        """The write was queued when it failed."""

    def run(self, step: Callable[[], Any], limit_ms: float) -> Any:
        return step()

    def elapsed_ms(self) -> float:
        return 0.0


class NoProgram(Exception):
    """The function that a job was performed with is not registered here."""

    def __init__(self, name: str, version: str, known: Iterable[tuple[str, str]]) -> None:
        super().__init__(f"{name} {version}")
        self.name = name
        self.version = version
        self.versions = sorted(item for other, item in known if other == name)

    def to_json(self) -> dict[str, Any]:
        return {"program": self.name, "version": self.version, "registered_versions": self.versions}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A stored job, every part of it checked: ready to be played."""

    told: JobTold
    events: dict[str, list[StoredEvent]]  # by stream: its own, and those of its branches
    start: int  # where it begins in its own stream: a verb of the same seed may have come before it
    snapshot: dict[str, Any]
    snapshot_event: dict[str, Any]  # what the event says that names it
    received: bytes
    data_key: bytes
    blob: Callable[[str], bytes | None]


OpenStored = Callable[[str], Opened]


class Program(Protocol):
    """One kind of job."""

    def rules(self) -> dict[str, int]: ...  # the versions a new job is decided by; its snapshot records them
    def play(
        self, tape: Tape, received: Mapping[str, Any], snapshot: Mapping[str, Any], hands: Hands
    ) -> Ending: ...  # raises `agents.rules.UnknownRule` when the snapshot names a version that is not there


class Record(Protocol):
    """Where an ending goes: stored live, compared on replay."""

    def whole(self, unit: Callable[[Tx], None]) -> None: ...  # all of the ending, or nothing
    def facts(self, tx: Tx, snapshot: dict[str, Any]) -> None: ...
    def log(self, tx: Tx, payload: dict[str, Any]) -> None: ...
    def close(self, tx: Tx, payload: dict[str, Any], ending: Ending) -> None: ...


def play(
    program: Program,
    tape: Tape,
    received: Mapping[str, Any],
    snapshot: Mapping[str, Any],
    hands: Hands,
    record: Record,
) -> Ending:
    """Play a job to its end and put the end on the record; the same live and on replay."""
    return conclude(program.play(tape, received, snapshot, hands), tape, record)


def conclude(ending: Ending, tape: Tape, record: Record) -> Ending:
    """Put the end of a job on the record."""
    kept = {name: tape.keep(name, content) for name, content in ending.kept.items()}

    def unit(tx: Tx) -> None:
        record.facts(tx, ending.facts)
        record.log(tx, ending.log)
        closing = {
            "log_id": ending.log["log_id"],
            "error_code": ending.error_code,
            "result_hash": tape.keep("result", ending.result),
            **({"kept": kept} if kept else {}),
            **({"status": ending.status} if ending.status != "closed" else {}),
        }
        record.close(tx, closing, ending)

    record.whole(unit)
    return ending


def snapshot_hash(snapshot: Mapping[str, Any]) -> str:
    return canon.hash_of(dict(snapshot))


def abandon(tx: Tx, recorder: Recorder, stream: str) -> None:
    """Give up a job that nobody plays any more; its stream can be joined again, its seed stays used."""
    tx.jobs.set_status(stream, "abandoned")
    origin = recorder.origin(tx, stream) or recorder.system(tx)  # in its own stream: who held it cannot go on writing
    recorder.append(tx, origin, "JOB_ABANDONED", {"job_id": stream})


WriteLog = Callable[[Tx, Journal, dict[str, Any], str | None], object]


class Jobs:
    """Opens jobs of every kind, and stores how they end."""

    def __init__(self, world: World, recorder: Recorder, vault: Vault, write_log: WriteLog, holding: Holding) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._write_log = write_log
        self._holding = holding

    def claim(self, tx: Tx, seed: str, kind: str, person: str | None, opened_by: dict[str, Any]) -> LiveTape:
        """Claim a seed for a new job, make its key, and return its tape; `Conflict` when the seed was used before."""
        origin, _ = self._begin(tx, seed, {"verb": kind, "job": {"kind": kind, "person": person or ""}, **opened_by})
        head = tx.events.head(origin.stream)
        tape = LiveTape(self._world, self._vault, self._recorder, origin, head, person)
        tape.unlock(tx)
        return tape

    def claim_durable(
        self, tx: Tx, seed: str, verb: str, job: dict[str, Any], opened_by: dict[str, Any], own: Own
    ) -> DurableTape:
        """The same for a job that survives its process; `job` says its kind, its person and what else it is."""
        if persons_of(tx, seeds.job_id(seed)) - {job["person"]}:
            raise Conflict("job_seed belongs to somebody else's job; use a new job_seed")
        origin, holder = self._begin(tx, seed, {"verb": verb, "job": job, **opened_by})
        tree = Tree(
            world=self._world,
            vault=self._vault,
            recorder=self._recorder,
            root=origin.stream,
            person=job["person"] or None,
            holder=holder,
            own=own,
        )
        tape = DurableTape(tree, origin, tx.events.head(origin.stream))
        tape.unlock(tx)
        return tape

    def _begin(self, tx: Tx, seed: str, begins: dict[str, Any]) -> tuple[Origin, str]:
        stream, job = seeds.job_id(seed), begins["job"]
        if tx.events.head(stream) is None:  # which also keeps other nodes out of the stream until we are done
            origin = self._recorder.start(tx, stream, seed, begins)
        else:
            origin = self._join(tx, stream, seed, begins)
        opened_at, log_id, holder = iso_ms(origin.started_at), seeds.log_id(seed), self._holding.hold(tx)
        tx.jobs.add(JobRow(stream, job["kind"], "running", opened_at, job["person"], log_id, holder))
        return origin, holder

    def _join(self, tx: Tx, stream: str, seed: str, begins: dict[str, Any]) -> Origin:
        """Begin a job in a stream that a verb of the same seed opened before it."""
        known = self._recorder.jobs
        if known.told(tx, stream) is not None or tx.jobs.get(stream) is not None:
            raise Conflict("job_seed was already used by another question or goal")
        if known.is_erased(tx, stream):
            raise Conflict("what this job_seed was used for was erased; use a new job_seed")
        origin = self._recorder.open(tx, seed, begins)
        self._recorder.append(tx, origin, "JOB_BEGUN", begins)
        return origin

    def take(self, tx: Tx, tape: LiveTape, snapshot: dict[str, Any]) -> dict[str, Any]:
        """Keep a snapshot, once for all jobs that saw the same, and name it on the tape; return what was recorded."""
        plain = canon.dumps(snapshot)
        digest = canon.sha256_hex(plain)
        record = tx.records.get("snapshot", digest)
        if record is None:
            tape.document("snapshot", digest, snapshot)
            named = {"kind": "snapshot", "key": digest, "hash": digest}
        else:
            named = records.reference(record)
        tape.event("SNAPSHOT_TAKEN", {"snapshot": digest, "record": named})
        recorded: dict[str, Any] = canon.loads(plain)  # ours: nobody vouches for the body of a row that was there
        return recorded

    def record(self, tape: LiveTape, after: Callable[[Tx, Ending], None]) -> "LiveRecord":
        """Where the ending of a live job goes; `after` runs in the same unit, for what others take from the job."""
        return LiveRecord(self, tape, self._write_log, after)


class LiveRecord:
    def __init__(self, jobs: Jobs, tape: LiveTape, write_log: WriteLog, after: Callable[[Tx, Ending], None]) -> None:
        self._jobs = jobs
        self._tape = tape
        self._write_log = write_log
        self._after = after

    def whole(self, unit: Callable[[Tx], None]) -> None:
        self._tape.store(unit)

    def facts(self, tx: Tx, snapshot: dict[str, Any]) -> None:
        self._jobs.take(tx, self._tape, snapshot)

    def log(self, tx: Tx, payload: dict[str, Any]) -> None:
        self._write_log(tx, TapeJournal(self._tape), payload, self._tape.person)

    def close(self, tx: Tx, payload: dict[str, Any], ending: Ending) -> None:
        self._tape.event("JOB_CLOSED", payload)
        tx.jobs.set_status(self._tape.stream, ending.status)
        self._after(tx, ending)
