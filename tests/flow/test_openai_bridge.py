"""Chat calls of a wrapped OpenAI client are on the record: over real HTTP, on a real store."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

import canaries
import mace
import places
from helpers_openai_server import OpenAiServer, sends
from mace.bridges.openai import ChatFailed, wrap
from mace.core import seeds
from mace.core.answers import ProgramAnswer
from mace.core.errors import WrongType
from mace.interfaces.bridges.openai import _Rules
from mace.testing import ChatReply, ChatRequest, ChatServer, ToolCall, serve_chat

KEY = "sk-canary-0123456789abcdef"
Serving = Callable[..., ChatServer]


@pytest.fixture
def serving() -> Iterator[Serving]:
    running: list[ChatServer] = []

    def start(*script: str | ChatReply) -> ChatServer:
        running.append(serve_chat(list(script)).__enter__())
        return running[-1]

    yield start
    for server in running:
        if not server.closing.is_set():
            server.__exit__(None, None, None)


def client_of(server: ChatServer, **options: Any) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.url, api_key=KEY, max_retries=0, **options)


def user(text: str) -> Any:
    return [{"role": "user", "content": text}]


def content(said: ChatCompletion) -> str:
    return said.choices[0].message.content or ""


class Town(BaseModel):
    name: str


def test_a_loop_with_tools_is_recorded_and_replays_equal_objects(place: places.Place, serving: Serving) -> None:
    server = serving(ChatReply(tool_calls=[ToolCall("find", {"number": 7})]), "It is in Ghent.")
    client = wrap(client_of(server))
    runs: list[list[ChatCompletion]] = []

    @mace.program("loop")
    def loop(job: mace.Job, question: Any) -> str:
        said: list[ChatCompletion] = []
        runs.append(said)
        messages = user(question)
        while True:
            said.append(client.chat.completions.create(model="m", messages=(item for item in messages)))
            message = said[-1].choices[0].message
            messages.append(message)
            if not message.tool_calls:
                return message.content or ""
            for call in message.tool_calls:
                messages.append({"role": "tool", "tool_call_id": call.id, "content": '{"place": "Ghent"}'})

    with place.open(programs=[loop]) as m:
        done = m.perform(loop, "Where is parcel 7?", user_id="ana")
        assert (done["text"], done["status"]) == ("It is in Ghent.", "closed"), done
        server.__exit__(None, None, None)
        assert m.replay(done["job_id"])["result"] == "MATCH"
        job = m.job(done["job_id"])
    live, replayed = runs
    assert live == replayed
    assert [item.to_json() for item in live] == [item.to_json() for item in replayed]
    assert all(isinstance(item, ChatCompletion) for item in live)
    assert len(server.requests) == 2
    assert [message["role"] for message in server.requests[1].messages] == ["user", "assistant", "tool"]
    assert server.requests[1].messages[1]["tool_calls"][0]["function"]["name"] == "find"
    assert [(call["name"], call["state"], call["idempotent"]) for call in job["calls"]] == [("chat", "done", True)] * 2
    assert job["tokens"] == sum(item.usage.total_tokens for item in live if item.usage) > 0


def test_keys_addresses_and_headers_stay_off_the_record(mace_home: places.SqlitePlace, serving: Serving) -> None:
    server = serving("Hello.")
    options = {"organization": "org-canary", "default_headers": {"x-canary": "header-canary"}}
    client = wrap(client_of(server, **options))

    @mace.program("hello")
    def hello(job: mace.Job, _: Any) -> str:
        said = client.chat.completions.create(
            model="m",
            messages=user("The word is sealed-canary."),
            extra_headers={"x-more": "more-canary"},
            extra_query={"q": "query-canary"},
            extra_body={"top_k": 3},
            timeout=31,
        )
        return content(said)

    with canaries.watching() as sealed, mace_home.open(programs=[hello]) as m:
        done = m.perform(hello, None)
    assert done["text"] == "Hello."
    (seen,) = server.requests
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert (seen.headers["x-more"], seen.headers["x-canary"]) == ("more-canary", "header-canary")
    assert "query-canary" in seen.path
    assert seen.body == {"model": "m", "messages": user("The word is sealed-canary."), "top_k": 3}
    port = server.url.rpartition(":")[2].removesuffix("/v1")
    hidden = [KEY, "org-canary", "header-canary", "more-canary", "query-canary", f"127.0.0.1:{port}"]
    assert canaries.in_watched(sealed, ["sealed-canary"]) != []  # the search sees what was sent
    assert canaries.in_watched(sealed, hidden) == []
    files = b"".join(file.read_bytes() for file in mace_home.folder.rglob("*") if file.is_file())
    assert canaries.in_bytes(files, hidden) == set()


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (400, openai.BadRequestError, "context_length_exceeded"),
        (401, openai.AuthenticationError, None),
        (404, openai.NotFoundError, None),
        (429, openai.RateLimitError, "rate_limit_exceeded"),
        (500, openai.InternalServerError, None),
        (503, openai.InternalServerError, None),
    ],
)
def test_an_error_is_a_failed_call_and_what_callers_caught_before(
    mace_home: places.SqlitePlace, serving: Serving, status: int, kind: type[openai.APIStatusError], code: str | None
) -> None:
    refusal = ChatReply(status=status, error=f"you sent {canaries.SSN_SENTENCE}", code=code)
    server = serving(refusal, "Hello.")
    client = wrap(client_of(server))
    caught: list[Any] = []

    @mace.program("again")
    def again(job: mace.Job, _: Any) -> str:
        try:
            client.chat.completions.create(model="m", messages=user("Hi"))
        except kind as error:
            caught.append(error)
        return content(client.chat.completions.create(model="m", messages=user("Hi")))

    with canaries.watching() as sealed, mace_home.open(programs=[again]) as m:
        done = m.perform(again, None)
        assert (done["text"], done["status"]) == ("Hello.", "closed"), done
        assert m.replay(done["job_id"])["result"] == "MATCH"
        calls = m.job(done["job_id"])["calls"]
    assert [(call["state"], call["error"]) for call in calls] == [("failed", "raised"), ("done", None)]
    assert len(caught) == 2
    for error in caught:
        assert isinstance(error, ChatFailed)
        assert (error.status_code, error.code, error.body, error.response) == (status, code, None, None)
        assert (error.failed.kind, error.failed.exception, error.failed.number) == ("raised", kind.__name__, 0)
        assert str(error) == f"call chat (0) failed: it raised {kind.__name__}"
        assert error.__context__ is None and error.__cause__ is None
    assert canaries.in_watched(sealed, [canaries.SSN]) == []
    assert canaries.in_watched(sealed, [kind.__name__]) != []


def test_a_code_that_is_no_word_of_the_protocol_is_left_out(mace_home: places.SqlitePlace, serving: Serving) -> None:
    client = wrap(client_of(serving(ChatReply(status=400, code="sorry, ana@example.org"))))

    @mace.program("once")
    def once(job: mace.Job, _: Any) -> Any:
        try:
            client.chat.completions.create(model="m", messages=user("Hi"))
        except openai.BadRequestError as error:
            return {"code": error.code, "status": error.status_code}

    with mace_home.open() as m:
        assert m.perform(once, None)["answer"] == {"code": None, "status": 400}


def test_a_slow_server_is_a_timeout_and_an_absent_one_no_connection(
    mace_home: places.SqlitePlace, serving: Serving
) -> None:
    server = serving(ChatReply("late", after_s=60), "never")
    client = wrap(client_of(server))

    @mace.program("slow")
    def slow(job: mace.Job, _: Any) -> Any:
        told = []
        for patience in (client.with_options(timeout=0.2), client.with_options(base_url="http://127.0.0.1:9/v1")):
            try:
                patience.chat.completions.create(model="m", messages=user("Hi"))
            except openai.APIConnectionError as error:
                told.append(type(error).__name__)
        return told

    with mace_home.open() as m:
        done = m.perform(slow, None)
        assert done["answer"] == ["APITimeoutError", "APIConnectionError"], done
        assert m.replay(done["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize("body", [{"object": "list", "data": []}, "<html>", None, {"choices": "none"}])
def test_what_is_no_completion_is_a_failed_call(mace_home: places.SqlitePlace, body: Any) -> None:
    @mace.program("hopeful")
    def hopeful(job: mace.Job, _: Any) -> Any:
        try:
            client.chat.completions.create(model="m", messages=user("Hi"))
        except mace.CallFailed as error:
            return [error.kind, error.exception]

    with OpenAiServer(sends(200, body)) as server, mace_home.open() as m:
        client = wrap(client_of(server))
        done = m.perform(hopeful, None)
        assert done["answer"] == ["raised", "NotACompletion"], done
        assert m.replay(done["job_id"])["result"] == "MATCH"


def test_a_client_of_azure_is_recorded_under_the_same_rules(mace_home: places.SqlitePlace, serving: Serving) -> None:
    server = serving("Hello.")
    endpoint = server.url.removesuffix("/v1")
    client = wrap(openai.AzureOpenAI(azure_endpoint=endpoint, api_key=KEY, api_version="2024-10-21", max_retries=0))

    @mace.program("azure")
    def azure(job: mace.Job, _: Any) -> str:
        with pytest.raises(mace.PreconditionFailed, match=r"embeddings\.create is not recorded"):
            client.embeddings.create(model="m", input="Hi")
        return content(client.chat.completions.create(model="m", messages=user("Hi")))

    with mace_home.open() as m:
        done = m.perform(azure, None)
        assert done["text"] == "Hello.", done
        assert m.replay(done["job_id"])["result"] == "MATCH"
    assert [seen.path for seen in server.requests] == ["/openai/deployments/m/chat/completions?api-version=2024-10-21"]


def test_a_thread_of_ones_own_is_outside_of_the_job(mace_home: places.SqlitePlace, serving: Serving) -> None:
    server = serving("Hello.")
    client = wrap(client_of(server))

    @mace.program("threads")
    def threads(job: mace.Job, _: Any) -> str:
        said: list[str] = []

        def ask() -> None:
            try:
                client.chat.completions.create(model="m", messages=user("Hi"))
            except mace.PreconditionFailed as error:
                said.append(str(error))

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
        return said[0]

    with mace_home.open() as m:
        assert "outside of a job is not recorded" in (m.perform(threads, None)["text"] or "")
    assert server.requests == []


def test_an_error_that_nobody_catches_ends_the_job_by_its_name(mace_home: places.SqlitePlace, serving: Serving) -> None:
    client = wrap(client_of(serving(ChatReply(status=403, error=canaries.SSN_SENTENCE))))

    @mace.program("careless")
    def careless(job: mace.Job, _: Any) -> str:
        return content(client.chat.completions.create(model="m", messages=user("Hi")))

    with mace_home.open() as m:
        done = m.perform(careless, None)
        assert done["status"] == "failed" and done["error"] is not None
        assert done["error"]["error_code"] == "AGENT_ERROR"
        assert "PermissionDeniedError" in str(done["error"])
        assert canaries.in_answer(done, [canaries.SSN]) == set()
        assert m.replay(done["job_id"])["result"] == "MATCH"


def _stream(client: openai.OpenAI) -> object:
    return client.chat.completions.create(model="m", messages=user("Hi"), stream=True)


def _stream_by_extra_body(client: openai.OpenAI) -> object:
    return client.chat.completions.create(model="m", messages=user("Hi"), extra_body={"stream": True})


def _stream_manager(client: openai.OpenAI) -> object:
    with client.chat.completions.stream(model="m", messages=user("Hi")) as stream:
        return stream


def _raw(client: openai.OpenAI) -> object:
    return client.chat.completions.with_raw_response.create(model="m", messages=user("Hi"))


def _raw_of_all(client: openai.OpenAI) -> object:
    return client.with_raw_response.chat.completions.create(model="m", messages=user("Hi"))


def _raw_stream(client: openai.OpenAI) -> object:
    with client.chat.completions.with_streaming_response.create(model="m", messages=user("Hi")) as response:
        return response


REFUSED: list[tuple[Callable[[openai.OpenAI], object], str]] = [
    (_stream, "stream=True cannot be recorded yet"),
    (_stream_by_extra_body, "stream=True cannot be recorded yet"),
    (_stream_manager, "stream=True cannot be recorded yet"),
    (_raw, "with_raw_response and with_streaming_response cannot be recorded"),
    (_raw_of_all, "with_raw_response.chat is not recorded"),
    (_raw_stream, "with_raw_response and with_streaming_response cannot be recorded"),
    (lambda client: client.chat.completions.list(), "get_api_list /chat/completions is not recorded"),
    (lambda client: client.chat.completions.delete("x"), "delete /chat/completions/x is not recorded"),
    (lambda client: client.embeddings.create(model="m", input="Hi"), "embeddings.create is not recorded"),
    (lambda client: client.responses.create(model="m", input="Hi"), "responses.create is not recorded"),
    (lambda client: client.models.list(), "models.list is not recorded"),
    (lambda client: client.beta.assistants, "beta.assistants is not recorded"),
    (lambda client: client.realtime.connect(), "realtime.connect is not recorded"),
    (lambda client: client.post("/anything", cast_to=object), "POST /anything is not recorded"),
    (lambda client: client.get("/anything", cast_to=object), "get /anything is not recorded"),
    (lambda client: client.with_options(timeout=3).models.list(), "models.list is not recorded"),
]


@pytest.mark.parametrize(("use", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_what_is_not_recorded_is_refused_by_name(
    mace_home: places.SqlitePlace, serving: Serving, use: Callable[[openai.OpenAI], object], says: str
) -> None:
    server = serving("Hello.")
    client = wrap(client_of(server), outside="pass")  # that lets nothing pass where there is a job

    @mace.program("curious")
    def curious(job: mace.Job, _: Any) -> str:
        with pytest.raises(mace.MaceError) as refused:
            use(client)
        return str(refused.value)

    with mace_home.open() as m:
        done = m.perform(curious, None)
        assert says in (done["text"] or ""), done
        assert m.job(done["job_id"])["calls"] == []
    assert server.requests == []


def test_outside_of_a_job_a_call_is_refused_unless_it_may_pass(serving: Serving) -> None:
    server = serving("Hello.", "Again.")
    client = wrap(client_of(server))
    with pytest.raises(mace.PreconditionFailed, match=r"m\.perform.*m\.recording.*outside='pass'"):
        client.chat.completions.create(model="m", messages=user("Hi"))
    with pytest.raises(mace.PreconditionFailed, match="outside of a job"):
        client.models.list()
    assert server.requests == []
    passing = wrap(client_of(server), outside="pass")
    assert content(passing.chat.completions.create(model="m", messages=user("Hi"))) == "Hello."
    assert content(passing.with_options(timeout=9).chat.completions.create(model="m", messages=user("Hi"))) == "Again."
    with pytest.raises(openai.NotFoundError):
        passing.embeddings.create(model="m", input="Hi")


def test_a_block_records_its_calls(mace_home: places.SqlitePlace, serving: Serving) -> None:
    client = wrap(client_of(serving("Hello.")))
    with mace_home.open() as m:
        with m.recording("Say hello", "ana") as job:
            assert content(client.chat.completions.create(model="m", messages=user("Hi"))) == "Hello."
        assert [call["name"] for call in m.job(job.job_id)["calls"]] == ["chat"]
        assert m.replay(job.job_id)["result"] == "NO_PROGRAM"
    with pytest.raises(mace.PreconditionFailed, match="outside of a job"):
        client.chat.completions.create(model="m", messages=user("Hi"))


def test_a_completion_is_parsed_from_the_record(mace_home: places.SqlitePlace, serving: Serving) -> None:
    server = serving('{"name": "Ghent"}')
    client = wrap(client_of(server))

    @mace.program("typed")
    def typed(job: mace.Job, _: Any) -> str:
        said = client.chat.completions.parse(model="m", messages=user("Which town?"), response_format=Town)
        parsed = said.choices[0].message.parsed
        assert isinstance(parsed, Town)
        return parsed.name

    with mace_home.open() as m:
        done = m.perform(typed, None)
        assert done["text"] == "Ghent", done
        assert m.replay(done["job_id"])["result"] == "MATCH"
    assert server.requests[0].body["response_format"]["json_schema"]["name"] == "Town"


def test_an_async_client_is_recorded_too(mace_home: places.SqlitePlace, serving: Serving) -> None:
    server = serving("Hello.", ChatReply(status=429, error="slow down"), "Hello again.")
    client = wrap(openai.AsyncOpenAI(base_url=server.url, api_key=KEY, max_retries=0))

    @mace.program("hello", version="2")
    async def hello(job: mace.Job, _: Any) -> str:
        first = await client.chat.completions.create(model="m", messages=user("Hi"))
        with pytest.raises(openai.RateLimitError):
            await client.chat.completions.create(model="m", messages=user("Hi"))
        with pytest.raises(mace.InvalidInput, match="stream=True"):
            await client.chat.completions.create(model="m", messages=user("Hi"), stream=True)
        with pytest.raises(mace.PreconditionFailed, match=r"models\.list is not recorded"):
            await client.models.list()
        second = await client.with_options(timeout=9).chat.completions.create(model="m", messages=user("Hi"))
        return f"{content(first)} {content(second)}"

    async def perform(m: mace.Mace) -> ProgramAnswer:
        with pytest.raises(mace.PreconditionFailed, match="outside of a job"):
            await client.chat.completions.create(model="m", messages=user("Hi"))
        done = await m.aperform(hello, None)
        await client.close()
        return done

    with mace_home.open() as m:
        done = asyncio.run(perform(m))
        assert done["text"] == "Hello. Hello again.", done
        assert m.replay(done["job_id"])["result"] == "MATCH"
        assert [call["state"] for call in m.job(done["job_id"])["calls"]] == ["done", "failed", "done"]
    assert len(server.requests) == 3


def test_branches_record_their_own_calls(mace_home: places.SqlitePlace) -> None:
    with serve_chat(lambda request: request.last.upper()) as server:
        client = wrap(client_of(server))

        @mace.program("branches")
        def branches(job: mace.Job, words: Any) -> Any:
            def shout(_branch: mace.Job, word: Any) -> Any:
                return content(client.chat.completions.create(model="m", messages=user(word)))

            return job.map(shout, words)

        with mace_home.open() as m:
            done = m.perform(branches, ["a", "b", "c"])
            assert done["answer"] == ["A", "B", "C"], done
            assert m.replay(done["job_id"])["result"] == "MATCH"
            calls = m.job(done["job_id"])["calls"]
        assert len({call["branch"] for call in calls}) == len(calls) == len(server.requests) == 3


def test_what_is_personal_leaves_only_with_consent(mace_home: places.SqlitePlace) -> None:
    def echo(request: ChatRequest) -> str:
        return f"You said: {request.last}"

    with serve_chat(echo) as server:
        client = wrap(client_of(server))

        @mace.program("echo")
        def said(job: mace.Job, text: Any) -> str:
            return content(client.chat.completions.create(model="m", messages=user(text)))

        with mace_home.open() as m:
            done = m.perform(said, canaries.PHONE_SENTENCE, user_id="ana")
            assert m.replay(done["job_id"])["result"] == "MATCH"
            assert canaries.PHONE not in str(done) + str(server.requests[0].body)
            assert "[redacted]" in server.requests[0].last
            until = datetime.now(UTC) + timedelta(days=1)
            given = m.grant_consent("ana", "send it", "persistent", expires_at=until, purposes=("store", "process"))
            done = m.perform(said, canaries.PHONE_SENTENCE, user_id="ana", consent_id=given["consent_id"])
            assert server.requests[1].last == canaries.PHONE_SENTENCE
            assert done["text"] == f"You said: {canaries.PHONE_SENTENCE}"
            assert m.replay(done["job_id"])["result"] == "MATCH"


@pytest.mark.parametrize(
    ("idempotent", "request_", "repeated"),
    [(True, {}, True), (True, {"store": False}, True), (True, {"store": True}, False), (False, {}, False)],
)
def test_which_calls_are_made_again_after_a_crash(idempotent: bool, request_: dict[str, Any], repeated: bool) -> None:
    assert _Rules("refuse", idempotent).may_be_repeated(request_) is repeated


def test_a_call_that_must_not_be_repeated_is_recorded_so(mace_home: places.SqlitePlace, serving: Serving) -> None:
    client = wrap(client_of(serving("Hello.", "Again.")), idempotent=False)

    @mace.program("careful")
    def careful(job: mace.Job, _: Any) -> str:
        return content(client.chat.completions.create(model="m", messages=user("Hi")))

    with mace_home.open() as m:
        done = m.perform(careful, None)
        assert [call["idempotent"] for call in m.job(done["job_id"])["calls"]] == [False]


VICTIM = """
import sys
import mace, openai
from mace.bridges.openai import wrap
from mace.settings import Settings

url, idempotent = sys.argv[1], sys.argv[2] == "True"
client = wrap(openai.OpenAI(base_url=url, api_key="any", max_retries=0), idempotent=idempotent)

@mace.program("victim")
def victim(job, _):
    try:
        said = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
    except mace.CallFailed as error:
        return error.kind
    return said.choices[0].message.content

with mace.open(settings=Settings(location=sys.argv[3], checkpoint_dir=sys.argv[4]), programs=[victim]) as m:
    answer = m.resume(sys.argv[5]) if sys.argv[5:] else m.perform(victim, None, "ana", "victim-1")
    print(answer["text"], m.replay(answer["job_id"])["result"], m.verify()["ok"])
"""


@pytest.mark.parametrize(("idempotent", "text", "asked"), [(True, "Hello.", 2), (False, "unknown_result", 1)])
def test_a_call_without_an_answer_after_a_kill(
    mace_home: places.SqlitePlace, tmp_path: Path, idempotent: bool, text: str, asked: int
) -> None:
    under_way, go_on = threading.Event(), threading.Event()

    def hold(_: ChatRequest) -> str:
        under_way.set()
        go_on.wait()
        return "Hello."

    (tmp_path / "victim.py").write_text(VICTIM)
    env = {**os.environ, "PYTHONPATH": str(Path(mace.__file__).parents[1])}
    with serve_chat(hold) as server:
        place = [mace_home.settings.location, mace_home.settings.checkpoint_dir]
        command = [sys.executable, str(tmp_path / "victim.py"), server.url, str(idempotent), *place]
        victim = subprocess.Popen(command, env=env)
        assert under_way.wait(60)
        victim.kill()
        assert victim.wait() == -signal.SIGKILL
        go_on.set()
        job_id = seeds.job_id("victim-1")
        ran = subprocess.run([*command, job_id], env=env, capture_output=True, text=True, check=False)
        assert ran.stdout.strip() == f"{text} MATCH True", ran.stdout + ran.stderr
        assert len(server.requests) == asked


def test_wrong_arguments_are_said(serving: Serving) -> None:
    client = client_of(serving("Hello."))
    with pytest.raises(WrongType, match=r"openai\.OpenAI or openai\.AsyncOpenAI, got str"):
        wrap("client")  # type: ignore[type-var]
    with pytest.raises(mace.InvalidInput, match="'refuse' or 'pass', got 'skip'"):
        wrap(client, outside="skip")  # type: ignore[arg-type]
    with pytest.raises(mace.InvalidInput, match="wrapped already"):
        wrap(wrap(client))
    with pytest.raises(mace.InvalidInput, match="wrapped already"):
        wrap(wrap(client).with_options(timeout=3))
    assert isinstance(wrap(client), openai.OpenAI)


_WITHOUT_IT = """
sys.modules['openai'] = None
from mace.bridges.openai import wrap
try:
    wrap(1)
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import mace.bridges.openai; print('openai' in sys.modules)", "False"),
        (_WITHOUT_IT, "PreconditionFailed this needs an extra package: pip install 'mace-runtime[openai]'"),
    ],
)
def test_the_library_is_imported_when_it_is_used(code: str, says: str) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(mace.__file__).parents[1])}
    command = [sys.executable, "-c", f"import sys\n{code}"]
    ran = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == says
