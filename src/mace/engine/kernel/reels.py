"""Reels: the tapes of programs, as a program sees them, and the one that plays a stored job.

`Reel` is the face that a live tape (`durable.DurableTape`) and a stored one (`ReplayReel`) share. What a program does
is compared with the record step by step. Where the record says otherwise it is a divergence; where it ends (`RanOut`)
a replay differs from it, and a job that is taken up again goes on live.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, NoReturn, Protocol

from mace.core import canon, seeds
from mace.core.events import Head, Origin, StoredEvent
from mace.engine.kernel.differences import first_difference
from mace.engine.kernel.privacy import screen
from mace.engine.kernel.recorder import origin_of
from mace.engine.kernel.tape import Diverged, Outcome, RanOut, ReplayTape, Tape, Unreadable
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World

BranchEnd = Literal["closed", "failed", "cancelled"]


class Halted(BaseException):
    """The job cannot go on in this process; no error, so that no program takes it for one of its own."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Cancelled(BaseException):
    """The job was cancelled, or its time is over; raised where a program comes to its next step."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class Step:
    """A call that was begun; `outcome` is there when it need not be made: it was made before."""

    number: int
    kind: str
    name: str
    request: Any  # as it is recorded, and as it is made
    withheld: tuple[str, ...] = ()  # types of data that were cut out of the request
    outcome: Outcome | None = None
    elapsed_ms: float | None = None
    attempt: int = 1
    result_hash: str = ""


class Reel(Tape, Protocol):
    """What a program's job sees of its record, live, taken up again or replayed."""

    @property
    def name(self) -> str:
        """How a branch is called; empty for the job itself."""

    @property
    def parent(self) -> "Reel | None":
        """What a branch branched off."""

    @property
    def head(self) -> Head | None:
        """The last event of the stream."""

    @property
    def is_begun(self) -> bool:
        """Whether what was received is on the record already."""

    def begin(
        self, kind: str, name: str, request: Any, *, safe: bool, inward: bool = False, plain: bytes | None = None
    ) -> Step:
        """Record that a call begins; `safe`: it may be made again, `inward`: it goes to nobody outside.

        `plain`: the canonical bytes of the request, where they are known.
        """

    def settle(self, step: Step) -> Step:
        """Record the end of a step that has no result; stored with whatever is stored next."""

    def finish(self, step: Step, outcome: Outcome, elapsed_ms: float) -> Step:
        """Record what a call came to; the step with it, as it was recorded."""

    def branch(self, name: str) -> "Reel":
        """The tape of a new branch."""

    def end(self, result: Any, status: BranchEnd) -> None:
        """Record how a branch ended; stored with the fan-in at the latest."""

    def fan_in(self, branches: Sequence["Reel"]) -> None:
        """Record that branches ended, sorted by name and number."""

    def interrupted_by(self) -> str | None:
        """Why the job is to stop here: it was cancelled, or its time is over."""


def branch_seed(parent_seed: str, name: str, number: int) -> str:
    """The seed of the stream of a branch; `number` counts equal names from 0."""
    return sha256(canon.dumps([parent_seed, "branch", name, number])).hexdigest()


class Branching:
    """Names and numbers the branches of one tape."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def next(self, name: str) -> int:
        number = self._counts.get(name, 0)
        self._counts[name] = number + 1
        return number


class ReplayReel(ReplayTape):
    """The tape of a durable job that is played from its record."""

    is_begun = False

    def __init__(
        self,
        world: World,
        vault: Vault,
        origin: Origin,
        events: list[StoredEvent],
        start: int,
        data_key: bytes,
        blob: Callable[[str], bytes | None],
        stored: Callable[[str], list[StoredEvent]],
        name: str = "",
        parent: "ReplayReel | None" = None,
    ) -> None:
        super().__init__(world, vault, origin, events, start, data_key, blob)
        self.name: str = name
        self.parent: Reel | None = parent
        self._stored_of = stored
        self._branches = Branching()
        self.last: dict[str, Any] | None = None  # the call that was made last, for whoever asks where it diverged

    @property
    def effects(self) -> int:
        return self._effects

    @property
    def head(self) -> Head:
        last = self._events[-1]
        return Head(last.sequence_index, last.hash)

    @property
    def path(self) -> str:
        return path_of(self)

    def event(self, event_type: str, payload: dict[str, Any], signed_by: str = "system") -> dict[str, Any]:
        """Compare an event; where it differs, the call that led there is told."""
        try:
            return super().event(event_type, payload, signed_by)
        except Diverged as error:
            error.call = error.call or self.last
            raise

    def observe(self, name: str, look: Callable[[], Any]) -> Any:
        """Return the recorded observation."""
        try:
            return super().observe(name, look)
        except Diverged as error:
            error.call = error.call or self.last
            raise

    def interrupted_by(self) -> str | None:
        """Say why the job stopped here, if it did."""
        self.pass_by()
        stored = self.peek()
        if stored is None or stored["event_type"] != "JOB_CANCELLED":
            return None
        self._at += 1
        reason: str = stored["payload"]["reason"]
        return reason

    def begin(
        self, kind: str, name: str, request: Any, *, safe: bool, inward: bool = False, plain: bytes | None = None
    ) -> Step:
        """Compare the beginning of a call with the recorded one, and return what it came to."""
        self.pass_by()
        number, self._effects = self._effects, self._effects + 1
        about = {"branch": self.path, "number": number, "name": name}
        stored_event = self.peek()
        if stored_event is None:
            self._effects = number
            raise RanOut(self._at, None, {"event_type": "EFFECT_STARTED", **about})
        said = stored_event["payload"] if stored_event["event_type"] == "EFFECT_STARTED" else {}
        given = self._world.keys.keyed_hash(self._data_key, canon.dumps(request) if plain is None else plain)
        expected = {"effect": number, "kind": kind, "name": name, "idempotent": safe}
        same = {field: said.get(field) for field in expected} == expected
        if not same or given != said.get("given_hash", said.get("sent_hash")):
            raise Diverged(
                self._at,
                stored_event,
                {"event_type": "EFFECT_STARTED", **expected, "given_hash": given},
                call=about,
                differs=self._differs(said, request) if same else None,
                after=self.last,
            )
        kept = self._kept(f"request/{number}/{self.stream}", said["sent_hash"], f"the request of call {number}")
        self._at += 1
        self.last = about
        for flag in kept.get("flags", ()):
            self.event("PII_FLAGGED", flag)
        step = Step(number, kind, name, kept["request"], types_of(kept.get("flags", ())))
        self.pass_by()
        self.pass_attempts(number)
        if self._stored() is not None:
            self._take_result(step)
        return step

    def _take_result(self, step: Step) -> None:
        stored = self.peek()
        said = stored["payload"] if stored is not None and stored["event_type"] == "EFFECT_DONE" else {}
        if (said.get("effect"), said.get("kind")) != (step.number, step.kind):
            expected = {"event_type": "EFFECT_DONE", "effect": step.number, "kind": step.kind}
            raise Diverged(self._at, stored, expected, call=self.last)
        recorded = self._kept(
            f"effect/{step.number}/{self.stream}", said["result_hash"], f"the result of call {step.number}"
        )
        flags = tuple(recorded.get("flags", ()))
        self.event("EFFECT_DONE", said)
        for flag in flags:
            self.event("PII_FLAGGED", flag)
        step.outcome = Outcome(recorded["value"], recorded["failed"], flags=flags)
        step.elapsed_ms, step.attempt, step.result_hash = said["elapsed_ms"], said["attempt"], said["result_hash"]

    def _kept(self, ref: str, digest: str, what: str) -> dict[str, Any]:
        plain = self._blob(ref)
        if plain is None:
            raise Unreadable(what, erased=False)
        if self._world.keys.keyed_hash(self._data_key, plain) != digest:
            raise Diverged(self._at, self.peek(), {what: "is not what was recorded"}, call=self.last)
        kept: dict[str, Any] = canon.loads(plain)
        return kept

    def _differs(self, said: Mapping[str, Any], request: Any) -> str | None:
        """Where in the request the first difference is; what stands there is told to nobody."""
        plain = self._blob(f"request/{said['effect']}/{self.stream}")
        where = None if plain is None else first_difference(canon.loads(plain)["request"], request)
        return None if where is None else screen(self._world.keys, where, self.job_seed).value

    def settle(self, step: Step) -> Step:
        """The record has no end of this step."""
        return self.finish(step, Outcome(None), 0.0)

    def finish(self, step: Step, outcome: Outcome, elapsed_ms: float) -> Step:
        """The record has no end of this call: what comes after it was not recorded either."""
        raise RanOut(self._at, None, {"event_type": "EFFECT_DONE", "effect": step.number})

    def branch(self, name: str) -> "ReplayReel":
        """The tape of a branch; it must have been recorded."""
        number = self._branches.next(name)
        seed = branch_seed(self.job_seed, name, number)
        stream = seeds.job_id(seed)
        events = self._stored_of(stream)
        if not events:
            self._no_branch(name, number, stream)
        return ReplayReel(
            self._world,
            self._vault,
            origin_of(events[0]),
            events,
            1,
            self._data_key,
            self._blob,
            self._stored_of,
            f"{name}[{number}]" if number else name,
            self,
        )

    def _no_branch(self, name: str, number: int, stream: str) -> NoReturn:
        """A branch without a record: it is gone if the job says that it was there, else there was none."""
        if any(row.event_type == "FAN_IN" and stream.encode() in row.body for row in self._events):
            raise Unreadable(f"the stream of branch {name} ({number})", erased=False)
        raise Diverged(self._at, self.peek(), {"branch": name, "n": number}, call=self.last, differs="another branch")

    def end(self, result: Any, status: BranchEnd) -> None:
        """Compare how a branch ended."""
        self.event("JOB_CLOSED", ending_of(self.keep("result", result), status))

    def fan_in(self, branches: Sequence["Reel"]) -> None:
        """Compare the fan-in; each branch must have come to its recorded end."""
        for item in branches:
            if isinstance(item, ReplayReel):
                item.must_be_over()
        self.event("FAN_IN", {"branches": heads_of(branches)})

    def must_be_over(self) -> None:
        """Refuse a record that goes on where the program does not."""
        self.pass_by()
        if self._at < len(self._events):
            raise Diverged(self._at, self.peek(), None, call=self.last)


def types_of(flags: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    return tuple(sorted({flag["pii_type"] for flag in flags}))


def ending_of(result_hash: str, status: BranchEnd) -> dict[str, Any]:
    return {"result_hash": result_hash, **({"status": status} if status != "closed" else {})}


def heads_of(branches: Sequence[Reel]) -> list[dict[str, str]]:
    """The last event of each branch that ended, in the order of their streams: who ended first does not count."""
    ended = sorted(branches, key=lambda item: item.stream)
    return [{"job_id": item.stream, "hash": "" if item.head is None else item.head.hash.hex()} for item in ended]


def path_of(reel: Reel) -> str:
    """The names of a branch and of those it branched off; empty for the job itself."""
    names = []
    at: Reel | None = reel
    while at is not None and at.parent is not None:
        names.append(at.name)
        at = at.parent
    return "/".join(reversed(names))
