"""Killed at every step of keeping, recalling and erasing turns: all of a call or nothing, and no word too many."""

import json
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

import canaries
import governed
import places
from mace.engine.people import index
from mace.engine.runtime import Mace
from mace.storage.ports import APART_BOUNDARIES, APPEND_BOUNDARIES

pytestmark = [pytest.mark.stage1, pytest.mark.critical]
_SCRIPT = Path(__file__).with_name("talker.py")
OWL, FINCH = "owlkrandubel", "finch"
TURNS = [{"role": "user", "content": f"The finch sang {number} songs."} for number in range(3)]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "PART", 2)


def die(place: places.Place, action: str, boundary: str, nth: int = 1) -> bool:
    """Run until the boundary; say whether it was reached."""
    arguments = [json.dumps(asdict(place.settings)), action, boundary, str(nth)]
    done = subprocess.run([sys.executable, str(_SCRIPT), *arguments], check=False, timeout=120)
    assert done.returncode in (0, -signal.SIGKILL), "it failed"
    return done.returncode != 0


def boundaries(place: places.Place) -> list[str]:
    return [*APPEND_BOUNDARIES, *APART_BOUNDARIES] if place.kind == "sqlite" else list(APPEND_BOUNDARIES)


def heard(m: Mace, query: str) -> list[str]:
    answer = m.recall("ana", query, 8000, kinds=("turn",))
    assert answer["error_code"] is None
    return [item["ref"] for item in answer["items"]]


def whole(m: Mace) -> None:
    found = m.verify()
    assert found["ok"], found["findings"]


def test_turns_are_kept_all_together_or_not_at_all(place: places.Place):
    reached = []
    for boundary in boundaries(place):
        if not die(place, "remember", boundary):
            continue
        reached.append(boundary)
        with place.open() as m:
            kept = heard(m, "finch songs")
            assert len(kept) in (0, 3), boundary
            whole(m)
            again = m.remember("ana", TURNS, conversation_id="birds", idempotency_key="once")  # type: ignore[arg-type]
            assert again["success"]
            assert heard(m, "finch songs") == again["turn_ids"], "said once, however often it was tried"
            assert not kept or kept == again["turn_ids"]
            whole(m)
            governed.erase(m, "ana")  # and from the beginning
    assert "after commit" in reached and len(reached) >= len(APPEND_BOUNDARIES)


def test_a_question_and_its_turns_are_kept_together_or_not_at_all(place: places.Place):
    reached = []
    for boundary in boundaries(place):
        units = (1, 2, 3) if boundary in ("before commit", "after commit") else (3,)
        for nth in units:  # the opening, the write of the fact, the end
            if not die(place, "ask", boundary, nth):
                continue
            reached.append((boundary, nth))
            with place.open() as m:
                newest = m.jobs.list(person="ana", kind="ask", limit=1)["items"]  # before its claim none, or one erased
                answered = [job for job in newest if m.replay(job["job_id"])["result"] == "MATCH"]
                assert len(heard(m, "finch bird favorite remember")) == 2 * len(answered), (boundary, nth)
                if (boundary, nth) == ("after commit", 3):
                    assert answered, "it was acknowledged"
                whole(m)
                governed.erase(m, "ana")
                assert heard(m, "finch bird favorite remember") == []
                whole(m)
    assert {nth for _, nth in reached} == {1, 2, 3}


def test_a_recall_that_is_killed_leaves_nothing_behind(place: places.Place):
    with place.open() as m:
        m.remember("ana", TURNS)  # type: ignore[arg-type]
    reached = [die(place, "recall", boundary) for boundary in boundaries(place)]
    assert any(reached)
    with place.open() as m:
        assert len(heard(m, "finch songs")) == 3
        whole(m)


@pytest.mark.parametrize("action", ["person", "conversation", "turn"])
def test_an_erasure_is_whole_or_has_not_happened(place: places.Place, action: str):
    with place.open() as m:
        governed.with_forensic_key(m)
    for boundary in boundaries(place):
        with place.open() as m:
            first = m.remember("ana", f"The {OWL} slept.", conversation_id="birds")["turn_ids"]
            m.remember("ana", f"An {OWL} woke.", conversation_id="birds")
            assert first[0] in heard(m, OWL)
        if not die(place, action, boundary):
            continue
        with place.open() as m:
            whole(m)
            left = set(heard(m, OWL))
            target = "turn/user_ana/00000000"
            with_key = m._parts.world.store.read(lambda tx: tx.vault.keys_under("person/user_ana", "turn/"))
            assert left <= set(with_key), "what has no key is not given out"
            if action != "turn":
                assert (left == set()) == (with_key == []), "all of it, or nothing"
                if not left:
                    assert canaries.in_sealed(m, [OWL]) == []
            elif target not in with_key:
                assert target not in left
            governed.erase(m, "ana")
            assert canaries.everywhere(m, place, [OWL]) == []
            whole(m)
