"""Language engines on the command line: `mace doctor --probe`, and what is said of one that does not answer."""

from pathlib import Path
from typing import Any

import pytest

from helpers_openai_server import Behaviour, OpenAiServer, answers, ends, fails, unused_url, writes

KEY = "sk-canary-key-4711"


@pytest.fixture
def made(cli: Any, tmp_path: Path) -> str:
    where = str(tmp_path / "m")
    assert cli("init", where, "--bare").code == 0
    return where


def configure(monkeypatch: pytest.MonkeyPatch, engine: str, url: str, **more: str) -> None:
    for name, value in {"url": url, "model": f"{engine}-model", "api_key": KEY, **more}.items():
        monkeypatch.setenv(f"MACE_{engine}_{name}".upper(), value)


def engines(ran: Any) -> list[dict[str, Any]]:
    return [item for item in ran.value["checks"] if item["name"].startswith("engine")]


class TestProbe:
    def test_nobody_is_asked_without_it(self, cli: Any, made: str, monkeypatch: pytest.MonkeyPatch):
        with OpenAiServer(answers("ready")) as server:
            configure(monkeypatch, "llm", server.url)
            ran = cli("doctor", "-C", made, "--json")
            assert (ran.code, engines(ran), server.requests) == (0, [], [])
            assert "engines" not in ran.value

    def test_every_engine_is_asked_one_word(self, cli: Any, made: str, monkeypatch: pytest.MonkeyPatch):
        with (
            OpenAiServer(answers("ready")) as one,
            OpenAiServer(answers("ready")) as two,
            OpenAiServer(answers("ready")) as three,
        ):
            for engine, server in (("llm", one), ("llm_backup", two), ("judge", three)):
                configure(monkeypatch, engine, server.url)
            ran = cli("doctor", "-C", made, "--probe", "--json")
            assert [len(server.requests) for server in (one, two, three)] == [1, 1, 1]
            (asked,) = one.requests[0].messages
        assert ran.code == 0
        assert "one word" in asked["content"]
        assert [(item["name"], item["state"]) for item in engines(ran)] == [
            ("engine llm", "ok"),
            ("engine llm_backup", "ok"),
            ("engine judge", "ok"),
        ]
        first = ran.value["engines"][0]
        assert (first["engine"], first["model"], first["ok"]) == ("llm", "llm-model", True)
        assert (first["input_tokens"], first["output_tokens"]) == (7, 3)
        assert "7 tokens in, 3 out" in engines(ran)[0]["detail"]
        assert KEY not in ran.out + ran.err

    @pytest.mark.parametrize(
        ("behaviour", "error", "remedy"),
        [
            (fails(401, f"bad key {KEY}"), "auth 401", "llm_api_key (MACE_LLM_API_KEY)"),
            (fails(404), "request 404", "llm_url (MACE_LLM_URL)"),
            (fails(500), "server 500", "llm_backup_model"),
            (writes(b"<html>a web page</html>", "text/html"), "not_a_completion", "llm_url (MACE_LLM_URL)"),
            (ends("content_filter", content=None), "filtered", "other words"),
        ],
    )
    def test_one_that_fails_is_told_with_its_remedy(
        self, cli: Any, made: str, monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour, error: str, remedy: str
    ):
        with OpenAiServer(behaviour) as broken, OpenAiServer(answers("ready")) as sound:
            configure(monkeypatch, "llm", broken.url)
            configure(monkeypatch, "llm_backup", sound.url)
            ran = cli("doctor", "-C", made, "--probe", "--json")
            shown = cli("doctor", "-C", made, "--probe")
        bad, good = engines(ran)
        assert (ran.code, bad["state"], good["state"]) == (1, "fail", "ok")
        assert error in bad["detail"]
        assert remedy in bad["hint"]
        assert remedy in shown.out
        assert KEY not in ran.out + ran.err + shown.out + shown.err

    def test_without_a_key_the_setting_is_named(self, cli: Any, made: str, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("MACE_LLM_MODEL", "m")
        ran = cli("doctor", "-C", made, "--probe", "--json")
        (told,) = engines(ran)
        assert (ran.code, told["state"]) == (1, "fail")
        assert "llm_api_key (MACE_LLM_API_KEY)" in told["hint"]

    def test_nobody_listens(self, cli: Any, made: str, monkeypatch: pytest.MonkeyPatch):
        configure(monkeypatch, "llm", unused_url())
        (told,) = engines(cli("doctor", "-C", made, "--probe", "--json"))
        assert (told["state"], "llm_url (MACE_LLM_URL)" in told["hint"]) == ("fail", True)

    def test_without_engines_it_says_how_to_set_one(self, cli: Any, made: str):
        ran = cli("doctor", "-C", made, "--probe", "--json")
        (told,) = engines(ran)
        assert (ran.code, told["state"], ran.value["engines"]) == (0, "warn", [])
        assert "MACE_LLM_MODEL" in told["hint"]

    def test_limits_that_contradict_each_other_are_one_line(self, cli: Any, made: str, monkeypatch: pytest.MonkeyPatch):
        configure(monkeypatch, "llm", unused_url(), total_timeout_ms="20000")
        ran = cli("doctor", "-C", made, "--probe", "--json")
        told = next(item for item in engines(ran) if item["name"] == "engine")
        assert (ran.code, told["state"]) == (1, "fail")
        assert "llm_header_timeout_ms" in told["detail"]
        assert "llm_total_timeout_ms" in told["detail"]

    def test_it_goes_with_no_canary(self, cli: Any, made: str):
        assert cli("doctor", "-C", made, "--probe", "--canary", "word").code == 2


class TestAsk:
    def test_without_an_engine_the_setting_is_named(self, cli: Any, made: str):
        ran = cli("-C", made, "ask", "Write a poem")
        assert (ran.code, ran.out) == (1, "")
        assert "I have no language engine" in ran.err
        assert "llm_model (MACE_LLM_MODEL)" in ran.err
        assert "Try again later" not in ran.err

    def test_what_is_for_developers_stands_in_the_json_alone(self, cli: Any, made: str):
        ran = cli("-C", made, "ask", "Blorp the quux")
        told = cli("-C", made, "ask", "Blorp the quux", "--json").value
        assert "No router rule matched query" in told["developer_message"]
        assert "No router rule" not in ran.err
        assert "llm_model (MACE_LLM_MODEL)" in ran.err

    def test_an_answer_that_was_cut_off_is_shown_with_what_to_do(
        self, cli: Any, made: str, monkeypatch: pytest.MonkeyPatch
    ):
        with OpenAiServer(ends("length", content="Rain falls in the mid")) as server:
            configure(monkeypatch, "llm", server.url)
            ran = cli("-C", made, "ask", "Write a poem about rain")
        assert ran.code == 0
        assert "Rain falls in the mid" in ran.out
        assert "This answer was cut off before its end." in ran.out
        assert "llm_text_tokens (MACE_LLM_TEXT_TOKENS)" in ran.out

    def test_an_engine_that_refuses_the_key_names_the_setting(
        self, cli: Any, made: str, monkeypatch: pytest.MonkeyPatch
    ):
        with OpenAiServer(fails(401, f"wrong key {KEY}")) as server:
            configure(monkeypatch, "llm", server.url)
            ran = cli("-C", made, "ask", "Write a poem about rain")
        assert ran.code == 1
        assert "llm_api_key (MACE_LLM_API_KEY)" in ran.err
        assert KEY not in ran.out + ran.err
