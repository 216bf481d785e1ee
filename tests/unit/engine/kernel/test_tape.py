"""The tape of a job: what is recorded live is found again on replay, and nothing else passes for it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

import places
from mace.core import canon, seeds
from mace.core.errors import Conflict, ServiceUnavailable, StorageFull
from mace.core.events import StoredEvent
from mace.engine.kernel.job import Jobs
from mace.engine.kernel.recorder import origin_of
from mace.engine.kernel.tape import Diverged, LiveTape, Outcome, ReplayTape, Unreadable
from mace.engine.runtime import Mace
from mace.providers.frozen import FrozenClock
from mace.storage.ports import Exists, Tx

SEED = "a tape"
STREAM = seeds.job_id(SEED)
START = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def mace(mace_home: places.SqlitePlace) -> Iterator[Mace]:
    with mace_home.open(clock=FrozenClock(START)) as opened:
        yield opened


@pytest.fixture
def live(mace: Mace) -> LiveTape:
    def unit(tx: Tx) -> LiveTape:
        parts = mace._parts
        jobs = Jobs(parts.world, parts.recorder, parts.vault, parts.logs.write, parts.holding)
        return jobs.claim(tx, SEED, "ask", "user_ana", {})

    return mace._parts.world.store.write(unit)


def stored(mace: Mace) -> list[StoredEvent]:
    return mace._parts.world.store.read(lambda tx: tx.events.of_stream(STREAM))


def again(mace: Mace, events: list[StoredEvent] | None = None, lost: tuple[str, ...] = ()) -> ReplayTape:
    def blob(ref: str) -> bytes | None:
        return None if ref in lost else mace._parts.world.store.read(lambda tx: mace._parts.vault.blob(tx, ref))

    first = mace._parts.world.store.read(lambda tx: tx.events.first(STREAM))
    key = mace._parts.world.store.read(lambda tx: mace._parts.vault.open_key(tx, f"job/{STREAM}"))
    assert first is not None
    events = stored(mace) if events is None else events
    return ReplayTape(mace._parts.world, mace._parts.vault, origin_of(first), events, 1, key, blob)


def never() -> Outcome:
    raise AssertionError("a replay performs nothing")


def never_writes(tx: Tx) -> Outcome:
    raise AssertionError("a replay writes nothing")


def done(tape: LiveTape) -> None:
    tape.store(lambda tx: None)


class TestEvents:
    def test_nothing_is_stored_before_it_is_said_so(self, mace: Mace, live: LiveTape):
        live.event("INPUT_RECEIVED", {"a": 1})
        assert len(stored(mace)) == 1
        done(live)
        assert [event.event_type for event in stored(mace)] == ["JOB_OPENED", "INPUT_RECEIVED"]

    def test_they_are_chained_and_seeded(self, mace: Mace, live: LiveTape):
        assert live.timestamp() == "2026-03-01T00:00:00.001Z"
        live.event("INPUT_RECEIVED", {"a": 1})
        live.event("AGENT_INVOKED", {"b": 2})
        done(live)
        bodies = [canon.loads(event.body) for event in stored(mace)]
        assert [body["event_id"] for body in bodies] == [
            seeds.event_id(SEED, 0, "JOB_OPENED"),
            seeds.event_id(SEED, 1, "INPUT_RECEIVED"),
            seeds.event_id(SEED, 2, "AGENT_INVOKED"),
        ]
        assert [body["prev_hash"] for body in bodies[1:]] == [event.hash.hex() for event in stored(mace)[:2]]
        assert bodies[2]["timestamp_seeded"] == "2026-03-01T00:00:00.002Z"

    def test_a_unit_that_fails_leaves_the_tape_as_it_was(self, mace: Mace, live: LiveTape):
        live.event("INPUT_RECEIVED", {})

        def fails(tx: Tx) -> None:
            live.event("AGENT_INVOKED", {})
            live.keep("output/0", {"text": "never"})
            raise ServiceUnavailable("no")

        with pytest.raises(ServiceUnavailable):
            live.store(fails)
        assert len(stored(mace)) == 1
        done(live)
        assert [event.event_type for event in stored(mace)] == ["JOB_OPENED", "INPUT_RECEIVED"]
        assert mace.verify()["ok"]

    def test_a_unit_that_runs_twice_is_recorded_once(self, mace: Mace, live: LiveTape):
        runs: list[int] = []

        def unit(tx: Tx) -> None:
            runs.append(1)
            live.event("AGENT_INVOKED", {})
            if len(runs) == 1:
                raise Exists("another node was quicker")

        live.event("INPUT_RECEIVED", {})
        live.store(unit)
        assert [event.event_type for event in stored(mace)] == ["JOB_OPENED", "INPUT_RECEIVED", "AGENT_INVOKED"]

    def test_on_replay_they_must_be_the_same_to_the_byte(self, mace: Mace, live: LiveTape):
        live.event("INPUT_RECEIVED", {"a": 1})
        live.event("AGENT_INVOKED", {"b": 2})
        done(live)
        tape = again(mace)
        tape.event("INPUT_RECEIVED", {"a": 1})
        assert tape.index == 2
        for event_type, payload in (
            ("AGENT_INVOKED", {"b": 3}),
            ("AGENT_INVOKED", {}),
            ("AGENT_OUTPUT", {"b": 2}),
        ):
            with pytest.raises(Diverged) as different:
                tape.event(event_type, payload)
            assert different.value.index == 2
            assert different.value.stored is not None and different.value.stored["payload"] == {"b": 2}
        tape.event("AGENT_INVOKED", {"b": 2})
        with pytest.raises(Diverged) as beyond:
            tape.event("JOB_CLOSED", {})
        assert (beyond.value.index, beyond.value.stored) == (3, None)

    def test_who_signed_it_counts_too(self, mace: Mace, live: LiveTape):
        live.event("INPUT_RECEIVED", {}, "user")
        done(live)
        with pytest.raises(Diverged):
            again(mace).event("INPUT_RECEIVED", {}, "system")


class TestKept:
    def test_it_lies_sealed_and_is_named_by_a_keyed_hash(self, mace: Mace, live: LiveTape):
        content = {"text": "the canary sings"}
        named = live.keep("output/0", content)
        done(live)
        assert named != sha256(canon.dumps(content)).hexdigest()
        held = mace._parts.world.store.read(lambda tx: tx.vault.blob(f"output/0/{STREAM}"))
        assert held is not None and b"canary" not in held[1]
        assert mace._parts.world.store.read(lambda tx: mace._parts.vault.blob(tx, f"output/0/{STREAM}")) == canon.dumps(
            content
        )
        assert again(mace).keep("output/0", content) == named

    def test_not_before_there_is_a_key(self, mace: Mace, live: LiveTape):
        locked = LiveTape(mace._parts.world, mace._parts.vault, mace._parts.recorder, live._origin, None, None)
        with pytest.raises(RuntimeError):
            locked.keep("output/0", {})


class TestEffects:
    def record(self, live: LiveTape) -> None:
        assert live.effect("compute", {"x": 1}, lambda: Outcome({"y": 2})) == Outcome({"y": 2})
        assert live.effect("complete", {"x": 2}, lambda: Outcome({}, "LLM_SERVICE_DOWN")).failed == "LLM_SERVICE_DOWN"
        done(live)

    def test_the_recorded_result_answers(self, mace: Mace, live: LiveTape):
        self.record(live)
        tape = again(mace)
        assert tape.effect("compute", {"x": 1}, never) == Outcome({"y": 2})
        assert tape.effect("complete", {"x": 2}, never) == Outcome({}, "LLM_SERVICE_DOWN")
        with pytest.raises(Diverged):
            tape.effect("complete", {"x": 2}, never)

    @pytest.mark.parametrize(("kind", "request_"), [("compute", {"x": 3}), ("complete", {"x": 1})])
    def test_another_request_gets_no_answer(self, mace: Mace, live: LiveTape, kind: str, request_: dict[str, Any]):
        self.record(live)
        with pytest.raises(Diverged):
            again(mace).effect(kind, request_, never)

    def test_the_same_request_at_another_place_gets_no_answer(self, mace: Mace, live: LiveTape):
        self.record(live)
        with pytest.raises(Diverged):
            again(mace).effect("complete", {"x": 2}, never)

    def test_a_lost_result(self, mace: Mace, live: LiveTape):
        self.record(live)
        with pytest.raises(Unreadable) as lost:
            again(mace, lost=(f"effect/0/{STREAM}",)).effect("compute", {"x": 1}, never)
        assert not lost.value.erased

    def test_what_cannot_be_recorded_is_not_used(self, mace: Mace, live: LiveTape):
        outcome = live.effect("compute", {"x": 1}, lambda: Outcome({"y": float("nan")}))
        assert (outcome.failed, outcome.value) == ("AGENT_ERROR", {"exception": "NotCanonical"})
        done(live)
        assert again(mace).effect("compute", {"x": 1}, never) == outcome

    def test_a_small_observation(self, mace: Mace, live: LiveTape):
        assert live.observe("agent_ms", lambda: 12.5) == 12.5
        done(live)
        assert again(mace).observe("agent_ms", never) == 12.5
        with pytest.raises(Diverged):
            again(mace).observe("total_ms", never)


class TestWrites:
    def write(self, tape: LiveTape, *outcomes: Outcome | Exception) -> Outcome:
        left = list(outcomes)

        def perform(tx: Tx) -> Outcome:
            tx.notes.put("written", "yes")
            tape.event("SEM_PUT", {"key": "k"})
            outcome = left.pop(0)
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

        return tape.writing("write_fact", {"key": "k"}, perform)

    @pytest.mark.parametrize(
        ("outcomes", "failed", "written", "types"),
        [
            ([Outcome({"key": "k"})], None, "yes", ["EFFECT_STARTED", "SEM_PUT", "EFFECT_DONE"]),
            ([StorageFull("full")], "STORAGE_FULL", None, ["EFFECT_STARTED", "EFFECT_DONE"]),
            (
                [ServiceUnavailable("a"), Outcome({"key": "k"})],
                None,
                "yes",
                ["EFFECT_STARTED", "SERVICE_UNAVAILABLE", "RETRY_ATTEMPT", "SEM_PUT", "EFFECT_DONE"],
            ),
            (
                [ServiceUnavailable("a"), ServiceUnavailable("b")],
                "SEM_WRITE_FAIL",
                None,
                ["EFFECT_STARTED", "SERVICE_UNAVAILABLE", "RETRY_ATTEMPT", "SERVICE_UNAVAILABLE", "EFFECT_DONE"],
            ),
            ([Conflict("no")], "CONFLICT", None, ["EFFECT_STARTED", "EFFECT_DONE"]),
            ([KeyError("no")], "AGENT_ERROR", None, ["EFFECT_STARTED", "EFFECT_DONE"]),
        ],
        ids=["well", "full", "second try", "fails", "refused", "broken"],
    )
    def test_all_or_nothing_and_on_the_record(
        self,
        mace: Mace,
        live: LiveTape,
        outcomes: list[Outcome | Exception],
        failed: str | None,
        written: str | None,
        types: list[str],
    ):
        outcome = self.write(live, *outcomes)
        assert outcome.failed == failed
        assert mace._parts.world.store.read(lambda tx: tx.notes.get("written")) == written
        done(live)
        assert [event.event_type for event in stored(mace)][1:] == types
        assert again(mace).writing("write_fact", {"key": "k"}, never_writes) == outcome

    def test_the_pause_is_the_seeds(self, mace: Mace, live: LiveTape):
        self.write(live, ServiceUnavailable("a"), Outcome({}))
        assert mace._parts.world.clock.paused_ms == [int(sha256(SEED.encode()).hexdigest(), 16) % 100]  # type: ignore[attr-defined]

    def test_another_write_gets_no_answer(self, mace: Mace, live: LiveTape):
        self.write(live, Outcome({}))
        with pytest.raises(Diverged):
            again(mace).writing("write_fact", {"key": "other"}, never_writes)

    def test_the_text_of_an_exception_is_not_kept(self, mace: Mace, live: LiveTape):
        outcome = self.write(live, KeyError("the canary"))
        assert outcome.value == {"key": "k", "exception": "KeyError"}


class TestEndedAgents:
    def test_how_an_agent_ended_came_from_the_world(self, mace: Mace, live: LiveTape):
        live.observe("agent_ms", lambda: 80.0)
        live.event("AGENT_TIMEOUT", {"agent_id": "math_agent", "timeout_ms": 80})
        done(live)
        assert live.agent_ended("math_agent") is None  # live, it is still to be seen
        ended = again(mace).agent_ended("math_agent")
        assert ended is not None and ended["payload"]["timeout_ms"] == 80
        assert again(mace).agent_ended("generic_agent") is None

    def test_an_agent_that_answered_did_not_end(self, mace: Mace, live: LiveTape):
        live.observe("agent_ms", lambda: 8.0)
        live.event("AGENT_OUTPUT", {"agent_id": "math_agent"})
        done(live)
        assert again(mace).agent_ended("math_agent") is None
