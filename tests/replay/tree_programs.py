"""Programs that tests kill, stop, take up again and replay: parallel branches, calls of both natures, outside values.

Each call says in a file that it was made (`calls_to`), by a line `PID WHERE NAME`, where is the branch that made it.
What a program returns rests on its calls alone, not on values that another life may read anew.
"""

import os
from collections.abc import Callable
from typing import Any

import mace
from mace import Job

calls_to = ""
BRANCHES = 4


def made(name: str) -> Callable[[Any], Any]:
    """A call that leaves a line behind."""

    def make(request: Any) -> Any:
        if calls_to:
            with open(calls_to, "a") as lines:
                lines.write(f"{os.getpid()} {request['at'] or '-'} {name}\n")
        if name.startswith("fails"):
            raise LookupError(f"{name} at {request['at']}")
        return {"said": f"{name} at {request['at']}", "knows": len(request)}

    return make


def attempt(job: Job, at: str, name: str, request: dict[str, Any], *, idempotent: bool = False) -> str:
    """Make a call; what it said, or how it failed."""
    try:
        return str(job.call(name, {"at": at, **request}, made(name), idempotent=idempotent)["said"])
    except mace.CallFailed as failed:
        return f"{name} at {at}: {failed.kind}"


async def aattempt(job: Job, at: str, name: str, request: dict[str, Any], *, idempotent: bool = False) -> str:
    async def make(sent: Any) -> Any:
        return made(name)(sent)

    try:
        return str((await job.acall(name, {"at": at, **request}, make, idempotent=idempotent))["said"])
    except mace.CallFailed as failed:
        return f"{name} at {at}: {failed.kind}"


@mace.program("tree", version="1")
def tree(job: Job, given: Any) -> Any:
    """Four branches in parallel with branches of their own, two more one after the other, and calls around them."""
    first = attempt(job, "", "first", {"began": job.now(), "given": given})
    name, dice = job.uuid(), job.random()

    def one(branch: Job, item: int) -> list[str]:
        at = f"map{item}"
        looked = attempt(branch, at, "look", {"name": name}, idempotent=True)
        moment = branch.now()
        with branch.branch("inner") as inner:
            peeked = attempt(inner, f"{at}/inner0", "peek", {"moment": moment}, idempotent=True)
        return [looked, peeked, attempt(branch, at, "do", {"moment": moment, "looked": looked})]

    found = job.map(one, list(range(BRANCHES)), at_most=BRANCHES)
    for number in range(2):
        with job.branch("side") as side:
            found.append([attempt(side, f"side{number}", "aside", {"dice": dice}, idempotent=True)])
            found.append([attempt(side, f"side{number}", "write", {"random": side.random()})])
    failed = [attempt(job, "", "fails_safely", {}, idempotent=True), attempt(job, "", "fails", {"uuid": job.uuid()})]
    last = attempt(job, "", "last", {"found": found, "failed": failed})
    return job.answer(f"{first}, then {last}", value={"found": found, "failed": failed})


@mace.program("async-tree", version="1")
async def async_tree(job: Job, given: Any) -> Any:
    """The same in an event loop."""
    first = await aattempt(job, "", "first", {"began": job.now(), "given": given})
    name = job.uuid()

    async def one(branch: Job, item: int) -> list[str]:
        at = f"map{item}"
        looked = await aattempt(branch, at, "look", {"name": name}, idempotent=True)
        return [looked, await aattempt(branch, at, "do", {"moment": branch.now(), "looked": looked})]

    found = await job.amap(one, list(range(BRANCHES)), at_most=BRANCHES)
    with job.branch("side") as side:
        found.append([await aattempt(side, "side0", "aside", {}, idempotent=True)])
    failed = [await aattempt(job, "", "fails", {})]
    last = await aattempt(job, "", "last", {"found": found, "failed": failed})
    return job.answer(f"{first}, then {last}", value={"found": found, "failed": failed})


@mace.program("chat", version="1")
def chat(job: Job, given: Any) -> Any:
    """What is known of a person is recalled, what was said is remembered, in the job and in a branch of it."""
    before = job.recall("Where is the parcel?")
    job.remember([{"role": "user", "content": f"The parcel went to Ghent at {job.now()}."}])
    reply = attempt(job, "", "reply", {"knows": len(before["items"])}, idempotent=True)
    with job.branch("side") as side:
        side.remember(
            [{"role": "assistant", "content": reply}, {"role": "user", "content": "Thank you for the parcel."}]
        )
        after = side.recall("the parcel")
    return job.answer(reply, evidence=[before, after], value=[len(before["items"]), len(after["items"])])


@mace.program("scripted", version="1")
def scripted(job: Job, script: Any) -> Any:
    """Whatever a script says: `call`, `fails`, `now`, and `branch` and `map` with scripts of their own."""
    return job.answer("done", value=_play(job, "", script))


def _play(job: Job, at: str, script: list[Any]) -> list[Any]:
    found: list[Any] = []
    branches: dict[str, int] = {}  # how many of a name there are: the next one gets that number

    def below(name: str, number: int) -> str:
        return f"{at}/{name}{number}" if at else f"{name}{number}"

    for op, *more in script:
        if op in ("call", "fails"):
            name, safe = more
            found.append(attempt(job, at, f"{op}_{name}", {}, idempotent=safe))
        elif op == "now":
            job.now()
        elif op == "branch":
            name, inner = more
            number = branches.get(name, 0)
            branches[name] = number + 1
            with job.branch(name) as branch:
                found.append(_play(branch, below(name, number), inner))
        else:
            count, at_most, inner = more
            first = branches.get("map", 0)
            branches["map"] = first + count

            def one(branch: Job, item: int, inner: list[Any] = inner) -> Any:
                return _play(branch, below("map", item), inner)

            found.append(job.map(one, list(range(first, first + count)), at_most=at_most))
    return found


ALL = (tree, async_tree, scripted, chat)
