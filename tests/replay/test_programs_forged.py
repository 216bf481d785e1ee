"""One byte of one recorded result, changed by somebody with the keys: replay names the first event that rests on it."""

import json
from typing import Any

import pytest

import places
from fault import killing
from replay import forging, tree_programs

SEED = "forged"
ROOT = killing.job_of(SEED)


def performed(place: places.Place) -> dict[str, list[dict[str, Any]]]:
    with place.open(programs=tree_programs.ALL) as m:
        assert m.perform("tree", {"n": 1}, user_id="ana", job_seed=SEED)["status"] == "closed"
        assert m.replay(ROOT)["result"] == "MATCH"
    return killing.bodies(place, ROOT)


def replayed(place: places.Place) -> dict[str, Any]:
    with place.open(programs=tree_programs.ALL) as m:
        found = dict(m.replay(ROOT))
        assert not m.verify()["ok"]  # checkpoints that were kept elsewhere show it
        return found


def one_byte(plain: bytes) -> bytes:
    """The first letter of what the call said."""
    at = plain.index(b'"said":"') + len(b'"said":"')
    return plain[:at] + b"X" + plain[at + 1 :]


def stream_of(streams: dict[str, list[dict[str, Any]]], at: str) -> str:
    for stream in streams:
        if killing.where(streams, stream, ROOT) == at:
            return stream
    raise LookupError(at)


def call(streams: dict[str, list[dict[str, Any]]], stream: str, name: str) -> tuple[int, int]:
    """The number of a call, and where it begins."""
    return next(
        (said["payload"]["effect"], said["sequence_index"])
        for said in streams[stream]
        if said["event_type"] == "EFFECT_STARTED" and said["payload"]["name"] == name
    )


# Which result is changed, and the call that first uses it: both by where they are made and by name. A branch's results
# are used in that branch, or by whoever is handed what it returned.
CASES = [
    (("", "first"), ("", "answer")),
    (("", "last"), ("", "answer")),
    (("map2", "look"), ("map2", "do")),
    (("side1", "aside"), ("", "last")),
]


@pytest.mark.breaks_its_store
@pytest.mark.parametrize(("changed", "uses"), CASES, ids=[f"{at or 'root'} {name}" for (at, name), _ in CASES])
def test_the_first_event_that_depends_on_it(place: places.Place, changed: tuple[str, str], uses: tuple[str, str]):
    streams = performed(place)
    stream, user = stream_of(streams, changed[0]), stream_of(streams, uses[0])
    number, at = call(streams, user, uses[1])
    with place.open() as m:
        m.checkpoint()
    forging.rewrite_result(place, ROOT, stream, call(streams, stream, changed[1])[0], one_byte)
    found = replayed(place)
    assert (found["result"], found["incident_id"]) == ("REPLAY_DIVERGENCE", None)
    first = found["first_difference"]
    branch = {"": "", "map2": "map[2]"}[uses[0]]
    assert first["call"] == {"branch": branch, "number": number, "name": uses[1]}
    assert first["sequence_index"] == at
    assert first["stored"]["event_type"] == "EFFECT_STARTED"
    assert first["stored"]["job_seed"] == streams[user][0]["job_seed"]
    assert "another text than was recorded" in first["differs"]
    assert "X" not in first["differs"] and "said" not in json.dumps(first["replayed"])


@pytest.mark.breaks_its_store
def test_what_a_branch_returned(place: places.Place):
    """Nothing in the branch uses it, but its end names what it returned."""
    streams = performed(place)
    stream = stream_of(streams, "map1")
    forging.rewrite_result(place, ROOT, stream, call(streams, stream, "do")[0], one_byte)
    with place.open(programs=tree_programs.ALL) as m:
        found = m.replay(ROOT)
    assert found["result"] == "REPLAY_DIVERGENCE"
    first: Any = found["first_difference"]
    assert first["stored"]["event_type"] == "JOB_CLOSED"
    assert first["stored"]["job_seed"] == streams[stream][0]["job_seed"]
    assert first["call"]["name"] == "do" and first["call"]["branch"] == "map[1]"


@pytest.mark.breaks_its_store
def test_a_failure_that_nobody_had(place: places.Place):
    """A result turned into a failure: the program goes another way."""
    streams = performed(place)
    number, _ = call(streams, ROOT, "first")

    def fails(plain: bytes) -> bytes:
        told = json.loads(plain)
        return json.dumps({**told, "failed": "raised"}, separators=(",", ":"), sort_keys=True).encode()

    forging.rewrite_result(place, ROOT, ROOT, number, fails)
    with place.open(programs=tree_programs.ALL) as m:
        assert m.replay(ROOT)["result"] in ("REPLAY_DIVERGENCE", "RESULT_MISMATCH")


@pytest.mark.breaks_its_store
def test_a_result_that_was_only_sealed_anew(place: places.Place):
    """Without a change of its event, the part is not what that says."""
    streams = performed(place)
    number, _ = call(streams, ROOT, "last")
    before = [said["payload"]["result_hash"] for said in streams[ROOT] if killing.is_end(said)]
    at = forging.rewrite_result(place, ROOT, ROOT, number, one_byte)
    forging.rewrite_at(place, ROOT, at, lambda payload: {**payload, "result_hash": before[number]})
    with place.open(programs=tree_programs.ALL) as m:
        found = m.replay(ROOT)
    assert found["result"] == "REPLAY_DIVERGENCE"
    assert found["first_difference"] is not None
    assert dict(found["first_difference"])["sequence_index"] == at
