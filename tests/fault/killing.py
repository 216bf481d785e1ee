"""Programs that are killed from outside at a commit of their own choosing, and what must be true of them afterwards."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import places
from mace.core import seeds

_TESTS = Path(__file__).resolve().parent.parent


def environment() -> dict[str, str]:
    """What a process needs to find the tests and the code that is tested."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(_TESTS), *filter(None, sys.path)])}


class Warm:
    """The parent that all victims are forked from; see `warm.py`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def _send(self, command: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        said: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert "broken" not in said, said["broken"]
        return said

    def begin(self, do: str, place: places.Place, seed: str, calls: Path, **more: Any) -> None:
        """Let a child do something; its answer comes when it comes."""
        self._send(
            {"do": do, "settings": asdict(place.settings), "seed": seed, "calls": str(calls), "program": "tree", **more}
        )

    def run(self, do: str, place: places.Place, seed: str, calls: Path, **more: Any) -> dict[str, Any]:
        """Let a child do something, to its end or until it stops at a commit: there it is killed."""
        self.begin(do, place, seed, calls, **more)
        said = self.answer()
        if "stopped_at" in said:
            os.kill(said["pid"], signal.SIGKILL)
        self._send({"do": "reap", "pid": said["pid"]})
        assert self.answer()["code"] == (-signal.SIGKILL if "stopped_at" in said else 0)
        return said


@contextmanager
def warm_parent() -> Iterator[Warm]:
    """Start the parent; it goes with whoever wanted it."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("warm.py"))],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Warm(process)
    finally:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        process.stdout.close()
        process.wait()


@dataclass(frozen=True)
class Call:
    """A call as the record has it: by which branch, of which name."""

    at: str
    name: str
    safe: bool
    done: bool

    @property
    def key(self) -> str:
        return f"{self.at or '-'} {self.name}"


def bodies(place: places.Place, root: str) -> dict[str, list[dict[str, Any]]]:
    """The events of a job and of its branches, by stream."""
    found: dict[str, list[dict[str, Any]]] = {}
    with place.sql(keep_triggers=True) as sql:
        for stream, body in sql("select stream, body from events order by position"):
            said = json.loads(bytes(body))
            if said["sequence_index"] == 0:
                begun = said["payload"].get("job") or {}
                if stream != root and begun.get("root") != root:
                    continue
                found[stream] = []
            if stream in found:
                found[stream].append(said)
    return found


def calls_of(
    streams: dict[str, list[dict[str, Any]]], root: str, later: dict[str, list[dict[str, Any]]] | None = None
) -> list[Call]:
    """The calls of a job, as its events tell them.

    A branch of a branch may be stored before the one it branched off: where it is, `later` tells.
    """
    found = []
    for stream, events in streams.items():
        done = {said["payload"]["effect"] for said in events if is_end(said)}
        for said in events:
            if said["event_type"] == "EFFECT_STARTED" and said["payload"]["kind"] == "call":
                told = said["payload"]
                found.append(
                    Call(
                        where(later or streams, stream, root), told["name"], told["idempotent"], told["effect"] in done
                    )
                )
    return found


def is_end(said: dict[str, Any]) -> bool:
    return said["event_type"] == "EFFECT_DONE" and "effect" in said["payload"]


def where(streams: dict[str, list[dict[str, Any]]], stream: str, root: str) -> str:
    names = []
    while stream != root:
        job = streams[stream][0]["payload"]["job"]
        names.append(f"{job['name']}{job['n']}")
        stream = job["parent"]
    return "/".join(reversed(names))


def lines(calls: Path) -> list[tuple[int, str]]:
    """The calls that were really made: by which process, and which."""
    text = calls.read_text() if calls.exists() else ""
    return [(int(pid), call) for pid, call in (line.split(" ", 1) for line in text.splitlines())]


def assert_made_by_their_nature(
    before: list[Call], after: list[Call], made: list[tuple[int, str]], victim: int
) -> None:
    """No finished call is made twice, no other that had begun at all, and whatever had not begun exactly once."""
    finished = {call.key for call in before if call.done}
    begun = {call.key for call in before if not call.done and not call.safe}
    again = Counter(call for pid, call in made if pid != victim)
    assert not finished & set(again), "a finished call was made again"
    assert not begun & set(again), "a call that is not idempotent was made again"
    wanted = {call.key for call in after} - finished - begun
    assert again == Counter(wanted), "each call that had not ended is made once by whoever takes the job up"
    assert all(call.done for call in after)
    totals = Counter(call for _, call in made)
    assert max((totals[call.key] for call in after if not call.safe), default=0) <= 1


def expected(uncut: dict[str, Any], before: list[Call]) -> dict[str, Any]:
    """What a job must come to that was cut where these calls had begun: as without the cut, but for unknown results."""
    text = json.dumps({"text": uncut["text"], "answer": uncut["answer"]})
    for call in before:
        if not call.done and not call.safe:
            was = f"{call.name} at {call.at}"
            good, failed = json.dumps(was), json.dumps(f"{was}: raised")
            unknown = json.dumps(f"{was}: unknown_result")
            text = text.replace(good, unknown).replace(failed, unknown)
            text = text.replace(f"{was},", f"{was}: unknown_result,").replace(f'then {was}"', f"then {unknown[1:]}")
    told: dict[str, Any] = json.loads(text)
    return told


def commits_in(streams: dict[str, list[dict[str, Any]]]) -> int:
    """How many units wrote a job: each has a time of its own."""
    return len({said["recorded_at"] for events in streams.values() for said in events})


def job_of(seed: str) -> str:
    return seeds.job_id(seed)
