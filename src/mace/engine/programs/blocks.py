"""`recording` and `record`: code that cannot become a function, and decisions that were made elsewhere.

A block has no function to be played again: its replay checks the whole record and answers `NO_PROGRAM`. All else is as
for programs: the gate, the person's key, every call on the record before its result is used.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mace.core.answers import Evidence
from mace.core.errors import InvalidInput
from mace.core.programs import NAME, TAKEN
from mace.engine.kernel.cleaning import personal_name
from mace.engine.kernel.job import conclude
from mace.engine.kernel.recorder import Recorder, check_seed
from mace.engine.kernel.reels import Halted
from mace.engine.programs.handle import _CURRENT, Ending, Job, _reset, check_evidence
from mace.engine.programs.performing import Begun, Performing
from mace.engine.programs.program import Act

BLOCK = "block"


class Blocks:
    """Records what somebody's own code does."""

    def __init__(self, recorder: Recorder, performing: Performing) -> None:
        self._recorder = recorder
        self._performing = performing

    @contextmanager
    def recording(
        self,
        question: str,
        user_id: str | None,
        job_seed: str | None,
        *,
        program: str,
        consent_id: str | None,
        traceparent: str | None,
    ) -> Iterator[Job]:
        """Record a block of code; the last `job.answer(...)` in it is its answer."""
        begun = self._open("recording", question, user_id, job_seed, program, consent_id, traceparent, {})
        act = self._act(begun)
        token = _CURRENT.set(act.job)
        self._performing.holds(begun, True)
        try:
            try:
                yield act.job
            except (Halted, KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:
                self._end(act, begun, None, error)
                raise
            self._end(act, begun, act.job._answered or Ending(None), None)
        except Halted as halted:
            raise self._performing.halted(begun, halted.cause)[0] from None
        except (KeyboardInterrupt, SystemExit):
            self._performing.interrupt(begun, "stopped")
            raise
        finally:
            act.playing.over = True
            self._performing.holds(begun, False)
            _reset(token)

    def record(
        self,
        question: str,
        answer: str,
        user_id: str | None,
        *,
        evidence: Sequence[Evidence],
        confidence: float | None,
        consent_id: str | None,
        job_seed: str | None,
        traceparent: str | None,
    ) -> dict[str, Any]:
        """Record one decision that was made elsewhere."""
        if not isinstance(answer, str):
            raise InvalidInput("answer must be a str")
        good = isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 1
        if confidence is not None and not good:
            raise InvalidInput("confidence must be a number from 0 to 1")
        if not isinstance(evidence, list | tuple):
            raise InvalidInput('evidence must be a list of {"kind": ..., "ref": ...}')
        listed = tuple(map(check_evidence, evidence))
        more = {} if confidence is None else {"confidence": confidence}
        begun = self._open("record", question, user_id, job_seed, BLOCK, consent_id, traceparent, more)
        act = self._act(begun)
        try:
            ending = self._end(act, begun, Ending(answer, None, listed), None)
        except Halted as halted:
            raise self._performing.halted(begun, halted.cause)[0] from None
        finally:
            self._performing.holds(begun, False)
        redacted = sorted({*begun.received["withheld"], *act.redacted})
        return {"job_id": ending["job_id"], "log_id": ending["log_id"], "redacted": redacted}

    def _open(
        self,
        verb: str,
        question: str,
        user_id: str | None,
        job_seed: str | None,
        program: str,
        consent_id: str | None,
        traceparent: str | None,
        more: dict[str, Any],
    ) -> Begun:
        if not isinstance(question, str) or not question.strip():
            raise InvalidInput("question must be a str with something in it: what the block answers or does")
        if not isinstance(program, str) or not NAME.fullmatch(program) or program in TAKEN:
            raise InvalidInput("program must be 1 to 48 characters of a-z, 0-9, _ and -, and not ask or run")
        if personal_name(program):
            raise InvalidInput("program must not contain personal data: it is stored unencrypted on the ledger")
        seed = self._recorder.fresh_seed() if job_seed is None else check_seed(job_seed)
        return self._performing.open(
            {"kind": BLOCK, "program": program, "version": ""},
            question,
            user_id,
            seed,
            verb=verb,
            is_given_seed=job_seed is not None,
            consent_id=consent_id,
            traceparent=traceparent,
            more=more,
        )

    def _act(self, begun: Begun) -> Act:
        return Act(None, begun.tape, begun.received, begun.snapshot, self._performing.hands(begun))

    def _end(self, act: Act, begun: Begun, ending: Ending | None, error: BaseException | None) -> dict[str, Any]:
        ended = act.ended(ending, error)
        return conclude(ended, begun.tape, self._performing.record(begun.tape)).result
