"""Recorded calls of a job beside LangGraph's nodes and DBOS's steps; branches, replay and resume beside the run itself.

All three keep their state in SQLite with WAL and `synchronous = FULL`, so that a result is on the disk before the next
step starts. All get the same payloads: 2 kB of JSON, another one in every call, once as a chat's prose with numbers and
once as repeated prose. A step is given what the step before returned, the first one nothing. Each side has a warm
process of its own; they run in turns, in one run, on the same disk. A job has five steps, and what it costs to begin
and end it is part of the figure. What one more call costs in a job that is running already is shown beside it, as 25
steps against 5.

A recorded call does more than its peers: request and result both pass the privacy gate and are sealed under the key of
the person, start and end are signed and chained events. A call that is not idempotent is committed twice, before and
after. LangGraph commits twice per node, DBOS once per step, and neither encrypts or signs.
"""

import statistics
from collections.abc import Iterable
from contextlib import ExitStack
from importlib.util import find_spec

from benchmarks.jobs.payloads import KINDS, Kind
from benchmarks.measure import Row
from benchmarks.sides import Took, Worker, worker

_SIDES = "benchmarks.jobs.worker"
_STEPS = 5
_LONG = 25  # steps of a job that tells what one more call costs
_CALLS = 100  # in one measurement
_NARROW, _WIDE = 10, 1000
_EVENTS = 10_000
_PEERS = {"langgraph": "LangGraph’s node", "dbos": "DBOS’s step"}
_NAMES: dict[Kind, str] = {"prose": "", "repeated": ", repeated prose"}


def run(full: bool) -> Iterable[Row]:
    rounds = 25 if full else 7
    with ExitStack() as stack:
        mace = stack.enter_context(worker(_SIDES, "mace"))
        peers = {name: stack.enter_context(worker(_SIDES, name)) for name in _PEERS if find_spec(name)}
        for kind in KINDS:
            yield from _calls(mace, peers, kind, rounds)
        yield from _longer(mace, peers, rounds)
        yield from _branches(mace, 7 if full else 3)
        yield from _replay(mace, rounds)
        yield from _resume(mace, 5 if full else 3)
        yield _ask(mace, rounds)


def _best(taken: list[Took], steps: int) -> str:
    """The minimum and the median, per step, in microseconds."""
    cpu = [one.cpu / steps * 1e6 for one in taken]
    wall = [one.wall / steps * 1e6 for one in taken]
    middle = statistics.median
    return f"CPU {min(cpu):.0f} (median {middle(cpu):.0f}), wall {min(wall):.0f} (median {middle(wall):.0f}) us"


def _ratios(ours: list[Took], theirs: list[Took], each: float = 1.0) -> tuple[float, float]:
    """The medians of the rounds' ratios, of CPU and of wall."""
    return (
        statistics.median(mine.cpu / other.cpu for mine, other in zip(ours, theirs, strict=True)) * each,
        statistics.median(mine.wall / other.wall for mine, other in zip(ours, theirs, strict=True)) * each,
    )


def _in_rounds(mace: Worker, peers: dict[str, Worker], kind: Kind, steps: int, rounds: int) -> dict[str, list[Took]]:
    times = max(1, _CALLS // steps)
    works = {
        "idempotent": lambda: mace.run("jobs", kind, steps, times, True),
        "other": lambda: mace.run("jobs", kind, steps, times, False),
        "idempotent, new": lambda: mace.run("jobs", kind, steps, times, True, False),
        "other, new": lambda: mace.run("jobs", kind, steps, times, False, False),
        **{name: lambda peer=peer: peer.run("jobs", kind, steps, times) for name, peer in peers.items()},
    }
    for work in works.values():
        work()
    before = {name: peer.run("stored").came for name, peer in peers.items()}
    taken: dict[str, list[Took]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            taken[name].append(work())
    for name, peer in peers.items():  # what was measured must have been kept
        stored = peer.run("stored").came - before[name]
        if stored != rounds * times * steps:
            raise RuntimeError(f"{name} has stored {stored} results instead of {rounds * times * steps}")
    return taken


def _calls(mace: Worker, peers: dict[str, Worker], kind: Kind, rounds: int) -> Iterable[Row]:
    taken = _in_rounds(mace, peers, kind, _STEPS, rounds)
    steps = max(1, _CALLS // _STEPS) * _STEPS
    for nature, words in (("idempotent", "an idempotent call"), ("other", "any other call")):
        for peer, name in _PEERS.items():
            target = 1.0 if peer == "dbos" else 1 / 3 if nature == "idempotent" else 2 / 3
            what = f"{words}, against {name}{_NAMES[kind]}"
            if peer not in taken:
                note = f"{peer} is not installed: pip install -r benchmarks/requirements.txt"
                yield Row(what, float("inf"), "x", target, note=note)
                continue
            cpu, wall = _ratios(taken[nature], taken[peer])
            note = f"{_best(taken[nature], steps)} against {_best(taken[peer], steps)}"
            yield Row(what, cpu, "x CPU", target, note=note)
            yield Row(what, wall, "x wall", target)
    for nature, words in (("idempotent, new", "an idempotent call"), ("other, new", "any other call")):
        cpu = min(one.cpu for one in taken[nature]) / steps * 1e6
        what = f"{words}, its request new as well{_NAMES[kind]}"
        yield Row(what, cpu, "us CPU", note=_best(taken[nature], steps))


def _longer(mace: Worker, peers: dict[str, Worker], rounds: int) -> Iterable[Row]:
    """What a call costs in a job that is running already: without what beginning and ending it takes."""
    few = _in_rounds(mace, peers, "prose", _STEPS, rounds)
    many = _in_rounds(mace, peers, "prose", _LONG, rounds)
    jobs_few, jobs_many = _CALLS // _STEPS, _CALLS // _LONG

    def one_more(name: str, field: str) -> float:
        def per_job(taken: list[Took], jobs: int) -> float:
            return min(getattr(one, field) for one in taken) / jobs

        return (per_job(many[name], jobs_many) - per_job(few[name], jobs_few)) / (_LONG - _STEPS) * 1e6

    words = {"idempotent": "an idempotent call", "other": "any other call", **_PEERS}
    for name in (name for name in few if name in words):
        note = f"wall {one_more(name, 'wall'):.0f} us; the difference of jobs of {_LONG} and of {_STEPS} steps"
        yield Row(f"one more in a running job: {words[name]}", one_more(name, "cpu"), "us CPU", note=note)


def _branches(mace: Worker, rounds: int) -> Iterable[Row]:
    times = 10
    mace.run("fan_out", "prose", _NARROW, 2)
    narrow, wide = [], []
    for _ in range(rounds):
        narrow.append(mace.run("fan_out", "prose", _NARROW, times))
        wide.append(mace.run("fan_out", "prose", _WIDE, 1))
    cpu, wall = _ratios(wide, narrow, _NARROW * times / _WIDE)
    what = f"{_WIDE:,} branches, against {_NARROW}, per branch"
    note = f"{_best(wide, _WIDE)} against {_best(narrow, _NARROW * times)}; a call in each, at most 8 at once"
    yield Row(what, cpu, "x CPU", 1.2, note=note)
    yield Row(what, wall, "x wall", 1.2)


def _replay(mace: Worker, rounds: int) -> Iterable[Row]:
    for steps in (_STEPS, _LONG):
        times = _CALLS // steps
        played, ran = [], []
        for _ in range(rounds):
            ran.append(mace.run("jobs", "prose", steps, times, True))
            played.append(mace.run("replay", ran[-1].came))
        cpu, wall = (1 / ratio for ratio in _ratios(played, ran))
        what = f"replay of a job of {steps} idempotent calls, against its run"
        note = f"per call {_best(played, steps * times)} against {_best(ran, steps * times)}"
        yield Row(what, cpu, "x faster, CPU", 3, "at least", note)
        yield Row(what, wall, "x faster, wall", 3, "at least")


def _resume(mace: Worker, rounds: int) -> Iterable[Row]:
    """Of two jobs of the same calls one ended and one was interrupted before its end: replay and resume in turns."""
    calls = _EVENTS // 2
    ended = mace.run("jobs", "prose", calls, 1, True).came
    cut = mace.run("interrupted", "prose", calls).came
    resumed, played = [], []
    for at in range(rounds):
        ends = at == rounds - 1
        resumed.append(mace.run("resume", cut, ends))
        status, wanted = mace.run("status", cut).came, "closed" if ends else "interrupted"
        if status != wanted:
            raise RuntimeError(f"the resumed job is {status}, not {wanted}")
        played.append(mace.run("replay", ended))
    events = mace.run("events", ended[0]).came
    mace.run("replay", [cut])
    cpu, wall = _ratios(resumed, played)
    what = f"resume of {events:,} events, against their replay"
    note = f"CPU {min(one.cpu for one in resumed):.2f} s against {min(one.cpu for one in played):.2f} s"
    yield Row(what, cpu, "x CPU", 1.2, note=note)
    yield Row(what, wall, "x wall", 1.2)


def _ask(mace: Worker, rounds: int) -> Row:
    """A question is a job as well, of two commits; whether it became slower only two trees can tell."""
    times = 20
    mace.run("ask", times)
    taken = [mace.run("ask", times) for _ in range(rounds)]
    note = "the minimum; against an earlier tree: python -m benchmarks.compare BEFORE/src src --what ask"
    return Row("ask a person’s own fact", min(one.cpu for one in taken) / times * 1e6, "us CPU", note=note)
