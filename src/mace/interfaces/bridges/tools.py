"""A tool whose calls are recorded: a function that is wrapped once and then called as before.

    find_parcel = recorded(find_parcel, idempotent=True)

    @mace.program("support")
    def support(job, question):
        return find_parcel(7)["city"]           # a recorded call of this job, named find_parcel

A program's own code runs again on every resume and replay; what is recorded does not. On the record stand the arguments
by their names and the result, both as JSON: what the function is given, and what its caller gets, is what was recorded.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar, cast

from mace.core.errors import InvalidInput, PreconditionFailed
from mace.core.programs import check_call_name
from mace.engine.programs.handle import Job, current_job
from mace.engine.programs.hands import is_async

P = ParamSpec("P")
T = TypeVar("T")
Outside = Literal["refuse", "pass"]


def recorded(
    fn: Callable[P, T], name: str | None = None, *, idempotent: bool = False, outside: Outside = "refuse"
) -> Callable[P, T]:
    """Return the function, plain or async, as one whose calls are recorded by the job that runs.

    The call is named like the function, or `name`. After a crash one that had begun is made again only if it is
    `idempotent`; else it fails as `unknown_result`. Arguments and result must be JSON, and what the function raises is
    a `CallFailed`. Outside of a job a call is refused; with `outside="pass"` it is made as if nothing were wrapped.
    """
    if not callable(fn):
        raise InvalidInput("fn must be callable: the function whose calls are to be recorded")
    if outside not in ("refuse", "pass"):
        raise InvalidInput(f"outside must be 'refuse' or 'pass', got {outside!r}")
    called = check_call_name(getattr(fn, "__name__", "") if name is None else name)
    signature = inspect.signature(fn)

    def job() -> Job | None:
        found = current_job()
        if found is None and outside != "pass":
            raise PreconditionFailed(
                f"{called} outside of a job is not recorded: call it in a program (m.perform), in a block "
                "(with m.recording(...)), or say recorded(fn, outside='pass')"
            )
        return found

    def request(arguments: Any, named: Any) -> dict[str, Any]:
        return _as_json(signature.bind(*arguments, **named))

    def make(recorded_request: Any) -> Any:
        given = inspect.BoundArguments(signature, recorded_request)
        return fn(*given.args, **given.kwargs)

    if is_async(fn):

        @wraps(fn)
        async def call_async(*arguments: P.args, **named: P.kwargs) -> Any:
            at = job()
            if at is None:
                return await cast(Any, fn(*arguments, **named))

            async def make_async(recorded_request: Any) -> Any:
                return await make(recorded_request)

            return await at.acall(called, request(arguments, named), make_async, idempotent=idempotent)

        return cast(Callable[P, T], call_async)

    @wraps(fn)
    def call(*arguments: P.args, **named: P.kwargs) -> Any:
        at = job()
        if at is None:
            return fn(*arguments, **named)
        return at.call(called, request(arguments, named), make, idempotent=idempotent)

    return cast(Callable[P, T], call)


def _as_json(given: inspect.BoundArguments) -> dict[str, Any]:
    """What a function was given, by the names of its parameters."""
    parameters = given.signature.parameters
    return {
        name: list(value) if parameters[name].kind is inspect.Parameter.VAR_POSITIONAL else value
        for name, value in given.arguments.items()
    }
