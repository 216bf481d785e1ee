"""An OpenAI client whose chat calls are recorded: the caller's code does not change.

    client = wrap(openai.OpenAI())

    @mace.program("support")
    def support(job, question):
        said = client.chat.completions.create(model="...", messages=[...])     # a recorded call of this job
        return said.choices[0].message.content

The client's resources send through its public `post`, `get` and so on. The wrapped client is a copy of the given one in
which these are ours: a POST of a chat completion becomes `job.call("chat", ...)` of the job that is running here, and
what is not recorded is refused by name, so that nothing passes unseen. What is sent is what was recorded, and what the
caller gets is made from the record, live as on replay.

On the record stands the body of the request and of the answer. Keys, addresses, headers, query parameters and time
limits belong to the client: they stay in this process. Of an error the record has its type, its status and its code,
never its text, which quotes what was sent.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from mace.core.errors import InvalidInput, PreconditionFailed, WrongType
from mace.core.programs import CallFailed
from mace.engine.programs.handle import Job, current_job

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

    from mace.core.answers import Json

Client = TypeVar("Client", bound="OpenAI | AsyncOpenAI")
Outside = Literal["refuse", "pass"]

_CHAT = "/chat/completions"
_RAW = "x-stainless-raw-response"  # the header by which the client asks for the response itself
_VERBS = ("get", "put", "patch", "delete", "get_api_list", "request")
_MARK = "_recorded_by_mace"
_CODE = re.compile(r"[a-z][a-z_]{0,63}")  # a word of the protocol, such as rate_limit_exceeded
_TOLD = re.compile(r"(?:status (\d{3}))?(?:, )?(?:code ([a-z_]+))?")


class ChatFailed(Exception):
    """A chat call that the client failed to make, or that the provider refused.

    It is also the exception of `openai` of that name, so that callers catch what they caught before: `except
    openai.RateLimitError`. `failed` is the call on the record. The response, the request and the body are not recorded,
    so there are none here.
    """

    failed: CallFailed
    status_code: int | None
    code: str | None
    request: None
    response: None
    body: None


def wrap(client: Client, *, outside: Outside = "refuse", idempotent: bool = True) -> Client:
    """Return a client of the same type whose `chat.completions.create` and `parse` are recorded by the running job.

    Outside of a job a call is refused; with `outside="pass"` it is made as if the client were not wrapped. After a
    crash a chat call that has no recorded answer is made again, which costs tokens and changes nothing; one that the
    provider is asked to `store`, or every one with `idempotent=False`, is a failed call `unknown_result` instead.
    """
    try:
        import openai
    except ImportError:
        raise PreconditionFailed("this needs an extra package: pip install 'mace-runtime[openai]'") from None
    if not isinstance(client, openai.OpenAI | openai.AsyncOpenAI):
        raise WrongType(f"client must be an openai.OpenAI or openai.AsyncOpenAI, got {type(client).__name__}")
    if outside not in ("refuse", "pass"):
        raise InvalidInput(f"outside must be 'refuse' or 'pass', got {outside!r}")
    if hasattr(client, _MARK):
        raise InvalidInput("client is wrapped already")
    if not isinstance(getattr(type(client), "chat", None), cached_property):
        raise PreconditionFailed(f"openai {openai.__version__} cannot be wrapped: pip install 'mace-runtime[openai]'")
    return cast("Client", _wrapped(client, _Rules(outside, idempotent)))


@cache
def _kinds() -> Mapping[str, type[Exception]]:
    """The exceptions of the client, by name."""
    import openai

    named = {name: getattr(openai, name) for name in openai.__all__ if name.endswith("Error")}
    return {name: kind for name, kind in named.items() if issubclass(kind, openai.OpenAIError)}


def _named(error: Exception) -> Exception:
    """An exception with the name of this one and none of its text, to be recorded."""
    status, code = getattr(error, "status_code", None), getattr(error, "code", None)
    told = [f"status {status}"] if isinstance(status, int) and 100 <= status <= 999 else []
    if isinstance(code, str) and _CODE.fullmatch(code):
        told.append(f"code {code}")
    same: type[Exception] = type(type(error).__name__.lstrip("_"), (Exception,), {})
    return same(", ".join(told))


def _as_before(failed: CallFailed) -> Exception:
    """A failed call as callers of the client know it: made from the record, live as on replay."""
    name = "APITimeoutError" if failed.kind == "timed_out" else failed.exception
    kind = _kinds().get(name or "")
    if kind is None or failed.kind not in ("raised", "timed_out"):
        return failed
    same = type(kind.__name__, (ChatFailed, kind), {"__module__": __name__})
    made = cast(ChatFailed, same.__new__(same, str(failed)))  # the constructors of `kind` want a response
    told = _TOLD.fullmatch(failed.reason or "")
    status, code = told.groups() if told else (None, None)
    nothing = dict.fromkeys(("request", "response", "body", "param", "type", "request_id"))
    vars(made).update(nothing, message=str(failed), code=code, failed=failed)
    made.status_code = None if status is None else int(status)
    return made


class _Rules:
    """How the calls of one wrapped client are treated."""

    def __init__(self, outside: Outside, idempotent: bool) -> None:
        self.outside = outside
        self._idempotent = idempotent

    def job(self, what: str) -> Job | None:
        """The job that records `what`; None where it may pass unrecorded."""
        job = current_job()
        if job is None and self.outside != "pass":
            raise PreconditionFailed(
                f"{what} outside of a job is not recorded: call it in a program (m.perform), in a block "
                "(with m.recording(...)), or say wrap(client, outside='pass')"
            )
        return job

    def passes(self, what: str) -> None:
        """Refuse what is not recorded, unless there is no job and it may pass."""
        if self.job(what) is not None:
            raise PreconditionFailed(
                f"{what} is not recorded by mace.bridges.openai: make it with job.call(name, request, fn), or with "
                "the client that was wrapped if it does not belong on the record"
            )

    def may_be_repeated(self, request: Mapping[str, Any]) -> bool:
        return self._idempotent and not request.get("store")


def _wrapped(client: Any, rules: _Rules) -> Any:
    """A copy of the client that sends nothing by itself: chat completions are recorded, the rest is refused."""
    from openai import AsyncOpenAI

    shell = client.copy()
    for kind in type(client).__mro__:
        for name, part in vars(kind).items():
            if isinstance(part, cached_property) and name != "chat":
                vars(shell)[name] = _Unrecorded(client, name, rules)  # found before the property of the class
    for verb in _VERBS:
        vars(shell)[verb] = _guarded(client, verb, rules)
    post = _AsyncPost(client, rules) if isinstance(client, AsyncOpenAI) else _Post(client, rules)
    vars(shell)["post"] = post
    vars(shell)["copy"] = vars(shell)["with_options"] = lambda **options: _wrapped(client.copy(**options), rules)
    vars(shell)[_MARK] = True
    return shell


class _Unrecorded:
    """A part of the client that is not recorded."""

    def __init__(self, client: Any, name: str, rules: _Rules) -> None:
        self._client = client
        self._name = name
        self._rules = rules

    def __getattr__(self, attribute: str) -> Any:
        self._rules.passes(f"{self._name}.{attribute}")
        return getattr(getattr(self._client, self._name), attribute)


def _guarded(client: Any, verb: str, rules: _Rules) -> Callable[..., Any]:
    def send(*arguments: Any, **named: Any) -> Any:
        path = next((given for given in arguments if isinstance(given, str)), "")
        rules.passes(f"{verb} {path}".strip())
        return getattr(client, verb)(*arguments, **named)

    return send


class _Chat:
    """One chat completion: what goes on the record, and what the client needs beside it."""

    def __init__(self, body: Any, options: Mapping[str, Any]) -> None:
        extra = options.get("extra_json") or {}
        self.request: dict[str, Any] = {**(body or {}), **extra}
        if not self.request.get("stream"):
            self.request.pop("stream", None)
        self._parse = options.get("post_parser")
        self.options = {name: value for name, value in options.items() if name not in ("extra_json", "post_parser")}

    def result(self, recorded: "Json") -> Any:
        """What the caller gets: made from the record, and parsed where `parse` was called."""
        from openai.types.chat import ChatCompletion

        completion = ChatCompletion.construct(None, **cast("dict[str, Any]", recorded))
        return completion if self._parse is None else self._parse(completion)


def _recordable(path: str, stream: bool, body: Any, options: Mapping[str, Any]) -> _Chat | None:
    """The chat completion, or None where this POST is something else; what a chat call cannot be is refused."""
    if path != _CHAT:
        return None
    if any(name.lower() == _RAW for name in options.get("headers") or {}):
        raise InvalidInput(
            "with_raw_response and with_streaming_response cannot be recorded: call chat.completions.create itself"
        )
    chat = _Chat(body, options)
    if stream or chat.request.get("stream"):
        raise InvalidInput("stream=True cannot be recorded yet: call chat.completions.create without it")
    return chat


class _NotACompletion(Exception):
    """The server sent something else: a client that is not strict passes on what it got."""


def _as_json(completion: object) -> "Json":
    from openai.types.chat import ChatCompletion

    if not isinstance(completion, ChatCompletion) or not isinstance(completion.choices, list):
        raise _NotACompletion
    return cast("Json", completion.to_dict(mode="json", warnings=False))


class _Post:
    """`client.post` of a wrapped client."""

    def __init__(self, client: Any, rules: _Rules) -> None:
        self._client = client
        self._rules = rules

    def __call__(
        self, path: str, *, cast_to: Any, body: Any = None, options: Any = None, stream: bool = False, **more: Any
    ) -> Any:
        options = options or {}
        job = self._rules.job(f"POST {path}")
        if job is None:
            return self._client.post(path, cast_to=cast_to, body=body, options=options, stream=stream, **more)
        chat = _recordable(path, stream, body, options)
        if chat is None:
            return self._rules.passes(f"POST {path}")

        def send(request: "Json") -> "Json":
            try:
                return _as_json(self._client.post(path, cast_to=cast_to, body=request, options=chat.options))
            except Exception as error:
                named = _named(error)
            raise named  # outside of the `except`, so that it drags nothing along

        repeat = self._rules.may_be_repeated(chat.request)
        try:
            recorded = job.call("chat", chat.request, send, idempotent=repeat)
        except CallFailed as error:
            failed = _as_before(error)
        else:
            return chat.result(recorded)
        raise failed


class _AsyncPost:
    """`client.post` of a wrapped client that is async."""

    def __init__(self, client: Any, rules: _Rules) -> None:
        self._client = client
        self._rules = rules

    async def __call__(
        self, path: str, *, cast_to: Any, body: Any = None, options: Any = None, stream: bool = False, **more: Any
    ) -> Any:
        options = options or {}
        job = self._rules.job(f"POST {path}")
        if job is None:
            return await self._client.post(path, cast_to=cast_to, body=body, options=options, stream=stream, **more)
        chat = _recordable(path, stream, body, options)
        if chat is None:
            return self._rules.passes(f"POST {path}")

        async def send(request: "Json") -> "Json":
            try:
                return _as_json(await self._client.post(path, cast_to=cast_to, body=request, options=chat.options))
            except Exception as error:
                named = _named(error)
            raise named  # outside of the `except`, so that it drags nothing along

        repeat = self._rules.may_be_repeated(chat.request)
        try:
            recorded = await job.acall("chat", chat.request, send, idempotent=repeat)
        except CallFailed as error:
            failed = _as_before(error)
        else:
            return chat.result(recorded)
        raise failed
