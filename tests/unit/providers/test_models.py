"""The language engine against a real HTTP server: answers, refusals, and servers that misbehave."""

import asyncio
import json
import logging
import os
import pickle
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import NoReturn

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from helpers_openai_server import (
    HANG_S,
    Behaviour,
    OpenAiServer,
    answers,
    completion,
    cuts_the_body,
    cuts_the_connection,
    drips_the_body,
    drips_the_headers,
    ends,
    fails,
    floods,
    hangs_before_headers,
    hangs_in_the_body,
    redirects,
    sends,
    unused_url,
    writes,
    zips,
)
from mace.core import canon
from mace.providers.models import Attempt, ModelAnswer, ModelDown, ModelRequest, key_status
from mace.providers.models.engine import PydanticAiEngine
from mace.providers.models.settings import Limits, ProviderSettings
from mace.providers.models.words import REASONS, remedy, said_of, without_open_thought
from mace.settings import Settings
from mace.testing.chat import Exchange

KEY = "sk-canary-key-4711"
PROMPT = "canary-prompt-0815 what is the weather?"
SYSTEM = "canary-system-0816 be brief"
REQUEST = ModelRequest(system=SYSTEM, prompt=PROMPT, max_output_tokens=64)
PATIENT = Limits(connect_s=20, header_s=20, total_s=25, max_response_bytes=100_000)  # for a busy machine
QUICK = replace(PATIENT, connect_s=0.5, header_s=0.6, total_s=1.5)
GENEROUS_S = HANG_S / 2  # a call that waited for the server would take twice as long


def settings(url: str, name: str = "first", key: str | None = KEY) -> ProviderSettings:
    return ProviderSettings(model="some-model", name=name, base_url=url, api_key=key)


def engine(*urls: str, limits: Limits = PATIENT) -> PydanticAiEngine:
    providers = [settings(url, f"p{number}") for number, url in enumerate(urls)]
    built = PydanticAiEngine(providers, limits)
    built.warm_up()
    return built


def down(built: PydanticAiEngine, request: ModelRequest = REQUEST) -> ModelDown:
    began = time.monotonic()
    with pytest.raises(ModelDown) as caught:
        built.complete(request)
    assert time.monotonic() - began < GENEROUS_S
    return caught.value


def test_a_proper_answer():
    with OpenAiServer(answers("It rains.")) as server:
        answer = engine(server.url).complete(replace(REQUEST, seed=5, stop=("END",)))
        (seen,) = server.requests
    assert (answer.text, answer.provider, answer.model) == ("It rains.", "p0", "served-model")
    assert (answer.input_tokens, answer.output_tokens, answer.finish_reason) == (7, 3, "stop")
    assert answer.time_ms >= 0
    assert answer.failed == ()
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["user-agent"] == "mace"
    assert seen.body["messages"] == [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": PROMPT},
    ]
    asked = {name: seen.body[name] for name in ("model", "max_tokens", "temperature", "seed", "stop")}
    assert asked == {"model": "some-model", "max_tokens": 64, "temperature": 0, "seed": 5, "stop": ["END"]}
    assert not seen.body.get("stream")


def test_an_empty_system_text_is_not_sent():
    with OpenAiServer(answers("x")) as server:
        engine(server.url).complete(replace(REQUEST, system=""))
        assert [message["role"] for message in server.requests[0].body["messages"]] == ["user"]


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
def test_the_token_limit_goes_into_the_field_the_server_knows(field: str):
    with OpenAiServer(answers("x")) as server:
        chosen = replace(settings(server.url), output_limit=field)
        PydanticAiEngine([chosen], PATIENT).complete(REQUEST)
        assert server.requests[0].body[field] == 64


def test_reasoning_and_fences_reach_the_caller_or_are_set_apart():
    with OpenAiServer(answers("<think>hm</think>\n```json\n{}\n```")) as server:
        assert engine(server.url).complete(REQUEST).text.endswith("```json\n{}\n```")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<think>hm</think>It rains.", "It rains."),
        ("It rains. <think>or does it", "It rains. "),
        ("<think>a</think>One.<think>b</think> Two.<think>c", "One. Two."),
        ("Models write `<think>` first.", "Models write `<think>` first."),
    ],
)
def test_a_thought_is_no_answer_whether_it_ends_or_not(written: str, shown: str):
    with OpenAiServer(answers(written)) as server:
        assert engine(server.url).complete(REQUEST).text == shown


def test_text_without_a_utf8_form_is_mended():
    body = json.dumps(completion("a\ud800b"), ensure_ascii=True).encode()
    with OpenAiServer(writes(body)) as server:
        answer = engine(server.url).complete(REQUEST)
    assert answer.text == "a\ufffdb"
    canon.dumps(answer.to_json())


CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def errs(status: int, code: str) -> Behaviour:
    return sends(status, {"error": {"message": f"canary-error {KEY} {PROMPT}", "type": "some_error", "code": code}})


def says_too_little(handler: Exchange) -> None:
    """More comes than the header says: what is read is only a beginning."""
    body = json.dumps(completion("the whole answer")).encode()
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 40\r\n\r\n" + body)


def writes_50_mb(handler: Exchange) -> None:
    with suppress(OSError):  # nobody reads all of it
        handler.send(200, b'{"id": "' + b"x" * 50_000_000 + b'"}')


SLOW = (hangs_before_headers, drips_the_headers, hangs_in_the_body, drips_the_body)
EMPTY = completion("x", choices=[])
FILTERED = completion(None, choices=[{**completion(None)["choices"][0], "finish_reason": "content_filter"}])


@pytest.mark.parametrize(
    ("behaviour", "kind", "status", "reason", "key"),
    [
        (fails(401), "auth", 401, "key_refused", "rejected"),
        (fails(403), "auth", 403, "key_refused", "rejected"),
        (fails(429), "rate", 429, "too_many_requests", "ok"),
        (fails(402), "request", 402, "no_credit", "ok"),
        (fails(408), "timeout", 408, "gateway_time", "ok"),
        (fails(400), "request", 400, "bad_request", "ok"),
        (fails(404), "request", 404, "not_found", "ok"),
        (fails(422), "request", 422, "bad_request", "ok"),
        (fails(413), "request", 413, "too_long", "ok"),
        (errs(404, "model_not_found"), "request", 404, "no_such_model", "ok"),
        (errs(400, "context_length_exceeded"), "request", 400, "too_long", "ok"),
        (errs(429, "insufficient_quota"), "request", 429, "no_credit", "ok"),
        (errs(500, "model_not_found"), "server", 500, "status", "unknown"),
        (errs(400, "content_filter"), "filtered", 400, "content_filter", "ok"),
        (fails(504), "timeout", 504, "gateway_time", "unknown"),
        (fails(500), "server", 500, "status", "unknown"),
        (fails(503), "server", 503, "status", "unknown"),
        (writes(b"<html>502</html>", "text/html"), "malformed", 200, "not_a_completion", "ok"),
        (writes(b'{"id": "x", "choi'), "malformed", 200, "not_a_completion", "ok"),
        (writes(b"\xff\xfe\x00"), "malformed", 200, "not_a_completion", "ok"),
        (writes(b"[]"), "malformed", 200, "not_a_completion", "ok"),
        (writes(b"null"), "malformed", 200, "not_a_completion", "ok"),
        (writes(b"[" * 90_000), "malformed", 200, "not_a_completion", "ok"),
        (sends(200, EMPTY), "malformed", 200, "not_a_completion", "ok"),
        (sends(200, {"error": {"message": "no"}}), "malformed", 200, "not_a_completion", "ok"),
        (answers(None), "empty", 200, "empty_answer", "ok"),
        (answers("  \n"), "empty", 200, "empty_answer", "ok"),
        (answers("<think>only thought</think>"), "empty", 200, "empty_answer", "ok"),
        (answers("<think>a thought without end"), "empty", 200, "empty_answer", "ok"),
        (ends("length", content=None), "empty", 200, "cut_before_text", "ok"),
        (ends("length", content="<think>still thinking"), "empty", 200, "cut_before_text", "ok"),
        (ends("tool_calls", content=None, tool_calls=[CALL]), "tool_call", 200, "tool_call", "ok"),
        (ends("stop", content=None, refusal="canary-refusal"), "refused", 200, "refusal", "ok"),
        (says_too_little, "malformed", 200, "not_a_completion", "ok"),
        (writes_50_mb, "malformed", 200, "too_large", "ok"),
        (sends(200, FILTERED), "filtered", 200, "content_filter", "ok"),
        (zips("hello"), "malformed", 200, "encoded", "ok"),
        (floods, "malformed", 200, "too_large", "ok"),
        (cuts_the_connection, "network", None, "connection_broke", "unknown"),
        (cuts_the_body, "network", 200, "connection_broke", "ok"),
        (hangs_before_headers, "timeout", None, "header_time", "unknown"),
        (drips_the_headers, "timeout", None, "header_time", "unknown"),
        (hangs_in_the_body, "timeout", 200, "body_time", "ok"),
        (drips_the_body, "timeout", 200, "total_time", "ok"),
    ],
)
def test_every_way_to_fail_has_a_name(behaviour: Behaviour, kind: str, status: int | None, reason: str, key: str):
    with OpenAiServer(behaviour) as server:
        limits = QUICK if behaviour in SLOW else PATIENT
        error = down(engine(server.url, limits=limits))
        assert len(server.requests) == 1  # no silent retries
    (attempt,) = error.attempts
    assert (attempt.kind, attempt.status, attempt.reason) == (kind, status, reason)
    assert (attempt.provider, attempt.model) == ("p0", "some-model")
    assert error.api_key_status == key


def test_nobody_listens():
    (attempt,) = down(engine(unused_url())).attempts
    assert (attempt.kind, attempt.reason) == ("network", "no_connection")


@pytest.mark.parametrize("url", ["localhost:11434/v1", "api.example.com/v1", "//api.example.com/v1", "/v1"])
def test_an_address_needs_its_scheme(url: str):
    (attempt,) = down(engine(url)).attempts
    assert (attempt.kind, attempt.reason) == ("config", "no_scheme")
    assert "http://" in attempt.hint


def test_an_address_that_swallows_connections_ends_in_time():
    """A listener whose queue is full neither accepts nor refuses."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        fillers = [socket.socket() for _ in range(8)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        (attempt,) = down(engine(f"http://127.0.0.1:{full.getsockname()[1]}/v1", limits=QUICK)).attempts
        for filler in fillers:
            filler.close()
    assert attempt.kind == "timeout"
    assert attempt.reason in ("connect_time", "header_time")


def test_a_name_that_is_never_resolved_ends_in_time(monkeypatch: pytest.MonkeyPatch):
    """Looking up a name runs on a thread that nothing can cancel."""
    over = threading.Event()

    def never(*_args: object, **_options: object) -> NoReturn:
        over.wait(HANG_S)
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", never)
    try:
        (attempt,) = down(engine("http://provider.invalid/v1", limits=QUICK)).attempts
    finally:
        over.set()
    assert (attempt.kind, attempt.reason) == ("timeout", "connect_time")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = (
        builder.serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    )
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    signed = builder.add_extension(address, critical=False).sign(key, hashes.SHA256())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(private + signed.public_bytes(Encoding.PEM))
    return path


def test_a_certificate_is_checked(certificate: Path):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    with OpenAiServer(answers("over tls"), tls=tls) as server:
        trusting = replace(settings(server.url), ca_file=str(certificate))
        assert PydanticAiEngine([trusting], PATIENT).complete(REQUEST).text == "over tls"
        (attempt,) = down(engine(server.url)).attempts
        assert len(server.requests) == 1  # the second never sent its key
    assert (attempt.kind, attempt.reason) == ("network", "no_connection")


@pytest.mark.parametrize(
    "broken",
    [fails(500), fails(401), fails(429), hangs_before_headers, drips_the_body, cuts_the_connection, writes(b"{")],
)
def test_the_second_provider_answers_for_a_broken_first(broken: Behaviour):
    with OpenAiServer(broken) as first, OpenAiServer(answers("from the second")) as second:
        some_time = replace(PATIENT, header_s=2, total_s=6)
        answer = engine(first.url, second.url, limits=some_time).complete(REQUEST)
        assert len(first.requests) == len(second.requests) == 1
    assert (answer.text, answer.provider) == ("from the second", "p1")
    assert [attempt.provider for attempt in answer.failed] == ["p0"]


def test_a_good_first_provider_leaves_the_second_alone():
    with OpenAiServer(answers("from the first")) as first, OpenAiServer(answers("no")) as second:
        assert engine(first.url, second.url).complete(REQUEST).provider == "p0"
        assert second.requests == []


def test_all_attempts_are_reported_in_order():
    with OpenAiServer(fails(500)) as first, OpenAiServer(fails(401)) as third:
        error = down(engine(first.url, unused_url(), third.url))
    assert [(attempt.provider, attempt.kind) for attempt in error.attempts] == [
        ("p0", "server"),
        ("p1", "network"),
        ("p2", "auth"),
    ]
    assert error.api_key_status == "rejected"
    assert ModelDown.from_json(canon.loads(canon.dumps(error.to_json()))).to_json() == error.to_json()
    assert pickle.loads(pickle.dumps(error)).attempts == error.attempts


def test_a_missing_key_needs_no_network():
    with OpenAiServer(answers("x")) as server:
        for key in (None, "", "  "):
            error = down(PydanticAiEngine([settings(server.url, key=key)], PATIENT))
            assert (error.api_key_status, error.attempts[0].reason) == ("missing", "key_missing")
        assert server.requests == []


def test_a_key_that_cannot_be_sent_needs_no_network():
    with OpenAiServer(answers("x")) as server:
        for key in ("line\nbreak", "schlüssel", "nul\x00"):
            error = down(PydanticAiEngine([settings(server.url, key=key)], PATIENT))
            assert (error.api_key_status, error.attempts[0].reason) == ("rejected", "key_malformed")
            assert key not in str(error)
        assert server.requests == []


def test_without_providers_the_key_is_missing():
    assert down(PydanticAiEngine([], PATIENT)).api_key_status == "missing"


def test_a_missing_first_key_leads_to_the_second_provider():
    with OpenAiServer(answers("x")) as server:
        providers = [settings(server.url, "first", None), settings(server.url, "second")]
        answer = PydanticAiEngine(providers, PATIENT).complete(REQUEST)
    assert answer.provider == "second"
    assert answer.failed[0].reason == "key_missing"


def test_a_local_server_may_need_no_key():
    with OpenAiServer(answers("x")) as server:
        keyless = replace(settings(server.url, key=None), needs_key=False)
        PydanticAiEngine([keyless], PATIENT).complete(REQUEST)
        assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("kind", "reason", "hint"),
    [
        ("groq", "not_installed", "pip install 'pydantic-ai-slim[groq]'"),
        ("openai", "not_installed", "pip install 'mace-runtime[llm]'"),
        ("no-such-provider", "unknown_provider", "llm_kind (MACE_LLM_KIND) names no known protocol"),
    ],
)
def test_a_provider_that_is_not_there_is_named(kind: str, reason: str, hint: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai.providers.groq", None)  # wherever the tests run
    if kind == "openai":
        monkeypatch.setitem(sys.modules, "pydantic_ai.models.openai", None)
    error = down(PydanticAiEngine([ProviderSettings(kind=kind, model="m", api_key=KEY)], PATIENT))
    (attempt,) = error.attempts
    assert (attempt.kind, attempt.reason) == ("config", reason)
    assert attempt.hint.startswith(hint)
    assert hint in str(error)


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "https://127.0.0.1:1/v1", "ca_file": "/nonexistent/ca.pem"},
        {"base_url": "http://[broken/v1"},
        {"base_url": "nonsense"},
        {"base_url": ""},
        {"base_url": "ftp://127.0.0.1/v1"},
        {"proxy": "gopher://127.0.0.1:1"},
    ],
)
def test_wrong_settings_are_an_attempt_that_failed_and_no_crash(wrong: dict[str, str]):
    with OpenAiServer(answers("x")) as server:
        broken = replace(settings(server.url), **wrong)
        (attempt,) = down(PydanticAiEngine([broken], PATIENT)).attempts
        assert server.requests == []
        assert attempt.kind in ("config", "network")
        second = settings(server.url, "second")
        assert PydanticAiEngine([broken, second], PATIENT).complete(REQUEST).provider == "second"


def test_other_provider_names_of_the_library_work_under_the_same_limits():
    ollama = {"kind": "ollama", "model": "m", "api_key": KEY}
    with OpenAiServer(answers("from ollama"), floods) as server:
        built = PydanticAiEngine([ProviderSettings(**ollama, base_url=server.url)], PATIENT)
        assert built.complete(REQUEST).text == "from ollama"
        assert down(built).attempts[0].reason == "too_large"


def test_a_redirect_is_not_followed_and_the_key_stays_home():
    with OpenAiServer(answers("stolen")) as thief, OpenAiServer(redirects(f"{thief.url}/chat/completions")) as server:
        (attempt,) = down(engine(server.url)).attempts
        assert thief.requests == []
    assert (attempt.kind, attempt.reason) == ("request", "wrong_address")


def test_a_shorter_limit_of_the_caller_counts():
    with OpenAiServer(hangs_before_headers) as server, pytest.raises(ModelDown) as caught:
        engine(server.url).complete(REQUEST, time_limit_s=0.3)
    assert caught.value.attempts[0].reason == "total_time"


def test_no_time_at_all_is_a_timeout():
    with OpenAiServer(answers("x")) as server, pytest.raises(ModelDown) as caught:
        engine(server.url).complete(REQUEST, time_limit_s=-1)
    assert caught.value.attempts[0].kind == "timeout"


def test_it_can_be_called_from_a_running_event_loop():
    async def inside(built: PydanticAiEngine) -> ModelAnswer:
        return built.complete(REQUEST)

    with OpenAiServer(answers("x")) as server:
        assert asyncio.run(inside(engine(server.url))).text == "x"


def test_it_can_be_called_from_many_threads_at_once():
    with OpenAiServer(answers("x")) as server:
        built = engine(server.url, limits=Limits())
        with ThreadPoolExecutor(8) as pool:
            texts = list(pool.map(lambda _: built.complete(REQUEST).text, range(16)))
        assert texts == ["x"] * 16
        assert len(server.requests) == 16


def test_no_thread_stays_behind():
    with OpenAiServer(answers("x")) as server:
        built = engine(server.url)
        built.complete(REQUEST)
        for _ in range(100):
            if not any(thread.name == "mace-model-call" for thread in threading.enumerate()):
                return
            time.sleep(0.05)
    pytest.fail("a call's thread is still there")


def test_the_environment_is_not_looked_at(monkeypatch: pytest.MonkeyPatch):
    with OpenAiServer(answers("wrong")) as proxy, OpenAiServer(answers("right")) as server:
        elsewhere = proxy.url.removesuffix("/v1")
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, elsewhere)
            monkeypatch.setenv(name.lower(), elsewhere)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
        monkeypatch.setenv("OPENAI_BASE_URL", proxy.url)
        monkeypatch.setenv("OPENAI_ORG_ID", "org-from-the-environment")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "project-from-the-environment")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "authorization: Bearer from-the-environment\nx-own: 1")
        assert engine(server.url).complete(REQUEST).text == "right"
        assert proxy.requests == []
        seen = server.requests[0]
    assert "environment" not in json.dumps(dict(seen.headers))
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert not any(name.startswith("x-") for name in seen.headers)


def test_a_configured_proxy_is_used():
    with OpenAiServer(answers("through the proxy")) as proxy:
        via = replace(settings("http://provider.invalid/v1"), proxy=proxy.url.removesuffix("/v1"))
        assert PydanticAiEngine([via], PATIENT).complete(REQUEST).text == "through the proxy"
        assert proxy.requests[0].path == "http://provider.invalid/v1/chat/completions"


def test_configured_headers_are_sent():
    with OpenAiServer(answers("x")) as server:
        dressed = replace(settings(server.url), extra_headers=(("X-Team", "blue"),))
        PydanticAiEngine([dressed], PATIENT).complete(REQUEST)
        assert server.requests[0].headers["x-team"] == "blue"


@pytest.mark.parametrize(
    "behaviour",
    [
        fails(401, f"Incorrect key {KEY} for {PROMPT}"),
        fails(500, f"could not process {PROMPT} {SYSTEM}"),
        writes(f"{KEY} {PROMPT}".encode()),
        answers(None, id=PROMPT),
        sends(200, completion("fine"), x_echo=f"{KEY} {PROMPT} {SYSTEM}"),
        cuts_the_body,
        drips_the_body,
        answers("fine"),
    ],
)
def test_neither_key_nor_prompt_is_in_an_error_or_a_log(behaviour: Behaviour, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx2", "httpcore2", "asyncio"):
        caplog.set_level(logging.DEBUG, logger=name)
    with OpenAiServer(behaviour) as server:
        built = engine(server.url, limits=QUICK if behaviour in SLOW else PATIENT)
        try:
            built.complete(REQUEST)
            said = ""
        except ModelDown as error:
            said = f"{error} {error!r} {error.attempts} {error.to_json()} {error.__cause__} {error.__context__}"
            assert error.__cause__ is None
            assert error.__context__ is None
    said += caplog.text + repr(built.__dict__) + repr(settings(server.url))
    for canary in (KEY, "canary-prompt", "canary-system"):
        assert canary not in said


def test_other_users_of_the_libraries_keep_their_logs(caplog: pytest.LogCaptureFixture):
    with OpenAiServer(answers("x")) as server:
        engine(server.url).complete(REQUEST)
    caplog.set_level(logging.DEBUG)
    logging.getLogger("openai").debug("somebody else's line")
    assert "somebody else's line" in caplog.text


FRESH = """
import logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
import mace.providers.models.engine as engine
from mace.providers.models import ModelRequest, ModelDown
from mace.providers.models.settings import Limits, ProviderSettings
heavy = [name for name in ("pydantic_ai", "openai", "httpx2", "pydantic") if name in sys.modules]
assert not heavy, heavy
built = engine.PydanticAiEngine([ProviderSettings(model="m", base_url=sys.argv[1], api_key="sk-canary-key-4711")])
request = ModelRequest(system="canary-system-0816", prompt="canary-prompt-0815", max_output_tokens=5)
try:
    print(built.complete(request).text)
except ModelDown as error:
    print(error)
"""


@pytest.mark.parametrize(("behaviour", "said"), [(answers("hello"), "hello"), (fails(500, PROMPT), "server 500")])
def test_the_first_call_of_a_process_is_as_silent_and_imports_late(behaviour: Behaviour, said: str):
    with OpenAiServer(behaviour) as server:
        environment = {**os.environ, "OPENAI_LOG": "debug", "PYTHONASYNCIODEBUG": "1"}
        done = subprocess.run(
            [sys.executable, "-c", FRESH, server.url], capture_output=True, text=True, env=environment, timeout=120
        )
    assert said in done.stdout, done.stderr
    assert "canary" not in done.stdout + done.stderr


def test_a_call_that_is_interrupted_is_given_up():
    with OpenAiServer(hangs_before_headers) as server:
        # Whoever runs the tests in the background may have made children ignore the signal.
        listens = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + FRESH
        child = subprocess.Popen([sys.executable, "-c", listens, server.url], stderr=subprocess.PIPE, text=True)
        began = time.monotonic()
        while not server.requests and time.monotonic() - began < GENEROUS_S:
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=GENEROUS_S)
    assert "KeyboardInterrupt" in said
    assert "canary" not in said


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_output_tokens": 0},
        {"temperature": -1},
        {"temperature": float("nan")},
        {"prompt": "\ud800"},
        {"system": "\ud800"},
    ],
)
def test_a_request_that_cannot_be_sent_is_refused(wrong: dict[str, object]):
    with pytest.raises(ValueError, match=r"must be|must not contain"):
        replace(REQUEST, **wrong)


def test_requests_and_answers_have_a_json_form():
    canon.dumps(REQUEST.to_json())
    failed = Attempt(provider="p", model="m", kind="rate", status=429, reason="status")
    answer = ModelAnswer(
        text="x",
        input_tokens=1,
        output_tokens=2,
        model="m",
        provider="q",
        finish_reason="stop",
        time_ms=3,
        failed=(failed,),
    )
    assert ModelAnswer.from_json(canon.loads(canon.dumps(answer.to_json()))) == answer


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ([], "missing"),
        ([("auth", None, "key_missing")], "missing"),
        ([("auth", None, "key_missing"), ("server", 500, "status")], "missing"),
        ([("auth", None, "key_missing"), ("auth", 401, "status")], "rejected"),
        ([("rate", 429, "status")], "ok"),
        ([("network", None, "no_connection")], "unknown"),
        ([("config", None, "not_installed")], "unknown"),
    ],
)
def test_what_the_attempts_tell_about_the_key(found: list[tuple[str, int | None, str]], status: str):
    attempts = [Attempt(provider="p", model="m", kind=k, status=s, reason=r) for k, s, r in found]
    assert key_status(attempts) == status


class Watched:
    """A watch that writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def asked(self, provider: str, model: str) -> None:
        self.heard.append(("asked", provider))

    def ended(self, outcome: ModelAnswer | Attempt | None) -> None:
        said = outcome.reason if isinstance(outcome, Attempt) else "answered" if outcome is not None else "error"
        self.heard.append(("ended", said))


class TestAskedAgain:
    """One provider is asked again as the limits say, and every request that leaves is told before it does."""

    def engine(self, *urls: str, retries: int, pauses: list[float] | None = None) -> PydanticAiEngine:
        providers = [settings(url, f"p{number}") for number, url in enumerate(urls)]
        slept = (pauses if pauses is not None else []).append
        return PydanticAiEngine(providers, replace(PATIENT, retries=retries), pause=slept)

    @pytest.mark.parametrize("broken", [fails(500), fails(503), fails(429), cuts_the_connection])
    def test_after_what_may_be_over_in_a_moment(self, broken: Behaviour):
        watch, pauses = Watched(), list[float]()
        with OpenAiServer(broken, broken, answers("at last")) as server:
            answer = self.engine(server.url, retries=2, pauses=pauses).complete_watched(REQUEST, watch)
            assert len(server.requests) == len([what for what, _ in watch.heard if what == "asked"]) == 3
        assert (answer.text, len(answer.failed), pauses) == ("at last", 2, [0.5, 1.0])
        assert watch.heard[-1] == ("ended", "answered")

    @pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 413, 422, 307])
    def test_never_after_a_refusal_that_would_be_the_same_again(self, status: int):
        with OpenAiServer(fails(status)) as server, pytest.raises(ModelDown):
            self.engine(server.url, retries=3).complete(REQUEST)
        assert len(server.requests) == 1

    @pytest.mark.parametrize(
        "answer", [answers(None), sends(200, FILTERED), ends("tool_calls", content=None, tool_calls=[CALL])]
    )
    def test_never_after_an_answer_without_a_text(self, answer: Behaviour):
        with OpenAiServer(answer) as server, pytest.raises(ModelDown):
            self.engine(server.url, retries=3).complete(REQUEST)
        assert len(server.requests) == 1

    def test_no_more_often_than_the_limits_say_and_then_the_next_provider(self):
        watch = Watched()
        with OpenAiServer(fails(500)) as first, OpenAiServer(answers("spare")) as second:
            answer = self.engine(first.url, second.url, retries=1).complete_watched(REQUEST, watch)
            assert (len(first.requests), len(second.requests)) == (2, 1)
        assert watch.heard == [
            *(("asked", "p0"), ("ended", "status")) * 2,
            ("asked", "p1"),
            ("ended", "answered"),
        ]
        assert answer.provider == "p1"

    @pytest.mark.parametrize(
        ("headers", "waited"),
        [
            ({"retry_after": "3"}, [3.0]),
            ({"retry_after": "Mon, 16 Nov 2026 12:00:07 GMT", "date": "Mon, 16 Nov 2026 12:00:00 GMT"}, [7.0]),
            ({"retry_after": "soon"}, [0.5]),
            ({"retry_after": "100000"}, []),  # longer than the call may take: told instead
        ],
    )
    def test_it_waits_as_long_as_the_endpoint_says(self, headers: dict[str, str], waited: list[float]):
        pauses: list[float] = []

        def busy(handler: Exchange) -> None:
            handler.wfile.write(b"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n")
            for name, value in headers.items():
                handler.wfile.write(f"{name.replace('_', '-')}: {value}\r\n".encode())
            handler.wfile.write(b"\r\n{}")

        with OpenAiServer(busy, answers("now")) as server:
            built = self.engine(server.url, retries=1, pauses=pauses)
            if waited:
                assert built.complete(REQUEST).text == "now"
            else:
                assert down(built).attempts[0].retry_after_s == 86_400
        assert pauses == waited

    def test_a_watch_that_raises_lets_no_request_out(self):
        class Full:
            def asked(self, provider: str, model: str) -> None:
                raise OSError("disk full")

            def ended(self, outcome: object) -> None:
                raise AssertionError("nothing was begun")

        with OpenAiServer(answers("never")) as server:
            with pytest.raises(OSError, match="disk full"):
                engine(server.url).complete_watched(REQUEST, Full())
            assert server.requests == []

    def test_what_cannot_be_sent_is_not_told_as_sent(self):
        watch = Watched()
        with OpenAiServer(answers("x")) as server:
            keyless = [settings(server.url, "first", None), settings(server.url, "second")]
            PydanticAiEngine(keyless, PATIENT).complete_watched(REQUEST, watch)
        assert watch.heard == [("asked", "second"), ("ended", "answered")]


class TestWords:
    @pytest.mark.parametrize("reason", sorted(REASONS))
    def test_every_reason_has_a_remedy_with_settings_that_exist(self, reason: str):
        names = {item.name for item in fields(Settings)}
        for prefix in ("llm", "llm_backup", "judge"):
            text = remedy(reason, prefix)
            assert text or reason == "not_installed"
            assert "{" not in text
            for name in re.findall(r"(\w+) \(MACE_\w+\)", text):
                assert name in names
                assert f"({'MACE_' + name.upper()})" in text

    def test_a_remedy_names_the_engine_that_is_meant(self):
        assert "llm_backup_api_key (MACE_LLM_BACKUP_API_KEY)" in remedy("key_refused", "llm_backup")
        assert "judge_url (MACE_JUDGE_URL)" in remedy("no_connection", "judge")
        assert "llm_total_timeout_ms (MACE_LLM_TOTAL_TIMEOUT_MS)" in remedy("total_time", "judge")

    @pytest.mark.parametrize(
        ("kinds", "words"),
        [
            ([], None),
            (["server"], None),
            (["auth", "timeout"], None),  # the usual words are true of the first
            (["timeout"], "too slow"),
            (["timeout", "filtered"], "content filter"),
            (["refused"], "refused"),
            (["tool_call"], "tool"),
            (["empty"], "empty"),
        ],
    )
    def test_what_a_person_hears(self, kinds: list[str], words: str | None):
        said = said_of(kinds)
        assert said is None if words is None else said is not None and words in said

    @pytest.mark.parametrize(
        ("text", "left"),
        [
            ("plain", "plain"),
            ("Here it is. <think>hm, is it", "Here it is."),
            ("<THINKING about it>and on", ""),
            ("<think>a</think>answer", "<think>a</think>answer"),  # what is closed is hidden by whoever shows it
            ("<think>a</think>answer <think>b", "<think>a</think>answer"),
            ("<think>a <think>b</think> c", ""),
            ("The tag `<think>` begins a thought.", "The tag `<think>` begins a thought."),
            ("a</think>answer", "a</think>answer"),
            ("1 < 2 and thinking > 3", "1 < 2 and thinking > 3"),
        ],
    )
    def test_a_thought_without_an_end_is_hidden_wherever_it_begins(self, text: str, left: str):
        assert without_open_thought(text) == left
