"""The programs of `0004-programs.zip`, as they were when its jobs were performed; never changed."""

from collections.abc import Callable
from typing import Any

import mace
from mace import Job


def says(name: str) -> Callable[[Any], Any]:
    def make(request: Any) -> Any:
        if name.startswith("fails"):
            raise LookupError(f"{name}: nothing at ana@example.com")
        return {"said": f"{name} {sorted(request)}", "usage": {"total_tokens": 7}}

    return make


def attempt(job: Job, name: str, request: dict[str, Any], *, idempotent: bool = False) -> Any:
    try:
        return job.call(name, request, says(name), idempotent=idempotent)["said"]
    except mace.CallFailed as failed:
        return [failed.kind, failed.exception, failed.reason]


@mace.program("research", version="1")
def research(job: Job, given: Any) -> Any:
    """Branches in parallel and one after the other, values from the world, calls of both natures, one that fails."""
    plan = attempt(job, "plan", {"question": given, "at": job.now(), "id": job.uuid(), "dice": job.random()})

    def one(branch: Job, item: Any) -> Any:
        found = attempt(branch, "search", {"item": item, "at": branch.now()}, idempotent=True)
        with branch.branch("check") as check:
            checked = attempt(check, "check", {"found": found})
        return [found, checked]

    found = job.map(one, given["items"], at_most=4)
    with job.branch("side") as side:
        found.append(attempt(side, "fails", {"mail": "write to ana@example.com"}))
    law = job.fact("world/fact/ohms_law/definition")["value"]
    last = job.call("write", {"plan": plan, "found": found, "law": law}, says("write"))
    return job.answer(f"Found: {last['said']}", value={"found": found}, evidence=[last, {"kind": "source", "ref": "x"}])


@mace.program("research-async", version="2.1")
async def research_async(job: Job, given: Any) -> Any:
    async def make(request: Any) -> Any:
        return {"item": request["item"]}

    async def one(branch: Job, item: Any) -> Any:
        return await branch.acall("search", {"item": item, "at": branch.now()}, make, idempotent=True)

    return {"found": await job.amap(one, [1, 2, 3], at_most=2)}


@mace.program("gives-up", version="1")
def gives_up(job: Job, given: Any) -> Any:
    attempt(job, "plan", {"question": given})
    raise ValueError("no way to ana@example.com")


@mace.program("hopes", version="1")
def hopes(job: Job, given: Any) -> Any:
    """One call of each odd kind: what is no JSON, what is too large, what nobody may read."""
    came_to = []
    for name, request in (("not_json", {"x": float("nan")}), ("too_large", {"x": "x" * (1 << 20)})):
        came_to.append(attempt(job, name, request))
    try:
        job.fact("user/profile/user_bob/name")
    except mace.CallFailed as failed:
        came_to.append(failed.kind)
    return came_to


PROGRAMS = (research, research_async, gives_up, hopes)
