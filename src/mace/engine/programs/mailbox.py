"""The mailbox of a job: how people reach one that is running or waiting.

Whoever cancels a job or answers its question writes into a stream of their own; the job reads it as an effect, between
two steps or while it waits. What was said lies sealed under the job's own key. No answer in time is no answer.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from mace.core import canon, seeds
from mace.core.answers import Cancellation
from mace.core.errors import Conflict, Erased, IntegrityFailure, InvalidInput, NotFound
from mace.core.times import iso_ms, parse_instant
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.durable import DurableTape
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.privacy import screen
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.reels import Reel, Step
from mace.engine.kernel.tape import Outcome
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.engine.programs.hands import came_to
from mace.ledger.jobs import JobTold
from mace.storage.ports import Tx

_LOOK_MS = 100  # how often a job that waits looks whether somebody answered
CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a job that has no answer yet."""

    question_id: str
    stream: str
    effect: int
    asked_at: str
    expires_at: str


class Mailbox:
    """Reads and writes what people say to jobs."""

    def __init__(self, world: World, recorder: Recorder, vault: Vault, bound: Bound, wait_ms: int) -> None:
        self._world = world
        self._recorder = recorder
        self._vault = vault
        self._bound = bound
        self._wait_ms = wait_ms

    # The job's side

    def cancelled(self, root: str) -> bool:
        """Say whether somebody cancelled a job."""

        def look(tx: Tx) -> bool:
            return any(
                event.event_type == "JOB_CANCELLED" and self._bound.said(tx, event) is not None
                for event in tx.events.about(f"mailbox/{root}")
            )

        store = self._world.store
        return store.is_spoken_of(f"mailbox/{root}") and store.read(look)

    def ask(self, reel: Reel, step: Step, wait_ms: int | None, left_ms: float | None) -> tuple[Outcome, float]:
        """Put a question to whoever may answer, and wait."""
        assert isinstance(reel, DurableTape)
        root, wait = reel.tree.root, float(wait_ms or self._wait_ms)
        wait = wait if left_ms is None else max(min(wait, left_ms), 0.0)
        question_id = question_id_of(reel.job_seed, step.number)
        began = self._world.clock.monotonic_ms()
        now = self._world.clock.now()
        asked = {
            "job_id": root,
            "question_id": question_id,
            "effect": step.number,
            "asked_at": iso_ms(now),
            "expires_at": iso_ms(now + timedelta(milliseconds=wait)),
        }
        reel.say("PERSON_ASKED", asked, "waiting")
        spent = 0.0
        said = self._answer(root, question_id)
        while said is None and spent < wait and reel.tree.stop() is None:
            pause = int(min(_LOOK_MS, wait - spent)) or 1
            self._world.runner.crew().next(pause)  # nothing is submitted: it is a timer
            spent += pause
            said = self._answer(root, question_id)
        reel.say(
            "PERSON_ANSWERED", {"job_id": root, "question_id": question_id, "answered": said is not None}, "running"
        )
        elapsed = round(self._world.clock.monotonic_ms() - began, 3)
        return came_to(None if said is None else said["value"]), elapsed

    def _answer(self, root: str, question_id: str) -> dict[str, Any] | None:
        def look(tx: Tx) -> dict[str, Any] | None:
            if not tx.events.is_spoken_of(f"mailbox/{root}"):
                return None
            for event in tx.events.about(f"mailbox/{root}"):
                if event.event_type != "PERSON_ANSWERED" or event.stream == root:
                    continue
                said = self._bound.said(tx, event)
                payload = {} if said is None else said["payload"]
                if payload.get("question_id") == question_id and "value_hash" in payload:
                    plain = self._vault.blob(tx, f"said/{event.stream}")
                    if plain is not None:
                        found: dict[str, Any] = canon.loads(plain)
                        return found
            return None

        return self._world.store.read(look)

    # The people's side

    def waiting(self, tx: Tx, streams: list[str]) -> list[Asked]:
        """The questions of a job that nobody has answered yet."""
        found: dict[str, Asked] = {}
        for stream in streams:
            for event in tx.events.of_stream(stream):
                if event.event_type not in ("PERSON_ASKED", "PERSON_ANSWERED"):
                    continue
                said = canon.loads(event.body)["payload"]
                if event.event_type == "PERSON_ANSWERED":
                    found.pop(said["question_id"], None)
                else:
                    asked = Asked(said["question_id"], stream, said["effect"], said["asked_at"], said["expires_at"])
                    found[asked.question_id] = asked
        return list(found.values())

    def text_of(self, tx: Tx, asked: Asked) -> str:
        """What was asked; empty where it was erased."""
        plain = self._vault.blob(tx, f"request/{asked.effect}/{asked.stream}")
        return "" if plain is None else str(canon.loads(plain)["request"]["question"])

    def answer(self, told: JobTold, streams: list[str], question_id: str, value: Any, by: str) -> None:
        """Answer a question of a job."""
        try:
            canon.dumps_given(value)
        except canon.NotCanonical as error:
            raise InvalidInput(f"value must be JSON: {error}") from None
        journal = VerbJournal(self._recorder, "jobs.answer")
        root = told.tree

        def unit(tx: Tx) -> None:
            asked = next((item for item in self.waiting(tx, streams) if item.question_id == question_id), None)
            if asked is None:
                raise NotFound(what=f"an open question {question_id}")
            if self._is_answered(tx, root, question_id):
                raise Conflict("the question was answered already")
            if parse_instant(asked.expires_at) < self._world.clock.now():
                raise Conflict("the question has expired")
            passed = screen(self._world.keys, value, journal.job_seed)
            plain = canon.dumps({"value": passed.value})
            try:
                key = self._vault.open_key(tx, f"job/{root}")
            except Erased:
                raise Conflict("the job was erased") from None
            ref = f"said/{journal.stream}"
            tx.vault.put_blob(ref, f"job/{root}", self._world.keys.seal(key, plain, f"blob/{ref}"))
            said = {
                "job_id": root,
                "question_id": question_id,
                "value_hash": self._world.keys.keyed_hash(key, plain),
            }
            journal.event(tx, "PERSON_ANSWERED", said, by)
            for flag in passed.flags:
                journal.event(tx, "PII_FLAGGED", flag.payload())

        self._world.store.write(unit)

    def cancellation(self, tx: Tx, root: str) -> Cancellation | None:
        """Who first told a job to stop, and why; nobody where the event is not what was signed."""
        if not tx.events.is_spoken_of(f"mailbox/{root}"):
            return None
        for event in reversed(tx.events.about(f"mailbox/{root}")):
            if event.event_type != "JOB_CANCELLED":
                continue
            with suppress(IntegrityFailure):
                said = self._bound.said(tx, event)
                if said is not None:
                    reason = said["payload"]["reason"]
                    return {
                        "by": said["signed_by"],
                        "reason": None if reason == CANCELLED else reason,
                        "at": said.get("recorded_at"),
                    }
        return None

    def _is_answered(self, tx: Tx, root: str, question_id: str) -> bool:
        return any(
            event.event_type == "PERSON_ANSWERED" and canon.loads(event.body)["payload"]["question_id"] == question_id
            for event in tx.events.about(f"mailbox/{root}")
        )

    def cancel(self, tx: Tx, root: str, reason: str, by: str) -> None:
        """Ask a running job to stop at its next step."""
        journal = VerbJournal(self._recorder, "cancel")
        journal.event(tx, "JOB_CANCELLED", {"job_id": root, "reason": reason or CANCELLED}, by)


def question_id_of(job_seed: str, number: int) -> str:
    """The id of a question: the same when a job that was interrupted asks it again."""
    return seeds.derived_uuid("question_id", f"{job_seed}/{number}")
