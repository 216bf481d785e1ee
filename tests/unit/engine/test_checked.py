"""Arguments of verbs: what a signature asks of them, and words that may not stand on the ledger in plain sight."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import governed
import places
from mace.core.errors import InvalidInput, MaceError, NotFound, WrongType
from mace.engine.checked import MAX_CHARACTERS, MAX_WORDS, checked
from mace.engine.runtime import Mace

PHONE = "212-555-0198"


@checked
class Verbs:
    def text(self, name: str, reason: str | None = None) -> str:
        """Its words."""
        return name

    def statement(self, statement: str) -> str:
        return statement

    def id(self, job_id: str) -> str:
        return job_id

    def rest(
        self,
        limit: int = 1,
        keys: list[str] | None = None,
        said: dict[str, Any] | None = None,
        lines: Iterable[str] = (),
        life: timedelta | None = None,
        anything: Any = None,
        *,
        flag: bool = False,
    ) -> Any:
        return anything

    def _own(self, name: str) -> str:
        return name


@pytest.mark.parametrize(
    ("verb", "arguments", "error"),
    [
        ("text", {"name": "x"}, None),
        ("text", {"name": ""}, None),  # what a text may say is for the verb
        ("text", {"name": "x", "reason": None}, None),
        ("text", {"name": None}, WrongType),
        ("text", {"name": 7}, WrongType),
        ("text", {"name": b"x"}, WrongType),
        ("text", {"name": "x", "reason": ["x"]}, WrongType),
        ("text", {"name": "a\ud800"}, InvalidInput),
        ("text", {"name": "a\x00"}, InvalidInput),
        ("text", {"name": "x" * MAX_CHARACTERS}, None),
        ("text", {"name": "x" * (MAX_CHARACTERS + 1)}, InvalidInput),
        ("statement", {"statement": "x" * MAX_WORDS}, None),
        ("statement", {"statement": "x" * (MAX_WORDS + 1)}, InvalidInput),
        ("id", {"job_id": "3f" * 32}, None),
        ("id", {"job_id": "job-2026-03-01"}, None),
        ("id", {"job_id": "bob@example.org"}, InvalidInput),
        ("id", {"job_id": f"call {PHONE}"}, InvalidInput),
        ("rest", {"limit": 2**53 - 1}, None),
        ("rest", {"limit": True}, WrongType),
        ("rest", {"limit": 1.0}, WrongType),
        ("rest", {"limit": -1}, InvalidInput),
        ("rest", {"limit": 2**53}, InvalidInput),
        ("rest", {"keys": ["a"]}, None),
        ("rest", {"keys": "a"}, WrongType),
        ("rest", {"keys": [7]}, WrongType),
        ("rest", {"keys": ["\ud800"]}, InvalidInput),
        ("rest", {"keys": ["a"] * 10_001}, InvalidInput),
        ("rest", {"said": {"a": [1, None]}}, None),
        ("rest", {"said": [1]}, WrongType),
        ("rest", {"said": {"a": "\ud800"}}, InvalidInput),
        ("rest", {"said": {"a": float("nan")}}, InvalidInput),
        ("rest", {"said": {1: 2}}, InvalidInput),
        ("rest", {"lines": iter(["a"])}, None),
        ("rest", {"lines": "text"}, WrongType),
        ("rest", {"lines": 7}, WrongType),
        ("rest", {"life": timedelta(1)}, None),
        ("rest", {"life": 1}, WrongType),
        ("rest", {"flag": 1}, WrongType),
        ("rest", {"anything": "\ud800"}, None),
        ("_own", {"name": 7}, None),
    ],
)
def test_what_a_signature_asks_for(verb: str, arguments: dict[str, Any], error: type[MaceError] | None):
    call: Callable[..., Any] = getattr(Verbs(), verb)
    if error is None:
        call(**arguments)
        call(*arguments.values()) if verb != "rest" else None
        return
    with pytest.raises(error) as refused:
        call(**arguments)
    assert refused.value.code == "INVALID_INPUT"
    assert PHONE not in str(refused.value)


def test_a_wrong_type_is_both_kinds_of_error():
    with pytest.raises(TypeError):
        Verbs().text(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="name must be a text"):
        Verbs().text(7)  # type: ignore[arg-type]


def test_a_verb_keeps_its_name_and_its_words():
    assert (Verbs.text.__name__, Verbs.text.__doc__) == ("text", "Its words.")


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.recover_module("math_agent", PHONE),
        lambda m: m.recover_module("math_agent", ""),
        lambda m: m.retry_queued("ana@example.org"),
        lambda m: m.attest(PHONE, "looked"),
        lambda m: m.attest("ana", f"somebody called {PHONE}"),
        lambda m: m.attest("ana", " "),
        lambda m: m.sem_put("world/fact/a/b", "x", "system", job_seed=f"call {PHONE}"),
        lambda m: m.grant_consent("bob", "yes", job_seed="my ssn is 123-45-6789"),
        lambda m: m.ask("what is 2 + 2?", job_seed="ana@example.org"),
        lambda m: m.detect_and_handle("hi", job_seed="password: hunter2hunter2"),
        lambda m: m.report_security_incident(f"{PHONE} called"),
        lambda m: m.propose_policy(f"{governed.policy_text()}\n// ask {PHONE}", "owner"),
        lambda m: m.key("world", "fact", "ana@example.org", "age"),
        lambda m: m.key("world", "fact", "a call", f"to {PHONE}"),
        lambda m: m.issue_token(PHONE, "owner"),
        lambda m: m.enrol_second_factor(PHONE, "owner"),
        lambda m: m.vote("my password is hunter2", "owner", "approve"),
    ],
)
def test_nothing_personal_stands_in_plain_sight(mace_home: places.SqlitePlace, call: Callable[[Mace], Any]):
    with mace_home.open() as m:
        before = m.describe()["events"]
        with pytest.raises(InvalidInput) as refused:
            call(m)
        assert m.describe()["events"] == before
        assert PHONE not in str(refused.value)


@pytest.mark.parametrize(
    "source", [PHONE, "ana@example.org", "my password is hunter2", "a\ud800", "a\x00b", "x" * 5000]
)
def test_who_was_refused_is_named_only_if_that_may_be_said(mace_home: places.SqlitePlace, source: str):
    with mace_home.open() as m:
        answers = [
            m.sem_delete("world/fact/a/b", source),
            m.sem_list("world", source),
            m.sem_add_alias("tint", "world/fact/a/b", source),
        ]
        assert [answer["error_code"] for answer in answers] == ["PERMISSION_DENIED"] * 3
        assert {answer["error"]["meta"]["actor"] for answer in answers} == {"[redacted]"}
        with suppress(InvalidInput):  # of what cannot even be stored
            assert m.import_facts([b"{}"], source)["refused"]
        assert m.verify()["ok"]
    files = b"".join(file.read_bytes() for file in mace_home.folder.rglob("*") if file.is_file())
    assert source.encode("utf-8", "surrogatepass") not in files


@pytest.mark.parametrize("verb", ["request_quarantine", "request_release"])
def test_only_modules_that_there_are_are_asked_about(tmp_path: Path, verb: str):
    house = governed.House(tmp_path)
    with pytest.raises(NotFound, match="a module with this module_id"):
        getattr(house.m, verb)("no_such_agent", "owner")
    assert house.m.approvals() == []
    house.m.sem_put("mace/config/agents/allowed_writes", ["scout"], "system_admin")
    house.m.report_violation("stranger", "wrote where it may not")
    for known in ("math_agent", "language_engine", "scout", "stranger"):
        assert getattr(house.m, verb)(known, "owner")["status"] == "open"
    assert house.m.recover_module("stranger", "owner")["status"] == "healthy"
    with pytest.raises(NotFound):
        house.m.recover_module("no_such_agent", "owner")
    house.close()


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("Remember my email is ana@example.org", "PRIVACY_BLOCKED", "Privacy policy blocked data of type email."),
        ("Remember my nickname is [redacted]", "INVALID_INPUT", "stands for something that was taken out"),
    ],
)
def test_a_placeholder_is_told_by_what_it_stands_for(mace_home: places.SqlitePlace, text: str, code: str, told: str):
    with mace_home.open() as m:
        answer = m.ask(text, "bob")
        assert answer["error"]["error_code"] == code
        assert told in answer["error"]["developer_message"]
        assert m.replay(answer["job_id"])["result"] == "MATCH"
