"""MACE's side: programs whose calls take a payload and return another one, for a person, everything on.

Request and result of every call pass the privacy gate, are sealed and hashed. A chain gives each call what the one
before returned, as the nodes and steps of the others get it. Without a chain every request is new as well, so that the
gate has twice as much to read that it has never seen.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import mace
from benchmarks.jobs.payloads import Kind, Payloads
from mace.core.seeds import job_id
from mace.settings import Settings

_PERSON = "ana"


@contextmanager
def side(folder: Path) -> Iterator[dict[str, Callable[..., Any]]]:
    payloads = Payloads()
    begun = 0
    stopping = False

    def called(job: Any, kind: Kind, number: int, request: Any, idempotent: bool) -> Any:
        result = payloads.at(kind, 2 * number + 1)
        return job.call("model", request, lambda _request: result, idempotent=idempotent)

    @mace.program("steps", version="1")
    def steps(job: Any, input: Any) -> Any:
        kind, first = input["kind"], input["first"]
        state: Any = {}
        for number in range(first, first + input["steps"]):
            if not input["chain"]:
                state = payloads.at(kind, 2 * number)
            state = called(job, kind, number, state, input["idempotent"])
        if stopping:
            raise KeyboardInterrupt
        return "done"

    @mace.program("branches", version="1")
    def branches(job: Any, input: Any) -> Any:
        def one(branch: Any, number: Any) -> Any:
            return called(branch, input["kind"], number, payloads.at(input["kind"], 2 * number), True)["number"]

        return job.map(one, [input["first"] + at for at in range(input["branches"])])

    settings = Settings(location=str(folder / "mace"), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0)
    with mace.open(settings=settings, programs=[steps, branches]) as m:

        def perform(program: Any, input: dict[str, Any]) -> str:
            answer = m.perform(program, input, user_id=_PERSON)
            if answer["status"] != "closed" or answer["error"]:
                raise RuntimeError(f"a job did not end well: {answer['status']}, {answer['error']}")
            return str(answer["job_id"])

        def jobs(kind: Kind, count_of_steps: int, times: int, idempotent: bool, chain: bool = True) -> list[str]:
            return [perform(steps, given(kind, count_of_steps, idempotent, chain)) for _ in range(times)]

        def given(kind: Kind, count_of_steps: int, idempotent: bool = True, chain: bool = True) -> dict[str, Any]:
            """The input of the next job; no two jobs get the same payloads, until the supply begins anew."""
            nonlocal begun
            begun, first = begun + count_of_steps, begun
            return {
                "kind": kind, "steps": count_of_steps, "first": first, "idempotent": idempotent, "chain": chain,
            }  # fmt: skip

        def fan_out(kind: Kind, wide: int, times: int) -> list[str]:
            nonlocal begun
            made = []
            for _ in range(times):
                made.append(perform(branches, {"kind": kind, "branches": wide, "first": begun}))
                begun += wide
            return made

        def replay(job_ids: list[str]) -> None:
            for one in job_ids:
                answer = m.replay(one)
                if answer["result"] != "MATCH":
                    raise RuntimeError(f"a replay is {answer['result']}: {answer.get('first_difference')}")

        def events(one: str) -> int:
            head: Any = m._parts.world.store.read(lambda tx: tx.events.head(one))
            return int(head.sequence_index) + 1

        def interrupted(kind: Kind, steps_before: int) -> str:
            """Leave a job interrupted after that many calls, as Ctrl-C does."""
            nonlocal stopping
            input = given(kind, steps_before)
            seed = f"interrupted {input['first']}"
            stopping = True
            with suppress(KeyboardInterrupt):
                m.perform(steps, input, user_id=_PERSON, job_seed=seed)
            stopping = False
            return job_id(seed)

        def resume(one: str, ends: bool) -> None:
            """Resume an interrupted job, which ends, or is interrupted again when nothing but the end is missing."""
            nonlocal stopping
            stopping = not ends
            with suppress(KeyboardInterrupt):
                m.resume(one)
            stopping = False

        def status(one: str) -> str:
            return str(m.job(one)["status"])

        m.sem_put(f"user/profile/user_{_PERSON}/favorite_color", "blue", "user")

        def ask(times: int) -> None:
            for _ in range(times):
                if "blue" not in str(m.ask("What is my favourite colour?", _PERSON)["answer"]):
                    raise RuntimeError("the answer to a question is wrong")

        yield {
            "ask": ask,
            "jobs": jobs,
            "fan_out": fan_out,
            "replay": replay,
            "events": events,
            "interrupted": interrupted,
            "resume": resume,
            "status": status,
        }
