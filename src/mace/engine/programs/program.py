"""The program of a job of kind `program`: somebody's own function, played live, taken up again or replayed.

`OwnPrograms` is the kernel's `Program` for all of them: the snapshot of a job names the function and its version, and
exactly that one is played. What the function returns or raises becomes the ending of the job: its answer, its log, how
it closed.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, cast

from mace.core import canon, seeds
from mace.core.errors import Conflict, InvalidInput, envelope
from mace.core.programs import NAME, CallFailed, ProgramInfo, Registered, registered
from mace.engine.kernel import job as kernel
from mace.engine.kernel.cleaning import personal_name
from mace.engine.kernel.durable import DurableTape
from mace.engine.kernel.job import Hands, NoHands, NoProgram, snapshot_hash
from mace.engine.kernel.reels import Cancelled, Halted, Reel
from mace.engine.kernel.tape import Outcome, Tape
from mace.engine.programs.handle import _CURRENT, CallMade, Ending, Job, Playing, _reset
from mace.engine.programs.hands import ProgramHands, is_async, name_of, text_of
from mace.ledger.reflective import MAX_TEXT_CHARS
from mace.memory.people.turns import MAIN

_MAX_LOGGED_CALLS = 256  # in the log; all of them are on the ledger
DEADLINE = "deadline"
Status = Literal["closed", "failed", "cancelled"]


class Registry:
    """The functions that this process can play, by name and version."""

    def __init__(self, functions: Iterable[Any] = ()) -> None:
        self._known: dict[tuple[str, str], Registered] = {}
        self._latest: dict[str, str] = {}
        for function in functions:
            self.add(function)

    def add(self, function: Any) -> Registered:
        """Register a function; the same name and version with another function is a `Conflict`."""
        new = registered(function)
        if personal_name(new.name) or personal_name(new.version):
            raise InvalidInput("name and version must not contain personal data: they are stored unencrypted")
        held = self._known.setdefault((new.name, new.version), new)
        if held.function is not new.function:
            raise Conflict(f"program {new.name} version {new.version} is registered already, with another function")
        self._latest[new.name] = new.version
        return held

    def named(self, wanted: Any) -> Registered:
        """The program that was asked for: a function, or a name, of which the version registered last is meant."""
        if not isinstance(wanted, str):
            return self.add(wanted)
        version = self._latest.get(wanted)
        if version is None:
            known = ", ".join(sorted(self._latest)) or "none"
            shown = f"{wanted!r} " if NAME.fullmatch(wanted) and not personal_name(wanted) else ""
            raise InvalidInput(
                f"program {shown}is not registered; give its function to mace.open (registered: {known})"
            )
        return self._known[wanted, version]

    def get(self, name: str, version: str) -> Registered:
        """The program of a recorded job; raise `NoProgram`."""
        found = self._known.get((name, version))
        if found is None:
            raise NoProgram(name, version, self._known)
        return found

    def infos(self) -> list[ProgramInfo]:
        return [ProgramInfo(*item) for item in sorted(self._known)]


class OwnPrograms:
    """Plays whichever program a snapshot names (`kernel.job.Program`)."""

    def __init__(self, registry: Registry, drive: Callable[[Callable[[], Any]], Any]) -> None:
        self.registry = registry
        self._drive = drive  # runs a coroutine to its end

    def rules(self) -> dict[str, int]:
        return {}

    def play(self, tape: Tape, received: Mapping[str, Any], snapshot: Mapping[str, Any], hands: Hands) -> kernel.Ending:
        """Play a program to its end, in this thread."""
        act = self.act(tape, received, snapshot, hands)
        if act.is_async:
            return act.ended(*self._drive(act.arun))
        return act.ended(*act.run())

    def act(self, tape: Tape, received: Mapping[str, Any], snapshot: Mapping[str, Any], hands: Hands) -> "Act":
        """A program that can be run."""
        said = snapshot["program"]
        program = self.registry.get(said["name"], said["version"])
        return Act(program, cast(Reel, tape), received, snapshot, hands)


def opening(reel: Reel, received: Mapping[str, Any]) -> None:
    """Record what a job received; the first thing on the tape of every program."""
    reel.event("INPUT_RECEIVED", {"input_hash": reel.keep("input", dict(received)), "source": received["source"]})
    for flag in received["flags"]:
        reel.event("PII_FLAGGED", flag)
    for used in received["consents"]:
        reel.event("PII_CONSENT", used)


class Act:
    """One program, one job: from what it received to its ending."""

    def __init__(
        self,
        program: Registered | None,
        reel: Reel,
        received: Mapping[str, Any],
        snapshot: Mapping[str, Any],
        hands: Hands | ProgramHands,
    ) -> None:
        self._program = program
        self._reel = reel
        self._received = received
        self._snapshot = snapshot
        world = hands if isinstance(hands, ProgramHands) else None
        assert world is not None or isinstance(hands, NoHands)
        process = None if world is None else world.process()
        talk = received.get("conversation_id", MAIN)
        self.playing = Playing(reel.stream, received["person"], world, process, talk)
        self.job = Job(self.playing, reel)
        self.redacted: tuple[str, ...] = ()  # types of data that were cut out of the answer
        if not reel.is_begun:
            opening(reel, received)

    @property
    def is_async(self) -> bool:
        function = None if self._program is None else self._program.function
        return is_async(function)

    # Running

    def run(self) -> tuple[Any, BaseException | None]:
        """Run the function; return what it came to, or what it raised."""
        assert self._program is not None
        token = _CURRENT.set(self.job)
        try:
            return self._program.function(self.job, self._input()), None
        except (Halted, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            return None, error
        finally:
            _reset(token)

    async def arun(self) -> tuple[Any, BaseException | None]:
        """Run an async function."""
        assert self._program is not None
        token = _CURRENT.set(self.job)
        try:
            return await self._program.function(self.job, self._input()), None
        except (Halted, KeyboardInterrupt, SystemExit, asyncio.CancelledError):
            raise
        except BaseException as error:
            return None, error
        finally:
            _reset(token)

    def _input(self) -> Any:
        return canon.loads(canon.dumps(self._received["input"]))  # the function's own: it may change it

    # The ending

    def ended(self, returned: Any, error: BaseException | None) -> kernel.Ending:
        """The ending of a job, from what its function returned or raised."""
        if self.playing.broken is not None:
            raise Halted(self.playing.broken)  # also where a program caught everything
        if isinstance(self._reel, DurableTape) and self._reel.tree.halted is not None:
            raise Halted(self._reel.tree.halted)
        ending: Ending | None = None
        try:
            self.job._fan_in_branches()
            if error is None:
                ending = as_ending(returned)
        except (CallFailed, InvalidInput) as wrong:
            error = error if isinstance(error, Cancelled) else wrong
        if not isinstance(error, Cancelled):  # whatever a program caught or returned: it was told to stop
            told = self.job._told_to_stop() or self.playing.stopped
            error = error if told is None else Cancelled(told)
            ending = ending if told is None else None
        status: Status = "closed"
        failure: dict[str, Any] | None = None
        if isinstance(error, Cancelled):
            status, failure = self._cancelled(error)
        elif error is not None:
            status, failure = "failed", self._failure(error)
        given = self._given(ending)
        self.playing.over = True
        if isinstance(self._reel, DurableTape):
            self._reel.must_be_played()
        return self._ending(status, failure, given)

    def _cancelled(self, error: Cancelled) -> tuple[Status, dict[str, Any]]:
        if self.job._stopped is None:  # a branch was told, and this one heard it from there
            self._reel.event("JOB_CANCELLED", {"reason": error.reason, "job_id": self._reel.stream})
        if error.reason == DEADLINE:
            limit = {"agent_id": self._agent, "timeout_ms": self._received["time_ms"]}
            return "failed", self._envelope("AGENT_TIMEOUT", limit)
        return "cancelled", self._envelope("CONFLICT", {"reason": "the job was cancelled"})

    def _failure(self, error: BaseException) -> dict[str, Any]:
        """What a program raised: recorded as something that came from outside, for no two Pythons say it alike."""
        name = name_of(error)
        step = self._reel.begin("failure", "failure", {"exception": name}, safe=True)
        if step.outcome is None:
            from mace.engine.kernel.stacks import stack_of

            told = {"exception": name, "text": text_of(error)}
            step = self._reel.finish(step, Outcome(told, None, stack_of(error)), 0.0)
        told = step.outcome.value if step.outcome is not None else {}
        return self._envelope("AGENT_ERROR", {"agent_id": self._agent, "exception": name, "reason": told["text"]})

    def _given(self, ending: Ending | None) -> dict[str, Any]:
        """The answer as it may be kept and shown: through the gate, on the record."""
        if ending is None:
            return {"text": None, "value": None, "evidence": []}
        answer = {"text": ending.text, "value": ending.value, "evidence": [dict(item) for item in ending.evidence]}
        step = self._reel.begin("answer", "answer", answer, safe=True, inward=True)
        if step.outcome is None:
            self._reel.settle(step)
        self.redacted = step.withheld
        given: dict[str, Any] = step.request
        return given

    @property
    def _agent(self) -> str:
        return f"program:{self._snapshot['program']['name']}"

    def _envelope(self, code: str, details: dict[str, Any]) -> dict[str, Any]:
        return envelope(
            code,
            query_id=self._reel.stream,
            trace_id=seeds.trace_id(self._reel.job_seed),
            timestamp=self._reel.timestamp(),
            details=details,
        )

    def _ending(self, status: Status, failure: dict[str, Any] | None, given: dict[str, Any]) -> kernel.Ending:
        reel, said = self._reel, self._snapshot["program"]
        facts = {"kind": "sem", "keys": {key: self.playing.facts[key] for key in sorted(self.playing.facts)}}
        result = {
            "job_id": reel.stream,
            "log_id": seeds.log_id(reel.job_seed),
            "program": said["name"],
            "version": said["version"],
            "status": status,
            "text": given["text"],
            "answer": given["value"],
            "evidence": given["evidence"],
            "error": failure,
            "notices": [] if failure is None else [failure],
        }
        total_ms = reel.observe("total_ms", self._elapsed)
        return kernel.Ending(
            result=result,
            error_code=None if failure is None else failure["error_code"],
            log=self._log(result, snapshot_hash(facts), total_ms),
            facts=facts,
            status=status,
        )

    def _elapsed(self) -> float:
        world = self.playing.world()
        at_ms: int = self._received["at_ms"]
        return round(max(world.clock.now().timestamp() * 1000 - at_ms, 0.0), 3)

    def _log(self, result: dict[str, Any], sem_hash: str, total_ms: float) -> dict[str, Any]:
        reel, received = self._reel, self._received
        calls = sorted(self.playing.calls, key=lambda call: (call.branch, call.number))
        text = result["text"]
        cut = text is not None and len(text) > MAX_TEXT_CHARS
        final = {"answer": text[:MAX_TEXT_CHARS] if text is not None else None, **({"cut": True} if cut else {})}
        per_call: dict[str, float] = {}
        for call in calls:
            per_call[call.name] = round(per_call.get(call.name, 0.0) + call.elapsed_ms, 3)
        return {
            "log_id": result["log_id"],
            "created_at": reel.timestamp(),
            "source": received["source"],
            "query_id": reel.stream,
            "query_text_hash": received["query_text_hash"],
            "qcp_summary": {"depth_level": 0, "intent_tags": [self._agent], "urgency": "normal"},
            "agents_invoked": [self._agent],
            "agent_outputs": _outputs(self._agent, calls),
            "council_votes": [],
            "final_answer": {**final, "error_code": None if result["error"] is None else result["error"]["error_code"]},
            "final_confidence": received.get("confidence", 0.5),
            "repair_loops": 0,
            "cache_hit": False,
            "sem_snapshot_hash": sem_hash,
            "runtime_metrics": {
                "total_time_ms": total_ms,
                "per_agent_time_ms": per_call,
                "tokens_used": sum(self.playing.tokens),
            },
            "system_version": self._snapshot["system_version"],
        }


def _outputs(agent: str, calls: list[CallMade]) -> list[dict[str, Any]]:
    """The calls of a program as the log has them: what each came to, in short; all of it lies beside the ledger."""
    listed = [
        {
            "agent_id": f"call:{call.name}",
            "text": call.shown,
            "confidence": 0.5 if call.failed is None else 0.0,  # nobody says how sure a call is
            "reasoning_trace": [
                f"call {call.number} of {f'branch {call.branch}' if call.branch else 'the job'}",
                *([] if call.failed is None else [f"failed: {call.failed}"]),
            ],
            "tokens": call.tokens,
            "time_ms": call.elapsed_ms,
        }
        for call in calls[:_MAX_LOGGED_CALLS]
    ]
    rest = calls[_MAX_LOGGED_CALLS:]
    if rest:
        listed.append(
            {
                "agent_id": agent,
                "text": f"and {len(rest)} more calls",
                "confidence": 0.5,
                "reasoning_trace": [],
                "tokens": sum(call.tokens for call in rest),
                "time_ms": round(sum(call.elapsed_ms for call in rest), 3),
            }
        )
    return listed


def as_ending(returned: Any) -> Ending:
    """What a program returned, as an ending: `job.answer(...)`, a text, or any other JSON."""
    if isinstance(returned, Ending):
        ending = returned
    elif isinstance(returned, str):
        ending = Ending(returned)
    else:
        ending = Ending(None, returned)
    try:
        value = canon.loads(canon.dumps_given(ending.value))
        canon.dumps([ending.text, list(ending.evidence)])
    except canon.NotCanonical as error:
        raise InvalidInput(
            f"the program returned what is not JSON ({error}); return job.answer(...), a str or JSON"
        ) from None
    text = ending.text
    if text is None and value is not None:
        text = canon.dumps(value).decode()
    return Ending(text, value, ending.evidence)
