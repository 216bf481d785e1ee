"""An engine named when a MACE is opened: over real HTTP, with a key that goes only where it was meant to go."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mace
import places
from helpers_openai_server import OpenAiServer, answers, fails
from mace.wiring.language import language_engine

KEY = "sk-s3cret-0123456789"
OTHER = "sk-other-9876543210"
QUESTION = "Write a short poem about rains"
POEM = "Rains write a short poem on the roof."


def _key(server: OpenAiServer) -> str | None:
    return {name.lower(): value for name, value in server.requests[0].headers.items()}.get("authorization")


def test_a_model_a_url_and_a_key_are_all_it_takes(mace_home: places.SqlitePlace):
    with OpenAiServer(answers(POEM)) as server:
        with mace_home.open(model="tiny", url=server.url, api_key=KEY) as m:
            assert m.ask(QUESTION)["answer"] == POEM
        assert server.requests[0].body["model"] == "tiny"
        assert _key(server) == f"Bearer {KEY}"


def test_a_url_without_a_key_is_asked_without_one(mace_home: places.SqlitePlace):
    with OpenAiServer(answers(POEM)) as server:
        with mace_home.open(model="tiny", url=server.url) as m:
            assert m.ask(QUESTION)["answer"] == POEM
        assert _key(server) is None


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, f"Bearer {KEY}"),
        ({"model": "large"}, f"Bearer {KEY}"),
        ({"api_key": OTHER}, f"Bearer {OTHER}"),
        ({"api_key": ""}, None),  # the configured address is asked with a key only, as llm_needs_key says
    ],
)
def test_what_is_not_given_stays_as_configured(mace_home: places.SqlitePlace, given: dict[str, str], sent: str | None):
    with OpenAiServer(answers(POEM)) as server:
        mace_home.settings = replace(mace_home.settings, llm_model="tiny", llm_url=server.url, llm_api_key=KEY)
        with mace_home.open(**given) as m:
            m.ask(QUESTION)
        if sent is None:
            assert server.requests == []
        else:
            assert _key(server) == sent
            assert server.requests[0].body["model"] == given.get("model", "tiny")


def test_another_url_does_not_get_the_configured_key(mace_home: places.SqlitePlace):
    with OpenAiServer(answers(POEM)) as configured, OpenAiServer(answers(POEM)) as named:
        mace_home.settings = replace(mace_home.settings, llm_model="tiny", llm_url=configured.url, llm_api_key=KEY)
        with mace_home.open(url=named.url) as m:
            assert m.ask(QUESTION)["answer"] == POEM
        assert _key(named) is None
        assert configured.requests == []
        with mace_home.open(url=configured.url) as m:  # the same address, said twice
            m.ask(QUESTION)
        assert _key(configured) == f"Bearer {KEY}"


def test_the_backup_goes_on_asking_only_with_its_key(mace_home: places.SqlitePlace):
    with OpenAiServer(fails(500)) as named, OpenAiServer(answers(POEM)) as backup:
        mace_home.settings = replace(mace_home.settings, llm_backup_model="b", llm_backup_url=backup.url)
        with mace_home.open(model="tiny", url=named.url) as m:
            m.ask(QUESTION)
        assert named.requests
        assert backup.requests == []


def test_of_other_protocols_no_key_is_looked_for_elsewhere(mace_home: places.SqlitePlace):
    """Their libraries read keys from the environment; without one of ours they are not even asked."""
    settings = replace(mace_home.settings, llm_kind="anthropic")
    engine = language_engine(settings, model="m", url="http://127.0.0.1:9/v1")
    assert [item.needs_key for item in engine._providers] == [True]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"url": "http://127.0.0.1:9/v1"}, "url needs a model"),
        ({"api_key": KEY}, "api_key needs a model"),
        ({"model": " "}, "model must not be empty"),
        ({"model": "m", "url": "localhost:11434"}, "url must begin with http:// or https://"),
        ({"model": "m", "url": KEY}, "url must begin with http:// or https://"),
        ({"model": "m", "url": ""}, "url must begin with http:// or https://"),
        ({"model": "m", "api_key": KEY.encode()}, "api_key must be a str, got bytes"),
        ({"model": 7}, "model must be a str, got int"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_no_value_is_repeated(
    tmp_path: Path, given: dict[str, Any], complaint: str
):
    with pytest.raises(mace.InvalidInput, match=complaint) as refused:
        mace.open(tmp_path / "m", **given)
    assert KEY not in repr(refused.value)
    assert not (tmp_path / "m").exists()


def test_an_engine_does_not_show_its_keys(mace_home: places.SqlitePlace):
    settings = replace(mace_home.settings, llm_backup_model="b", llm_backup_api_key=OTHER)
    engine = language_engine(settings, model="m", api_key=KEY)
    shown = repr(engine) + repr(vars(engine))
    assert "model='m'" in shown
    assert KEY not in shown
    assert OTHER not in shown


def test_an_engine_and_a_model_exclude_each_other(mace_home: places.SqlitePlace):
    engine = language_engine(mace_home.settings, model="m")
    with pytest.raises(mace.InvalidInput, match="exclude each other"):
        mace_home.open(language=engine, model="m")
    with mace_home.open(language=engine):
        pass


@pytest.mark.parametrize("behaviour", [answers(POEM), fails(401, f"your key {KEY} is wrong"), fails(500, KEY)])
def test_the_key_is_shown_nowhere(
    mace_home: places.SqlitePlace, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], behaviour: Any
):
    caplog.set_level(logging.DEBUG)
    with (
        OpenAiServer(behaviour) as server,
        mace_home.open(model="tiny", url=server.url, api_key=KEY) as m,
    ):
        answer = m.ask(QUESTION)
        assert _key(server) == f"Bearer {KEY}"
        told = [repr(m), repr(vars(m)), repr(answer), repr(m.describe()), repr(list(m.export()))]
    stored = b"".join(file.read_bytes() for file in Path(mace_home.settings.location).rglob("*") if file.is_file())
    assert KEY not in "".join(told) + caplog.text + "".join(capfd.readouterr())
    assert KEY.encode() not in stored
